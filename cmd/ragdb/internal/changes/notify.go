package changes

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/ragdb/ragdb/rag/load"
)

// notifier is woken by the system's events of a folder and the folders in it.
type notifier struct {
	dir    string
	o      *load.Options
	system *fsnotify.Watcher
	wake   chan struct{} // of one element
	done   chan struct{} // closed when run has ended

	// mu guards the fields below it.
	mu    sync.Mutex
	dirs  map[string]bool // by slash path
	first time.Time       // event since they were taken, zero if there was none
	last  time.Time
	dirty map[string]bool // files that were written to, by slash path
	lost  bool            // the system could not keep all events
}

// newNotifier returns a notifier that watches no folder yet.
func newNotifier(dir string, o *load.Options) (*notifier, error) {
	system, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	n := &notifier{dir: dir, o: o, system: system, wake: make(chan struct{}, 1), done: make(chan struct{}),
		dirs: map[string]bool{}, dirty: map[string]bool{}}
	go n.run()
	return n, nil
}

// close ends the notifier and its goroutine.
func (n *notifier) close() error {
	err := n.system.Close()
	<-n.done
	return err
}

// run takes the system's events until close, so that the system never waits.
func (n *notifier) run() {
	defer close(n.done)
	events, errs := n.system.Events, n.system.Errors
	for events != nil || errs != nil {
		select {
		case e, ok := <-events:
			if !ok {
				events = nil
			} else {
				n.take(e)
			}
		case _, ok := <-errs:
			if !ok {
				errs = nil
			} else {
				n.note("", true) // whatever it is, events may be lost
			}
		}
	}
}

// take notes an event if it can concern a file that a walk reads.
func (n *notifier) take(e fsnotify.Event) {
	rel, err := filepath.Rel(n.dir, e.Name)
	if err != nil {
		return
	}
	if rel = filepath.ToSlash(rel); rel == "." {
		n.note("", false)
		return
	}
	var t fs.FileMode
	if e.Has(fsnotify.Create) {
		info, err := os.Lstat(e.Name)
		if err != nil {
			return // another event tells what became of it
		}
		t = info.Mode().Type()
	}
	n.mu.Lock()
	if n.dirs[rel] {
		t = fs.ModeDir
	}
	n.mu.Unlock()
	switch {
	case n.o.Skips(rel, t) != "":
	case t.IsDir() || !e.Has(fsnotify.Create|fsnotify.Write):
		n.note("", false)
	default:
		n.note(rel, false)
	}
}

// note keeps that something changed: the content of a file, if file is not "".
func (n *notifier) note(file string, lost bool) {
	n.mu.Lock()
	n.last = time.Now()
	if n.first.IsZero() {
		n.first = n.last
	}
	if file != "" {
		n.dirty[file] = true
	}
	n.lost = n.lost || lost
	n.mu.Unlock()
	select {
	case n.wake <- struct{}{}:
	default:
	}
}

// times returns when the first and the last event since taken were; zero for none.
func (n *notifier) times() (first, last time.Time) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.first, n.last
}

// taken returns which files were written to since the last call, and whether it may be
// any file.
func (n *notifier) taken() (dirty map[string]bool, any bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	dirty, any = n.dirty, n.lost
	n.dirty, n.lost, n.first, n.last = map[string]bool{}, false, time.Time{}, time.Time{}
	return dirty, any
}

// enter watches a folder. A folder that is watched already may be entered again: it may
// be another one of its name.
func (n *notifier) enter(path, rel string) error {
	n.mu.Lock()
	n.dirs[rel] = true
	n.mu.Unlock()
	err := n.system.Add(path)
	if rel != "." && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission)) {
		return nil // it went, or cannot be read, which a walk says
	}
	return err
}

// mostOpen is how many files a folder may have on systems that watch a file by holding
// it open: more would leave too few to the database.
const mostOpen = 2000

// holdsOpen reports whether the system watches a file by holding it open.
func holdsOpen() bool {
	switch runtime.GOOS {
	case "darwin", "dragonfly", "freebsd", "netbsd", "openbsd":
		return true
	}
	return false
}
