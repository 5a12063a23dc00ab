package engine

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"math"
	"slices"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
)

// inlineReader looks up the lists that a store keeps under one key, asked for
// in ascending order.
type inlineReader struct {
	it  kv.Iterator
	ok  bool // it stands on a key
	key []byte
}

func (l *Loader) inlineReader(ctx context.Context, dir layout.Direction) (*inlineReader, error) {
	lo := layout.AppendAdjacencyPrefix(nil, dir, l.v.g, 0)[:5]
	it, err := l.v.transact.base.Iter(ctx, lo, layout.Next(lo))
	if err != nil {
		return nil, err
	}
	r := &inlineReader{it: it, ok: it.First()}
	return r, it.Err()
}

// value returns the value of an inline list, valid until the next call; found
// is false if there is no key, and true for a list that became empty.
func (r *inlineReader) value(dir layout.Direction, g uint32, node uint64, etype uint32) (v []byte, found bool, err error) {
	if !r.ok {
		return nil, false, r.it.Err()
	}
	r.key = layout.AppendAdjacency(r.key[:0], dir, g, node, etype)
	if string(r.it.Key()) < string(r.key) {
		r.ok = r.it.SeekGE(r.key)
	}
	if !r.ok || string(r.it.Key()) != string(r.key) {
		return nil, false, r.it.Err()
	}
	v = r.it.Value()
	return v, true, r.it.Err()
}

// promoteOld moves into containers the lists that the store keeps under one
// key and that the load makes too long for one: sorted input cannot delete
// that key. A promoted list reads as it did before.
func (l *Loader) promoteOld() error {
	p := promoter{l: l}
	for _, dir := range []layout.Direction{layout.Out, layout.In} {
		if err := p.scan(dir); err != nil {
			return err
		}
	}
	return p.apply()
}

// promoter moves lists into containers, some at a time.
type promoter struct {
	l     *Loader
	batch kv.Batch
	done  []listKey // in the batch
	set   layout.Set
}

// promoteBytes is about how much one batch of a promoter holds.
const promoteBytes = 4 << 20

func (p *promoter) scan(dir layout.Direction) (err error) {
	old, err := p.l.inlineReader(p.l.ctx, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, old.it.Close()) }()
	if !old.ok {
		return nil // nothing is there to be promoted
	}
	var last halfEdge
	n := 0 // neighbours of the list that last is of
	end := func() error {
		if n == 0 {
			return nil
		}
		return p.promoteIfLong(old, listKey{dir, last.node(), last.etype()}, n)
	}
	err = p.l.edges[dir].each(p.l.ctx, func(h *halfEdge) error {
		if h.list == last.list {
			if h.other != last.other {
				n++
			}
			last = *h
			return nil
		}
		if err := end(); err != nil {
			return err
		}
		last, n = *h, 1
		return nil
	})
	if err != nil {
		return err
	}
	return end()
}

// promoteIfLong promotes a list that may become too long with n more.
func (p *promoter) promoteIfLong(old *inlineReader, key listKey, n int) error {
	v := p.l.v
	if key.node >= p.l.first || v.isPromoted(key) {
		return nil
	}
	value, found, err := old.value(key.dir, v.g, key.node, key.etype)
	if err != nil || !found {
		return err
	}
	p.set.Reset()
	if err := layout.ReadSet(value, &p.set); err != nil {
		return corrupt(old.key, err)
	}
	if len(p.set.IDs)+n <= v.transact.db.opts.PromoteAt {
		return nil
	}
	if p.batch == nil {
		p.batch = v.transact.db.store.NewBatch()
	}
	p.batch.Delete(old.key)
	for i := 0; i < len(p.set.IDs); {
		c := layout.Container(p.set.IDs[i])
		var ids []uint64
		var weights []float32
		for ; i < len(p.set.IDs) && layout.Container(p.set.IDs[i]) == c; i++ {
			ids = append(ids, p.set.IDs[i]&0xFFFF)
			weights = append(weights, p.set.Weight(i))
		}
		k := layout.AdjacencyContainer(key.dir, v.g, key.node, key.etype, c)
		p.batch.Set(k, layout.AppendSet(nil, ids, weights))
	}
	p.batch.Merge(layout.Promoted(v.g, key.dir, key.etype, layout.Container(key.node)),
		layout.AppendAdd(nil, key.node&0xFFFF, 1))
	p.done = append(p.done, key)
	if p.batch.Bytes() < promoteBytes {
		return nil
	}
	return p.apply()
}

// apply commits the batch. The state is the same by what can be read of it, so
// the epoch is too.
func (p *promoter) apply() error {
	if p.batch == nil {
		return nil
	}
	db := p.l.v.transact.db
	p.batch.Set(layout.Meta("epoch"), appendUint64(nil, db.epoch.Load()))
	if err := db.store.Apply(p.l.ctx, p.batch, kv.Sync); err != nil {
		return err
	}
	for _, k := range p.done {
		p.l.v.st.promotedSet(promotedKey{k.dir, k.etype}).Add(uint32(k.node))
	}
	p.batch, p.done = nil, p.done[:0]
	return nil
}

// writeAdjacency writes the lists of both directions and the sets of those in
// containers.
func (l *Loader) writeAdjacency(w kv.SortedWriter) error {
	for _, dir := range []layout.Direction{layout.Out, layout.In} {
		if err := l.writeLists(w, dir); err != nil {
			return err
		}
	}
	return l.writePromoted(w)
}

func (l *Loader) writeLists(w kv.SortedWriter, dir layout.Direction) (err error) {
	old, err := l.inlineReader(l.ctx, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, old.it.Close()) }()
	lw := &listWriter{l: l, w: w, dir: dir, old: old, list: math.MaxUint64}
	if err := l.edges[dir].each(l.ctx, lw.add); err != nil {
		return err
	}
	return lw.end()
}

// writePromoted writes which lists the load has put into containers.
func (l *Loader) writePromoted(w kv.SortedWriter) error {
	keys := slices.SortedFunc(maps.Keys(l.v.promoted), func(a, b promotedKey) int {
		return cmp.Or(cmp.Compare(a.dir, b.dir), cmp.Compare(a.etype, b.etype))
	})
	for _, k := range keys {
		nodes := l.v.promoted[k].ToArray()
		for i := 0; i < len(nodes); {
			c := layout.Container(uint64(nodes[i]))
			var low []uint64
			for ; i < len(nodes) && layout.Container(uint64(nodes[i])) == c; i++ {
				low = append(low, uint64(nodes[i])&0xFFFF)
			}
			err := w.Merge(layout.Promoted(l.v.g, k.dir, k.etype, c), layout.AppendDelta(nil, low, nil, nil))
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// listWriter writes the lists of one direction from half edges in order. It
// holds one list up to Options.PromoteAt, or one container.
type listWriter struct {
	l   *Loader
	w   kv.SortedWriter
	dir layout.Direction
	old *inlineReader

	list       uint64 // of the half edges at hand
	ids        []uint64
	weights    []float32
	containers bool // the list is in containers
	grows      bool // and was before the load

	key, value []byte
}

func (w *listWriter) add(h *halfEdge) error {
	if h.list != w.list {
		if err := w.end(); err != nil {
			return err
		}
		w.list = h.list
		w.grows = h.node() < w.l.first && w.l.v.isPromoted(w.listKey())
		w.containers = w.grows
	}
	id, n := uint64(h.other), len(w.ids)
	if n > 0 && w.ids[n-1] == id {
		w.weights[n-1] = h.weight
		return nil
	}
	if w.containers && n > 0 && layout.Container(w.ids[n-1]) != layout.Container(id) {
		if err := w.writeContainer(); err != nil {
			return err
		}
	}
	w.ids = append(w.ids, id)
	w.weights = append(w.weights, h.weight)
	if !w.containers && len(w.ids) > w.l.v.transact.db.opts.PromoteAt {
		return w.promote()
	}
	return nil
}

func (w *listWriter) listKey() listKey {
	return listKey{w.dir, w.list >> 32, uint32(w.list)}
}

// promote goes over to containers: it writes those that are complete.
func (w *listWriter) promote() error {
	w.containers = true
	w.l.v.notePromoted(w.listKey())
	ids, weights := w.ids, w.weights
	from := 0
	for {
		to := from
		for to < len(ids) && layout.Container(ids[to]) == layout.Container(ids[from]) {
			to++
		}
		if to == len(ids) {
			break
		}
		w.ids, w.weights = ids[from:to], weights[from:to]
		if err := w.writeContainer(); err != nil {
			return err
		}
		from = to
	}
	w.ids, w.weights = append(ids[:0], ids[from:]...), append(weights[:0], weights[from:]...)
	return nil
}

// writeContainer writes the neighbours at hand, which share a container.
func (w *listWriter) writeContainer() error {
	if err := w.turn(); err != nil {
		return err
	}
	c := layout.Container(w.ids[0])
	for i := range w.ids {
		w.ids[i] &= 0xFFFF
	}
	w.key = layout.AppendAdjacencyContainer(w.key[:0], w.dir, w.l.v.g, w.list>>32, uint32(w.list), c)
	return w.write(w.grows)
}

// turn adds the edges to the neighbours at hand to the other direction's sorter if
// that does not have them.
func (w *listWriter) turn() error {
	if !w.l.alone || w.dir == layout.In {
		return nil
	}
	in := &w.l.edges[layout.In]
	for i, id := range w.ids {
		h := halfEdge{list: id<<32 | w.list&math.MaxUint32, other: uint32(w.list >> 32), weight: w.weights[i]}
		if err := in.add(h); err != nil {
			return err
		}
	}
	return nil
}

// write writes the neighbours at hand under the key: as an operand if the
// store has others there.
func (w *listWriter) write(merge bool) error {
	var err error
	if merge {
		w.value = layout.AppendDelta(w.value[:0], w.ids, w.weights, nil)
		err = w.w.Merge(w.key, w.value)
	} else {
		w.value = layout.AppendSet(w.value[:0], w.ids, w.weights)
		err = w.w.Set(w.key, w.value)
	}
	w.ids, w.weights = w.ids[:0], w.weights[:0]
	return err
}

// end writes what remains of a list.
func (w *listWriter) end() error {
	if len(w.ids) == 0 {
		return nil
	}
	if w.containers {
		return w.writeContainer()
	}
	if err := w.turn(); err != nil {
		return err
	}
	found := false
	node, etype := w.list>>32, uint32(w.list)
	if node < w.l.first {
		var err error
		if _, found, err = w.old.value(w.dir, w.l.v.g, node, etype); err != nil {
			return err
		}
	}
	w.key = layout.AppendAdjacency(w.key[:0], w.dir, w.l.v.g, node, etype)
	return w.write(found)
}
