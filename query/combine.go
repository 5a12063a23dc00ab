package query

import (
	"context"
	"fmt"
	"math"
	"slices"
)

// Combine is how the scores of an item become one if it is in several sets or was
// found from several nodes.
type Combine uint8

// The combinations.
const (
	// First keeps the order of the inputs: the items of the first, then those
	// of the second that the first lacks, and so on, with the scores they had.
	First Combine = iota
	// Max takes the greatest score.
	Max
	// Sum adds the scores.
	Sum
	// ZSum adds the scores after each set's were brought to mean 0 and
	// deviation 1; in a set that lacks it an item scores that set's least. A
	// set whose scores are all equal adds nothing.
	ZSum
	// Mean takes the mean of the scores that there are.
	Mean
	// Count takes the number of the scores.
	Count
	// Turns takes one item of each input in turn: the first of each, in the
	// order of the inputs, then the second of each, and so on, each item once,
	// with the score it had then.
	Turns
)

// String returns the combination's name.
func (c Combine) String() string {
	if c > Turns {
		return fmt.Sprintf("combine(%d)", uint8(c))
	}
	return [...]string{"first", "max", "sum", "z-sum", "mean", "count", "turns"}[c]
}

// Union unites sets, by combined score descending, id ascending, or for [First]
// and [Turns] in the order of its inputs.
type Union struct {
	In      []Op
	Combine Combine
	// Weights multiply the inputs' scores; nil is 1 for all.
	Weights []float64
	// Flat, if it is positive, takes ranks for scores: an item at rank r of a set, the
	// first being 1, has 1/(Flat+r) there. The greater Flat is, the less the first ranks
	// weigh against the others. With [Sum] that is reciprocal-rank fusion (Cormack,
	// Clarke and Büttcher 2009, whose Flat is 60).
	Flat   int
	Source string
}

// Run implements [Op].
func (o *Union) Run(ctx context.Context, e *Env) (Set, error) {
	if o.Weights != nil && len(o.Weights) != len(o.In) {
		return Set{}, invalid("%d weights for %d inputs", len(o.Weights), len(o.In))
	}
	if o.Combine > Turns {
		return Set{}, invalid("there is no %s", o.Combine)
	}
	sets, most := make([]Set, len(o.In)), 0
	for n, in := range o.In {
		var err error
		if sets[n], err = e.Eval(ctx, in); err != nil {
			return Set{}, err
		}
		if o.Flat > 0 {
			sets[n].Items = slices.Clone(sets[n].Items)
			for i := range sets[n].Items {
				sets[n].Items[i].Score = 1 / (float64(o.Flat) + float64(1+i))
			}
		}
		most += len(sets[n].Items)
	}
	if o.Combine == Turns {
		return o.turns(sets), nil
	}
	out := Set{Items: make([]Item, 0, most)}
	times := make([]int, 0, most) // in how many sets an item is
	at := make(map[Ref]int, most)
	floor := 0.0 // what an item scores that no set so far had
	for n, s := range sets {
		scale, shift, least := o.normal(s)
		if o.Weights != nil {
			scale, shift, least = scale*o.Weights[n], shift*o.Weights[n], least*o.Weights[n]
		}
		old := len(out.Items)
		again := make([]bool, old)
		for _, it := range s.Items {
			score := it.Score*scale + shift
			i, ok := at[it.Ref()]
			if !ok {
				at[it.Ref()] = len(out.Items)
				if o.Combine == ZSum {
					score += floor
				}
				it.Score, it.Why = score, slices.Clip(it.Why)
				out.Items, times = append(out.Items, it), append(times, 1)
				continue
			}
			have := &out.Items[i]
			times[i]++
			have.Why = united(have.Why, it.Why)
			if i < old {
				again[i] = true
			}
			switch o.Combine {
			case Max:
				have.Score = max(have.Score, score)
			case Sum, ZSum, Mean:
				have.Score += score
			}
		}
		if o.Combine == ZSum {
			for i, ok := range again {
				if !ok {
					out.Items[i].Score += least
				}
			}
			floor += least
		}
	}
	for i := range out.Items {
		switch it := &out.Items[i]; o.Combine {
		case Mean:
			it.Score /= float64(times[i])
		case Count:
			it.Score = float64(times[i])
		}
	}
	if o.Combine != First {
		slices.SortFunc(out.Items, byScore)
	}
	return out, nil
}

// turns takes one item of each set in turn.
func (o *Union) turns(sets []Set) (out Set) {
	at := map[Ref]int{}
	for i, more := 0, true; more; i++ {
		more = false
		for n, s := range sets {
			if i >= len(s.Items) {
				continue
			}
			more = true
			it := s.Items[i]
			if have, ok := at[it.Ref()]; ok {
				out.Items[have].Why = united(out.Items[have].Why, it.Why)
				continue
			}
			if o.Weights != nil {
				it.Score *= o.Weights[n]
			}
			at[it.Ref()] = len(out.Items)
			out.Items = append(out.Items, it)
		}
	}
	return out
}

// united returns the steps of one list, then those of another that it lacks: the
// inputs may share theirs.
func united(steps, more []Step) []Step {
	steps = slices.Clip(steps)
	for _, step := range more {
		if !slices.Contains(steps, step) {
			steps = append(steps, step)
		}
	}
	return steps
}

// normal returns how to bring a set's scores to the union's scale, and the
// least score on it.
func (o *Union) normal(s Set) (scale, shift, least float64) {
	if o.Combine != ZSum {
		return 1, 0, 0
	}
	if len(s.Items) == 0 {
		return 0, 0, 0
	}
	n := float64(len(s.Items))
	mean, low, high := 0.0, math.Inf(1), math.Inf(-1)
	for _, it := range s.Items {
		mean += it.Score / n
		low, high = min(low, it.Score), max(high, it.Score)
	}
	dev := 0.0
	for _, it := range s.Items {
		dev += (it.Score - mean) * (it.Score - mean) / n
	}
	if dev = math.Sqrt(dev); low == high || dev == 0 {
		return 0, 0, 0 // dev is not 0 for equal scores: the mean was rounded
	}
	return 1 / dev, -mean / dev, (low - mean) / dev
}

// Explain implements [Op].
func (o *Union) Explain() Explanation {
	args := []string{arg("combine", o.Combine)}
	if o.Weights != nil {
		args = append(args, arg("weights", o.Weights))
	}
	if o.Flat > 0 {
		args = append(args, arg("flat", o.Flat))
	}
	return Explanation{Op: "Union", Args: args, Source: o.Source}
}

// Inputs implements [Op].
func (o *Union) Inputs() []Op { return o.In }

// Minus keeps the items of a set that another lacks, in the set's order.
type Minus struct{ In, Of Op }

// Run implements [Op].
func (o *Minus) Run(ctx context.Context, e *Env) (Set, error) {
	s, err := e.Eval(ctx, o.In)
	if err != nil {
		return Set{}, err
	}
	other, err := e.Eval(ctx, o.Of)
	if err != nil {
		return Set{}, err
	}
	gone := make(map[Ref]bool, len(other.Items))
	for i := range other.Items {
		gone[other.Items[i].Ref()] = true
	}
	var out Set
	for _, it := range s.Items {
		if !gone[it.Ref()] {
			out.Items = append(out.Items, it)
		}
	}
	return out, nil
}

// Explain implements [Op].
func (o *Minus) Explain() Explanation { return Explanation{Op: "Minus"} }

// Inputs implements [Op].
func (o *Minus) Inputs() []Op { return []Op{o.In, o.Of} }

// Intersect keeps the items of a set that another has too, in the set's order
// and with its scores. Their steps are those in both.
type Intersect struct{ In, With Op }

// Run implements [Op].
func (o *Intersect) Run(ctx context.Context, e *Env) (Set, error) {
	s, err := e.Eval(ctx, o.In)
	if err != nil {
		return Set{}, err
	}
	other, err := e.Eval(ctx, o.With)
	if err != nil {
		return Set{}, err
	}
	at := make(map[Ref]int, len(other.Items))
	for i := range other.Items {
		at[other.Items[i].Ref()] = i
	}
	var out Set
	for _, it := range s.Items {
		if i, ok := at[it.Ref()]; ok {
			it.Why = append(slices.Clip(it.Why), other.Items[i].Why...)
			out.Items = append(out.Items, it)
		}
	}
	return out, nil
}

// Explain implements [Op].
func (o *Intersect) Explain() Explanation { return Explanation{Op: "Intersect"} }

// Inputs implements [Op].
func (o *Intersect) Inputs() []Op { return []Op{o.In, o.With} }
