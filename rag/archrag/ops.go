package archrag

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/rag/internal/graph"
)

// reach says which relations of a set of entities are meant.
type reach uint8

const (
	within  reach = 1 << iota // between two of them
	leaving                   // between one of them and another entity
)

// touching takes the nodes of the relations at a set's entities, entity by
// entity in the set's order, by id, each once. One scores what its entity does.
type touching struct {
	s  *system
	in query.Op
	reach
}

// maxTouching bounds the relations of one entity that are looked at.
const maxTouching = 1000

// Run implements [query.Op].
func (o *touching) Run(ctx context.Context, e *query.Env) (query.Set, error) {
	in, err := e.Eval(ctx, o.in)
	if err != nil {
		return query.Set{}, err
	}
	v := e.Snap.Graph(o.s.g).WithContext(ctx)
	inside := map[engine.NodeID]bool{}
	for i := range in.Items {
		inside[in.Items[i].ID] = true
	}
	var out query.Set
	seen := map[engine.NodeID]bool{}
	for i := range in.Items {
		it := &in.Items[i]
		others, err := graph.Neighbors(v, it.ID, edgeRelation, engine.Both)
		if err != nil {
			return query.Set{}, err
		}
		for _, other := range others[:min(len(others), maxTouching)] {
			if inside[other] && o.reach&within == 0 || !inside[other] && o.reach&leaving == 0 {
				continue
			}
			id, err := relationNode(v, it.ID, other)
			if isMissing(err) {
				continue
			}
			if err != nil {
				return query.Set{}, err
			}
			may, err := e.May(ctx, o.s.g, id)
			if err != nil {
				return query.Set{}, err
			}
			if seen[id] || !may {
				continue
			}
			seen[id] = true
			out.Items = append(out.Items, query.Item{
				Graph: o.s.g.ID(), ID: id, Score: it.Score,
				Why: append(slices.Clip(it.Why), query.Step{Op: "relation", From: it.Ref(), Score: it.Score}),
			})
		}
	}
	return out, nil
}

// Explain implements [query.Op].
func (o *touching) Explain() query.Explanation {
	args := []string{"graph=" + o.s.g.Name()}
	if o.reach&within != 0 {
		args = append(args, "within")
	}
	if o.reach&leaving != 0 {
		args = append(args, "leaving")
	}
	return query.Explanation{Op: "Touching", Args: args, Source: "R_0"}
}

// Inputs implements [query.Op].
func (o *touching) Inputs() []query.Op { return []query.Op{o.in} }

// sources takes the chunks, of the base graph, that a set's items rest on, by
// score descending, id ascending. An item shares its score, if positive, among
// its chunks.
type sources struct {
	s  *system
	in query.Op
}

// Run implements [query.Op].
func (o *sources) Run(ctx context.Context, e *query.Env) (query.Set, error) {
	in, err := e.Eval(ctx, o.in)
	if err != nil {
		return query.Set{}, err
	}
	v, base := e.Snap.Graph(o.s.g).WithContext(ctx), e.Snap.Graph(o.s.c.Base()).WithContext(ctx)
	var out query.Set
	at := map[string]int{}
	for i := range in.Items {
		it := &in.Items[i]
		chunks, err := o.s.cite(v, *it)
		if err != nil {
			return query.Set{}, err
		}
		share := max(0, it.Score) / float64(max(1, len(chunks)))
		for _, key := range chunks {
			step := query.Step{Op: "source", From: it.Ref(), Score: share, Note: fmt.Sprintf("one of %d", len(chunks))}
			if n, ok := at[key]; ok {
				if n >= 0 {
					have := &out.Items[n]
					have.Score += share
					have.Why = append(slices.Clip(have.Why), step)
				}
				continue
			}
			at[key] = -1 // not there, or not to be seen
			id, err := o.s.c.ChunkNode(base, o.s.p.Chunks, key)
			if isMissing(err) {
				continue
			}
			if err != nil {
				return query.Set{}, err
			}
			may, err := e.May(ctx, o.s.c.Base(), id)
			if err != nil {
				return query.Set{}, err
			}
			if !may {
				continue
			}
			at[key] = len(out.Items)
			out.Items = append(out.Items, query.Item{
				Graph: o.s.c.Base().ID(), ID: id, Score: share, Why: append(slices.Clip(it.Why), step),
			})
		}
	}
	slices.SortFunc(out.Items, func(a, b query.Item) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID))
	})
	return out, nil
}

// Explain implements [query.Op].
func (o *sources) Explain() query.Explanation {
	return query.Explanation{Op: "Sources", Args: []string{"graph=" + o.s.c.Base().Name()}, Source: "chunks of the hits"}
}

// Inputs implements [query.Op].
func (o *sources) Inputs() []query.Op { return []query.Op{o.in} }
