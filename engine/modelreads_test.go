package engine_test

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/vecindex"
)

// nodesOf returns the nodes of a type, of AnyType all, ascending.
func (m *modelGraph) nodesOf(t engine.TypeID) []engine.NodeID {
	var out []engine.NodeID
	for id, n := range m.nodes {
		if t == engine.AnyType || n.typ == t || slices.Contains(n.labels, t) {
			out = append(out, id)
		}
	}
	slices.Sort(out)
	return out
}

// follows reports whether an edge of a type that leaves (or reaches) a node
// counts under a filter.
func follows(f engine.EdgeFilter, t engine.EdgeType, leaves bool) bool {
	switch {
	case f.Types != nil && !slices.Contains(f.Types, t):
		return false
	case !t.Directed() || f.Direction == engine.Both:
		return true
	}
	return leaves == (f.Direction == engine.Out)
}

// neighbors returns the edges of a node under a filter, by neighbour, type and
// direction.
func (m *modelGraph) neighbors(id engine.NodeID, f engine.EdgeFilter) []engine.Edge {
	var out []engine.Edge
	for e, w := range m.pairs() {
		if e.from == id && follows(f, e.typ, true) {
			out = append(out, engine.Edge{From: id, To: e.to, Type: e.typ, Weight: w})
		}
		if e.to != id || !follows(f, e.typ, false) {
			continue
		}
		switch {
		case e.typ.Directed():
			out = append(out, engine.Edge{From: e.from, To: id, Type: e.typ, Weight: w})
		case e.from != id:
			out = append(out, engine.Edge{From: id, To: e.from, Type: e.typ, Weight: w})
		}
	}
	slices.SortFunc(out, func(a, b engine.Edge) int {
		return cmp.Or(cmp.Compare(a.Other(id), b.Other(id)), cmp.Compare(a.Type, b.Type), cmp.Compare(a.From^id, b.From^id))
	})
	return out
}

// edgesOf returns all edges of the filter's types, by From, Type and To.
func (m *modelGraph) edgesOf(f engine.EdgeFilter) []engine.Edge {
	var out []engine.Edge
	for e, w := range m.pairs() {
		if f.Types == nil || slices.Contains(f.Types, e.typ) {
			out = append(out, engine.Edge{From: e.from, To: e.to, Type: e.typ, Weight: w})
		}
	}
	slices.SortFunc(out, compareEdges)
	return out
}

func compareEdges(a, b engine.Edge) int {
	return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.Type, b.Type), cmp.Compare(a.To, b.To))
}

// leaving returns the edges from a set to what is outside, in the order of
// the node in the set, then as neighbors has them.
func (m *modelGraph) leaving(set *roaring.Bitmap, f engine.EdgeFilter) []engine.Edge {
	var out []engine.Edge
	for _, id := range set.ToArray() {
		for _, e := range m.neighbors(engine.NodeID(id), f) {
			if !set.Contains(uint32(e.Other(engine.NodeID(id)))) {
				out = append(out, e)
			}
		}
	}
	return out
}

// contributedBy returns the targets of a source: nodes, then edges.
func (m *modelGraph) contributedBy(source engine.NodeID) []engine.Target {
	var out []engine.Target
	for g := range m.gifts {
		if g.source == source {
			out = append(out, g.target)
		}
	}
	slices.SortFunc(out, compareTargets)
	return out
}

func compareTargets(a, b engine.Target) int {
	return cmp.Or(cmp.Compare(min(a.Type, 1), min(b.Type, 1)), cmp.Compare(a.Node, b.Node),
		cmp.Compare(a.From, b.From), cmp.Compare(a.Type, b.Type), cmp.Compare(a.To, b.To))
}

// termFreqs returns the terms of a node, by term.
func (m *modelGraph) termFreqs(field string, id engine.NodeID) []engine.TermFreq {
	count := map[string]uint32{}
	for _, t := range m.terms[modelPlace{field, id}] {
		count[t.Text]++
	}
	var out []engine.TermFreq
	for _, term := range slices.Sorted(maps.Keys(count)) {
		out = append(out, engine.TermFreq{Term: term, Freq: count[term]})
	}
	return out
}

// postings returns the nodes that have a term, ascending.
func (m *modelGraph) postings(field, term string) []engine.Posting {
	var out []engine.Posting
	for at, terms := range m.terms {
		n := 0
		for _, t := range terms {
			if t.Text == term {
				n++
			}
		}
		if at.name == field && n > 0 {
			out = append(out, engine.Posting{ID: at.id, Freq: uint32(n), Words: uint32(len(terms))})
		}
	}
	slices.SortFunc(out, func(a, b engine.Posting) int { return cmp.Compare(a.ID, b.ID) })
	return out
}

func (m *modelGraph) fieldStats(field string) engine.TermStats {
	var out engine.TermStats
	for at, terms := range m.terms {
		if at.name == field {
			out.Nodes++
			out.Occurrences += uint64(len(terms))
		}
	}
	return out
}

func (m *modelGraph) termStats(field, term string) engine.TermStats {
	var out engine.TermStats
	for _, p := range m.postings(field, term) {
		out.Nodes++
		out.Occurrences += uint64(p.Freq)
	}
	return out
}

// vocabulary returns the terms of a field, in order.
func (m *modelGraph) vocabulary(field string) []string {
	has := map[string]bool{}
	for at, terms := range m.terms {
		for _, t := range terms {
			if at.name == field {
				has[t.Text] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(has))
}

// rank returns the nodes that have terms of a query, by BM25.
func (m *modelGraph) rank(field string, q []string, o engine.TermsOptions) []engine.Scored {
	k1 := cmp.Or(o.K1, 0.9)
	scores := map[engine.NodeID]float64{}
	for _, w := range append([]engine.FieldWeight{{Field: field, Weight: 1, B: o.B}}, o.Beside...) {
		total, b := m.fieldStats(w.Field), cmp.Or(w.B, 0.4)
		mean := float64(total.Occurrences) / float64(total.Nodes)
		for _, term := range slices.Compact(slices.Sorted(slices.Values(q))) {
			postings := m.postings(w.Field, term)
			df, n := float64(len(postings)), 0
			for _, x := range q {
				if x == term {
					n++
				}
			}
			idf := math.Log(1 + (float64(total.Nodes)-df+0.5)/(df+0.5))
			weight := w.Weight * (float64(n) * idf) * (k1 + 1)
			for _, p := range postings {
				f := float64(p.Freq)
				norm := k1*(1-b) + float64(k1*b/mean*float64(p.Words))
				scores[p.ID] += float64(weight*f) / (f + norm)
			}
		}
	}
	var out []engine.Scored
	for id, score := range scores {
		if o.Allow == nil || o.Allow.Contains(uint32(id)) {
			out = append(out, engine.Scored{ID: id, Score: score})
		}
	}
	slices.SortFunc(out, func(a, b engine.Scored) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID))
	})
	if o.K > 0 && len(out) > o.K {
		out = out[:o.K]
	}
	return out
}

// phrase returns the nodes in which words stand one after the other.
func (m *modelGraph) phrase(field string, words []string) []engine.NodeID {
	var out []engine.NodeID
	for at, terms := range m.terms {
		if at.name != field || len(words) == 0 {
			continue
		}
		has := map[string]map[uint32]bool{}
		for _, t := range terms {
			if has[t.Text] == nil {
				has[t.Text] = map[uint32]bool{}
			}
			has[t.Text][t.Pos] = true
		}
		for start := range has[words[0]] {
			found := true
			for i, w := range words {
				found = found && has[w][start+uint32(i)]
			}
			if found {
				out = append(out, at.id)
				break
			}
		}
	}
	slices.Sort(out)
	return out
}

// nearest returns the hits of a search among the vectors of a space. Elements
// are such that scores are exact, whatever the order of the sums.
func (m *modelGraph) nearest(space string, q vecindex.Search) []vecindex.Hit {
	metric := m.spaces[space].Metric
	query := scaled(metric, q.Vector)
	var all []vecindex.Hit
	for at, x := range m.vectors {
		if at.name == space && (q.Allow == nil || q.Allow.Contains(uint32(at.id))) {
			all = append(all, vecindex.Hit{ID: uint64(at.id), Layer: x.layer, Score: score(metric, query, scaled(metric, x.v))})
		}
	}
	slices.SortFunc(all, func(a, b vecindex.Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID))
	})
	if q.Layers == nil {
		return all[:min(len(all), max(q.K, 0))]
	}
	var out []vecindex.Hit
	for _, l := range q.Layers {
		n := 0
		for _, h := range all {
			if h.Layer == l.Layer && n < l.K {
				out = append(out, h)
				n++
			}
		}
	}
	return out
}

// scaled returns a vector as a metric compares it.
func scaled(metric vecindex.Metric, v []float32) []float32 {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if metric != vecindex.Cosine || sum == 0 {
		return v
	}
	out := make([]float32, len(v))
	for i, x := range v {
		out[i] = float32(float64(x) / math.Sqrt(sum))
	}
	return out
}

func score(metric vecindex.Metric, a, b []float32) float32 {
	sum := float32(0)
	for i, x := range a {
		if metric == vecindex.L2 {
			sum -= (x - b[i]) * (x - b[i])
		} else {
			sum += x * b[i]
		}
	}
	return sum
}

// holds reports whether a predicate holds for a node.
func holds(p engine.Predicate, props engine.Props) bool {
	switch p := p.(type) {
	case engine.And:
		return !slices.ContainsFunc(p, func(x engine.Predicate) bool { return !holds(x, props) })
	case engine.Or:
		return slices.ContainsFunc(p, func(x engine.Predicate) bool { return holds(x, props) })
	case engine.Not:
		return !holds(p.Predicate, props)
	}
	c := p.(engine.Comparison)
	v, has := props[c.Property]
	switch c.Op {
	case engine.OpExists:
		return has
	case engine.OpNotEqual:
		equal := c
		equal.Op = engine.OpEqual
		return has && !holds(equal, props)
	}
	return has && slices.ContainsFunc(c.Values, func(lit engine.Value) bool {
		if isList(v) {
			if c.Whole {
				return false
			}
			return slices.ContainsFunc(v.AsList(), func(x engine.Value) bool { return compares(c.Op, x, lit) })
		}
		return compares(c.Op, v, lit)
	})
}

// compares reports whether v is in a relation to a scalar; numbers are small
// enough to be floats.
func compares(op engine.Op, v, lit engine.Value) bool {
	number := func(v engine.Value) bool { return v.Kind() == engine.KindInt || v.Kind() == engine.KindFloat }
	order := 0
	switch {
	case number(v) && number(lit):
		order = cmp.Compare(v.AsFloat(), lit.AsFloat())
	case v.Kind() != lit.Kind():
		return false
	case v.Kind() == engine.KindString:
		if op == engine.OpPrefix {
			return strings.HasPrefix(v.AsString(), lit.AsString())
		}
		order = strings.Compare(v.AsString(), lit.AsString())
	case v.Kind() == engine.KindTemporal || v.Kind() == engine.KindPoint:
		var ok bool
		if order, ok = sameKind(v, lit, op); !ok {
			return false
		}
	case v.Kind() == engine.KindBool:
		order = cmp.Compare(v.AsInt(), lit.AsInt())
	default:
		return false
	}
	switch op {
	case engine.OpEqual:
		return order == 0
	case engine.OpLess:
		return order < 0
	case engine.OpLessEqual:
		return order <= 0
	case engine.OpGreater:
		return order > 0
	case engine.OpGreaterEqual:
		return order >= 0
	}
	return false
}

func (m *modelGraph) where(p engine.Predicate) []engine.NodeID {
	var out []engine.NodeID
	for id, n := range m.nodes {
		if holds(p, n.props) {
			out = append(out, id)
		}
	}
	slices.Sort(out)
	return out
}

// scan returns the keys of a bucket of lo <= key < hi, in order; hi "" is
// open.
func (m *modelGraph) scan(bucket, lo, hi string) []string {
	var out []string
	for e := range m.entries {
		if e.bucket == bucket && e.key >= lo && (hi == "" || e.key < hi) {
			out = append(out, e.key)
		}
	}
	slices.Sort(out)
	return out
}
