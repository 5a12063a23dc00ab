package cypher

// walkExpr calls visit for an expression and all that it is made of, those in
// its patterns too, until visit returns false: then it goes no deeper there.
func walkExpr(x Expr, visit func(Expr) bool) {
	if x == nil || !visit(x) {
		return
	}
	list := func(xs ...Expr) {
		for _, y := range xs {
			walkExpr(y, visit)
		}
	}
	switch x := x.(type) {
	case *Property:
		walkExpr(x.X, visit)
	case *HasLabels:
		walkExpr(x.X, visit)
	case *Index:
		list(x.X, x.I)
	case *Slice:
		list(x.X, x.From, x.To)
	case *ListLit:
		list(x.Items...)
	case *MapLit:
		list(x.Values...)
	case *MapProjection:
		walkExpr(x.X, visit)
		for _, it := range x.Items {
			walkExpr(it.Value, visit)
		}
	case *Unary:
		walkExpr(x.X, visit)
	case *Binary:
		list(x.L, x.R)
	case *IsNull:
		walkExpr(x.X, visit)
	case *FuncCall:
		list(x.Args...)
	case *Case:
		walkExpr(x.X, visit)
		for _, w := range x.When {
			list(w.When, w.Then)
		}
		walkExpr(x.Else, visit)
	case *ListComprehension:
		list(x.List, x.Where, x.Value)
	case *Quantifier:
		list(x.List, x.Where)
	case *Reduce:
		list(x.Start, x.List, x.Value)
	case *Exists:
		walkPatterns(x.Patterns, visit)
		walkExpr(x.Where, visit)
	case *CountMatches:
		walkPatterns(x.Patterns, visit)
		walkExpr(x.Where, visit)
	case *PatternComprehension:
		walkPattern(x.Pattern, visit)
		list(x.Where, x.Value)
	case *PathExpr:
		walkPattern(x.Pattern, visit)
	}
}

func walkPatterns(ps []*Pattern, visit func(Expr) bool) {
	for _, pt := range ps {
		walkPattern(pt, visit)
	}
}

// walkPattern visits the expressions of a pattern's properties.
func walkPattern(pt *Pattern, visit func(Expr) bool) {
	for _, n := range pt.Nodes {
		walkExpr(n.Props, visit)
	}
	for _, e := range pt.Edges {
		walkExpr(e.Props, visit)
	}
}
