package engine

import (
	"context"
	"fmt"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
)

// flush commits the repairs that wait and moves on to the state after them.
func (c *checker) flush() error {
	if len(c.held) == 0 {
		return nil
	}
	if err := c.commitHeld(); err != nil {
		return err
	}
	next, err := c.db.Snapshot(c.ctx)
	if err != nil {
		return err
	}
	old := c.snap
	c.snap = next
	return old.Close()
}

// commitHeld commits the repairs that wait and yields their findings. The pass
// at work goes on reading the state before.
func (c *checker) commitHeld() error {
	held := c.held
	c.held = nil
	var failed error
	if !c.unsure {
		failed = c.applyFixes(held)
	}
	done := !c.unsure && failed == nil
	for i := range held {
		f := held[i].Finding
		f.Repairable, f.Repaired = f.Repairable && !c.unsure, done
		if err := c.emit(f); err != nil {
			return err
		}
	}
	if failed != nil {
		return fmt.Errorf("repair: %w", failed)
	}
	return nil
}

// applyFixes commits repairs: those of keys, then those of the graph at work.
func (c *checker) applyFixes(held []heldFinding) error {
	b := c.db.store.NewBatch()
	var fixes []func(v *TxView) error
	for i := range held {
		if f := &held[i].fix; f.batch != nil {
			f.batch(b)
		} else {
			fixes = append(fixes, f.tx)
		}
	}
	if b.Bytes() > 0 {
		if err := c.db.commit(c.ctx, b, kv.Sync); err != nil {
			return err
		}
	}
	if len(fixes) == 0 {
		return nil
	}
	return c.repairGraph(fixes)
}

// repairGraph runs repairs in a transaction of the graph at work.
func (c *checker) repairGraph(fixes []func(v *TxView) error) error {
	st, err := c.db.graphState(c.ctx, c.at.graph, c.at.name)
	if err != nil {
		return err
	}
	ns := &Namespace{db: c.db, name: c.at.namespace, id: c.at.directoryEntry.namespace}
	err = c.db.transact(c.ctx, kv.Sync, func(tx *Tx) error {
		v := tx.Graph(&Graph{ns: ns, st: st})
		v.noteMissed()
		for _, f := range fixes {
			if err := f(v); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return c.db.reload(c.ctx, st)
}

// deleteKey returns the repair of a derived key that cannot be read: without
// it, the comparison that follows finds what is missing. It is none if what
// the key is derived from is damaged too.
func (c *checker) deleteKey(key []byte) fix {
	tag, g, err := layout.KeyTag(key)
	if err != nil {
		return fix{}
	}
	if tag == layout.TagChange { // nothing is known of changes then
		key = append([]byte(nil), key...)
		return fix{batch: func(b kv.Batch) {
			b.Delete(key)
			b.Delete(layout.GraphMeta(g, "changes"))
		}}
	}
	source, ok := derivedFrom(tag)
	if !ok || c.damaged[family{g, source}] {
		return fix{}
	}
	key = append([]byte(nil), key...)
	return fix{batch: func(b kv.Batch) { b.Delete(key) }}
}

// derivedFrom returns the family that a family can be rewritten from, ok being
// false if there is none. A family comes after the one it is derived from,
// which so is known to be damaged when it is read.
func derivedFrom(tag layout.Tag) (source layout.Tag, ok bool) {
	switch tag {
	case layout.TagNodesOfType, layout.TagNodeBlock, layout.TagSetIndex:
		return layout.TagNode, true
	case layout.TagEdgeIndex:
		return layout.TagEdge, true
	case layout.TagIn, layout.TagPromoted:
		return layout.TagOut, true
	case layout.TagSources:
		return layout.TagContribution, true
	case layout.TagLexSum:
		return layout.TagPostings, true
	}
	return 0, false
}

// fixable returns f unless the graph's family, which f takes as right, is
// damaged.
func (c *checker) fixable(source layout.Tag, f func(v *TxView) error) fix {
	if c.damaged[family{c.at.graph, source}] {
		return fix{}
	}
	return fix{tx: f}
}

// mergeOne returns the repair that adds an id to, or removes it from, the set
// under a key.
func (c *checker) mergeOne(source layout.Tag, key []byte, low uint64, add bool) fix {
	key = append([]byte(nil), key...)
	return c.fixable(source, func(v *TxView) error {
		op := layout.AppendRemove(nil, low)
		if add {
			op = layout.AppendAdd(nil, low, 1)
		}
		v.transact.overlay.Merge(key, op)
		if !add {
			v.shrunk[string(key)] = struct{}{}
		}
		return nil
	})
}

// eachID calls fn with the ids of a bitmap, ascending, until it returns an
// error.
func eachID(rb *roaring.Bitmap, fn func(id uint64) error) error {
	for it := rb.Iterator(); it.HasNext(); {
		if err := fn(uint64(it.Next())); err != nil {
			return err
		}
	}
	return nil
}

// reload makes the writer forget what it knows of a graph's keys, since they
// were changed beside it. The caller is the writer.
func (db *DB) reload(ctx context.Context, st *graphState) error {
	fresh, err := openGraph(ctx, db.store, st.id)
	if err != nil {
		return err
	}
	st.live, st.promoted, st.lengths = nil, fresh.promoted, fresh.lengths
	return nil
}
