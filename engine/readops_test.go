package engine_test

import (
	"cmp"
	"fmt"
	"hash/crc32"
	"iter"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/vecindex"
)

// graphReader is what views and transactions read alike.
type graphReader interface {
	engine.Reader
	Total(t engine.Target) (engine.Total, error)
	TermsOf(field string, id engine.NodeID) ([]engine.TermFreq, error)
	Postings(field, term string) iter.Seq2[engine.Posting, error]
	EachTerm(field string) iter.Seq2[engine.TermEntry, error]
	FieldStats(field string) (engine.FieldStats, error)
	Spaces() []string
	Indexes() []string
	Fields() []string
}

var (
	_ graphReader = (*engine.View)(nil)
	_ graphReader = (*engine.TxView)(nil)
)

// readStep is step for an operation that only reads.
func (g *graphOps) readStep(name, want string, run func(r graphReader) string) step {
	return g.step(name, want, func(r graphReader, _ *engine.TxView) string { return run(r) })
}

// collect returns the items of a sequence as transcripts show them.
func collect[T any](seq iter.Seq2[T, error], show func(T) string) string {
	var out []string
	for x, err := range seq {
		if err != nil {
			return fault(err)
		}
		out = append(out, show(x))
	}
	return strings.Join(out, " ")
}

func showAll[T any](list []T, show func(T) string) string {
	var out []string
	for _, x := range list {
		out = append(out, show(x))
	}
	return strings.Join(out, " ")
}

func showEdge(e engine.Edge) string {
	return fmt.Sprintf("%d-%d/%d:%v", e.From, e.To, e.Type, e.Weight)
}
func showTarget(t engine.Target) string {
	return fmt.Sprintf("%d:%d-%d/%d", t.Node, t.From, t.To, t.Type)
}
func showPosting(p engine.Posting) string { return fmt.Sprintf("%d:%d/%d", p.ID, p.Freq, p.Words) }
func showScored(s engine.Scored) string   { return fmt.Sprintf("%d:%.12g", s.ID, s.Score) }
func showHit(h vecindex.Hit) string       { return fmt.Sprintf("%d/%d:%v", h.ID, h.Layer, h.Score+0) }
func showNode(id engine.NodeID) string    { return fmt.Sprint(id) }

func showSet(rb *roaring.Bitmap, err error) string {
	if err != nil {
		return fault(err)
	}
	return showAll(rb.ToArray(), func(id uint32) string { return fmt.Sprint(id) })
}

func (g *graphOps) readNode(id engine.NodeID) step {
	want := fault(engine.ErrNotFound)
	if n := g.m.nodes[id]; n != nil {
		want = fmt.Sprintf("%d %q %d %t %s", n.typ, n.key, n.epoch, n.derived, showProps(n.props))
	}
	return g.readStep(fmt.Sprintf("node %d", id), want, func(r graphReader) string {
		n, err := r.Node(id)
		if err != nil {
			return fault(err)
		}
		props := n.Props()
		for name, v := range props {
			if !n.Prop(name).Equal(v) {
				return fmt.Sprintf("property %s is %v and %v", name, v, n.Prop(name))
			}
		}
		return fmt.Sprintf("%d %q %d %t %s", n.Type, n.Key, n.Epoch, n.Derived, showProps(props))
	})
}

func (g *graphOps) readText(id engine.NodeID, prop string) step {
	want := fault(engine.ErrNotFound)
	if n := g.m.nodes[id]; n != nil {
		if v, ok := n.props[propNames[min(slices.Index(propNames, prop), 3)]]; ok {
			want = showText(v.AsString())
		}
	}
	return g.readStep(fmt.Sprintf("text %d %+q", id, prop), want, func(r graphReader) string {
		s, err := r.Text(id, prop)
		if err != nil {
			return fault(err)
		}
		return showText(s)
	})
}

func (g *graphOps) readLookup(typ, key string) step {
	id, ok := g.m.keys[modelKey{g.m.nodeTypes[typ], key}]
	want := fault(engine.ErrNotFound)
	if ok {
		want = fmt.Sprint(id)
	}
	return g.readStep(fmt.Sprintf("lookup %s %q", typ, key), want, func(r graphReader) string {
		t, _ := r.NodeType(typ)
		id, err := r.Lookup(t, key)
		return outcome(err, "%d", id)
	})
}

func (g *graphOps) readNodes(typ string) step {
	want := ""
	if t := g.m.nodeTypes[typ]; t != 0 {
		want = showAll(g.m.nodesOf(t), showNode)
	}
	return g.readStep("nodes "+typ, want, func(r graphReader) string {
		t, _ := r.NodeType(typ)
		return showSet(r.Nodes(t))
	})
}

// readNeighbors pages through the neighbours of a node.
func (g *graphOps) readNeighbors(id engine.NodeID, f engine.EdgeFilter, page int) step {
	want := showAll(g.m.neighbors(id, f), showEdge)
	return g.readStep(fmt.Sprintf("neighbors %d %v by %d", id, f, page), want, func(r graphReader) string {
		var all []engine.Edge
		for after := engine.NodeID(0); ; {
			p, err := r.Neighbors(id, f, after, make([]engine.Edge, 0, page))
			if err != nil {
				return fault(err)
			}
			all = append(all, p...)
			if len(p) < page || page == 0 && len(p) < 256 {
				return showAll(all, showEdge)
			}
			if page > 0 && len(p) > page && p[page-1].Other(id) != p[len(p)-1].Other(id) {
				return fmt.Sprintf("a page of %d", len(p))
			}
			after = p[len(p)-1].Other(id)
		}
	})
}

func (g *graphOps) readDegree(id engine.NodeID, f engine.EdgeFilter) step {
	set := roaring.New()
	for _, e := range g.m.neighbors(id, f) {
		set.Add(uint32(e.Other(id)))
	}
	want := fmt.Sprintf("%d: %s", set.GetCardinality(), showSet(set, nil))
	return g.readStep(fmt.Sprintf("degree %d %v", id, f), want, func(r graphReader) string {
		n, err := r.Degree(id, f)
		if err != nil {
			return fault(err)
		}
		return fmt.Sprintf("%d: %s", n, showSet(r.NeighborSet(id, f)))
	})
}

func (g *graphOps) readEdge(e modelEdge) step {
	name := edgeName(e.from, e.to, e.typ)
	w, ok := g.m.edges[name]
	want := fmt.Sprint(w, ok, showProps(g.m.edgeProps[name]))
	return g.readStep(fmt.Sprintf("edge %v", e), want, func(r graphReader) string {
		w, ok, err := r.HasEdge(e.from, e.to, e.typ)
		if err != nil {
			return fault(err)
		}
		p, err := r.EdgeProps(e.from, e.to, e.typ)
		return outcome(err, "%v", fmt.Sprint(w, ok, showProps(p)))
	})
}

func (g *graphOps) readEdges(f engine.EdgeFilter) step {
	return g.readStep(fmt.Sprintf("edges %v", f), showAll(g.m.edgesOf(f), showEdge), func(r graphReader) string {
		return collect(r.Edges(f), showEdge)
	})
}

func (g *graphOps) readWithin(set *roaring.Bitmap, f engine.EdgeFilter) step {
	inside := slices.DeleteFunc(g.m.edgesOf(f), func(e engine.Edge) bool {
		return !set.Contains(uint32(e.From)) || !set.Contains(uint32(e.To))
	})
	return g.readStep(fmt.Sprintf("within %v %v", set, f), showAll(inside, showEdge), func(r graphReader) string {
		return collect(r.Within(set, f), showEdge)
	})
}

// readLeaving compares the edges in the order of the node in the set; within
// one node the order is not said.
func (g *graphOps) readLeaving(set *roaring.Bitmap, f engine.EdgeFilter) step {
	home := func(e engine.Edge) engine.NodeID {
		if set.Contains(uint32(e.From)) {
			return e.From
		}
		return e.To
	}
	show := func(edges []engine.Edge) string {
		slices.SortStableFunc(edges, func(a, b engine.Edge) int { return cmp.Or(cmp.Compare(home(a), home(b)), compareEdges(a, b)) })
		return showAll(edges, showEdge)
	}
	return g.readStep(fmt.Sprintf("leaving %v %v", set, f), show(g.m.leaving(set, f)), func(r graphReader) string {
		var out []engine.Edge
		for e, err := range r.Leaving(set, f) {
			if err != nil {
				return fault(err)
			}
			if n := len(out); n > 0 && home(out[n-1]) > home(e) {
				return "out of order"
			}
			out = append(out, e)
		}
		return show(out)
	})
}

func (g *graphOps) readTotal(t engine.Target) step {
	if t.Type != 0 {
		t = edgeName(t.From, t.To, t.Type).target()
	}
	show := func(t engine.Total) string { return fmt.Sprintf("%+v", t) }
	showGift := func(c engine.SourceContribution) string { return fmt.Sprintf("%d %v", c.Source, c.Contribution) }
	var gifts []engine.SourceContribution
	sources := g.m.sources(t)
	for _, s := range sources {
		gifts = append(gifts, engine.SourceContribution{Source: s, Contribution: g.m.gifts[modelGift{s, t}]})
	}
	want := show(g.m.total(t)) + " of " + showAll(sources, showNode) + ": " + showAll(gifts, showGift)
	return g.readStep("total "+showTarget(t), want, func(r graphReader) string {
		total, err := r.Total(t)
		if err != nil {
			return fault(err)
		}
		return show(total) + " of " + showSet(r.Sources(t)) + ": " + collect(r.Contributions(t), showGift)
	})
}

func (g *graphOps) readContributedBy(id engine.NodeID) step {
	return g.readStep(fmt.Sprintf("contributed by %d", id), showAll(g.m.contributedBy(id), showTarget), func(r graphReader) string {
		return collect(r.ContributedBy(id), showTarget)
	})
}

func (g *graphOps) readVersion() step {
	return g.readStep("version", fmt.Sprint(g.m.version), func(r graphReader) string {
		v, err := r.Version()
		return outcome(err, "%d", v)
	})
}

// inField returns what a read of a field gives: ErrNotFound, or what the model
// has in the state that is searched.
func (g *graphOps) inField(field string, read func(m *modelGraph) string) string {
	if _, ok := g.m.fields[field]; !ok {
		return fault(engine.ErrNotFound)
	}
	return read(g.m.searched())
}

func (g *graphOps) readTerms(field string, q []string, o engine.TermsOptions) step {
	want := g.inField(field, func(m *modelGraph) string { return showAll(m.rank(field, q, o), showScored) })
	return g.readStep(fmt.Sprintf("terms %s %q %+v", field, q, o), want, func(r graphReader) string {
		hits, err := r.Terms(field, q, o)
		return outcome(err, "%s", showAll(hits, showScored))
	})
}

func (g *graphOps) readPhrase(field string, q []string) step {
	want := g.inField(field, func(m *modelGraph) string {
		if len(q) > 1 && !g.m.fields[field].Positions {
			return fault(engine.ErrInvalid)
		}
		return showAll(m.phrase(field, q), showNode)
	})
	return g.readStep(fmt.Sprintf("phrase %s %q", field, q), want, func(r graphReader) string {
		return showSet(r.Phrase(field, q))
	})
}

func (g *graphOps) readTerm(field, term string) step {
	want := g.inField(field, func(m *modelGraph) string {
		return fmt.Sprint(m.termStats(field, term), m.fieldStats(field), showAll(m.postings(field, term), showPosting))
	})
	return g.readStep(fmt.Sprintf("term %s %q", field, term), want, func(r graphReader) string {
		s, err := r.TermStats(field, term)
		if err != nil {
			return fault(err)
		}
		f, err := r.FieldStats(field)
		return outcome(err, "%s", fmt.Sprint(s, f, collect(r.Postings(field, term), showPosting)))
	})
}

func (g *graphOps) readVocabulary(field string) step {
	show := func(term string, s engine.TermStats) string { return fmt.Sprintf("%q:%v", term, s) }
	want := g.inField(field, func(m *modelGraph) string {
		return showAll(m.vocabulary(field), func(term string) string { return show(term, m.termStats(field, term)) })
	})
	return g.readStep("vocabulary "+field, want, func(r graphReader) string {
		return collect(r.EachTerm(field), func(e engine.TermEntry) string { return show(e.Term, e.TermStats) })
	})
}

func (g *graphOps) readTermsOf(field string, id engine.NodeID) step {
	want := g.inField(field, func(m *modelGraph) string { return fmt.Sprint(m.termFreqs(field, id)) })
	return g.readStep(fmt.Sprintf("terms of %s %d", field, id), want, func(r graphReader) string {
		terms, err := r.TermsOf(field, id)
		return outcome(err, "%v", terms)
	})
}

func (g *graphOps) readWhere(p engine.Predicate) step {
	want := ""
	if missing := g.unindexed(p); missing {
		want = fault(engine.ErrNoIndex)
	} else {
		want = showAll(g.m.where(p), showNode)
	}
	return g.readStep("where "+p.String(), want, func(r graphReader) string { return showSet(r.Where(p)) })
}

// unindexed reports whether a predicate names a property without an index.
func (g *graphOps) unindexed(p engine.Predicate) bool {
	switch p := p.(type) {
	case engine.Comparison:
		return !g.m.indexes[p.Property]
	case engine.And:
		return slices.ContainsFunc(p, g.unindexed)
	case engine.Or:
		return slices.ContainsFunc(p, g.unindexed)
	case engine.Not:
		return g.unindexed(p.Predicate)
	}
	return false
}

// inSpace returns what a read of a space gives: ErrNotFound, or what the model
// has in the state that is searched.
func (g *graphOps) inSpace(space string, read func(m *modelGraph) string) string {
	if _, ok := g.m.spaces[space]; !ok {
		return fault(engine.ErrNotFound)
	}
	m := g.m.searched()
	if _, ok := m.spaces[space]; !ok || m.dropped[space] != g.m.dropped[space] {
		m = newModelGraph(g.m.id) // made in this transaction
		m.spaces[space] = g.m.spaces[space]
	}
	return read(m)
}

func (g *graphOps) readNearest(space string, q vecindex.Search) step {
	want := g.inSpace(space, func(m *modelGraph) string { return showAll(m.nearest(space, q), showHit) })
	return g.readStep(fmt.Sprintf("nearest %s %+v", space, q), want, func(r graphReader) string {
		v, err := r.Vectors(space)
		if err != nil {
			return fault(err)
		}
		hits, err := v.Search(background, q, nil)
		return outcome(err, "%s", showAll(hits, showHit))
	})
}

// readVectors reads all vectors of a space, the scores of some nodes and one
// node's own.
func (g *graphOps) readVectors(space string, query []float32, ids []uint64) step {
	show := func(id uint64, layer uint8, v []float32) string {
		if len(v) > 16 {
			return fmt.Sprintf("%d/%d:%d elements %08x", id, layer, len(v), crc32.ChecksumIEEE(fmt.Append(nil, v)))
		}
		return fmt.Sprintf("%d/%d:%v", id, layer, v)
	}
	want := g.inSpace(space, func(m *modelGraph) string {
		metric := m.spaces[space].Metric
		var all []string
		for _, id := range m.nodesOf(0) {
			if x, ok := m.vectors[modelPlace{space, id}]; ok {
				all = append(all, show(uint64(id), x.layer, scaled(metric, x.v)))
			}
		}
		var scores []float32
		for _, id := range ids {
			s := float32(math.Inf(-1))
			if x, ok := m.vectors[modelPlace{space, engine.NodeID(id)}]; ok {
				s = score(metric, scaled(metric, query), scaled(metric, x.v))
			}
			scores = append(scores, s+0)
		}
		return fmt.Sprint(len(all), all, scores)
	})
	return g.readStep(fmt.Sprintf("vectors %s %v", space, ids), want, func(r graphReader) string {
		v, err := r.Vectors(space)
		if err != nil {
			return fault(err)
		}
		var all []string
		for e, err := range v.All(background) {
			if err != nil {
				return fault(err)
			}
			one, err := v.Vector(background, e.ID, nil)
			if err != nil || !slices.Equal(one, e.Vector) {
				return fmt.Sprintf("the vector of %d is %v (%v) and %v", e.ID, one, err, e.Vector)
			}
			all = append(all, show(e.ID, e.Layer, e.Vector))
		}
		scores, err := v.Score(background, query, ids, nil)
		for i := range scores {
			scores[i] += 0
		}
		return outcome(err, "%s", fmt.Sprint(v.Len(), all, scores))
	})
}

func (g *graphOps) readEntry(e modelEntry) step {
	v, ok := g.m.entries[e]
	want := fmt.Sprintf("%t %q", ok, v)
	return g.readStep(fmt.Sprintf("entry %q", e), want, func(r graphReader) string {
		b := r.Bucket(e.bucket)
		has, err := b.Has([]byte(e.key))
		if err != nil {
			return fault(err)
		}
		v, err := b.Get([]byte(e.key), nil)
		if !has && fault(err) == fault(engine.ErrNotFound) {
			err = nil
		}
		return outcome(err, "%t %q", has, v)
	})
}

// readEntries scans a bucket between two keys, or over a prefix where hi is
// nil and lo is not.
func (g *graphOps) readEntries(bucket string, lo, hi []byte, prefix bool) step {
	show := func(k, v string) string { return fmt.Sprintf("%q=%q", k, v) }
	keys := g.m.scan(bucket, string(lo), string(hi))
	if prefix {
		keys = slices.DeleteFunc(g.m.scan(bucket, "", ""), func(k string) bool { return !strings.HasPrefix(k, string(lo)) })
	}
	want := showAll(keys, func(k string) string { return show(k, g.m.entries[modelEntry{bucket, k}]) })
	return g.readStep(fmt.Sprintf("entries %s %q %q %t", bucket, lo, hi, prefix), want, func(r graphReader) string {
		seq := r.Bucket(bucket).Scan(lo, hi)
		if prefix {
			seq = r.Bucket(bucket).Prefix(lo)
		}
		return collect(seq, func(e engine.Entry) string { return show(string(e.Key), string(e.Value)) })
	})
}

func (g *graphOps) readNames() step {
	var spaces []string
	for _, name := range g.m.made {
		if _, ok := g.m.spaces[name]; ok {
			spaces = append(spaces, name)
		}
	}
	want := fmt.Sprint(sortedKeys(g.m.indexes), sortedKeys(g.m.fields), spaces)
	return g.readStep("names", want, func(r graphReader) string {
		return fmt.Sprint(r.Indexes(), r.Fields(), r.Spaces())
	})
}

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
	for range 1 + g.rnd.IntN(2) {
		v := engine.String(pick(g.rnd, words[:6]))
		switch k := g.rnd.IntN(8); {
		case k == 0:
			// A value that some node has, long strings too.
			ids := g.m.nodesOf(0)
			if len(ids) > 0 {
				if x := g.m.nodes[pick(g.rnd, ids)].props[c.Property]; x.Kind() == engine.KindString {
					v = x
				}
			}
		case c.Op == engine.OpPrefix:
			v = engine.String(pick(g.rnd, []string{"", "a", "an", "lorem", "l"}))
		case k == 1:
			v = engine.Time(time.Unix(int64(g.rnd.IntN(3)), 5))
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
	switch g.rnd.IntN(22) {
	case 0:
		return g.readNode(g.id())
	case 1:
		return g.readText(g.id(), pick(g.rnd, propNames))
	case 2:
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
	for _, id := range g.m.nodesOf(0) {
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
	edges := g.m.edgesOf(engine.EdgeFilter{})
	g.rnd.Shuffle(len(edges), func(i, j int) { edges[i], edges[j] = edges[j], edges[i] })
	for _, e := range edges[:min(len(edges), 100)] {
		edge := modelEdge{e.From, e.To, e.Type}
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
	for _, bucket := range bucketNames {
		out = append(out, g.readEntries(bucket, nil, nil, false))
	}
	return out
}
