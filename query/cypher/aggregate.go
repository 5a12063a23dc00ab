package cypher

import "strings"

// aggregateNames are the functions that make one value of many rows.
var aggregateNames = [...]string{
	"avg", "collect", "count", "max", "min", "percentileCont", "percentileDisc",
	"stDev", "stDevP", "sum",
}

// isAggregate reports whether a call is of an aggregate. Names are compared in
// any case.
func isAggregate(f *funcCall) bool {
	for _, name := range aggregateNames {
		if strings.EqualFold(name, f.Name) {
			return true
		}
	}
	return false
}

// hasAggregate reports whether an expression calls an aggregate anywhere.
func hasAggregate(x expr) bool {
	found := false
	walkExpr(x, func(x expr) bool {
		if f, ok := x.(*funcCall); ok && isAggregate(f) {
			found = true
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
