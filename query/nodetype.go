package query

import (
	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/engine"
)

// maxTypeReads is how many nodes' records are read for their types; for more
// the sets of all nodes of the types are, which takes longer at first.
const maxTypeReads = 128

// nodeTypes tells which of some lists of types a node is of.
type nodeTypes struct {
	l     *lens
	known map[engine.NodeID]engine.TypeID // of the run
	lists [][]engine.TypeID
	of    map[engine.TypeID]int // the first list that has the type
	reads int
	sets  []*roaring.Bitmap // by list, once they are read
}

// nodeTypes takes names of types; a graph has no nodes of unknown ones.
func (l *lens) nodeTypes(lists ...[]string) *nodeTypes {
	t := &nodeTypes{l: l, known: l.e.typesOf(l.graph()), lists: make([][]engine.TypeID, len(lists)), of: map[engine.TypeID]int{}}
	for i, names := range lists {
		for _, name := range names {
			id, ok := l.NodeType(name)
			if !ok {
				continue
			}
			if _, taken := t.of[id]; !taken {
				t.of[id] = i
				t.lists[i] = append(t.lists[i], id)
			}
		}
	}
	return t
}

// ahead reads ahead the types of n nodes, as many of them as list reads one after the other.
func (t *nodeTypes) ahead(n int, id func(i int) engine.NodeID) error {
	if len(t.of) == 0 {
		return nil
	}
	g, ctx := t.l.graph(), t.l.ctx
	return t.l.e.Ahead(ctx, min(n, maxTypeReads-t.reads), func(e *Env, i int) error {
		if _, ok := t.known[id(i)]; ok {
			return nil
		}
		l, err := e.lens(ctx, g)
		if err == nil {
			_, _, err = l.typeOf(id(i))
		}
		return err
	})
}

// list returns the list that has the type of a node, -1 where none has it.
func (t *nodeTypes) list(id engine.NodeID) (int, error) {
	if len(t.of) == 0 {
		return -1, nil
	}
	if typ, ok := t.known[id]; ok {
		return t.listOf(typ), nil
	}
	if t.reads < maxTypeReads {
		t.reads++
		typ, ok, err := t.l.typeOf(id)
		if err != nil || !ok {
			return -1, err
		}
		t.known[id] = typ
		return t.listOf(typ), nil
	}
	if t.sets == nil {
		if err := t.read(); err != nil {
			return -1, err
		}
	}
	for i, set := range t.sets {
		if set.Contains(uint32(id)) {
			return i, nil
		}
	}
	return -1, nil
}

// listOf returns the list that has a type, -1 where none has.
func (t *nodeTypes) listOf(typ engine.TypeID) int {
	if i, ok := t.of[typ]; ok {
		return i
	}
	return -1
}

// typesOf returns the types of a graph's nodes that the run has looked at. Callers
// add those that they look at.
func (e *Env) typesOf(g *engine.Graph) map[engine.NodeID]engine.TypeID {
	known := e.types[g.ID()]
	if known == nil {
		if e.types == nil {
			e.types = map[engine.GraphID]map[engine.NodeID]engine.TypeID{}
		}
		known = map[engine.NodeID]engine.TypeID{}
		e.types[g.ID()] = known
	}
	return known
}

func (t *nodeTypes) read() error {
	t.sets = make([]*roaring.Bitmap, len(t.lists))
	for i, types := range t.lists {
		t.sets[i] = roaring.New()
		for _, id := range types {
			set, err := t.l.nodes(id)
			if err != nil {
				return err
			}
			t.sets[i].Or(set)
		}
	}
	return nil
}

// all returns the nodes that are of some list.
func (t *nodeTypes) all() (*roaring.Bitmap, error) {
	if t.sets == nil {
		if err := t.read(); err != nil {
			return nil, err
		}
	}
	return roaring.FastOr(t.sets...), nil
}

// keep removes from a set the nodes that are of no list.
func (t *nodeTypes) keep(set *roaring.Bitmap) error {
	ids := set.ToArray()
	if err := t.ahead(len(ids), func(i int) engine.NodeID { return engine.NodeID(ids[i]) }); err != nil {
		return err
	}
	for _, id := range ids {
		i, err := t.list(engine.NodeID(id))
		if err != nil {
			return err
		}
		if i < 0 {
			set.Remove(id)
		}
	}
	return nil
}
