package vecindex

import (
	"cmp"
	"context"
	"encoding/binary"
	"iter"
	"slices"

	"github.com/ragdb/ragdb/internal/layout"
)

// Link is a pair of nodes of which one has the other among its links on the
// lowest level of a graph; A is the smaller id.
type Link struct{ A, B uint64 }

func compareIDs(a, b uint64) int { return cmp.Compare(a, b) }

// Links returns the pairs that are linked on the lowest level, ascending by A,
// then B, each once. After [Index.Settle] they are a function of the vectors,
// their ids, M, EfConstruction and the seed. The error is ErrUnsettled if
// the index was not settled or has changed since. It takes O(n M log n) time and 16
// bytes a link. A flat index has no links.
func (v *View) Links(ctx context.Context) iter.Seq2[Link, error] {
	return func(yield func(Link, error) bool) {
		links, err := v.links(ctx)
		if err != nil {
			yield(Link{}, v.ix.wrap("links", err))
			return
		}
		for _, l := range links {
			if !yield(l, nil) {
				return
			}
		}
	}
}

func (v *View) links(ctx context.Context) ([]Link, error) {
	if err := v.check("links"); err != nil {
		return nil, err
	}
	if !v.ix.cfg.graph() || v.meta.live == 0 {
		return nil, nil
	}
	st, err := v.source(ctx)
	if err != nil {
		return nil, err
	}
	if st == nil {
		return v.storedLinks(ctx)
	}
	if st.graph == nil || st.graph.record.flags&graphImpure != 0 || !st.graph.Plain(v.meta.seq) {
		return nil, ErrUnsettled
	}
	// Lists change in place while a linker is at work.
	if err := v.ix.linking.take(ctx); err != nil {
		return nil, err
	}
	defer v.ix.linking.pass()
	if cur := v.ix.state.Load(); cur == nil || cur.graph != st.graph {
		return nil, ErrUnsettled
	}
	ver := st.graph.Version()
	var out []Link
	nodes := 0
	for slot := range ver.Slots() {
		if !ver.Visible(slot, v.meta.seq) {
			continue
		}
		nodes++
		a := ver.ID(slot)
		for _, n := range ver.Neighbours(slot) {
			b := ver.ID(n)
			out = append(out, Link{min(a, b), max(a, b)})
		}
	}
	if nodes != v.Len() {
		return nil, ErrUnsettled
	}
	return sortedLinks(out), nil
}

func sortedLinks(all []Link) []Link {
	slices.SortFunc(all, func(x, y Link) int { return cmp.Or(cmp.Compare(x.A, y.A), cmp.Compare(x.B, y.B)) })
	return slices.Compact(all)
}

// storedLinks is links of a graph that is not in memory.
func (v *View) storedLinks(ctx context.Context) ([]Link, error) {
	c, err := v.cold(ctx)
	if err != nil {
		return nil, err
	}
	if !c.ok || len(c.pending)+len(c.dead) > 0 || c.record.flags&(graphImpure|graphTorn) != 0 {
		return nil, ErrUnsettled
	}
	ids := make(map[uint32]uint64, v.Len())
	if err := v.src.scanSlots(ctx, func(slot uint32, rec slotRecord) { ids[slot] = rec.id }); err != nil {
		return nil, err
	}
	var out []Link
	l := &loader{ix: v.ix, r: v.src.r, meta: v.meta}
	prefix := append(v.src.table.Prefix(layout.TagLinks), c.record.edition, 0)
	err = l.each(ctx, prefix, 4, func(key, rest, value []byte) error {
		a, ok := ids[binary.BigEndian.Uint32(rest)]
		if !ok || len(value) < 4 || len(value)%4 != 0 {
			return corrupt(key, "links of %d bytes", len(value))
		}
		for value = value[4:]; len(value) > 0; value = value[4:] {
			b, ok := ids[binary.LittleEndian.Uint32(value)]
			if !ok {
				return corrupt(key, "a link to a slot without a vector")
			}
			out = append(out, Link{min(a, b), max(a, b)})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return sortedLinks(out), nil
}

// Down returns the node of the layer below to which a node of a layered graph
// leads: the nearest that was found. ok is false in the lowest layer, and where
// the node is not linked or the index not in memory.
func (ix *Index) Down(id uint64) (below uint64, ok bool) {
	st := ix.state.Load()
	if st == nil || st.graph == nil {
		return 0, false
	}
	v := st.graph.Version()
	slot, ok, _ := v.Find(id, st.head)
	if !ok {
		return 0, false
	}
	down, ok := v.Down(slot)
	if !ok {
		return 0, false
	}
	return v.ID(down), true
}
