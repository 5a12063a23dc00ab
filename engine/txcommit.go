package engine

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
)

// commit writes the transaction. The caller is the writer.
func (tx *Tx) commit(d kv.Durability) error {
	if err := tx.spillTerms(); err != nil {
		return err
	}
	ids := slices.Sorted(maps.Keys(tx.graphs))
	for _, id := range ids {
		if err := tx.graphs[id].flush(); err != nil {
			return err
		}
	}
	size, write := tx.overlay.Bytes(), tx.commitSpilled
	if tx.spill == nil {
		b := tx.db.store.NewBatch()
		tx.overlay.AppendTo(b)
		for _, id := range ids {
			if err := tx.graphs[id].appendPostings(b); err != nil {
				return err
			}
		}
		size, write = b.Bytes(), func() error { return tx.db.commit(tx.ctx, b, d) }
		if tx.overlay.Len() == 0 {
			tx.committed = true
			return nil
		}
	}
	if size > tx.db.opts.MaxTxBytes {
		return fmt.Errorf("%w: %d bytes, at most %d", ErrTxTooLarge, size, tx.db.opts.MaxTxBytes)
	}
	if err := tx.ctx.Err(); err != nil {
		return err
	}
	for _, id := range ids {
		tx.graphs[id].retire(tx.epoch)
	}
	if err := write(); err != nil {
		if !errors.Is(err, ErrReadOnly) { // else reads may see it all the same
			for _, id := range ids {
				tx.graphs[id].retire(0)
			}
		}
		if errors.Is(err, kv.ErrTooLarge) {
			err = fmt.Errorf("%w: %w", ErrTxTooLarge, err)
		}
		return err
	}
	tx.committed = true
	for _, id := range ids {
		tx.graphs[id].publish()
	}
	return tx.verifyIfAsked()
}

// flush moves everything that is buffered into the overlay.
func (v *TxView) flush() error {
	if v.st.dropped() {
		return fmt.Errorf("graph was dropped: %w", ErrNotFound)
	}
	if err := v.refoldEdges(); err != nil {
		return err
	}
	if err := v.applyEdges(); err != nil {
		return err
	}
	if err := v.enforce(); err != nil {
		return err
	}
	if err := v.flushPostings(); err != nil {
		return err
	}
	if err := v.dropEmptied(); err != nil {
		return err
	}
	o := v.transact.overlay
	if v.nextNode != v.st.nextNode {
		o.Set(layout.GraphMeta(v.g, "next_node"), appendUint64(nil, v.nextNode))
	}
	version := v.st.version
	if v.changed {
		version++
		o.Set(layout.GraphMeta(v.g, "version"), appendUint64(nil, version))
	}
	return v.flushChanges(version)
}

// publish makes the committed changes known in memory.
func (v *TxView) publish() {
	st := v.st
	st.mu.Lock()
	for id, e := range v.names.entries {
		st.names.add(id.kind, id.id, e)
	}
	st.mu.Unlock()
	st.nextNode = v.nextNode
	if v.changed {
		st.version++
	}
	if st.keepsChanges = v.noted != nil; st.keepsChanges {
		st.changes = v.noted.since
	}
	if st.live != nil {
		if v.born != nil {
			st.live.Or(v.born)
		}
		if v.died != nil {
			st.live.AndNot(v.died)
		}
	}
	for k, rb := range v.promoted {
		st.promotedSet(k).Or(rb) // ids of deleted nodes stay: none is used again
	}
	for _, w := range v.vectors {
		w.write.Publish()
		if w.index.Tended() {
			v.transact.db.tend(w.index)
		}
	}
	st.mu.Lock()
	for _, id := range v.dropped {
		if ix := st.spaces[id]; ix != nil {
			v.transact.db.mirrors.remove(ix)
		}
		delete(st.spaces, id)
	}
	for id, ix := range v.made {
		if ix == nil {
			continue
		}
		if old := st.spaces[id]; old != nil {
			v.transact.db.mirrors.remove(old)
		}
		st.spaces[id] = ix
	}
	st.mu.Unlock()
}

// settle makes buffered edges visible to reads.
func (r *reader) settle() error {
	if r.tx == nil {
		return nil
	}
	if err := r.tx.refoldEdges(); err != nil {
		return err
	}
	return r.tx.applyEdges()
}
