package query

import "context"

// Rescale brings the scores of a set to 0 for the least and 1 for the
// greatest, keeping its order; where all are equal, to 1.
type Rescale struct {
	In     Op
	Source string
}

// Run implements [Op].
func (o *Rescale) Run(ctx context.Context, e *Env) (Set, error) {
	in, err := e.Eval(ctx, o.In)
	if err != nil || len(in.Items) == 0 {
		return Set{}, err
	}
	least, most := in.Items[0].Score, in.Items[0].Score
	for _, it := range in.Items {
		least, most = min(least, it.Score), max(most, it.Score)
	}
	out := Set{Items: append([]Item(nil), in.Items...)}
	for i := range out.Items {
		it := &out.Items[i]
		if it.Score = 1; most > least {
			it.Score = (in.Items[i].Score - least) / (most - least)
		}
	}
	return out, nil
}

// Explain implements [Op].
func (o *Rescale) Explain() Explanation { return Explanation{Op: "Rescale", Source: o.Source} }

// Inputs implements [Op].
func (o *Rescale) Inputs() []Op { return []Op{o.In} }
