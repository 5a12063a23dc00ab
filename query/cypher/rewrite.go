package cypher

// rewrite returns an expression in which replace has put others in the place of
// some of its parts: replace is asked for an expression before its parts, with
// the variables that expressions around it bind, and returns nil to have the
// parts looked at. What stands in patterns is left as it is. The expression
// given is not changed.
func rewrite(e Expr, replace func(e Expr, bound []string) Expr) Expr {
	return rewriteWithin(e, nil, replace)
}

func rewriteWithin(e Expr, bound []string, replace func(Expr, []string) Expr) Expr {
	if e == nil {
		return nil
	}
	if with := replace(e, bound); with != nil {
		return with
	}
	in := func(part Expr, names ...string) Expr {
		return rewriteWithin(part, append(bound[:len(bound):len(bound)], names...), replace)
	}
	all := func(list []Expr) []Expr {
		out := make([]Expr, len(list))
		for i, part := range list {
			out[i] = in(part)
		}
		return out
	}
	switch e := e.(type) {
	case *Property:
		c := *e
		c.X = in(c.X)
		return &c
	case *HasLabels:
		c := *e
		c.X = in(c.X)
		return &c
	case *Index:
		c := *e
		c.X, c.I = in(c.X), in(c.I)
		return &c
	case *Slice:
		c := *e
		c.X, c.From, c.To = in(c.X), in(c.From), in(c.To)
		return &c
	case *ListLit:
		c := *e
		c.Items = all(c.Items)
		return &c
	case *MapLit:
		c := *e
		c.Values = all(c.Values)
		return &c
	case *MapProjection:
		c := *e
		c.X = in(c.X)
		c.Items = append([]MapProjectionItem(nil), c.Items...)
		for i := range c.Items {
			c.Items[i].Value = in(c.Items[i].Value)
		}
		return &c
	case *Unary:
		c := *e
		c.X = in(c.X)
		return &c
	case *Binary:
		c := *e
		c.L, c.R = in(c.L), in(c.R)
		return &c
	case *IsNull:
		c := *e
		c.X = in(c.X)
		return &c
	case *FuncCall:
		c := *e
		c.Args = all(c.Args)
		return &c
	case *Case:
		c := *e
		c.X, c.Else = in(c.X), in(c.Else)
		c.When = append([]CaseWhen(nil), c.When...)
		for i, w := range c.When {
			c.When[i] = CaseWhen{When: in(w.When), Then: in(w.Then)}
		}
		return &c
	case *ListComprehension:
		c := *e
		c.List, c.Where, c.Value = in(c.List), in(c.Where, c.Variable), in(c.Value, c.Variable)
		return &c
	case *Quantifier:
		c := *e
		c.List, c.Where = in(c.List), in(c.Where, c.Variable)
		return &c
	case *Reduce:
		c := *e
		c.Start, c.List, c.Value = in(c.Start), in(c.List), in(c.Value, c.Accumulator, c.Variable)
		return &c
	}
	return e
}
