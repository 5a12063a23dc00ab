package vecindex

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/vecindex/internal/hnsw"
)

// recordWriter writes records in commits of a bounded size. Each commit is as
// good as the others: together they are made valid by one more.
type recordWriter struct {
	ctx     context.Context
	commit  Committer
	pending []record
	bytes   int
	err     error
}

type record struct{ key, value []byte }

func (w *recordWriter) set(key, value []byte) {
	w.pending = append(w.pending, record{key, value})
	if w.bytes += len(key) + len(value); len(w.pending) == commitRecords || w.bytes >= commitBytes {
		w.err = errors.Join(w.err, w.flush())
	}
}

// lists writes lists in order of their keys.
func (w *recordWriter) lists(t layout.Table, edition uint8, v *hnsw.Version, keys []hnsw.ListKey) {
	slices.SortFunc(keys, hnsw.ListKey.Compare)
	var links []uint32
	for _, k := range keys {
		l := v.List(k, links[:0])
		links = l.Links
		w.set(t.Links(edition, k.Level, k.Slot), appendLinks(nil, l))
	}
}

func (w *recordWriter) flush() error {
	if w.err != nil {
		return w.err
	}
	if len(w.pending) == 0 {
		return nil
	}
	err := w.commit(w.ctx, func(b kv.Batch) error {
		for _, r := range w.pending {
			b.Set(r.key, r.value)
		}
		return nil
	})
	w.pending, w.bytes = w.pending[:0], 0
	if err != nil {
		return fmt.Errorf("write the graph: %w", err)
	}
	return nil
}
