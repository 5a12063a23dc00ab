package cypher

import (
	"fmt"
	"strings"
)

// Patterns and projections have places that no query can name. The names of
// those begin with a space.

// hidden returns a new such name.
func (pl *planner) hidden() string { return fmt.Sprintf(" %d", pl.scope.size()) }

// shownName returns a variable as a plan shows it, "" for one that has no name.
func shownName(name string) string {
	if strings.HasPrefix(name, " ") {
		return ""
	}
	return name
}

// shownExpr writes an expression for a plan, cut where it is long.
func shownExpr(e Expr) string {
	e = rewrite(e, func(e Expr, _ []string) Expr {
		if v, ok := e.(*Variable); ok && shownName(v.Name) == "" {
			return &Variable{Name: "_"}
		}
		return nil
	})
	return cutEnd(shownLine(exprString(e)), 80)
}
