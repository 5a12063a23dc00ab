package query

import "reflect"

// Each returns a plan in which each [Pack] packs what a copy of o makes of its
// items, with the pack's texts. The plan itself is not changed.
func (o *Rerank) Each(plan Op) Op {
	return rewrite(plan, func(op Op) {
		if p, ok := op.(*Pack); ok {
			r := *o
			r.In, r.Render = p.In, p.Render
			p.In = &r
		}
	}, map[Op]Op{})
}

// rewrite returns a plan in which change has been made to a copy of each
// operator, inputs before those that take them. An operator that stands in several
// places of the plan stays one. A plan that leads back to itself keeps the way
// back as it is: [Run] refuses it.
func rewrite(op Op, change func(Op), done map[Op]Op) Op {
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
	change(out)
	done[op] = out
	return out
}
