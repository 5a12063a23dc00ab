package cypher

import "github.com/ragdb/ragdb/engine"

// nodeColumns are the properties of nodes that a statement reads of many nodes.
type nodeColumns struct {
	set  *engine.NodeColumns
	list []nodeColumn
	// reads counts properties that were read one by one, until they are many.
	reads, many int
}

// nodeColumn is a property.
type nodeColumn struct {
	name string
	of   *engine.NodeColumn // nil for the key, which is no property of records
	// elsewhere is set if a node whose record lacks the property may have it yet.
	elsewhere bool
}

// nodeProperty is [graph.property]. If many are read, it reads them by columns.
func (x *exec) nodeProperty(g *graph, id engine.NodeID, name string) (Value, error) {
	c, err := g.column(name)
	if err != nil {
		return Null, err
	}
	if c == nil || c.of == nil {
		return g.property(id, name)
	}
	v, err := c.of.Value(id)
	switch {
	case err != nil:
		return Null, err
	case !v.IsNull():
		return g.stored(id, name, v)
	case c.elsewhere:
		return g.property(id, name)
	}
	return Null, nil
}

// wants notes that a statement reads a property.
func (g *graph) wants(name string) {
	if g.columns.find(name) == nil {
		g.columns.list = append(g.columns.list, nodeColumn{name: name})
	}
}

func (c *nodeColumns) find(name string) *nodeColumn {
	for i := range c.list {
		if c.list[i].name == name {
			return &c.list[i]
		}
	}
	return nil
}

// column returns the column of a property if many properties were read, else nil.
func (g *graph) column(name string) (*nodeColumn, error) {
	if g.shared == nil {
		return nil, nil
	}
	c := &g.columns
	if c.set == nil {
		if c.reads++; c.reads < c.many {
			return nil, nil
		}
		worth, err := g.worthAll(c.reads)
		if err != nil || !worth {
			c.many = c.reads + 1
			return nil, err
		}
		c.set = g.r.NodeColumns(nil)
		for i := range c.list {
			if err := g.openColumn(&c.list[i]); err != nil {
				return nil, err
			}
		}
	}
	if have := c.find(name); have != nil {
		return have, nil
	}
	g.wants(name)
	last := &c.list[len(c.list)-1]
	err := g.openColumn(last)
	return last, err
}

// openColumn opens the column of a property.
func (g *graph) openColumn(c *nodeColumn) error {
	if c.name == propKey {
		return nil
	}
	c.of = g.columns.set.Column(c.name)
	c.elsewhere = g.computed != nil
	if isTotal(c.name) {
		derived, err := g.shared.hasDerived(g, nil)
		if err != nil {
			return err
		}
		c.elsewhere = c.elsewhere || derived
	}
	vectors, err := g.vectorIndexes()
	for _, ix := range vectors {
		c.elsewhere = c.elsewhere || ix.Property == c.name
	}
	return err
}
