// Package crew counts the workers of a run that are working, and gives items to them.
//
// Texts of several workers share one request for vectors. A request is sent when it is
// full, or when no working worker is left that could bring another text: a [Crew] tells
// when that is. A [Dispenser] gives out items under the same lock, since a worker that
// waits for an item brings no text either. Workers that resume are counted before the
// first of them runs.
package crew
