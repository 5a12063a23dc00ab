package engine

import (
	"fmt"
	"slices"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
)

// emptyKeys gathers the keys of one family and graph whose lists hold nothing.
// They are one finding together, since a database of an older version can have
// very many.
type emptyKeys struct {
	family family
	keys   [][]byte
}

// maxEmptyKeys is how many keys one finding tells of.
const maxEmptyKeys = 1 << 16

// noteEmpty notes a key whose list is empty. Every transaction removes the lists
// that it empties, but for postings of frequent terms (see dropEmptyPostings).
func (c *checker) noteEmpty(tag layout.Tag, g uint32, key, value []byte) error {
	if tag == layout.TagPostings || !layout.IsEmpty(tag, value) {
		return nil
	}
	f := family{g, tag}
	if c.empty.family != f || len(c.empty.keys) == maxEmptyKeys {
		if err := c.reportEmpty(); err != nil {
			return err
		}
		c.empty.family = f
	}
	c.empty.keys = append(c.empty.keys, slices.Clone(key))
	return nil
}

// reportEmpty reports the empty lists that were gathered.
func (c *checker) reportEmpty() error {
	keys := c.empty.keys
	if len(keys) == 0 {
		return nil
	}
	at := c.at
	c.at = c.known[c.empty.family.graph]
	c.empty.keys = nil
	what := "the list holds nothing"
	if n := len(keys); n > 1 {
		what = fmt.Sprintf("the first of %d lists that hold nothing", n)
	}
	err := c.find(keys[0], fix{batch: func(b kv.Batch) {
		for _, k := range keys {
			b.Delete(k)
		}
	}}, "%s", what)
	c.at = at
	return err
}

// checkPromoted verifies that only nodes that there are have lists in
// containers.
func (c *checker) checkPromoted(v *View, n *nodeSets) error {
	for p, err := range validKeys(v.ctx, v.kv, layout.GraphPrefix(layout.TagPromoted, v.g)) {
		if err != nil {
			return err
		}
		if err := c.step(layout.TagPromoted); err != nil {
			return err
		}
		_, _, container := layout.PromotedOf(p.key)
		var set layout.Set
		if layout.ReadSet(p.value, &set) != nil {
			continue // found by checkKeys
		}
		for _, low := range set.IDs {
			id := container<<16 + low
			if n.has(id) {
				continue
			}
			if err := c.find(p.key, c.mergeOne(layout.TagNode, p.key, low, false), "node %d is not there", id); err != nil {
				return err
			}
		}
	}
	return nil
}
