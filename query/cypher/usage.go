package cypher

// variablesOf adds the names of all variables in an expression to a set, those
// of its patterns and the expression's own ones included.
func variablesOf(e expr, names map[string]bool) {
	walkExpr(e, func(e expr) bool {
		if v, ok := e.(*variable); ok {
			names[v.Name] = true
		}
		ps, _ := patternParts(e)
		for _, p := range ps {
			patternVariables(p, func(name string) { names[name] = true })
		}
		return true
	})
}

// patternVariables calls fn with the variable of each part of a pattern that
// has one.
func patternVariables(p *pattern, fn func(name string)) {
	name := func(s string) {
		if s != "" {
			fn(s)
		}
	}
	name(p.Variable)
	for _, n := range p.Nodes {
		name(n.Variable)
	}
	for _, e := range p.Edges {
		name(e.Variable)
	}
}

// usage holds the variables that a part of a query uses, so that unused values
// are not computed.
type usage struct {
	all     bool            // RETURN *, WITH *
	inExpr  map[string]bool // named in an expression
	inParts map[string]int  // places in patterns that bear the name
	clauses []clause
}

// wanted reports whether a variable that a pattern binds is of use.
func (u *usage) wanted(name string) bool {
	return name != "" && (u.all || shownName(name) == "" || u.inExpr[name] || u.inParts[name] > 1)
}

// whole reports whether more of an edge is of use than stored properties.
func (u *usage) whole(name string) bool {
	found := u.all || u.inParts[name] > 1
	visit := func(e expr) bool {
		if p, ok := e.(*property); ok && storedOnEdges(p.Name) {
			_, direct := p.X.(*variable)
			return !direct
		}
		v, ok := e.(*variable)
		found = found || ok && v.Name == name
		return !found
	}
	for _, c := range u.clauses {
		clauseParts(c, func(e expr) { walkExpr(e, visit) }, func(p *pattern) { walkPatterns([]*pattern{p}, visit) })
	}
	return found
}

// usageOf returns the variables that the clauses of a part use.
func usageOf(clauses []clause) *usage {
	u := &usage{inExpr: map[string]bool{}, inParts: map[string]int{}, clauses: clauses}
	for _, c := range clauses {
		u.clause(c)
	}
	return u
}

func (u *usage) exprs(es ...expr) {
	for _, e := range es {
		variablesOf(e, u.inExpr)
	}
}

func (u *usage) patterns(ps ...*pattern) {
	for _, p := range ps {
		patternVariables(p, func(name string) { u.inParts[name]++ })
	}
	walkPatterns(ps, func(e expr) bool { u.exprs(e); return false })
}

func (u *usage) items(items []*setClauseItem) {
	for _, s := range items {
		u.exprs(s.Target, s.Value)
	}
}

func (u *usage) clause(c clause) {
	switch c := c.(type) {
	case *matchClause:
		u.patterns(c.Patterns...)
		u.exprs(c.Where)
	case *unwindClause:
		u.exprs(c.List)
	case *projection:
		u.all = u.all || c.Star
		for _, item := range c.Items {
			u.exprs(item.Expr)
		}
		for _, s := range c.Order {
			u.exprs(s.Expr)
		}
		u.exprs(c.Skip, c.Limit, c.Where)
	case *callClause:
		u.exprs(c.Args...)
		u.exprs(c.Where)
	case *createClause:
		u.patterns(c.Patterns...)
	case *mergeClause:
		u.patterns(c.Pattern)
		u.items(c.OnCreate)
		u.items(c.OnMatch)
	case *setClause:
		u.items(c.Items)
	case *removeClause:
		for _, item := range c.Items {
			u.exprs(item.Target)
		}
	case *deleteClause:
		u.exprs(c.Exprs...)
	case *subqueryClause:
		u.all = u.all || c.All
		for _, v := range c.Imports {
			u.exprs(v)
		}
	case *foreachClause:
		u.exprs(c.List)
	case *loadClause:
		u.exprs(c.File)
	}
	for _, inner := range within(c) {
		u.clause(inner)
	}
}
