package cypher

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
	in := func(part expr, names ...string) expr {
		return rewriteWithin(part, append(bound[:len(bound):len(bound)], names...), replace)
	}
	all := func(list []expr) []expr {
		out := make([]expr, len(list))
		for i, part := range list {
			out[i] = in(part)
		}
		return out
	}
	switch e := e.(type) {
	case *property:
		c := *e
		c.X = in(c.X)
		return &c
	case *labelsExpr:
		c := *e
		c.X = in(c.X)
		return &c
	case *indexExpr:
		c := *e
		c.X, c.I = in(c.X), in(c.I)
		return &c
	case *sliceExpr:
		c := *e
		c.X, c.From, c.To = in(c.X), in(c.From), in(c.To)
		return &c
	case *listLit:
		c := *e
		c.Items = all(c.Items)
		return &c
	case *mapLit:
		c := *e
		c.Values = all(c.Values)
		return &c
	case *mapProjection:
		c := *e
		c.X = in(c.X)
		c.Items = append([]mapProjectionItem(nil), c.Items...)
		for i := range c.Items {
			c.Items[i].Value = in(c.Items[i].Value)
		}
		return &c
	case *unaryExpr:
		c := *e
		c.X = in(c.X)
		return &c
	case *binaryExpr:
		c := *e
		c.L, c.R = in(c.L), in(c.R)
		return &c
	case *isNullExpr:
		c := *e
		c.X = in(c.X)
		return &c
	case *funcCall:
		c := *e
		c.Args = all(c.Args)
		return &c
	case *caseExpr:
		c := *e
		c.X, c.Else = in(c.X), in(c.Else)
		c.When = append([]caseWhen(nil), c.When...)
		for i, w := range c.When {
			c.When[i] = caseWhen{When: in(w.When), Then: in(w.Then)}
		}
		return &c
	case *listComprehension:
		c := *e
		c.List, c.Where, c.Value = in(c.List), in(c.Where, c.Variable), in(c.Value, c.Variable)
		return &c
	case *quantifier:
		c := *e
		c.List, c.Where = in(c.List), in(c.Where, c.Variable)
		return &c
	case *reduceExpr:
		c := *e
		c.Start, c.List, c.Value = in(c.Start), in(c.List), in(c.Value, c.Accumulator, c.Variable)
		return &c
	}
	return e
}
