package engine_test

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"

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
	FieldStats(field string) (engine.TermStats, error)
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
		want = fmt.Sprintf("%d %d %q %d %t %s", n.typ, n.labels, n.key, n.epoch, n.derived, showProps(n.props))
	}
	return g.readStep(fmt.Sprintf("node %d", id), want, func(r graphReader) string {
		n, err := r.Node(id)
		met := 0
		each := r.EachNode([]engine.NodeID{id, 1 << 31, id}, func(i int, same engine.Node) error {
			if met++; i == 1 || same.ID != id || same.Key != n.Key || same.Epoch != n.Epoch || showProps(same.Props()) != showProps(n.Props()) {
				return fmt.Errorf("place %d has node %d %q", i, same.ID, same.Key)
			}
			return nil
		})
		switch {
		case each != nil:
			return "together: " + each.Error()
		case err != nil && met == 0:
			return fault(err)
		case met != 2:
			return fmt.Sprintf("%d of a node asked for twice, alone %v", met, err)
		}
		props := n.Props()
		for name, v := range props {
			if !n.Prop(name).Equal(v) {
				return fmt.Sprintf("property %s is %v and %v", name, v, n.Prop(name))
			}
		}
		return fmt.Sprintf("%d %d %q %d %t %s", n.Type, n.Labels, n.Key, n.Epoch, n.Derived, showProps(props))
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

// readKeyed looks up the nodes of a label that have a key.
func (g *graphOps) readKeyed(typ, key string) step {
	t, ok := g.m.nodeTypes[typ]
	if typ == "" {
		t, ok = engine.AnyType, true
	}
	var all []engine.NodeID
	for id, n := range g.m.nodes {
		if ok && n.key == key && (t == engine.AnyType || n.typ == t || slices.Contains(n.labels, t)) {
			all = append(all, id)
		}
	}
	slices.Sort(all)
	return g.readStep(fmt.Sprintf("keyed %s %q", typ, key), showAll(all, showNode), func(r graphReader) string {
		t, _ := r.NodeType(typ)
		if typ == "" {
			t = engine.AnyType
		}
		ids, err := r.Keyed(t, key)
		slices.Sort(ids)
		return outcome(err, "%s", showAll(ids, showNode))
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
	name := e.stored()
	sum, has := g.m.pairs()[name.pair()]
	w, ok := g.m.edges[name]
	var all []string
	for _, x := range g.m.numbers(name) {
		all = append(all, fmt.Sprint(x.n, ":", g.m.edges[x]))
	}
	want := fmt.Sprint(sum, has, w, ok, showProps(g.m.edgeProps[name]), all)
	return g.readStep(fmt.Sprintf("edge %v", e), want, func(r graphReader) string {
		sum, has, err := r.HasEdge(e.from, e.to, e.typ)
		if err != nil {
			return fault(err)
		}
		w, ok, err := r.EdgeWeight(e.edge())
		if err != nil {
			return fault(err)
		}
		p, err := r.EdgeProps(e.edge())
		if err != nil {
			return fault(err)
		}
		var all []string
		if has {
			pair := e.pair().edge()
			pair.Weight = sum
			edges, err := r.Parallel(e.from, []engine.Edge{pair})
			if err != nil {
				return fault(err)
			}
			for _, x := range edges {
				all = append(all, fmt.Sprint(x.N, ":", x.Weight))
			}
		}
		return fmt.Sprint(sum, has, w, ok, showProps(p), all)
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
	showGift := func(c engine.Contribution) string { return fmt.Sprintf("%+v", c) }
	var gifts []engine.Contribution
	sources := g.m.sources(t)
	for _, s := range sources {
		gift := g.m.gifts[modelGift{s, t}]
		gift.Source = s
		gifts = append(gifts, gift)
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
