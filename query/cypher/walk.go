package cypher

// eachPart calls fn with the place of each part of an expression and the
// variables that the expression binds in it. Parts that stand in patterns are left
// out; see [patternParts].
func eachPart(e expr, fn func(part *expr, bound ...string)) {
	all := func(list []expr) {
		for i := range list {
			fn(&list[i])
		}
	}
	switch e := e.(type) {
	case *property:
		fn(&e.X)
	case *labelsExpr:
		fn(&e.X)
	case *indexExpr:
		fn(&e.X)
		fn(&e.I)
	case *sliceExpr:
		fn(&e.X)
		fn(&e.From)
		fn(&e.To)
	case *listLit:
		all(e.Items)
	case *mapLit:
		all(e.Values)
	case *mapProjection:
		fn(&e.X)
		for i := range e.Items {
			fn(&e.Items[i].Value)
		}
	case *unaryExpr:
		fn(&e.X)
	case *binaryExpr:
		fn(&e.L)
		fn(&e.R)
	case *isNullExpr:
		fn(&e.X)
	case *funcCall:
		all(e.Args)
	case *caseExpr:
		fn(&e.X)
		for i := range e.When {
			fn(&e.When[i].When)
			fn(&e.When[i].Then)
		}
		fn(&e.Else)
	case *listComprehension:
		fn(&e.List)
		fn(&e.Where, e.Variable)
		fn(&e.Value, e.Variable)
	case *quantifier:
		fn(&e.List)
		fn(&e.Where, e.Variable)
	case *reduceExpr:
		fn(&e.Start)
		fn(&e.List)
		fn(&e.Value, e.Accumulator, e.Variable)
	}
}

// patternParts returns the patterns in an expression that matches some or is a query,
// and the expressions that stand beside them. They see the variables of the patterns.
func patternParts(e expr) (ps []*pattern, beside []expr) {
	switch e := e.(type) {
	case *existsExpr:
		return e.Patterns, []expr{e.Where}
	case *countMatches:
		return e.Patterns, []expr{e.Where}
	case *patternComprehension:
		return []*pattern{e.Pattern}, []expr{e.Where, e.Value}
	case *pathExpr:
		return []*pattern{e.Pattern}, nil
	case *queryExpr:
		for _, c := range e.Query.clauses() {
			clauseParts(c, func(x expr) { beside = append(beside, x) }, func(p *pattern) { ps = append(ps, p) })
		}
		return ps, beside
	}
	return nil, nil
}

// walkExpr calls visit for an expression and all that it is made of, those in
// its patterns too, until visit returns false: then it goes no deeper there.
func walkExpr(x expr, visit func(expr) bool) {
	if x == nil || !visit(x) {
		return
	}
	eachPart(x, func(part *expr, _ ...string) { walkExpr(*part, visit) })
	ps, beside := patternParts(x)
	walkPatterns(ps, visit)
	for _, part := range beside {
		walkExpr(part, visit)
	}
}

// walkPatterns visits the expressions within patterns: properties and conditions.
func walkPatterns(ps []*pattern, visit func(expr) bool) {
	for _, pt := range ps {
		for _, n := range pt.Nodes {
			walkExpr(n.Props, visit)
			walkExpr(n.Where, visit)
		}
		for _, e := range pt.Edges {
			walkExpr(e.Props, visit)
			walkExpr(e.Where, visit)
		}
	}
}
