// Package memory bounds what the parts of a process hold in memory together.
//
// A [Budget] is a number of bytes. What comes and goes with a piece of work, such as the
// rows of a statement, the body of a request or a graph's projection, draws from it
// through a [Share], which grows as the work does and is closed with it. What stays is
// counted when room is asked for: a cache is [Budget.Standing], and tells how much it
// has at the moment.
//
// Memory that is let go is used until the garbage collector has run. So a share that was
// large gives its bytes back when a collection has come by after it was closed, and one
// that wants room runs a collection if that makes some. [Hold] counts an object
// until it is collected, for objects that nobody closes, and [Evicts] has caches of such
// objects drop them first.
//
// If there is no room, a share waits for others to end, and is refused with [ErrBusy]
// if it has waited for ten seconds in all, or if nobody is left who could end: all others
// that hold memory wait too. A share that could not be had if it were alone is refused
// at once with an [*OverError]. A Budget does not measure the process: it is as exact as
// what is drawn from it.
package memory
