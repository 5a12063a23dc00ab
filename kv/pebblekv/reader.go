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

// readers are Pebble's iterators of a snapshot, which are kept from one read to
// the next: Pebble's Get and a new iterator open the tables of all levels again,
// which takes as long as the reading. It is safe for concurrent use; concurrent
// reads have an iterator each.
type readers struct {
	mu     sync.Mutex
	reads  int // single ones
	idle   []*reader
	closed bool
}

// reader is an iterator and the number of its reads.
type reader struct {
	it    *pebble.Iterator
	reads int
}

// single reports whether a read is one of the first, for which no reader is
// opened.
func (r *readers) single() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.reads == singleReads || len(r.idle) > 0 {
		return false
	}
	r.reads++
	return true
}

// take returns a reader without bounds.
func (r *readers) take(src source) (*reader, error) {
	r.mu.Lock()
	if n := len(r.idle); n > 0 {
		rd := r.idle[n-1]
		r.idle = r.idle[:n-1]
		r.mu.Unlock()
		return rd, nil
	}
	r.mu.Unlock()
	return newReader(src)
}

// put takes a reader back. One that has failed or served long is closed, as is
// one whose snapshot is.
func (r *readers) put(rd *reader, err error) error {
	r.mu.Lock()
	if err == nil && rd.reads < readsKept && !r.closed {
		r.idle = append(r.idle, rd)
		rd = nil
	}
	r.mu.Unlock()
	if rd == nil {
		return nil
	}
	return rd.it.Close()
}

// close closes the idle readers, and those in use when they are put back.
func (r *readers) close() (err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
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

// get returns the value of a key until the next call, nil if there is none.
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
