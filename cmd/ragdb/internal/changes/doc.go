// Package changes tells when the files of a folder have changed.
//
// A [Watch] is woken by the system's events, or looks from time to time if the system
// cannot watch the folder. Events only say when to look: what changed is what the
// listing of the folder says, of the files that a walk of package load reads. So hidden
// files, other formats and editors' temporary files change nothing, and a file that is
// replaced by renaming another to its name is one change.
//
// Changes are gathered: a Watch waits until the folder has rested for a while, but not
// for ever. It also looks once a minute without an event, which finds what systems
// report to nobody, such as changes that another computer made in a network folder.
//
// A folder that is not there has not lost its files: it may be unmounted. The same is
// said of another, empty folder in its place, which is what an unmounted volume leaves.
//
// A Watch is for one goroutine. It has goroutines of its own until Close.
package changes
