package engine

import (
	"context"
	"fmt"
	"iter"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/vecindex"
)

// SpaceVector is a node's vector, with its layer in a layered index.
type SpaceVector struct {
	Node   NodeID
	Layer  uint8
	Vector []float32
}

// rebuildBatch is how many vectors of a rebuild are one commit.
const rebuildBatch = 1000

// RebuildSpace replaces all vectors of a vector space by those of all. It builds a
// new generation beside the one in use, settles it, and swaps the two in one
// commit. Until then, and after an error, the space is as it was; the next call
// removes what an interrupted one left. What other transactions write to the space
// in the meantime is lost with the old generation.
func (db *DB) RebuildSpace(ctx context.Context, g *Graph, space string, all iter.Seq2[SpaceVector, error]) error {
	if all == nil {
		all = func(func(SpaceVector, error) bool) {}
	}
	if err := db.rebuildSpace(ctx, g.in(db), space, all); err != nil {
		return phase.Errorf("rebuild vector space %s: %w", space, err)
	}
	return nil
}

func (db *DB) rebuildSpace(ctx context.Context, g *Graph, name string, all iter.Seq2[SpaceVector, error]) error {
	r := &rebuild{db: db, g: g, name: name}
	if err := r.begin(ctx); err != nil {
		return err
	}
	defer db.mirrors.remove(r.ix)
	batch := make([]SpaceVector, 0, rebuildBatch)
	for x, err := range all {
		if err != nil {
			return err
		}
		x.Vector = append([]float32(nil), x.Vector...)
		if batch = append(batch, x); len(batch) == rebuildBatch {
			if err := r.put(ctx, batch); err != nil {
				return err
			}
			batch = batch[:0]
		}
	}
	if err := r.put(ctx, batch); err != nil {
		return err
	}
	if err := r.ix.Settle(ctx, db.committer(r.ix, r.old)); err != nil {
		return err
	}
	return r.swap(ctx)
}

// rebuild is a generation of a space that is being built.
type rebuild struct {
	db   *DB
	g    *Graph
	name string
	id   uint32
	old  uint16
	next space
	ix   *vecindex.Index
}

// buildingKey returns the key of the generation of a space that is being built.
func buildingKey(g uint32, name string) []byte { return layout.GraphMeta(g, "building."+name) }

// dropGeneration removes the tables of a generation.
func dropGeneration(o kv.Batch, t layout.Table) {
	for tag := layout.TagVector; tag <= layout.TagIndexMeta; tag++ {
		prefix := t.Prefix(tag)
		o.DeleteRange(prefix, layout.Next(prefix))
	}
}

func (r *rebuild) begin(ctx context.Context) error {
	err := r.db.Update(ctx, func(tx *Tx) error {
		v := tx.Graph(r.g)
		id, s, err := v.space(r.name)
		if err != nil {
			return err
		}
		r.id, r.old, r.next = id, s.generation, s
		r.next.generation++
		dropGeneration(tx.overlay, r.next.config(v.g, id).Table)
		tx.overlay.Set(buildingKey(v.g, r.next.name), appendUint64(nil, uint64(r.next.generation)))
		return nil
	})
	if err == nil {
		r.ix, err = r.db.openIndex(ctx, r.next.config(r.g.st.id, r.id), 0)
	}
	return err
}

// put writes vectors to the new generation.
func (r *rebuild) put(ctx context.Context, batch []SpaceVector) error {
	var w *vecindex.Write
	err := r.db.Update(ctx, func(tx *Tx) error {
		v := tx.Graph(r.g)
		if err := r.verifyCurrent(v); err != nil {
			return err
		}
		var err error
		if w, err = r.ix.Begin(ctx, tx.overlay, tx.epoch); err != nil {
			return err
		}
		for _, x := range batch {
			ok, err := v.exists(x.Node)
			if err == nil && !ok {
				err = ErrNotFound
			}
			if err == nil {
				err = w.Put(ctx, uint64(x.Node), x.Layer, x.Vector)
			}
			if err != nil {
				return fmt.Errorf("vector of %d: %w", x.Node, err)
			}
		}
		return nil
	})
	if err == nil {
		w.Publish()
	}
	return err
}

// verifyCurrent returns ErrConflict if the space was replaced since the rebuild
// began.
func (r *rebuild) verifyCurrent(v *TxView) error {
	_, s, err := v.space(r.name)
	if err == nil && s.generation != r.old {
		err = fmt.Errorf("%w: it was made anew meanwhile", ErrConflict)
	}
	return err
}

// swap makes the new generation the space's.
func (r *rebuild) swap(ctx context.Context) error {
	return r.db.Update(ctx, func(tx *Tx) error {
		v := tx.Graph(r.g)
		if err := r.verifyCurrent(v); err != nil {
			return err
		}
		old := r.next
		old.generation = r.old
		dropGeneration(tx.overlay, old.config(v.g, r.id).Table)
		tx.overlay.Set(layout.Space(v.g, r.id), r.next.encode(tx.fb, tx.epoch))
		tx.overlay.Delete(buildingKey(v.g, r.next.name))
		// The transaction's index takes the place of the old one as that of a
		// space that it made does.
		v.made[r.id] = r.ix
		r.db.mirrors.add(r.ix)
		return nil
	})
}

// generations returns the generations of a space that have tables: the live
// one, and one that is being built or that an interrupted rebuild left.
func (r *reader) generations(s *space) ([]uint16, error) {
	out := []uint16{s.generation}
	n, err := getUint64(r.ctx, r.kv, buildingKey(r.g, s.name))
	if err == nil && n != 0 {
		out = append(out, uint16(n))
	}
	return out, err
}
