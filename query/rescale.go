package query

import "context"

// Rescale brings the scores of a set to 0 for the least and To for the greatest,
// keeping its order; if all are equal, to To.
type Rescale struct {
	In Op
	// To is the greatest score; 0 is 1.
	To     float64
	Source string
}

// Run implements [Op].
func (o *Rescale) Run(ctx context.Context, e *Env) (Set, error) {
	in, err := e.Eval(ctx, o.In)
	if err != nil || len(in.Items) == 0 {
		return Set{}, err
	}
	to := o.To
	if to == 0 {
		to = 1
	}
	least, most := in.Items[0].Score, in.Items[0].Score
	for _, it := range in.Items {
		least, most = min(least, it.Score), max(most, it.Score)
	}
	out := Set{Items: append([]Item(nil), in.Items...)}
	for i := range out.Items {
		it := &out.Items[i]
		if it.Score = to; most > least {
			it.Score = to * (in.Items[i].Score - least) / (most - least)
		}
	}
	return out, nil
}

// Explain implements [Op].
func (o *Rescale) Explain() Explanation {
	x := Explanation{Op: "Rescale", Source: o.Source}
	if o.To != 0 {
		x.Args = []string{arg("to", o.To)}
	}
	return x
}

// Inputs implements [Op].
func (o *Rescale) Inputs() []Op { return []Op{o.In} }
