package engine_test

import (
	"fmt"
	"slices"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/vecindex"
)

func sortedKeys[V any](m map[string]V) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// filter returns a random filter of edges.
func (g *graphOps) filter() engine.EdgeFilter {
	f := engine.EdgeFilter{Direction: pick(g.rnd, []engine.Direction{engine.Out, engine.In, engine.Both})}
	if g.rnd.IntN(3) == 0 {
		f.Types = []engine.EdgeType{}
		for _, name := range g.list(edgeTypeNames, 2) {
			f.Types = append(f.Types, g.m.edgeTypes[name])
		}
	}
	return f
}

// set returns a random set of nodes.
func (g *graphOps) set() *roaring.Bitmap {
	out := roaring.New()
	for range g.rnd.IntN(20) {
		out.Add(uint32(g.id()))
	}
	return out
}

// allow returns a set of nodes to search among, or nil.
func (g *graphOps) allow() *roaring.Bitmap {
	if g.rnd.IntN(3) > 0 {
		return nil
	}
	return g.set()
}

// predicate returns a random predicate.
func (g *graphOps) predicate(depth int) engine.Predicate {
	if depth > 0 {
		switch g.rnd.IntN(5) {
		case 0:
			return engine.And{g.predicate(depth - 1), g.predicate(depth - 1)}
		case 1:
			return engine.Or{g.predicate(depth - 1), g.predicate(depth - 1)}
		case 2:
			return engine.Not{Predicate: g.predicate(depth - 1)}
		}
	}
	c := engine.Comparison{Property: pick(g.rnd, propNames[:4]), Op: engine.Op(g.rnd.IntN(int(engine.OpExists) + 1))}
	indexed := sortedKeys(g.m.indexes)
	if len(indexed) > 0 && g.rnd.IntN(10) > 0 {
		c.Property = pick(g.rnd, indexed)
	}
	if c.Op == engine.OpExists {
		return c
	}
	c.Whole = g.rnd.IntN(2) == 0
	for range 1 + g.rnd.IntN(2) {
		v := engine.String(pick(g.rnd, words[:6]))
		switch k := g.rnd.IntN(11); {
		case k == 0:
			// A value that some node has, long strings too.
			ids := g.m.nodesOf(engine.AnyType)
			if len(ids) > 0 {
				if x := g.m.nodes[pick(g.rnd, ids)].props[c.Property]; x.Kind() == engine.KindString {
					v = x
				}
			}
		case c.Op == engine.OpPrefix:
			v = engine.String(pick(g.rnd, []string{"", "a", "an", "lorem", "l"}))
		case k == 1:
			v = engine.Time(time.Unix(int64(g.rnd.IntN(3)), 5))
		case k >= 8:
			v = randomKind(g.rnd)
		case k == 2:
			v = engine.Bool(g.rnd.IntN(2) == 0)
		case k < 5:
			v = engine.Float(float64(g.rnd.IntN(9)-4) / 2)
		}
		c.Values = append(c.Values, v)
	}
	return c
}

// search returns a random search of a space.
func (g *graphOps) search(space string) vecindex.Search {
	o, ok := g.m.spaces[space]
	if !ok {
		o = g.spaceOptions(space)
	}
	v := make([]float32, o.Dim)
	for i := range v {
		v[i] = float32(g.rnd.IntN(5) - 2)
	}
	v[0] = 3 // not zero
	q := vecindex.Search{Vector: v, K: g.rnd.IntN(12), Allow: g.allow()}
	if g.rnd.IntN(4) == 0 {
		q.Layers = []vecindex.LayerK{{Layer: 2, K: g.rnd.IntN(4)}, {Layer: 0, K: 3}}
	}
	return q
}

// read returns a random operation that reads.
func (g *graphOps) read() step {
	field, space, bucket := pick(g.rnd, fieldNames), pick(g.rnd, spaceNames), pick(g.rnd, bucketNames)
	if rules := g.m.indexed(); len(rules) > 0 && g.rnd.IntN(6) == 0 {
		return g.readRule(pick(g.rnd, rules))
	}
	switch g.rnd.IntN(24) {
	case 0:
		return g.readNode(g.id())
	case 1:
		return g.readText(g.id(), pick(g.rnd, propNames))
	case 2:
		if g.rnd.IntN(2) == 0 {
			return g.readKeyed(pick(g.rnd, append([]string{""}, nodeTypeNames...)), fmt.Sprintf("k%d\x00", g.rnd.IntN(80)))
		}
		return g.readLookup(pick(g.rnd, nodeTypeNames), fmt.Sprintf("k%d\x00", g.rnd.IntN(80)))
	case 3:
		return g.readNodes(pick(g.rnd, nodeTypeNames))
	case 4, 5:
		return g.readNeighbors(g.id(), g.filter(), pick(g.rnd, []int{0, 1, 2, 7, 40}))
	case 6:
		return g.readDegree(g.id(), g.filter())
	case 7:
		return g.readEdge(g.edge(edgeTypeNames))
	case 8:
		return g.readEdges(g.filter())
	case 9:
		return g.readWithin(g.set(), g.filter())
	case 10:
		return g.readLeaving(g.set(), g.filter())
	case 11:
		if e := g.edge(edgeTypeNames[2:]); e.typ != 0 && g.rnd.IntN(2) == 0 {
			return g.readTotal(e.target())
		}
		return g.readTotal(engine.NodeTarget(g.id()))
	case 12:
		return g.readContributedBy(g.id())
	case 13:
		return g.readVersion()
	case 14:
		o := engine.TermsOptions{K: g.rnd.IntN(6), Allow: g.allow(), K1: pick(g.rnd, []float64{0, 1.2}), B: pick(g.rnd, []float64{0, 1, 1e-9})}
		for range g.rnd.IntN(3) {
			o.Beside = append(o.Beside, engine.FieldWeight{Field: pick(g.rnd, fieldNames), Weight: pick(g.rnd, []float64{0.25, 1, 7}), B: pick(g.rnd, []float64{0, 1})})
		}
		return g.readTerms(field, g.list(words, 4), o)
	case 15:
		return g.readPhrase(field, g.list(words[:4], 3))
	case 16:
		return g.readTerm(field, pick(g.rnd, words))
	case 17:
		return g.readTermsOf(field, g.id())
	case 18:
		return g.readWhere(g.predicate(2))
	case 19:
		return g.readNearest(space, g.search(space))
	case 21:
		return g.someColumns()
	case 22:
		return g.readEdgeColumns(pick(g.rnd, edgeTypeNames))
	case 20:
		if g.rnd.IntN(2) == 0 {
			return g.readEntry(modelEntry{bucket, g.entryKey()})
		}
		lo, hi := []byte(g.entryKey()), []byte(g.entryKey())
		if len(hi) == 0 {
			hi = nil
		}
		return g.readEntries(bucket, lo, hi, g.rnd.IntN(2) == 0)
	default:
		return pick(g.rnd, []step{g.readNames(), g.readVocabulary(field)})
	}
}

// everything returns the reads that together show all of a graph.
func (g *graphOps) everything() []step {
	both := engine.EdgeFilter{Direction: engine.Both}
	out := []step{g.readVersion(), g.readNames(), g.readEdges(engine.EdgeFilter{})}
	for _, name := range nodeTypeNames {
		out = append(out, g.readNodes(name))
	}
	all := g.m.nodesOf(engine.AnyType)
	out = append(out, g.readColumns(all, propNames, nil))
	for _, name := range edgeTypeNames {
		out = append(out, g.readEdgeColumns(name))
	}
	for _, id := range all {
		n := g.m.nodes[id]
		out = append(out, g.readNode(id), g.readNeighbors(id, both, 9), g.readContributedBy(id), g.readTotal(engine.NodeTarget(id)))
		for typ, t := range g.m.nodeTypes {
			if t == n.typ {
				out = append(out, g.readLookup(typ, n.key))
			}
		}
		for _, name := range sortedKeys(n.props) {
			out = append(out, g.readText(id, name))
		}
		for _, field := range fieldNames {
			out = append(out, g.readTermsOf(field, id))
		}
	}
	var edges []modelEdge
	for _, e := range g.m.edgesOf(engine.EdgeFilter{}) {
		edges = append(edges, g.m.numbers(modelEdge{from: e.From, to: e.To, typ: e.Type})...)
	}
	g.rnd.Shuffle(len(edges), func(i, j int) { edges[i], edges[j] = edges[j], edges[i] })
	for _, edge := range edges[:min(len(edges), 100)] {
		out = append(out, g.readEdge(edge), g.readTotal(edge.target()))
	}
	for _, field := range fieldNames {
		out = append(out, g.readVocabulary(field), g.readTerms(field, words, engine.TermsOptions{}))
	}
	for _, space := range spaceNames {
		q := g.search(space)
		q.Layers, q.Allow, q.K = nil, nil, 1000
		out = append(out, g.readVectors(space, q.Vector, []uint64{uint64(g.id()), 1, 2}), g.readNearest(space, q))
	}
	for _, name := range sortedKeys(g.m.indexes) {
		out = append(out, g.readWhere(engine.Comparison{Property: name, Op: engine.OpExists}))
	}
	out = append(out, g.readRules())
	for _, x := range g.m.indexed() {
		out = append(out, g.readRule(x), g.readRule(x), g.readRule(x))
	}
	for _, bucket := range bucketNames {
		out = append(out, g.readEntries(bucket, nil, nil, false))
	}
	return out
}
