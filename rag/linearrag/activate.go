package linearrag

import (
	"context"
	"fmt"
	"math"

	"github.com/ragdb/ragdb/query"
)

// activation is what entities have after some rounds.
type activation struct {
	// all are the active entities (a_q).
	all query.Op
	// first are those that became active in each round, from that of the question's
	// entities on.
	first []query.Op
}

// activate spreads activation from the question's entities over sentences: local
// semantic bridging (equation 5). In each round the entities that the
// round before activated choose, each, the sentences most like the question that
// mention it and were not chosen before. A chosen sentence gives what its choosing
// round's entities in it have together, times its likeness, to each entity in it. An
// entity has the sum of what it is given, unless it had more; sums below the threshold
// count for nothing.
func (s *system) activate(seeds query.Op, question, model string) activation {
	out := activation{all: seeds, first: []query.Op{seeds}}
	active, used := seeds, query.Op(nil)
	for round := range s.p.Rounds {
		from := s.choosing(active)
		at := query.Op(&query.Neighbors{In: from, Graph: s.g, Types: []string{edgeMentions}, Combine: query.Sum, Source: "M a"})
		if used != nil {
			at = &query.Minus{In: at, Of: used}
		}
		space := spaceOf(spaceSentence, model)
		like := &query.Sort{In: &query.Score{In: at, Graph: s.g, Space: space, Text: question, Source: "sim(q, sentence)"}}
		chosen := &query.TopPerGroup{In: like, Of: from, Graph: s.g, Types: []string{edgeMentions}, Most: s.p.Sentences}
		given := &query.Score{
			In: &query.Intersect{In: at, With: chosen}, Graph: s.g, Space: space, Text: question, Times: true, Source: "sigma * M a",
		}
		next := &query.AtLeast{
			In:    &query.Neighbors{In: given, Graph: s.g, Types: []string{edgeMentions}, Combine: query.Sum, Source: "M' (sigma * M a)"},
			Least: s.p.Threshold, Source: fmt.Sprintf("round %d, pruned", round+1),
		}
		out.first = append(out.first, &query.Minus{In: next, Of: out.all})
		out.all = &query.Union{In: []query.Op{out.all, next}, Combine: query.Max}
		active = next
		if used == nil {
			used = chosen
		} else {
			used = &query.Union{In: []query.Op{used, chosen}, Combine: query.First}
		}
	}
	return out
}

// choosing takes the entities that choose sentences: those with the threshold and not
// too many sentences.
func (s *system) choosing(active query.Op) query.Op {
	few := &query.Measure{Name: fmt.Sprintf("activation, up to %d sentences", s.p.Hub), Of: func(ctx context.Context, e *query.Env, it query.Item) (float64, bool, error) {
		n, err := e.Degree(ctx, s.g, it.ID, edgeMentions)
		return it.Score, n <= s.p.Hub, err
	}}
	return &query.Reweigh{In: &query.AtLeast{In: active, Least: s.p.Threshold}, By: few}
}

// passages weighs chunks as seeds, the hybrid initialisation of passages: by their likeness to the
// question, and by the active entities that they contain, of which those of a later
// round count less.
func (s *system) passages(near query.Op, a activation) query.Op {
	bonus := &query.Union{Combine: query.Sum, Source: "sum of a ln(1+N) / L"}
	for round, first := range a.first {
		bonus.In = append(bonus.In, &query.Neighbors{
			In: &query.Intersect{In: a.all, With: first}, Graph: s.g, Types: []string{edgeContains}, Combine: query.Sum,
		})
		bonus.Weights = append(bonus.Weights, 1/float64(round+1))
	}
	log := &query.Measure{Name: "ln(1+score)", Of: func(_ context.Context, _ *query.Env, it query.Item) (float64, bool, error) {
		return math.Log1p(max(0, it.Score)), true, nil
	}}
	return &query.Union{
		In: []query.Op{near, &query.Reweigh{In: bonus, By: log}}, Combine: query.Sum,
		Weights: []float64{s.p.Lambda * s.p.Passages, s.p.Passages}, Source: "passages as seeds",
	}
}
