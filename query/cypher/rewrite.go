package cypher

import (
	"reflect"
	"slices"
)

// rewrite returns a copy of an expression with some parts replaced. It calls
// replace for an expression before its parts, with the variables that enclosing
// expressions bind. If replace returns nil, rewrite descends into the parts. It
// does not descend into patterns.
func rewrite(e expr, replace func(e expr, bound []string) expr) expr {
	return rewriteWithin(e, nil, replace)
}

func rewriteWithin(e expr, bound []string, replace func(expr, []string) expr) expr {
	if e == nil {
		return nil
	}
	if with := replace(e, bound); with != nil {
		return with
	}
	e = copyExpr(e)
	eachPart(e, func(part *expr, names ...string) {
		*part = rewriteWithin(*part, append(bound[:len(bound):len(bound)], names...), replace)
	})
	return e
}

// copyExpr returns a copy of an expression with the same parts, which may be set.
func copyExpr(e expr) expr {
	from := reflect.ValueOf(e).Elem()
	to := reflect.New(from.Type())
	to.Elem().Set(from)
	switch e := to.Interface().(expr).(type) {
	case *listLit:
		e.Items = slices.Clone(e.Items)
	case *mapLit:
		e.Values = slices.Clone(e.Values)
	case *mapProjection:
		e.Items = slices.Clone(e.Items)
	case *funcCall:
		e.Args = slices.Clone(e.Args)
	case *caseExpr:
		e.When = slices.Clone(e.When)
	}
	return to.Interface().(expr)
}

// freeNames returns the names that an expression uses and does not bind itself,
// in order.
func freeNames(e expr) []string {
	var names []string
	var within func(e expr, bound []string)
	within = func(e expr, bound []string) {
		if v, ok := e.(*variable); ok && !slices.Contains(bound, v.Name) {
			names = append(names, v.Name)
		}
		eachPart(e, func(part *expr, more ...string) {
			within(*part, append(bound[:len(bound):len(bound)], more...))
		})
	}
	within(e, nil)
	slices.Sort(names)
	return slices.Compact(names)
}
