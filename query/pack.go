package query

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
)

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
	Share float64
	// Skip leaves out an item that does not fit and tries the next. If it is
	// false, the first such item ends the set.
	Skip bool
	// Header stands above the items.
	Header string
	// Render returns an item's text and the number of its tokens, 0 if it is not
	// known: the text is counted then.
	Render func(ctx context.Context, e *Env, it Item) (text string, tokens int, err error)
	// Size returns how many tokens an item's text has, 0 if only the text tells.
	// An item that does not fit is not rendered then. Size may be nil.
	Size func(ctx context.Context, e *Env, it Item) (tokens int, err error)
	// Cut shortens the first item's text to a number of tokens if it alone exceeds
	// the budget; nil leaves such an item out.
	Cut    func(text string, tokens int) string
	Source string
}

// tokensLeft returns the tokens that a pack may use: a share of what others leave
// of a budget.
func tokensLeft(ctx context.Context, e *Env, budget int, less []Op, share float64) (int, error) {
	for _, other := range less {
		s, err := e.Eval(ctx, other)
		if err != nil {
			return 0, err
		}
		budget -= s.Used
	}
	if share > 0 {
		budget = int(float64(budget) * share)
	}
	return budget, nil
}

// Run implements [Op].
func (o *Pack) Run(ctx context.Context, e *Env) (Set, error) {
	if o.Render == nil || e.Tokens == nil {
		return Set{}, invalid("a Pack needs Render, and Tokens of its Env")
	}
	if o.Budget < 1 {
		return Set{}, nil
	}
	in, err := e.Eval(ctx, o.In)
	if err != nil {
		return Set{}, err
	}
	budget, err := tokensLeft(ctx, e, o.Budget, o.Less, o.Share)
	if err != nil {
		return Set{}, err
	}
	var out Set
	if o.Header != "" {
		out.Used = e.Tokens(o.Header + "\n")
	}
	head, group := out.Used, aheadItems
	if o.Skip {
		group = aheadSkipped
	}
	defer func() { e.coming = nil }()
	for i, it := range in.Items {
		if out.Used >= budget {
			break
		}
		if err := ctx.Err(); err != nil {
			return Set{}, err
		}
		if err := e.aheadGroup(ctx, group, i, in.Items, func(e *Env, it Item) error { return o.ahead(ctx, e, it) }); err != nil {
			return Set{}, err
		}
		e.coming = in.Items[i:]
		if o.Size != nil && (len(out.Items) > 0 || o.Cut == nil) {
			n, err := o.Size(ctx, e, it)
			if err != nil {
				return Set{}, err
			}
			if n > 0 && out.Used+n+1 > budget {
				if o.Skip {
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
			if o.Skip {
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

// ahead reads what packing an item reads.
func (o *Pack) ahead(ctx context.Context, e *Env, it Item) error {
	var size error
	if o.Size != nil {
		_, size = o.Size(ctx, e, it)
	}
	_, _, err := o.Render(ctx, e, it)
	return errors.Join(size, err)
}

// Explain implements [Op].
func (o *Pack) Explain() Explanation {
	args := budgetArgs(o.Name, o.Budget, o.Less, o.Share)
	overflow := "stop"
	if o.Skip {
		overflow = "skip"
	}
	return Explanation{Op: "Pack", Work: WorkOnAssembly, Args: append(args, arg("overflow", overflow)), Source: o.Source}
}

// Inputs implements [Op].
func (o *Pack) Inputs() []Op { return append([]Op{o.In}, o.Less...) }

// budgetArgs are the arguments of what has a budget.
func budgetArgs(name string, budget int, less []Op, share float64) []string {
	args := []string{arg("section", name), arg("budget", budget)}
	if len(less) > 0 {
		args = append(args, "less=what the others used")
	}
	if share > 0 {
		args = append(args, arg("share", share))
	}
	return args
}

// Sections runs several packs and returns their items one after the other, in
// the order of its inputs. With a header it is a part of what was packed: its
// tokens are those of the items and of the header, and without items it uses
// nothing.
type Sections struct {
	In     []Op
	Header string
	// By, if it is set, is the order of the items, which take the scores that they have
	// in it. Items that it lacks follow, in theirs.
	By Op
}

// Run implements [Op].
func (o *Sections) Run(ctx context.Context, e *Env) (Set, error) {
	if o.Header != "" && e.Tokens == nil {
		return Set{}, invalid("Sections with a header need Tokens of their Env")
	}
	var out Set
	for _, in := range o.In {
		s, err := e.Eval(ctx, in)
		if err != nil {
			return Set{}, err
		}
		out.Items = append(out.Items, s.Items...)
		out.Used += s.Used
	}
	if o.By != nil {
		by, err := e.Eval(ctx, o.By)
		if err != nil {
			return Set{}, err
		}
		arrange(out.Items, by.Items)
	}
	if o.Header == "" {
		return out, nil
	}
	out.Used = 0
	if len(out.Items) > 0 {
		out.Used = e.Tokens(o.Header + "\n")
	}
	for _, it := range out.Items {
		out.Used += it.Tokens
	}
	return out, nil
}

// arrange puts items into the order of others.
func arrange(items, by []Item) {
	place := make(map[Ref]int, len(by))
	for i := range by {
		place[by[i].Ref()] = i
	}
	at := func(it *Item) int {
		if n, ok := place[it.Ref()]; ok {
			return n
		}
		return math.MaxInt
	}
	slices.SortStableFunc(items, func(a, b Item) int { return cmp.Compare(at(&a), at(&b)) })
	for i := range items {
		it := &items[i]
		if n := at(it); n != math.MaxInt {
			it.Score = by[n].Score
			it.Why = append(united(by[n].Why, it.Why), Step{Op: "order", Score: it.Score})
		}
	}
}

// Explain implements [Op].
func (o *Sections) Explain() Explanation {
	x := Explanation{Op: "Sections", Work: WorkOnAssembly}
	if o.Header != "" {
		x.Args = []string{fmt.Sprintf("header=%q", o.Header)}
	}
	if o.By != nil {
		x.Args = append(x.Args, "order=of the last input")
	}
	return x
}

// Inputs implements [Op].
func (o *Sections) Inputs() []Op {
	if o.By == nil {
		return o.In
	}
	return append(slices.Clip(o.In), o.By)
}
