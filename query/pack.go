package query

import (
	"context"
	"fmt"
	"slices"
)

// Overflow says what Pack does with an item that does not fit.
type Overflow uint8

// The ways to overflow.
const (
	// Stop ends at the first item that does not fit.
	Stop Overflow = iota
	// Skip leaves it out and tries the next.
	Skip
)

// String returns the name.
func (o Overflow) String() string {
	if o > Skip {
		return fmt.Sprintf("overflow(%d)", uint8(o))
	}
	return [...]string{"stop", "skip"}[o]
}

// Pack renders the items of a set, in its order, until a budget of tokens is
// used, and keeps those that fit with their texts. Header and the line break
// after each item count; a set without items uses nothing. An item without
// text is left out.
type Pack struct {
	In Op
	// Name names the section, in traces and in the answer's prompt.
	Name string
	// Budget is the number of tokens; a budget below 1 packs nothing, and In
	// is not run for it.
	Budget int
	// Less are packs whose tokens are taken off the budget: what they leave is
	// this one's.
	Less []Op
	// Share is the part of the budget, after Less, that is this one's; 0 is
	// all of it.
	Share    float64
	Overflow Overflow
	// Header stands above the items.
	Header string
	// Render returns an item's text and, where it is known, how many tokens
	// that has; 0 asks for a count.
	Render func(ctx context.Context, e *Env, it Item) (text string, tokens int, err error)
	// Size returns how many tokens an item's text has where that is known
	// without it, else 0: what does not fit is not rendered. nil knows none.
	Size func(ctx context.Context, e *Env, it Item) (tokens int, err error)
	// Cut shortens the first item's text to a number of tokens where it alone
	// exceeds the budget; nil leaves such an item out.
	Cut    func(text string, tokens int) string
	Source string
}

// Limit returns the tokens that the pack may use.
func (o *Pack) Limit(ctx context.Context, e *Env) (int, error) {
	budget := o.Budget
	for _, other := range o.Less {
		s, err := e.Eval(ctx, other)
		if err != nil {
			return 0, err
		}
		budget -= s.Used
	}
	if o.Share > 0 {
		budget = int(float64(budget) * o.Share)
	}
	return budget, nil
}

// Run implements [Op].
func (o *Pack) Run(ctx context.Context, e *Env) (Set, error) {
	if o.Render == nil || e.Tokens == nil || o.Overflow > Skip {
		return Set{}, invalid("a Pack needs Render, Tokens of its Env, and %s or %s", Stop, Skip)
	}
	if o.Budget < 1 {
		return Set{}, nil
	}
	in, err := e.Eval(ctx, o.In)
	if err != nil {
		return Set{}, err
	}
	budget, err := o.Limit(ctx, e)
	if err != nil {
		return Set{}, err
	}
	var out Set
	if o.Header != "" {
		out.Used = e.Tokens(o.Header + "\n")
	}
	head := out.Used
	defer func() { e.coming = nil }()
	for i, it := range in.Items {
		if out.Used >= budget {
			break
		}
		if err := ctx.Err(); err != nil {
			return Set{}, err
		}
		e.coming = in.Items[i:]
		if o.Size != nil && (len(out.Items) > 0 || o.Cut == nil) {
			n, err := o.Size(ctx, e, it)
			if err != nil {
				return Set{}, err
			}
			if n > 0 && out.Used+n+1 > budget {
				if o.Overflow == Skip {
					continue
				}
				break
			}
		}
		text, n, err := o.Render(ctx, e, it)
		if err != nil {
			return Set{}, err
		}
		if text == "" {
			continue
		}
		if n > 0 {
			n++ // the line break
		} else {
			n = e.Tokens(text + "\n")
		}
		if out.Used+n > budget && len(out.Items) == 0 && o.Cut != nil {
			text = o.Cut(text, budget-out.Used-1)
			n = e.Tokens(text + "\n")
		}
		if out.Used+n > budget || text == "" {
			if o.Overflow == Skip {
				continue
			}
			break
		}
		it.Text, it.Tokens = text, n
		it.Why = append(slices.Clip(it.Why), Step{
			Op: "pack", Score: it.Score,
			Note: fmt.Sprintf("%s: %d of %d tokens", o.Name, out.Used+n, budget),
		})
		out.Used += n
		out.Items = append(out.Items, it)
	}
	if len(out.Items) == 0 && out.Used == head {
		out.Used = 0
	}
	return out, nil
}

// Explain implements [Op].
func (o *Pack) Explain() Explanation {
	args := []string{arg("section", o.Name), arg("budget", o.Budget)}
	if len(o.Less) > 0 {
		args = append(args, "less=what the others used")
	}
	if o.Share > 0 {
		args = append(args, arg("share", o.Share))
	}
	return Explanation{Op: "Pack", Work: WorkOnAssembly, Args: append(args, arg("overflow", o.Overflow)), Source: o.Source}
}

// Inputs implements [Op].
func (o *Pack) Inputs() []Op { return append([]Op{o.In}, o.Less...) }

// Sections runs several packs and returns their items one after the other, in
// the order of its inputs.
type Sections struct{ In []Op }

// Run implements [Op].
func (o *Sections) Run(ctx context.Context, e *Env) (Set, error) {
	var out Set
	for _, in := range o.In {
		s, err := e.Eval(ctx, in)
		if err != nil {
			return Set{}, err
		}
		out.Items = append(out.Items, s.Items...)
		out.Used += s.Used
	}
	return out, nil
}

// Explain implements [Op].
func (o *Sections) Explain() Explanation { return Explanation{Op: "Sections", Work: WorkOnAssembly} }

// Inputs implements [Op].
func (o *Sections) Inputs() []Op { return o.In }
