package cypher

// walkExpr calls visit for an expression and all that it is made of, those in
// its patterns too, until visit returns false: then it goes no deeper there.
func walkExpr(x expr, visit func(expr) bool) {
	if x == nil || !visit(x) {
		return
	}
	list := func(xs ...expr) {
		for _, y := range xs {
			walkExpr(y, visit)
		}
	}
	switch x := x.(type) {
	case *property:
		walkExpr(x.X, visit)
	case *labelsExpr:
		walkExpr(x.X, visit)
	case *indexExpr:
		list(x.X, x.I)
	case *sliceExpr:
		list(x.X, x.From, x.To)
	case *listLit:
		list(x.Items...)
	case *mapLit:
		list(x.Values...)
	case *mapProjection:
		walkExpr(x.X, visit)
		for _, it := range x.Items {
			walkExpr(it.Value, visit)
		}
	case *unaryExpr:
		walkExpr(x.X, visit)
	case *binaryExpr:
		list(x.L, x.R)
	case *isNullExpr:
		walkExpr(x.X, visit)
	case *funcCall:
		list(x.Args...)
	case *caseExpr:
		walkExpr(x.X, visit)
		for _, w := range x.When {
			list(w.When, w.Then)
		}
		walkExpr(x.Else, visit)
	case *listComprehension:
		list(x.List, x.Where, x.Value)
	case *quantifier:
		list(x.List, x.Where)
	case *reduceExpr:
		list(x.Start, x.List, x.Value)
	case *existsExpr:
		walkPatterns(x.Patterns, visit)
		walkExpr(x.Where, visit)
	case *countMatches:
		walkPatterns(x.Patterns, visit)
		walkExpr(x.Where, visit)
	case *patternComprehension:
		walkPattern(x.Pattern, visit)
		list(x.Where, x.Value)
	case *pathExpr:
		walkPattern(x.Pattern, visit)
	}
}

func walkPatterns(ps []*pattern, visit func(expr) bool) {
	for _, pt := range ps {
		walkPattern(pt, visit)
	}
}

// walkPattern visits the expressions of a pattern's properties.
func walkPattern(pt *pattern, visit func(expr) bool) {
	for _, n := range pt.Nodes {
		walkExpr(n.Props, visit)
	}
	for _, e := range pt.Edges {
		walkExpr(e.Props, visit)
	}
}
