package cypher

import "maps"

// varKind is the kind of values that a variable is known to hold before a
// statement runs. Values of every kind may be null.
type varKind uint8

// The kinds of variables.
const (
	varAny    varKind = iota // not known, such as a column of a procedure
	varNode                  // a node
	varEdge                  // an edge
	varEdges                 // the edges of a variable length, a list
	varPath                  // a path
	varValue                 // none of them: a boolean, number, string, list or map
	varNumber                // a number
	varText                  // a string
	varTruth                 // a boolean
	varList                  // a list of anything but edges
	varMap                   // a map
)

// isValue reports whether the kind is none of the graph's.
func (k varKind) isValue() bool { return k >= varValue }

// String names the kind in a message.
func (k varKind) String() string {
	return [...]string{"a value", "a node", "an edge", "a list of edges", "a path", "a value", "a number", "a string", "a boolean", "a list", "a map"}[k]
}

// kinds maps the variables in scope to the kinds of their values.
type kinds map[string]varKind

// set gives variables a kind. undo restores their kinds.
func (k kinds) set(kind varKind, names ...string) (undo func()) {
	undo = k.saved(names)
	for _, name := range names {
		k[name] = kind
	}
	return undo
}

// saved returns a function that restores the kinds of variables.
func (k kinds) saved(names []string) (undo func()) {
	type was struct {
		kind varKind
		has  bool
	}
	before := make([]was, len(names))
	for i, name := range names {
		before[i].kind, before[i].has = k[name]
	}
	return func() {
		for i, name := range names {
			if before[i].has {
				k[name] = before[i].kind
			} else {
				delete(k, name)
			}
		}
	}
}

// enter binds the variables of patterns. undo removes them again.
func (k kinds) enter(ps []*pattern) (undo func()) {
	seen := map[string]bool{}
	var names []string
	for _, pt := range ps {
		patternVariables(pt, func(name string) {
			if !seen[name] {
				seen[name] = true
				names = append(names, name)
			}
		})
	}
	undo = k.saved(names)
	for _, pt := range ps {
		k.bind(pt)
	}
	return undo
}

// bind adds the variables of a pattern. Known variables keep their kind, unless
// it is varAny.
func (k kinds) bind(pt *pattern) {
	for _, n := range pt.Nodes {
		k.bindOne(n.Variable, varNode)
	}
	for _, e := range pt.Edges {
		kind := varEdge
		if e.Var {
			kind = varEdges
		}
		k.bindOne(e.Variable, kind)
	}
	k.bindOne(pt.Variable, varPath)
}

func (k kinds) bindOne(name string, kind varKind) {
	if name != "" && k[name] == varAny {
		k[name] = kind
	}
}

// after returns the variables in scope after a clause. A clause that adds to
// them adds to k.
func (k kinds) after(c clause) kinds {
	out := k
	switch c := c.(type) {
	case *matchClause:
		k.enter(c.Patterns)
	case *createClause:
		k.enter(c.Patterns)
	case *mergeClause:
		k.bind(c.Pattern)
	case *unwindClause:
		k[c.Variable] = k.elementOf(c.List)
	case *loadClause:
		if k[c.Variable] = varList; c.Headers {
			k[c.Variable] = varMap
		}
	case *callClause:
		for _, it := range c.Yield {
			k[it.Variable] = varAny
		}
	case *projection:
		out = make(kinds, len(c.Items))
		if c.Star {
			maps.Copy(out, k)
		}
		for _, it := range c.Items {
			out[it.Name] = k.kindOf(it.Expr)
		}
	}
	return out
}

// kindOf returns the kind of an expression's value.
func (k kinds) kindOf(x expr) varKind {
	switch x := x.(type) {
	case *variable:
		return k[x.Name]
	case *pathExpr:
		if x.Pattern.Shortest == shortestAll {
			return varValue
		}
		return varPath
	case *literal:
		switch x.Value.Kind() {
		case KindNull:
			return varAny
		case KindInt, KindFloat:
			return varNumber
		case KindString:
			return varText
		case KindBool:
			return varTruth
		}
		return varValue
	case *listLit, *listComprehension, *patternComprehension:
		return varList
	case *mapLit, *mapProjection:
		return varMap
	case *isNullExpr, *labelsExpr, *quantifier, *existsExpr:
		return varTruth
	case *countMatches:
		return varNumber
	case *queryExpr:
		return [...]varKind{varTruth, varNumber, varList}[x.Kind]
	case *unaryExpr:
		if x.Op == opNot {
			return varTruth
		}
		return varValue
	case *binaryExpr:
		if !isArithmetic(x.Op) {
			return varTruth
		}
		return varValue
	case *funcCall:
		if isAggregate(x) && x.Name[0]|0x20 != 'm' { // min and max may be of anything
			return varValue
		}
	}
	return varAny
}

// elementOf returns the kind of a list's elements.
func (k kinds) elementOf(list expr) varKind {
	switch x := list.(type) {
	case *variable:
		if k[x.Name] == varEdges {
			return varEdge
		}
	case *listLit:
		if len(x.Items) == 0 {
			return varAny
		}
		kind := k.kindOf(x.Items[0])
		for _, it := range x.Items[1:] {
			if k.kindOf(it) != kind {
				return varAny
			}
		}
		return kind
	}
	return varAny
}
