package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/ragdb/ragdb/internal/layout"
)

// checkStore lets the storage engine verify its files or rows.
func (c *checker) checkStore() error {
	m, ok := c.db.store.(interface {
		Check(ctx context.Context) error
	})
	if !ok {
		return nil
	}
	err := m.Check(c.ctx)
	if !errors.Is(err, ErrCorrupt) {
		return err
	}
	c.unsure = true
	return c.emit(Finding{Space: "store", What: damageOf(err)})
}

// mostCommits is the greatest number of a commit that indexes of vectors can note.
const mostCommits = 1<<48 - 1

// checkFormat verifies that the format is this package's own: what a later one has added
// cannot be checked. Opening has verified that it can be read.
func (c *checker) checkFormat() error {
	key := layout.Meta("format")
	v, err := c.snap.kv.Get(c.ctx, key, nil)
	if err != nil && !isNotFound(err) {
		return err
	}
	if want := formatRecord(); !bytes.Equal(v, want) {
		return c.find(key, fix{}, "the format is %x, of which this ragdb writes and can check %x", v, want)
	}
	return nil
}

// checkMeta verifies what the database says of itself.
func (c *checker) checkMeta() error {
	key := layout.Meta("uuid")
	v, err := c.snap.kv.Get(c.ctx, key, nil)
	if err != nil && !isNotFound(err) {
		return err
	}
	if len(v) != 16 {
		if err := c.find(key, fix{}, "an identity of %d bytes, not 16", len(v)); err != nil {
			return err
		}
	}
	if c.snap.epoch == 0 || c.snap.epoch > mostCommits {
		if err := c.find(layout.Meta("epoch"), fix{}, "%d commits have been counted", c.snap.epoch); err != nil {
			return err
		}
	}
	if err := c.checkFormat(); err != nil {
		return err
	}
	switch _, err := c.snap.kv.Get(c.ctx, layout.Meta("dirty"), nil); {
	case err == nil:
		return c.find(layout.Meta("dirty"), fix{}, "a bulk load did not finish")
	case isNotFound(err):
		return nil
	default:
		return err
	}
}

// checkDirectory reads the directory and verifies ids and counters.
func (c *checker) checkDirectory() error {
	namespaces := map[string]uint32{}
	byID := map[uint32]string{}
	c.known = map[uint32]*listed{}
	var next [2]uint64
	for i, name := range []string{"next_namespace", "next_graph"} {
		var err error
		if next[i], err = getUint64(c.ctx, c.snap.kv, layout.Meta(name)); err != nil {
			if !errors.Is(err, ErrCorrupt) {
				return err
			}
			if err := c.find(layout.Meta(name), fix{}, "%v", err); err != nil {
				return err
			}
		}
	}
	for p, err := range scan(c.ctx, c.snap.kv, []byte{byte(layout.TagDirectory)}) {
		if err != nil {
			return err
		}
		if err := c.step(layout.TagDirectory); err != nil {
			return err
		}
		e, err := decodeDirectory(p.key, p.value)
		if err != nil {
			if err := c.find(p.key, fix{}, "%v", err); err != nil {
				return err
			}
			continue
		}
		ns, name := layout.DirectoryName(p.key)
		why := ""
		switch {
		case name == "" && byID[e.namespace] != "":
			why = fmt.Sprintf("namespace id %d is that of %s too", e.namespace, byID[e.namespace])
		case name == "" && uint64(e.namespace) >= next[0]:
			why = fmt.Sprintf("namespace id %d was never given out", e.namespace)
		case name != "" && namespaces[ns] != e.namespace:
			why = fmt.Sprintf("a graph of namespace id %d, the namespace's is %d", e.namespace, namespaces[ns])
		case name != "" && c.known[e.graph] != nil:
			why = fmt.Sprintf("graph id %d is that of %s too", e.graph, c.known[e.graph])
		case name != "" && uint64(e.graph) >= next[1]:
			why = fmt.Sprintf("graph id %d was never given out", e.graph)
		}
		if why != "" {
			if err := c.find(p.key, fix{}, "%s", why); err != nil {
				return err
			}
		}
		if name == "" {
			// Entries of graphs follow that of their namespace.
			namespaces[ns], byID[e.namespace] = e.namespace, ns
			continue
		}
		if c.known[e.graph] == nil {
			l := listed{ns, name, e}
			c.graphs = append(c.graphs, l)
			c.known[e.graph] = &l
		}
	}
	return nil
}

// checkCatalog verifies that names and ids of the graph at work lead to each
// other.
func (c *checker) checkCatalog() error {
	g := c.at.graph
	ids := map[kindName]uint32{}
	for p, err := range validKeys(c.ctx, c.snap.kv, layout.GraphPrefix(layout.TagCatalog, g)) {
		if err != nil {
			return err
		}
		if err := c.step(layout.TagCatalog); err != nil {
			return err
		}
		e, err := decodeCatalogEntry(p.value)
		if err != nil {
			if err := c.find(p.key, fix{}, "%v", err); err != nil {
				return err
			}
			continue
		}
		kind, id := layout.CatalogID(p.key)
		if kind < layout.KindNodeType || kind > layout.KindRule {
			if err := c.find(p.key, fix{}, "unknown kind of name"); err != nil {
				return err
			}
			continue
		}
		if other, ok := ids[kindName{kind, e.name}]; ok {
			if err := c.find(p.key, fix{}, "the name %q is that of id %d too", e.name, other); err != nil {
				return err
			}
			continue
		}
		ids[kindName{kind, e.name}] = id
		key := layout.Name(g, kind, e.name)
		v, err := c.snap.kv.Get(c.ctx, key, nil)
		if err != nil && !isNotFound(err) {
			return err
		}
		if string(v) != string(binaryID(id)) {
			if err := c.find(key, fix{}, "the name does not lead to id %d", id); err != nil {
				return err
			}
		}
	}
	for p, err := range validKeys(c.ctx, c.snap.kv, layout.GraphPrefix(layout.TagName, g)) {
		if err != nil {
			return err
		}
		if err := c.step(layout.TagName); err != nil {
			return err
		}
		if _, ok := ids[kindName{layout.Kind(p.key[5]), string(p.key[6:])}]; !ok {
			if err := c.find(p.key, fix{}, "the name leads to no catalog entry"); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkNextNode verifies that the graph at work will not give out an id twice.
func (c *checker) checkNextNode() error {
	g := c.at.graph
	next, err := getUint64(c.ctx, c.snap.kv, layout.GraphMeta(g, "next_node"))
	if err != nil {
		return err
	}
	prefix := layout.GraphPrefix(layout.TagNode, g)
	it, err := c.snap.kv.Iter(c.ctx, prefix, layout.Next(prefix))
	if err != nil {
		return err
	}
	last := uint64(0)
	if it.Last() && len(it.Key()) == 13 {
		last = layout.NodeID(it.Key())
	}
	if err := errors.Join(it.Err(), it.Close()); err != nil {
		return err
	}
	if last >= next && last > 0 || next > idLimit {
		return c.find(layout.GraphMeta(g, "next_node"), fix{}, "the next node would be %d, but there is %d", next, last)
	}
	return nil
}
