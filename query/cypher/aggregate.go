package cypher

import "strings"

// isAggregate reports whether a call is of an aggregate. Names are compared in
// any case.
func isAggregate(f *funcCall) bool { return aggregates[strings.ToLower(f.Name)] != nil }

// hasAggregate reports whether an expression calls an aggregate anywhere.
func hasAggregate(x expr) bool {
	found := false
	walkExpr(x, func(x expr) bool {
		switch x := x.(type) {
		case *funcCall:
			found = found || isAggregate(x)
		case *queryExpr:
			return false // its aggregates are its own
		}
		return !found
	})
	return found
}

// aggregates reports whether a projection groups its rows.
func (pr *projection) aggregates() bool {
	for _, it := range pr.Items {
		if hasAggregate(it.Expr) {
			return true
		}
	}
	return false
}
