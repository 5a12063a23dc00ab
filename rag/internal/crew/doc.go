// Package crew counts the workers of a run that do not wait, and gives out work to
// them.
//
// Texts of several workers share one request for vectors. A request is sent when it is
// full, or when nobody is left who could bring another text: a [Crew] tells when that
// is. A [Dispenser] gives out items under the same lock, since a worker that waits for
// an item brings no text either. Those that go on are counted before the first of them
// runs.
package crew
