package noderag

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/ragdb/ragdb/engine"
	etext "github.com/ragdb/ragdb/engine/text"
	"github.com/ragdb/ragdb/graphops"
	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/rag/text"
)

// named finds the entities and overviews whose names hold an element of the
// question as a phrase of whole words, element by element in order of id, each
// with score 1.
type named struct {
	s        *System
	elements []string
}

// Run implements [query.Op].
func (o *named) Run(ctx context.Context, e *query.Env) (query.Set, error) {
	v := e.Snap.Graph(o.s.g).WithContext(ctx)
	var out query.Set
	seen := map[engine.NodeID]bool{}
	for _, element := range o.elements {
		ids, err := o.find(v, text.Key(element))
		if isMissing(err) {
			return out, nil // there is no name yet
		}
		if err != nil {
			return query.Set{}, err
		}
		taken := 0
		for _, id := range ids {
			may, err := e.May(ctx, o.s.g, id)
			if err != nil {
				return query.Set{}, err
			}
			if !may {
				continue
			}
			if taken++; o.s.p.Names > 0 && taken > o.s.p.Names {
				break
			}
			if seen[id] {
				continue
			}
			seen[id] = true
			out.Items = append(out.Items, query.Item{
				Graph: o.s.g.ID(), ID: id, Score: 1,
				Why: []query.Step{{Op: "name", Note: fmt.Sprintf("%q", element), Score: 1}},
			})
		}
	}
	return out, nil
}

// find returns the nodes whose names hold a key, ascending; with Match equal
// those whose names are equal to it, where there are any. Where Names bounds
// them the shortest names come first.
func (o *named) find(v *engine.View, key string) ([]engine.NodeID, error) {
	var words []string
	for _, t := range (etext.Exact{}).Terms(key) {
		words = append(words, t.Text)
	}
	set, err := v.Phrase(fieldNames, words)
	if err != nil {
		return nil, err
	}
	var all, equal []engine.NodeID
	length := map[engine.NodeID]int{}
	exact := o.s.p.Match == "equal"
	for it := set.Iterator(); it.HasNext(); {
		id := engine.NodeID(it.Next())
		all = append(all, id)
		if !exact && o.s.p.Names == 0 {
			continue
		}
		n, err := v.Node(id)
		if err != nil {
			return nil, err
		}
		if length[id] = len(n.Key); n.Key == key {
			equal = append(equal, id)
		}
	}
	if exact && len(equal) > 0 {
		return equal, nil
	}
	if o.s.p.Names > 0 {
		slices.SortStableFunc(all, func(a, b engine.NodeID) int { return cmp.Compare(length[a], length[b]) })
	}
	return all, nil
}

// Explain implements [query.Op].
func (o *named) Explain() query.Explanation {
	args := []string{"graph=" + o.s.g.Name(), fmt.Sprintf("elements=%q", o.elements), "match=" + o.s.p.Match}
	return query.Explanation{Op: "Named", Args: args, Source: "accurate search, paper 2.5"}
}

// Inputs implements [query.Op].
func (o *named) Inputs() []query.Op { return nil }

// seeds are what was found by vector and by name, with the weights that the
// walk starts with; what was found by both has the name's.
type seeds struct {
	s           *System
	hits, names query.Op // names may be nil
}

// Run implements [query.Op].
func (o *seeds) Run(ctx context.Context, e *query.Env) (query.Set, error) {
	var out query.Set
	at := map[engine.NodeID]int{}
	for n, in := range o.Inputs() {
		set, err := e.Eval(ctx, in)
		if err != nil {
			return query.Set{}, err
		}
		weight := o.s.p.VectorWeight
		if n == 1 {
			weight = o.s.p.NameWeight
		}
		for _, it := range set.Items {
			i, ok := at[it.ID]
			if !ok {
				i = len(out.Items)
				at[it.ID] = i
				out.Items = append(out.Items, it)
			}
			out.Items[i].Score = weight
		}
	}
	out.Items = slices.DeleteFunc(out.Items, func(it query.Item) bool { return it.Score == 0 })
	return out, nil
}

// Explain implements [query.Op].
func (o *seeds) Explain() query.Explanation {
	args := []string{fmt.Sprintf("vector=%g", o.s.p.VectorWeight), fmt.Sprintf("name=%g", o.s.p.NameWeight)}
	return query.Explanation{Op: "Seeds", Args: args, Source: "entry points, paper 2.5"}
}

// Inputs implements [query.Op].
func (o *seeds) Inputs() []query.Op {
	if o.names == nil {
		return []query.Op{o.hits}
	}
	return []query.Op{o.hits, o.names}
}

// walk takes the nodes of highest score after a short walk from the seeds, up
// to the quota of each type, without those found by vector, by score
// descending, id ascending.
type walk struct {
	s           *System
	seeds, hits query.Op
	// texts, where it is over 0, takes so many texts and nothing else.
	texts int
}

// Run implements [query.Op].
func (o *walk) Run(ctx context.Context, e *query.Env) (query.Set, error) {
	from, err := e.Eval(ctx, o.seeds)
	if err != nil {
		return query.Set{}, err
	}
	hits, err := e.Eval(ctx, o.hits)
	if err != nil {
		return query.Set{}, err
	}
	v := e.Snap.Graph(o.s.g).WithContext(ctx)
	p, err := o.s.project(ctx, v)
	if err != nil {
		return query.Set{}, err
	}
	start := make([]graphops.Scored, 0, len(from.Items))
	for _, it := range from.Items {
		if u, ok := p.Index(it.ID); ok {
			start = append(start, graphops.Scored{Node: u, Score: it.Score})
		}
	}
	scores, err := graphops.PPR(ctx, p, start, o.s.pprOptions())
	if err != nil {
		return query.Set{}, err
	}
	out := map[uint32]bool{} // not to be taken
	for _, it := range hits.Items {
		if u, ok := p.Index(it.ID); ok {
			out[u] = true
		}
	}
	var failed error
	typeOf := func(u uint32) engine.TypeID {
		if out[u] || failed != nil {
			return 0
		}
		may, err := e.May(ctx, o.s.g, p.NodeOf(u))
		if failed = err; !may {
			return 0
		}
		return p.TypeOf(u)
	}
	best := graphops.TopPerType(scores, typeOf, o.quotas(v))
	if failed != nil {
		return query.Set{}, failed
	}
	var set query.Set
	why := map[engine.NodeID][]query.Step{}
	for _, it := range from.Items {
		why[it.ID] = it.Why
	}
	for _, list := range best {
		for _, sc := range list {
			id := p.NodeOf(sc.Node)
			set.Items = append(set.Items, query.Item{
				Graph: o.s.g.ID(), ID: id, Score: sc.Score,
				Why: append(slices.Clip(why[id]), query.Step{Op: "walk", Score: sc.Score}),
			})
		}
	}
	slices.SortFunc(set.Items, func(a, b query.Item) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID))
	})
	return set, nil
}

// quotas are how many nodes of each type are taken.
func (o *walk) quotas(v engine.Reader) []graphops.Quota {
	s := o.s
	types := func(names ...string) []engine.TypeID {
		out := []engine.TypeID{}
		for _, name := range names {
			if t, ok := v.NodeType(name); ok {
				out = append(out, t)
			}
		}
		return out
	}
	if o.texts > 0 {
		return []graphops.Quota{{Types: types(typeText), Most: o.texts}}
	}
	return []graphops.Quota{
		{Types: types(typeEntity), Most: s.p.Entities},
		{Types: types(typeRelationship), Most: s.p.Relationships},
		{Types: types(typeOverview), Most: s.p.Overviews},
		{Types: types(typeText, typeUnit, typeAttribute, typeElement), Most: s.p.CrossNodes},
	}
}

// pprOptions are those of the walk.
func (s *System) pprOptions() graphops.PPROptions {
	o := graphops.PPROptions{Form: s.form(), Alpha: s.p.Alpha, Steps: s.p.Steps}
	if s.p.Adjust {
		o.Weights = graphops.DegreeWeights
	}
	return o
}

// project returns the graph that the walk follows: all edges, near ones where
// they are wanted, parallel ones as one of the sum of their weights.
func (s *System) project(ctx context.Context, v *engine.View) (*graphops.Projection, error) {
	spec := graphops.Spec{Weighted: !s.p.Adjust}
	if !s.p.Near {
		spec.Edges = []engine.EdgeType{}
		for _, t := range v.EdgeTypes() {
			if v.EdgeTypeName(t) != edgeNear {
				spec.Edges = append(spec.Edges, t)
			}
		}
	}
	return s.graphs.Project(ctx, v, spec)
}

// Explain implements [query.Op].
func (o *walk) Explain() query.Explanation {
	p := &o.s.p
	quotas := fmt.Sprintf("entity=%d relationship=%d overview=%d others=%d", p.Entities, p.Relationships, p.Overviews, p.CrossNodes)
	if o.texts > 0 {
		quotas = fmt.Sprintf("chunk=%d", o.texts)
	}
	args := []string{fmt.Sprintf("steps=%d", p.Steps), fmt.Sprintf("alpha=%g", p.Alpha), fmt.Sprintf("restart=%t", p.Restart),
		fmt.Sprintf("adjust=%t", p.Adjust), fmt.Sprintf("near=%t", p.Near),
		quotas}
	return query.Explanation{Op: "Walk", Args: args, Source: "shallow PPR, paper 2.5"}
}

// Inputs implements [query.Op].
func (o *walk) Inputs() []query.Op { return []query.Op{o.seeds, o.hits} }
