package cypher

import (
	"fmt"
	"strings"
)

// Patterns and projections have places that no query can name. The names of
// those begin with a space.

// hidden returns a new such name.
func (pl *planner) hidden() string { return fmt.Sprintf(" %d", pl.scope.size()) }

// shownName returns the name of a variable in a plan, "" for a hidden one.
func shownName(name string) string {
	if strings.HasPrefix(name, " ") {
		return ""
	}
	return name
}

// shownExpr writes an expression for a plan and truncates it if it is long.
func shownExpr(e expr) string {
	p := printer{most: 400}
	p.expr(e, levelOr)
	return shownBegin(p.String(), 80)
}
