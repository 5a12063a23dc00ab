// Package queue runs the stages of indexing.
//
// A [Stage] yields [WorkItem]s in a fixed order. A [Runner] skips those that are marked
// done with the same digest, does the others on several workers outside of any
// transaction, and applies the results in order, each in the transaction that marks its
// item. So a run that is interrupted goes on where it stopped, and the result is the
// same for any number of workers. An item that fails, or that panics, is set aside
// with the reason ([Failures]).
//
// A [Step] is a stage with what only some stages have, such as a [Batch] of what
// several results change together.
package queue
