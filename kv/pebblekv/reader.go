package pebblekv

import (
	"bytes"
	"sync"

	"github.com/cockroachdb/pebble/v2"
)

const (
	// singleReads is how many reads of a snapshot are single: opening what is
	// kept costs as much as one or two of them.
	singleReads = 2
	// readsKept is how many reads an iterator serves. It holds the files that
	// were the database's when it was opened, which compaction cannot remove
	// until it is closed.
	readsKept = 1 << 10
)

// readers are iterators of a snapshot that are kept from one read of a key to
// the next: Pebble's Get opens the tables of all levels anew, which takes as
// long as the reading. It is safe for concurrent use; concurrent reads have an
// iterator each.
type readers struct {
	mu    sync.Mutex
	reads int // single ones
	idle  []*reader
}

// reader is an iterator and the number of its reads.
type reader struct {
	it    *pebble.Iterator
	reads int
}

// take returns a reader, or nil for one of the first reads.
func (r *readers) take(src source) (*reader, error) {
	r.mu.Lock()
	if r.reads < singleReads {
		r.reads++
		r.mu.Unlock()
		return nil, nil
	}
	if n := len(r.idle); n > 0 {
		rd := r.idle[n-1]
		r.idle = r.idle[:n-1]
		r.mu.Unlock()
		return rd, nil
	}
	r.mu.Unlock()
	return newReader(src)
}

// put takes a reader back. One that has failed or served long is closed.
func (r *readers) put(rd *reader, err error) error {
	if err != nil || rd.reads >= readsKept {
		return rd.it.Close()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.idle = append(r.idle, rd)
	return nil
}

// close closes the idle readers; none may be taken.
func (r *readers) close() (err error) {
	for _, rd := range r.idle {
		if cerr := rd.it.Close(); err == nil {
			err = cerr
		}
	}
	r.idle = nil
	return err
}

func newReader(src source) (*reader, error) {
	it, err := src.NewIter(&pebble.IterOptions{UseL6Filters: true})
	if err != nil {
		return nil, err
	}
	return &reader{it: it}, nil
}

// get returns the value of a key until the next call, nil where there is none.
func (rd *reader) get(key []byte) ([]byte, error) {
	rd.reads++
	if !seekPrefix(rd.it, key) || !bytes.Equal(rd.it.Key(), key) {
		return nil, rd.it.Error()
	}
	v, err := rd.it.ValueAndErr()
	if v == nil && err == nil {
		v = []byte{}
	}
	return v, err
}
