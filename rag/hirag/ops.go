package hirag

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
	"github.com/ragdb/ragdb/query"
)

// floor keeps the items of at least a score.
type floor struct {
	in    query.Op
	least float64
}

// Run implements [query.Op].
func (o *floor) Run(ctx context.Context, e *query.Env) (query.Set, error) {
	in, err := e.Eval(ctx, o.in)
	if err != nil {
		return query.Set{}, err
	}
	out := slices.DeleteFunc(slices.Clone(in.Items), func(it query.Item) bool { return it.Score < o.least })
	return query.Set{Items: out}, nil
}

// Explain implements [query.Op].
func (o *floor) Explain() query.Explanation {
	return query.Explanation{Op: "Floor", Args: []string{fmt.Sprintf("least=%g", o.least)}, Source: "cosine threshold"}
}

// Inputs implements [query.Op].
func (o *floor) Inputs() []query.Op { return []query.Op{o.in} }

// communitiesOf takes the communities of the seeds down to a level that have a
// report: those of the most seeds first, then those of the highest rating, then
// by key (spec B.3.2). The score is the number of seeds.
type communitiesOf struct {
	s     *System
	seeds query.Op
}

// Run implements [query.Op].
func (o *communitiesOf) Run(ctx context.Context, e *query.Env) (query.Set, error) {
	in, err := e.Eval(ctx, o.seeds)
	if err != nil {
		return query.Set{}, err
	}
	v := o.s.view(ctx, e)
	type found struct {
		query.Item
		rating float64
		key    string
	}
	var all []found
	at := map[engine.NodeID]int{} // place in all, -1 for one that does not count
	for i := range in.Items {
		seed := &in.Items[i]
		ids, err := follow(v, seed.ID, edgeInside, engine.Out)
		if err != nil {
			return query.Set{}, err
		}
		for _, id := range ids {
			k, ok := at[id]
			if !ok {
				n, err := v.Node(id)
				if err != nil {
					return query.Set{}, err
				}
				may, err := e.May(ctx, o.s.g, id)
				if err != nil {
					return query.Set{}, err
				}
				k = len(all)
				if !may || int(n.Prop(propLevel).AsInt()) > o.s.p.Level || n.Prop(propReport).IsNull() {
					k = -1
				} else {
					all = append(all, found{
						Item: query.Item{Graph: o.s.g.ID(), ID: id}, rating: n.Prop(propRating).AsFloat(), key: n.Key,
					})
				}
				at[id] = k
			}
			if k >= 0 {
				all[k].Score++
				if len(all[k].Why) == 0 {
					all[k].Why = slices.Clip(seed.Why)
				}
				all[k].Why = append(all[k].Why, query.Step{Op: "community", From: seed.Ref(), Score: seed.Score})
			}
		}
	}
	slices.SortFunc(all, func(a, b found) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.rating, a.rating), cmp.Compare(a.key, b.key))
	})
	var out query.Set
	for _, f := range all {
		out.Items = append(out.Items, f.Item)
	}
	return out, nil
}

// Explain implements [query.Op].
func (o *communitiesOf) Explain() query.Explanation {
	return query.Explanation{Op: "Communities", Args: []string{"graph=" + o.s.g.Name(), fmt.Sprintf("level<=%d", o.s.p.Level)}, Source: "Eq. 11"}
}

// Inputs implements [query.Op].
func (o *communitiesOf) Inputs() []query.Op { return []query.Op{o.seeds} }

// membersOf takes the members of communities, community by community, by id.
type membersOf struct {
	s           *System
	communities query.Op
}

// Run implements [query.Op].
func (o *membersOf) Run(ctx context.Context, e *query.Env) (query.Set, error) {
	in, err := e.Eval(ctx, o.communities)
	if err != nil {
		return query.Set{}, err
	}
	v := o.s.view(ctx, e)
	var out query.Set
	seen := map[engine.NodeID]bool{}
	for i := range in.Items {
		ids, err := follow(v, in.Items[i].ID, edgeInside, engine.In)
		if err != nil {
			return query.Set{}, err
		}
		for _, id := range ids {
			may, err := e.May(ctx, o.s.g, id)
			if err != nil {
				return query.Set{}, err
			}
			if seen[id] || !may {
				continue
			}
			seen[id] = true
			out.Items = append(out.Items, query.Item{
				Graph: o.s.g.ID(), ID: id, Why: []query.Step{{Op: "member", From: in.Items[i].Ref()}},
			})
		}
	}
	return out, nil
}

// Explain implements [query.Op].
func (o *membersOf) Explain() query.Explanation {
	return query.Explanation{Op: "Members", Args: []string{"graph=" + o.s.g.Name()}}
}

// Inputs implements [query.Op].
func (o *membersOf) Inputs() []query.Op { return []query.Op{o.communities} }

// keyEntities takes for each community, in order, the first M of the pool that
// are its members, each where it comes first (spec B.3.4; paper Eq. 12 and 13).
// Without communities it takes the first M of the pool.
type keyEntities struct {
	s                 *System
	communities, pool query.Op
}

// Run implements [query.Op].
func (o *keyEntities) Run(ctx context.Context, e *query.Env) (query.Set, error) {
	communities, err := e.Eval(ctx, o.communities)
	if err != nil {
		return query.Set{}, err
	}
	pool, err := e.Eval(ctx, o.pool)
	if err != nil {
		return query.Set{}, err
	}
	if len(communities.Items) == 0 {
		return query.Set{Items: pool.Items[:min(len(pool.Items), o.s.p.M)]}, nil
	}
	v := o.s.view(ctx, e)
	in := make([]map[engine.NodeID]bool, len(pool.Items))
	for i, it := range pool.Items {
		ids, err := follow(v, it.ID, edgeInside, engine.Out)
		if err != nil {
			return query.Set{}, err
		}
		in[i] = make(map[engine.NodeID]bool, len(ids))
		for _, id := range ids {
			in[i][id] = true
		}
	}
	var out query.Set
	seen := make([]bool, len(pool.Items))
	for _, c := range communities.Items {
		n := 0
		for i, it := range pool.Items {
			if n == o.s.p.M {
				break
			}
			if !in[i][c.ID] {
				continue
			}
			n++
			if seen[i] {
				continue
			}
			seen[i] = true
			it.Why = append(slices.Clip(it.Why), query.Step{Op: "key entity", From: c.Ref(), Score: it.Score})
			out.Items = append(out.Items, it)
		}
	}
	return out, nil
}

// Explain implements [query.Op].
func (o *keyEntities) Explain() query.Explanation {
	return query.Explanation{Op: "TopPerGroup", Args: []string{fmt.Sprintf("k=%d", o.s.p.M), "keys=" + o.s.p.Keys}, Source: "Eq. 12, 13"}
}

// Inputs implements [query.Op].
func (o *keyEntities) Inputs() []query.Op { return []query.Op{o.communities, o.pool} }

// relations returns the projection of entities, summaries and their relations.
func (s *System) relations(ctx context.Context, v *engine.View) (*graphops.Projection, error) {
	spec := graphops.Spec{Nodes: []engine.TypeID{}, Edges: []engine.EdgeType{}, Weighted: true}
	for _, name := range []string{typeEntity, typeSummary} {
		if t, ok := v.NodeType(name); ok {
			spec.Nodes = append(spec.Nodes, t)
		}
	}
	if t, ok := v.EdgeType(edgeRelation); ok {
		spec.Edges = append(spec.Edges, t)
	}
	return s.cache.Project(ctx, v, spec)
}

// chain takes the nodes of the chain of shortest paths through the key entities
// in their order, each where it comes first (spec B.3.5; paper Eq. 14 and 15).
type chain struct {
	s    *System
	keys query.Op
}

// Run implements [query.Op].
func (o *chain) Run(ctx context.Context, e *query.Env) (query.Set, error) {
	in, err := e.Eval(ctx, o.keys)
	if err != nil {
		return query.Set{}, err
	}
	v := o.s.view(ctx, e)
	p, err := o.s.relations(ctx, v)
	if err != nil {
		return query.Set{}, err
	}
	var keys []uint32
	item := map[engine.NodeID]query.Item{}
	for _, it := range in.Items {
		if u, ok := p.Index(it.ID); ok {
			keys = append(keys, u)
			item[it.ID] = it
		}
	}
	c, err := graphops.PathChain(ctx, p, keys, graphops.PathOptions{})
	if err != nil {
		return query.Set{}, err
	}
	var out query.Set
	var last query.Item // the key entity before
	for _, u := range c.Nodes {
		id := p.NodeOf(u)
		it, ok := item[id]
		if !ok {
			may, err := e.May(ctx, o.s.g, id)
			if err != nil {
				return query.Set{}, err
			}
			if !may {
				continue
			}
			it = query.Item{Graph: o.s.g.ID(), ID: id, Score: last.Score, Why: slices.Clip(last.Why)}
			it.Why = append(it.Why, query.Step{Op: "path", From: last.Ref(), Score: last.Score})
		} else {
			last = it
		}
		out.Items = append(out.Items, it)
	}
	return out, nil
}

// Explain implements [query.Op].
func (o *chain) Explain() query.Explanation {
	return query.Explanation{Op: "PathChain", Args: []string{"graph=" + o.s.g.Name(), "types=" + edgeRelation}, Source: "Eq. 14, 15"}
}

// Inputs implements [query.Op].
func (o *chain) Inputs() []query.Op { return []query.Op{o.keys} }

// induced takes all relations with both ends among some nodes, by the sum of
// the ends' degrees, which is the score, then by weight (spec B.3.6; paper Eq.
// 16).
type induced struct {
	s     *System
	nodes query.Op
}

// Run implements [query.Op].
func (o *induced) Run(ctx context.Context, e *query.Env) (query.Set, error) {
	in, err := e.Eval(ctx, o.nodes)
	if err != nil {
		return query.Set{}, err
	}
	v := o.s.view(ctx, e)
	p, err := o.s.relations(ctx, v)
	if err != nil {
		return query.Set{}, err
	}
	var nodes []uint32
	at := map[uint32]*query.Item{}
	for i := range in.Items {
		if u, ok := p.Index(in.Items[i].ID); ok {
			nodes = append(nodes, u)
			at[u] = &in.Items[i]
		}
	}
	edges, err := graphops.Induced(ctx, p, nodes)
	if err != nil {
		return query.Set{}, err
	}
	r := &ranker{s: o.s, e: e, v: v, p: p}
	for _, x := range edges {
		if err := r.add(ctx, x.From, x.To, x.Weight, at[x.From], "bridge"); err != nil {
			return query.Set{}, err
		}
	}
	return r.set(), nil
}

// Explain implements [query.Op].
func (o *induced) Explain() query.Explanation {
	return query.Explanation{Op: "Induced", Args: []string{"graph=" + o.s.g.Name(), "types=" + edgeRelation, "by=degrees,weight"}, Source: "Eq. 16"}
}

// Inputs implements [query.Op].
func (o *induced) Inputs() []query.Op { return []query.Op{o.nodes} }

// relationsOf takes the relations of the seeds, in the order of induced: those
// of modes without a bridge (spec B.3, other modes).
type relationsOf struct {
	s     *System
	seeds query.Op
}

// Run implements [query.Op].
func (o *relationsOf) Run(ctx context.Context, e *query.Env) (query.Set, error) {
	in, err := e.Eval(ctx, o.seeds)
	if err != nil {
		return query.Set{}, err
	}
	v := o.s.view(ctx, e)
	p, err := o.s.relations(ctx, v)
	if err != nil {
		return query.Set{}, err
	}
	r := &ranker{s: o.s, e: e, v: v, p: p}
	type pair struct{ from, to uint32 }
	met := map[pair]bool{}
	for i := range in.Items {
		u, ok := p.Index(in.Items[i].ID)
		if !ok {
			continue
		}
		to, w := p.Row(u)
		for k, n := range to {
			if x := (pair{min(u, n), max(u, n)}); !met[x] {
				met[x] = true
				if err := r.add(ctx, x.from, x.to, w[k], &in.Items[i], "relation"); err != nil {
					return query.Set{}, err
				}
			}
		}
	}
	return r.set(), nil
}

// Explain implements [query.Op].
func (o *relationsOf) Explain() query.Explanation {
	return query.Explanation{Op: "Relations", Args: []string{"graph=" + o.s.g.Name(), "by=degrees,weight"}, Source: "local relations"}
}

// Inputs implements [query.Op].
func (o *relationsOf) Inputs() []query.Op { return []query.Op{o.seeds} }

// ranker gathers relations.
type ranker struct {
	s     *System
	e     *query.Env
	v     *engine.View
	p     *graphops.Projection
	items []query.Item
}

// add adds a relation that the query may see.
func (r *ranker) add(ctx context.Context, from, to uint32, weight float32, why *query.Item, op string) error {
	t, _ := r.v.EdgeType(edgeRelation)
	edge := engine.Edge{From: r.p.NodeOf(from), To: r.p.NodeOf(to), Type: t, Weight: weight}
	if edge.From > edge.To {
		edge.From, edge.To = edge.To, edge.From
	}
	may, err := r.may(ctx, edge)
	if err != nil || !may {
		return err
	}
	it := query.Item{Graph: r.s.g.ID(), Edge: edge, Score: float64(r.p.Degree(from) + r.p.Degree(to))}
	it.Why = append(slices.Clip(why.Why), query.Step{Op: op, From: why.Ref(), Score: it.Score})
	r.items = append(r.items, it)
	return nil
}

// may reports whether the query may see a relation: its ends, and all its
// sources or, with AllowAny, any.
func (r *ranker) may(ctx context.Context, edge engine.Edge) (bool, error) {
	if r.e.Allow == nil {
		return true, nil
	}
	for _, id := range []engine.NodeID{edge.From, edge.To} {
		if may, err := r.e.May(ctx, r.s.g, id); err != nil || !may {
			return false, err
		}
	}
	set, err := r.v.Sources(engine.EdgeTarget(edge.From, edge.To, edge.Type))
	if err != nil {
		return false, err
	}
	all, passing := int(set.GetCardinality()), 0
	for it := set.Iterator(); it.HasNext(); {
		may, err := r.e.May(ctx, r.s.g, engine.NodeID(it.Next()))
		if err != nil {
			return false, err
		}
		if may {
			passing++
		}
	}
	return passing == all || r.e.AllowAny && passing > 0, nil
}

// set returns the relations by score, weight and ends.
func (r *ranker) set() query.Set {
	slices.SortFunc(r.items, func(a, b query.Item) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.Edge.Weight, a.Edge.Weight),
			cmp.Compare(a.Edge.From, b.Edge.From), cmp.Compare(a.Edge.To, b.Edge.To))
	})
	return query.Set{Items: r.items}
}

// sourcesOf takes the chunks that the seeds were found in: seed by seed, those
// first in which most of the seed's neighbours stand, too (spec B.3.3).
type sourcesOf struct {
	s     *System
	seeds query.Op
}

// Run implements [query.Op].
func (o *sourcesOf) Run(ctx context.Context, e *query.Env) (query.Set, error) {
	in, err := e.Eval(ctx, o.seeds)
	if err != nil {
		return query.Set{}, err
	}
	v := o.s.view(ctx, e)
	var out query.Set
	seen := map[engine.NodeID]bool{}
	for i := range in.Items {
		seed := &in.Items[i]
		chunks, err := o.of(v, seed.ID)
		if err != nil {
			return query.Set{}, err
		}
		for _, c := range chunks {
			if seen[c.id] {
				continue
			}
			seen[c.id] = true
			may, err := e.May(ctx, o.s.g, c.id)
			if err != nil {
				return query.Set{}, err
			}
			if !may {
				continue
			}
			out.Items = append(out.Items, query.Item{
				Graph: o.s.g.ID(), ID: c.id, Score: seed.Score,
				Why: append(slices.Clip(seed.Why), query.Step{
					Op: "source", From: seed.Ref(), Score: seed.Score, Note: fmt.Sprintf("%d relations", c.relations),
				}),
			})
		}
	}
	return out, nil
}

// cited is a chunk with the number of an entity's neighbours that stand in it.
type cited struct {
	id        engine.NodeID
	relations uint64
}

// of returns the chunks of an entity, the most relations first. A summary has
// none.
func (o *sourcesOf) of(v *engine.View, entity engine.NodeID) ([]cited, error) {
	n, err := v.Node(entity)
	if err != nil || v.NodeTypeName(n.Type) != typeEntity {
		return nil, err
	}
	relation, ok := v.EdgeType(edgeRelation)
	mention, named := v.EdgeType(edgeMentions)
	if !ok || !named {
		return nil, nil
	}
	near, err := v.NeighborSet(entity, engine.EdgeFilter{Types: []engine.EdgeType{relation}})
	if err != nil {
		return nil, err
	}
	ids, err := follow(v, entity, edgeMentions, engine.In)
	if err != nil {
		return nil, err
	}
	out := make([]cited, 0, len(ids))
	for _, id := range ids {
		in, err := v.NeighborSet(id, engine.EdgeFilter{Types: []engine.EdgeType{mention}})
		if err != nil {
			return nil, err
		}
		out = append(out, cited{id, in.AndCardinality(near)})
	}
	slices.SortFunc(out, func(a, b cited) int {
		return cmp.Or(cmp.Compare(b.relations, a.relations), cmp.Compare(a.id, b.id))
	})
	return out, nil
}

// Explain implements [query.Op].
func (o *sourcesOf) Explain() query.Explanation {
	return query.Explanation{Op: "Sources", Args: []string{"graph=" + o.s.g.Name()}, Source: "source texts"}
}

// Inputs implements [query.Op].
func (o *sourcesOf) Inputs() []query.Op { return []query.Op{o.seeds} }
