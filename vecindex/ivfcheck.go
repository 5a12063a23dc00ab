package vecindex

import (
	"context"
	"encoding/binary"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/vecindex/internal/ivf"
)

// checkLists reads all of the lists and returns what is wrong with them.
func (ix *Index) checkLists(ctx context.Context, r kv.Reader) error {
	m, err := ix.readMeta(ctx, r)
	if err != nil || m.seq == 0 {
		return err
	}
	rec, _, err := ix.readListsRecord(ctx, r)
	if err != nil || rec == nil {
		return err
	}
	x, err := ix.loadRouter(ctx, r, rec)
	if err != nil {
		return err
	}
	c := &listsCheck{ix: ix, ctx: ctx, rec: rec, l: &loader{ix: ix, r: r, meta: m}, layers: map[uint32]uint8{}}
	for _, layer := range x.router.Layers() {
		for _, list := range x.router.All(layer) {
			c.layers[list.ID] = layer
		}
	}
	if err := c.places(); err != nil {
		return err
	}
	if err := c.postings(); err != nil {
		return err
	}
	return c.slots()
}

// listsCheck checks that what there is of a slot agrees.
type listsCheck struct {
	ix     *Index
	ctx    context.Context
	rec    *listsRecord
	l      *loader
	layers map[uint32]uint8 // of lists
	at     map[uint32]placed
}

// places reads the lists of all slots.
func (c *listsCheck) places() error {
	c.at = make(map[uint32]placed, c.rec.listed)
	prefix := append(c.ix.cfg.Table.Prefix(layout.TagLinks), c.rec.edition, placeLevel)
	err := c.l.each(c.ctx, prefix, 4, func(key, rest, value []byte) error {
		p, err := readPlaced(key, value)
		c.at[binary.BigEndian.Uint32(rest)] = p
		return err
	})
	if err == nil && len(c.at) != int(c.rec.listed) {
		err = corrupt(c.ix.cfg.Table.Meta(listsName), "%d vectors in lists, not %d", len(c.at), c.rec.listed)
	}
	return err
}

// postings checks that each posting is of a list and of a slot that is in it.
func (c *listsCheck) postings() error {
	table, n := c.ix.cfg.Table, 0
	coder := ivf.NewCoder(c.ix.cfg.Dim, c.ix.cfg.Metric == InnerProduct)
	prefix := append(table.Prefix(layout.TagLinks), c.rec.edition, postingLevel)
	err := c.l.each(c.ctx, prefix, 8, func(key, rest, value []byte) error {
		p, err := readPosting(key, value, coder)
		if err != nil {
			return err
		}
		list := binary.BigEndian.Uint32(rest)
		if _, ok := c.layers[list]; !ok {
			return corrupt(key, "a posting of a list that is not there")
		}
		if !c.at[p.slot].has(list) {
			return corrupt(key, "a posting of a slot that is in other lists")
		}
		n++
		return nil
	})
	if err != nil {
		return err
	}
	want := 0
	for _, p := range c.at {
		for _, list := range p.lists[:p.n] {
			if _, ok := c.layers[list]; ok {
				want++
			}
		}
	}
	if n != want {
		return corrupt(table.Meta(listsName), "%d postings, not %d", n, want)
	}
	return nil
}

// slots checks that each vector is in lists of its layer or waits to be.
func (c *listsCheck) slots() error {
	most := int(c.l.meta.next) + 1
	waiting, err := c.l.marks(c.ctx, 0, 0, most, nil)
	if err != nil {
		return err
	}
	dead, err := c.l.marks(c.ctx, 1, 0, most, nil)
	if err != nil {
		return err
	}
	table := c.ix.cfg.Table
	var wrong error
	err = c.ix.in(c.l.r).scanSlots(c.ctx, func(slot uint32, rec slotRecord) {
		p, ok := c.at[slot]
		delete(c.at, slot)
		key := table.Links(c.rec.edition, placeLevel, slot)
		switch {
		case wrong != nil || marked(waiting, slot):
		case !ok:
			wrong = corrupt(key, "a vector that is in no list and does not wait for one")
		default:
			for _, list := range p.lists[:p.n] {
				if layer, ok := c.layers[list]; !ok || layer != rec.layer {
					wrong = corrupt(key, "list %d of layer %d for a vector of layer %d", list, layer, rec.layer)
				}
			}
		}
	})
	if err != nil {
		return err
	}
	for slot := range c.at {
		if wrong == nil && !marked(dead, slot) {
			wrong = corrupt(table.Links(c.rec.edition, placeLevel, slot), "a dead vector that is not to be taken out of its lists")
		}
	}
	return wrong
}
