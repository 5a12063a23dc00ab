package query

import (
	"context"
	"reflect"
)

// Each returns a plan in which each [Pack] packs what a copy of o makes of its
// items, with the pack's texts. Of [Sections] with an order a copy of o makes that order,
// and their packs stay as they are. The plan itself is not changed.
func (o *Rerank) Each(plan Op) Op {
	arranged := map[Op]bool{}
	noteArranged(plan, false, arranged, map[Op][2]bool{})
	return rewrite(plan, func(from, op Op) {
		r := *o
		switch p := op.(type) {
		case *Pack:
			if !arranged[from] {
				r.In, r.Render = p.In, p.Render
				p.In = &r
			}
		case *Sections:
			if p.By == nil {
				break
			}
			r.In = &Sections{In: p.In, By: p.By}
			r.Render = func(_ context.Context, _ *Env, it Item) (string, int, error) { return it.Text, it.Tokens, nil }
			p.By = &r
		}
	}, map[Op]Op{})
}

// noteArranged notes the packs of a plan that stand below [Sections] with an order. seen
// are the operators that were met elsewhere, and below such ones.
func noteArranged(op Op, below bool, packs map[Op]bool, seen map[Op][2]bool) {
	if checkOp(op) != nil {
		return
	}
	at := 0
	if below {
		at = 1
	}
	met := seen[op]
	if met[at] {
		return
	}
	met[at] = true
	seen[op] = met
	switch p := op.(type) {
	case *Pack:
		packs[op] = packs[op] || below
	case *Sections:
		below = below || p.By != nil
	}
	for _, in := range op.Inputs() {
		noteArranged(in, below, packs, seen)
	}
}

// rewrite returns a plan in which change has been made to a copy of each
// operator, inputs before those that take them. An operator that stands in several
// places of the plan stays one. A plan that leads back to itself keeps the way
// back as it is: [Run] refuses it.
func rewrite(op Op, change func(from, to Op), done map[Op]Op) Op {
	if checkOp(op) != nil {
		return op
	}
	if out, ok := done[op]; ok {
		return out
	}
	done[op] = op // while its inputs are rewritten
	v := reflect.ValueOf(op)
	if v.Kind() != reflect.Pointer || v.Elem().Kind() != reflect.Struct {
		return op
	}
	c := reflect.New(v.Elem().Type())
	c.Elem().Set(v.Elem())
	for i := range c.Elem().NumField() {
		f := c.Elem().Field(i)
		if !f.CanSet() {
			continue
		}
		switch x := f.Interface().(type) {
		case []Op:
			list := make([]Op, len(x))
			for k := range x {
				list[k] = rewrite(x[k], change, done)
			}
			if x != nil {
				f.Set(reflect.ValueOf(list))
			}
		default:
			if f.Type() == reflect.TypeFor[Op]() && !f.IsNil() {
				f.Set(reflect.ValueOf(rewrite(f.Interface().(Op), change, done)))
			}
		}
	}
	out := c.Interface().(Op)
	change(op, out)
	done[op] = out
	return out
}
