package engine

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/ragdb/ragdb/internal/unfinished"
)

// spill is a temporary file of sorted runs. The zero spill has no file until
// the first run is written.
type spill struct {
	dir   string // of the file; the system's for temporary files if empty
	f     *os.File
	named bool // the file still has a name to be removed
	size  int64
	runs  []span
}

// span is a part of the file.
type span struct{ from, n int64 }

// spillBuffer is the size of the buffer through which a run is written, and
// the most that one is read through.
const spillBuffer = 64 << 10

// spillDir returns where temporary files go: beside the tables of a store that is
// a folder, so that they are on the disk that will hold what is made of them.
func (db *DB) spillDir() string {
	if info, err := os.Stat(db.path); err != nil || !info.IsDir() || db.path == Memory {
		return ""
	}
	return db.path
}

// write adds a run, which fn writes.
func (s *spill) write(fn func(w *bufio.Writer) error) error {
	if s.f == nil {
		f, err := os.CreateTemp(s.dir, unfinished.ScratchName)
		if err != nil {
			return err
		}
		// If the system lets an open file lose its name, nothing is left
		// behind however the process ends.
		s.f, s.named = f, os.Remove(f.Name()) != nil
	}
	w := bufio.NewWriterSize(&countingWriter{f: s.f, n: &s.size}, spillBuffer)
	from := s.size
	if err := errors.Join(fn(w), w.Flush()); err != nil {
		return fmt.Errorf("spill: %w", err)
	}
	s.runs = append(s.runs, span{from, s.size - from})
	return nil
}

// countingWriter counts the bytes that a file takes.
type countingWriter struct {
	f *os.File
	n *int64
}

func (w *countingWriter) Write(b []byte) (int, error) {
	n, err := w.f.Write(b)
	*w.n += int64(n)
	return n, err
}

// readers returns a reader of each run, the buffers of all taking about as
// many bytes as are given, and 4 KiB each at least.
func (s *spill) readers(bytes int) []*bufio.Reader {
	if len(s.runs) == 0 {
		return nil
	}
	size := min(max(bytes/len(s.runs), 4<<10), spillBuffer)
	out := make([]*bufio.Reader, len(s.runs))
	for i, r := range s.runs {
		out[i] = bufio.NewReaderSize(io.NewSectionReader(s.f, r.from, r.n), size)
	}
	return out
}

// close removes the file.
func (s *spill) close() error {
	if s.f == nil {
		return nil
	}
	err := s.f.Close()
	if s.named {
		err = errors.Join(err, os.Remove(s.f.Name()))
	}
	s.f = nil
	return err
}

// run is a sorted sequence being merged with others.
type run[T any] struct {
	cur  T
	rank int // among equal items, those of the lower rank come first
	// next moves cur on; it returns false after the last item.
	next func(cur *T) (bool, error)
}

// mergeRuns calls fn with the items of sorted runs in order, those that compare
// equal in order of rank. What fn is given is valid until it returns. Each item
// costs O(log runs) comparisons.
func mergeRuns[T any](ctx context.Context, runs []*run[T], compare func(a, b *T) int, fn func(item *T) error) error {
	heap := runHeap[T]{compare: compare}
	for _, r := range runs {
		ok, err := r.next(&r.cur)
		if err != nil {
			return err
		}
		if ok {
			heap.runs = append(heap.runs, r)
		}
	}
	for i := len(heap.runs)/2 - 1; i >= 0; i-- {
		heap.down(i)
	}
	for n := 0; len(heap.runs) > 0; n++ {
		if n%checkEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		least := heap.runs[0]
		if err := fn(&least.cur); err != nil {
			return err
		}
		ok, err := least.next(&least.cur)
		if err != nil {
			return err
		}
		if !ok {
			last := len(heap.runs) - 1
			heap.runs[0] = heap.runs[last]
			heap.runs = heap.runs[:last]
		}
		heap.down(0)
	}
	return nil
}

// checkEvery is how many steps of a long loop pass between looks at its
// context.
const checkEvery = 4096

// runHeap is a binary heap of runs, the one with the least item on top.
type runHeap[T any] struct {
	runs    []*run[T]
	compare func(a, b *T) int
}

func (h *runHeap[T]) less(a, b *run[T]) bool {
	c := h.compare(&a.cur, &b.cur)
	return c < 0 || c == 0 && a.rank < b.rank
}

func (h *runHeap[T]) down(i int) {
	for {
		child := 2*i + 1
		if child >= len(h.runs) {
			return
		}
		if child+1 < len(h.runs) && h.less(h.runs[child+1], h.runs[child]) {
			child++
		}
		if !h.less(h.runs[child], h.runs[i]) {
			return
		}
		h.runs[i], h.runs[child] = h.runs[child], h.runs[i]
		i = child
	}
}
