package engine_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/engine/text"
	"github.com/ragdb/ragdb/vecindex"
)

// makeType makes a type, sometimes an edge type with the other direction.
func (g *graphOps) makeType() step {
	if g.rnd.IntN(2) == 0 {
		// Two spellings of one name.
		name := pick(g.rnd, propNames[3:])
		id := g.m.makeNodeType(propNames[3])
		return g.writeStep(fmt.Sprintf("make node type %+q", name), fmt.Sprint(id, id, true), func(w *engine.TxView) string {
			id, err := w.MakeNodeType(name)
			if err != nil {
				return fault(err)
			}
			again, ok := w.NodeType(name)
			return fmt.Sprint(id, again, ok)
		})
	}
	name, directed := pick(g.rnd, edgeTypeNames), g.rnd.IntN(2) == 0
	if g.m.edgeTypes[name] == 0 {
		directed = isDirected(name)
	}
	id, ok := g.m.makeEdgeType(name, directed)
	want := fmt.Sprint(id)
	if !ok {
		want = fault(engine.ErrExists)
	}
	return g.writeStep(fmt.Sprintf("make edge type %s %t", name, directed), want, func(w *engine.TxView) string {
		id, err := w.MakeEdgeType(name, directed)
		return outcome(err, "%d", id)
	})
}

func (g *graphOps) makeField() step {
	name := pick(g.rnd, fieldNames)
	o := engine.FieldOptions{Positions: name == "body", Analyzer: text.Standard{}.Name()}
	if g.rnd.IntN(4) == 0 {
		o.Positions = !o.Positions
	}
	have, known := g.m.fields[name]
	want := "ok"
	if !known {
		g.m.fields[name] = o
	} else if have != o {
		want = fault(engine.ErrExists)
	}
	return g.writeStep(fmt.Sprintf("make field %s %t", name, o.Positions), want, func(w *engine.TxView) string {
		return fault(w.MakeField(name, o))
	})
}

// putTerms replaces the terms of a node; none removes them.
func (g *graphOps) putTerms() step {
	field, id := pick(g.rnd, fieldNames), g.id()
	var terms []text.Term
	at := uint32(g.rnd.IntN(2))
	for _, word := range g.list(words, 12) {
		if !slices.Contains(terms, text.Term{Text: word, Pos: at}) {
			terms = append(terms, text.Term{Text: word, Pos: at})
		}
		at += uint32(g.rnd.IntN(8)+5) / 6 // mostly 1
	}
	_, ok := g.m.fields[field]
	ok = ok && g.m.nodes[id] != nil
	if place := (modelPlace{field, id}); ok && len(terms) > 0 {
		g.m.terms[place] = terms
	} else if ok {
		delete(g.m.terms, place)
	}
	order, remove := g.rnd.Perm(len(terms)), ok && g.rnd.IntN(2) == 0
	return g.writeStep(fmt.Sprintf("put terms %s %d %+q", field, id, fmt.Sprint(terms)), found(ok), func(w *engine.TxView) string {
		if len(terms) == 0 && remove {
			return fault(w.DeleteTerms(field, id))
		}
		shuffled := make([]text.Term, len(terms))
		for i, j := range order {
			shuffled[i] = terms[j]
		}
		return fault(w.PutTerms(field, id, shuffled))
	})
}

func (g *graphOps) spaceOptions(name string) engine.SpaceOptions {
	o := engine.SpaceOptions{Model: "m@1", Dim: 3}
	switch name {
	case "l2":
		o.Metric = vecindex.L2
	case "ip":
		o.Metric, o.Dim, o.Element = vecindex.InnerProduct, 8, vecindex.F16
	}
	o.Dim += g.rnd.IntN(2)
	return o
}

func (g *graphOps) makeSpace() step {
	name := pick(g.rnd, spaceNames)
	o := g.spaceOptions(name)
	want := "ok"
	if !g.m.makeSpace(name, o) {
		want = fault(vecindex.ErrModelMismatch)
	}
	return g.writeStep(fmt.Sprintf("make space %s of %d", name, o.Dim), want, func(w *engine.TxView) string {
		return fault(w.MakeSpace(name, o))
	})
}

func (g *graphOps) dropSpace() step {
	name := pick(g.rnd, spaceNames)
	return g.writeStep(fmt.Sprintf("drop space %s", name), found(g.m.dropSpace(name)), func(w *engine.TxView) string {
		return fault(w.DropSpace(name))
	})
}

// vector returns a vector whose scores are exact: small whole numbers, along
// an axis where it will be scaled.
func (g *graphOps) vector(o engine.SpaceOptions) []float32 {
	v := make([]float32, o.Dim)
	for i := range v {
		if o.Metric != vecindex.Cosine {
			v[i] = float32(g.rnd.IntN(5) - 2)
		}
	}
	v[g.rnd.IntN(o.Dim)] = pick(g.rnd, []float32{-2, -1, 1, 2, 4})
	return v
}

func (g *graphOps) putVector() step {
	space, id, layer := pick(g.rnd, spaceNames), g.id(), uint8(g.rnd.IntN(3))
	o, ok := g.m.spaces[space]
	if !ok {
		o = g.spaceOptions(space)
	}
	v := g.vector(o)
	want := found(ok && g.m.nodes[id] != nil)
	if want == "ok" {
		switch g.rnd.IntN(20) {
		case 0:
			v, want = append(v, 1), fault(vecindex.ErrDimension)
		case 1:
			clear(v)
			want = fault(vecindex.ErrVector)
		default:
			g.m.vectors[modelPlace{space, id}] = modelVector{layer, v}
		}
	}
	return g.writeStep(fmt.Sprintf("put vector %s %d %d %v", space, id, layer, v), want, func(w *engine.TxView) string {
		if layer == 0 {
			return fault(w.PutVector(space, id, v))
		}
		return fault(w.PutLayerVector(space, id, layer, v))
	})
}

func (g *graphOps) deleteVector() step {
	space, id := pick(g.rnd, spaceNames), g.id()
	_, ok := g.m.spaces[space]
	delete(g.m.vectors, modelPlace{space, id})
	return g.writeStep(fmt.Sprintf("delete vector %s %d", space, id), found(ok), func(w *engine.TxView) string {
		return fault(w.DeleteVector(space, id))
	})
}

func (g *graphOps) makeIndex() step {
	name := pick(g.rnd, propNames)
	g.m.indexes[propNames[min(slices.Index(propNames, name), 3)]] = true
	return g.writeStep(fmt.Sprintf("make index %+q", name), "ok", func(w *engine.TxView) string {
		return fault(w.MakeIndex(name))
	})
}

func (g *graphOps) dropIndex() step {
	name := pick(g.rnd, propNames)
	has := propNames[min(slices.Index(propNames, name), 3)]
	want := fault(engine.ErrNoIndex)
	if g.m.indexes[has] {
		want = "ok"
	}
	delete(g.m.indexes, has)
	return g.writeStep(fmt.Sprintf("drop index %+q", name), want, func(w *engine.TxView) string {
		return fault(w.DropIndex(name))
	})
}

// entryKey returns a key of a bucket, or a part of one.
func (g *graphOps) entryKey() string {
	return strings.Join(g.list([]string{"\x00", "a", "b", "\xff"}, 3), "")
}

func (g *graphOps) setEntry() step {
	e, value := modelEntry{pick(g.rnd, bucketNames), g.entryKey()}, pick(g.rnd, words)
	g.m.entries[e] = value
	return g.bucketStep("set entry", e, func(w engine.BucketWriter) error { return w.Set([]byte(e.key), []byte(value)) })
}

func (g *graphOps) deleteEntry() step {
	e := modelEntry{pick(g.rnd, bucketNames), g.entryKey()}
	delete(g.m.entries, e)
	return g.bucketStep("delete entry", e, func(w engine.BucketWriter) error { return w.Delete([]byte(e.key)) })
}

func (g *graphOps) deleteEntries() step {
	e := modelEntry{pick(g.rnd, bucketNames), g.entryKey()}
	for has := range g.m.entries {
		if has.bucket == e.bucket && strings.HasPrefix(has.key, e.key) {
			delete(g.m.entries, has)
		}
	}
	return g.bucketStep("delete entries", e, func(w engine.BucketWriter) error { return w.DeletePrefix([]byte(e.key)) })
}

func (g *graphOps) bucketStep(name string, e modelEntry, fn func(w engine.BucketWriter) error) step {
	return g.writeStep(fmt.Sprintf("%s %q", name, e), "ok", func(w *engine.TxView) string {
		b, err := w.MakeBucket(e.bucket)
		if err != nil {
			return fault(err)
		}
		return fault(fn(b))
	})
}
