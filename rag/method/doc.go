// Package method is what the author of a retrieval method needs.
//
// A method is a [System], a struct of functions: the [Step]s by which it indexes, the
// [Plan] by which it retrieves, and what else it can do; what it lacks is nil. Its
// [Identity] is made of the parameters that a [ParamReader] read. [Methods] makes
// systems by name, as a [Spec] names them: name[:key=value,...][@label].
//
// A method works with a [Corpus], which is documents cut into chunks, and with
// [Models], which keep each reply that was paid. A [Stage] has the work of a step.
package method
