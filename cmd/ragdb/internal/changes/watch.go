package changes

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"time"

	"github.com/ragdb/ragdb/rag/load"
)

// Options say what a Watch looks at, and when. Zero times are the defaults.
type Options struct {
	// Load says which files are read.
	Load load.Options
	// Skip is the path of a folder that is not entered, such as the database's; "" is
	// none.
	Skip string
	// Poll is the time between two looks at a folder whose events are not watched for.
	// 0 watches for events if the system can.
	Poll time.Duration
	// Quiet is how long the folder has to rest before a change is told of; 1 s by
	// default.
	Quiet time.Duration
	// Most is the longest time from a change until it is told of, if the folder does not
	// rest; 30 s by default.
	Most time.Duration
	// Now and then the folder is looked at without an event; 1 min by default.
	Now time.Duration
}

const (
	quietTime = time.Second
	mostTime  = 30 * time.Second
	lookTime  = time.Minute
	pollTime  = 10 * time.Second
	// goneTime is the time between two looks for a folder that is not there.
	goneTime = 2 * time.Second
	// lookShare bounds the share of the time that looks without an event take.
	lookShare = 200
)

// Event is what Wait waits for.
type Event int

const (
	// Changed says that the folder has changed, and rests; the first event is one.
	Changed Event = iota
	// Waited says that the time given to Wait is over.
	Waited
	// Gone says that the folder is not there. When it is back, Changed says so.
	Gone
)

// Watch watches a folder.
type Watch struct {
	dir  string
	o    Options
	n    *notifier // nil while there are no events
	why  error     // the reason for polling, nil if it was asked for
	gone bool
	// root is the folder that was listed last; at the same path there may be another now.
	root fs.FileInfo
	// seen is the listing at the last Changed, and prev that of the last look.
	seen, prev listing
	// rested says that at the last look no event had come for long enough.
	rested bool
	// since is when a change was first seen that was not told of; zero is none.
	since time.Time
	// looked is when the folder was listed last, and took how long that was.
	looked time.Time
	took   time.Duration
}

// Open watches the folder dir until Close. The folder must be there.
func Open(dir string, o Options) (*Watch, error) {
	for _, d := range []struct {
		t       *time.Duration
		instead time.Duration
	}{{&o.Quiet, quietTime}, {&o.Most, mostTime}, {&o.Now, lookTime}} {
		if *d.t == 0 {
			*d.t = d.instead
		}
	}
	w := &Watch{dir: dir, o: o}
	var err error
	w.root, err = identity(dir)
	return w, err
}

// Close ends the watch. The second call does nothing.
func (w *Watch) Close() error {
	if w.n == nil {
		return nil
	}
	err := w.n.close()
	w.n = nil
	return err
}

// Why returns why the folder is looked at every so often although events were wanted;
// nil if it is not so.
func (w *Watch) Why() error { return w.why }

// Every returns the time between two looks if there are no events to wait for, else 0.
func (w *Watch) Every() time.Duration {
	if w.n != nil {
		return 0
	}
	if w.o.Poll > 0 {
		return w.o.Poll
	}
	return pollTime
}

// There reports whether the folder that was looked at last is still in its place.
func (w *Watch) There() bool {
	info, err := identity(w.dir)
	return err == nil && os.SameFile(info, w.root)
}

// Wait waits for an event: at the first call it returns at once. It returns Waited after
// the time pause if nothing happened before; 0 waits without end. The error is that of
// ctx.
func (w *Watch) Wait(ctx context.Context, pause time.Duration) (Event, error) {
	var end time.Time
	if pause > 0 {
		end = time.Now().Add(pause)
	}
	for {
		first := w.seen == nil
		if !first || w.gone {
			over, err := w.rest(ctx, end)
			if over || err != nil {
				return Waited, err
			}
		}
		now, err := w.look(ctx)
		switch {
		case ctx.Err() != nil:
			return Waited, ctx.Err()
		case err != nil && w.gone:
			continue
		case err != nil:
			w.gone, w.since = true, time.Time{}
			return Gone, w.Close() // a system's watch does not come back with the folder
		}
		still := w.still(now)
		w.prev = now
		if back := w.gone; first || back || still && !now.equal(w.seen) {
			w.gone, w.since, w.seen = false, time.Time{}, maps.Clone(now)
			return Changed, nil
		}
		if still || now.equal(w.seen) {
			w.since = time.Time{}
		}
	}
}

// look lists the folder and begins to watch what is new in it. The error says that the
// folder is not there.
func (w *Watch) look(ctx context.Context) (listing, error) {
	w.looked = time.Now()
	root, err := identity(w.dir)
	if err != nil {
		return nil, err
	}
	same := os.SameFile(root, w.root)
	if !same && w.n != nil {
		w.Close() // the system watches a folder wherever that is moved
	}
	w.listen(ctx)
	var dirty map[string]bool
	all := false
	w.rested = false
	if w.n != nil {
		first, last := w.n.times()
		w.rested = !first.IsZero() && (w.looked.Sub(last) >= w.o.Quiet || w.looked.Sub(first) >= w.o.Most)
		dirty, all = w.n.taken()
	}
	skip, _ := os.Stat(w.o.Skip) // it may not exist yet
	now, err := list(ctx, w.dir, &w.o.Load, func(path, rel string, d fs.DirEntry) bool {
		if info, err := d.Info(); err == nil && skip != nil && os.SameFile(info, skip) {
			return false
		}
		if w.n != nil {
			if err := w.n.enter(path, rel); err != nil {
				w.poll(err)
			}
		}
		return true
	})
	w.took = time.Since(w.looked)
	if err != nil {
		return nil, err
	}
	if !same && len(now) == 0 && len(w.seen) > 0 {
		return nil, errGone
	}
	w.root = root
	for file := range w.seen {
		if all || dirty[file] {
			w.seen[file] = changed
		}
	}
	return now, nil
}

// listen begins to watch for events if that is wanted and possible.
func (w *Watch) listen(ctx context.Context) {
	if w.n != nil || w.o.Poll > 0 || w.why != nil {
		return
	}
	if holdsOpen() {
		if l, _ := list(ctx, w.dir, &w.o.Load, func(string, string, fs.DirEntry) bool { return true }); len(l) > mostOpen {
			w.why = errors.New("it has too many files for this system to watch")
			return
		}
	}
	n, err := newNotifier(w.dir, &w.o.Load)
	if err != nil {
		w.why = err
		return
	}
	w.n = n
}

// poll gives up watching for events.
func (w *Watch) poll(why error) {
	w.Close()
	w.why = why
}

// still reports whether a folder that was just listed rests, or has not for too long.
func (w *Watch) still(now listing) bool {
	if now.equal(w.seen) {
		return true
	}
	if w.since.IsZero() {
		w.since = w.looked
	}
	return w.rested || now.equal(w.prev) || w.looked.Sub(w.since) >= w.o.Most
}

// rest waits until the folder is to be looked at, and reports whether end came first.
func (w *Watch) rest(ctx context.Context, end time.Time) (over bool, err error) {
	for {
		at := w.next()
		over = !end.IsZero() && end.Before(at)
		if over {
			at = end
		}
		var wake chan struct{}
		if w.n != nil {
			wake = w.n.wake
		}
		t := time.NewTimer(time.Until(at))
		select {
		case <-wake: // the next look is nearer now, or farther
			t.Stop()
		case <-t.C:
			return over, nil
		case <-ctx.Done():
			t.Stop()
			return false, ctx.Err()
		}
	}
}

// next returns when the folder is to be looked at.
func (w *Watch) next() time.Time {
	if w.gone {
		return w.looked.Add(min(goneTime, w.regular()))
	}
	at := w.looked.Add(w.regular())
	if !w.since.IsZero() {
		at = earlier(w.looked.Add(w.o.Quiet), w.since.Add(w.o.Most))
	}
	if w.n == nil {
		return at
	}
	first, last := w.n.times()
	if first.IsZero() {
		return at
	}
	if !w.since.IsZero() {
		first = w.since
	}
	return earlier(last.Add(w.o.Quiet), first.Add(w.o.Most))
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// regular returns the time between two looks without an event.
func (w *Watch) regular() time.Duration {
	if every := w.Every(); every > 0 {
		return every
	}
	return max(w.o.Now, lookShare*w.took)
}
