package cypher

import "strconv"

// bracketed writes an expression that begins and ends with a word or a bracket.
func (p *printer) bracketed(x expr) {
	switch x := x.(type) {
	case *listLit:
		p.WriteString("[")
		if len(x.Items) > 0 && beginsAsComprehension(x.Items[0]) {
			p.group(x.Items[0])
			if len(x.Items) > 1 {
				p.WriteString(", ")
			}
			p.list(x.Items[1:])
		} else {
			p.list(x.Items)
		}
		p.WriteString("]")
	case *mapLit:
		p.mapLit(x)
	case *mapProjection:
		p.mapProjection(x)
	case *funcCall:
		p.funcCall(x)
	case *caseExpr:
		p.caseExpr(x)
	case *listComprehension:
		p.WriteString("[" + quoteVariable(x.Variable) + " IN ")
		p.until(x.List, true)
		if x.Where != nil {
			p.WriteString(" WHERE ")
			p.until(x.Where, true)
		}
		if x.Value != nil {
			p.WriteString(" | ")
			p.inner(x.Value)
		}
		p.WriteString("]")
	case *quantifier:
		p.WriteString(x.Kind.name() + "(" + quoteVariable(x.Variable) + " IN ")
		p.inner(x.List)
		p.WriteString(" WHERE ")
		p.inner(x.Where)
		p.WriteString(")")
	case *reduceExpr:
		p.WriteString("reduce(" + quoteVariable(x.Accumulator) + " = ")
		p.inner(x.Start)
		p.WriteString(", " + quoteVariable(x.Variable) + " IN ")
		p.until(x.List, true)
		p.WriteString(" | ")
		p.inner(x.Value)
		p.WriteString(")")
	case *existsExpr:
		if x.Bare {
			p.pattern(x.Patterns[0])
			return
		}
		p.WriteString("EXISTS ")
		p.subquery(x.Patterns, x.Where)
	case *countMatches:
		p.WriteString("COUNT ")
		p.subquery(x.Patterns, x.Where)
	case *queryExpr:
		p.WriteString(x.Kind.String() + " { ")
		p.query(x.Query)
		p.WriteString(" }")
	case *patternComprehension:
		p.WriteString("[")
		p.pattern(x.Pattern)
		if x.Where != nil {
			p.WriteString(" WHERE ")
			p.until(x.Where, true)
		}
		p.WriteString(" | ")
		p.inner(x.Value)
		p.WriteString("]")
	case *pathExpr:
		p.pattern(x.Pattern)
	}
}

// beginsAsComprehension reports whether the first item of a list would be read
// as the start of a comprehension: it begins with variable IN, or with a
// pattern.
func beginsAsComprehension(x expr) bool {
	for {
		switch y := x.(type) {
		case *binaryExpr:
			if _, ok := y.L.(*variable); ok && y.Op == opIn {
				return true
			}
			x = y.L
		case *isNullExpr:
			x = y.X
		case *existsExpr:
			return y.Bare
		default:
			return false
		}
	}
}

func (p *printer) mapLit(m *mapLit) {
	p.WriteString("{")
	for i, k := range m.Keys {
		if i > 0 {
			p.WriteString(", ")
		}
		p.WriteString(quoteName(k) + ": ")
		p.inner(m.Values[i])
	}
	p.WriteString("}")
}

func (p *printer) mapProjection(m *mapProjection) {
	p.postfixOperand(m.X)
	p.WriteString(" {")
	for i, it := range m.Items {
		if i > 0 {
			p.WriteString(", ")
		}
		switch {
		case it.All:
			p.WriteString(".*")
		case it.Value == nil:
			p.WriteString("." + quoteName(it.Name))
		default:
			p.WriteString(quoteName(it.Name) + ": ")
			p.inner(it.Value)
		}
	}
	p.WriteString("}")
}

func (p *printer) funcCall(f *funcCall) {
	p.WriteString(quoteFunction(f.Name) + "(")
	switch {
	case f.Star:
		p.WriteString("*")
	case f.Distinct:
		p.WriteString("DISTINCT ")
	}
	p.list(f.Args)
	p.WriteString(")")
}

func (p *printer) caseExpr(c *caseExpr) {
	p.WriteString("CASE")
	if c.X != nil {
		p.WriteString(" ")
		p.inner(c.X)
	}
	for _, w := range c.When {
		p.WriteString(" WHEN ")
		p.inner(w.When)
		p.WriteString(" THEN ")
		p.inner(w.Then)
	}
	if c.Else != nil {
		p.WriteString(" ELSE ")
		p.inner(c.Else)
	}
	p.WriteString(" END")
}

func (p *printer) subquery(patterns []*pattern, where expr) {
	p.WriteString("{ MATCH ")
	p.patterns(patterns)
	if where != nil {
		p.WriteString(" WHERE ")
		p.inner(where)
	}
	p.WriteString(" }")
}

func (p *printer) patterns(ps []*pattern) {
	for i, pt := range ps {
		if i > 0 {
			p.WriteString(", ")
		}
		p.pattern(pt)
	}
}

// pattern writes a pattern.
func (p *printer) pattern(pt *pattern) {
	if pt.Variable != "" {
		p.WriteString(quoteVariable(pt.Variable) + " = ")
	}
	switch pt.Shortest {
	case shortestOne:
		p.WriteString("shortestPath(")
	case shortestAll:
		p.WriteString("allShortestPaths(")
	}
	for i, n := range pt.Nodes {
		if i > 0 {
			p.edge(pt.Edges[i-1])
		}
		p.node(n)
	}
	if pt.Shortest != notShortest {
		p.WriteString(")")
	}
}

func (p *printer) node(n *nodePattern) {
	p.WriteString("(")
	if n.Variable != "" {
		p.WriteString(quoteVariable(n.Variable))
	}
	p.WriteString(n.Labels.String())
	p.patternProps(n.Props, n.Variable != "" || n.Labels != nil)
	p.where(n.Where)
	p.WriteString(")")
}

// patternProps writes the properties of a node or an edge.
func (p *printer) patternProps(props expr, gap bool) {
	if props == nil {
		return
	}
	if gap {
		p.WriteString(" ")
	}
	p.inner(props)
}

func (p *printer) edge(e *edgePattern) {
	if e.Dir == dirIn {
		p.WriteString("<")
	}
	p.WriteString("-")
	if e.Variable != "" || e.Types != nil || e.Var && !e.Quantified || e.Props != nil || e.Where != nil {
		p.WriteString("[")
		if e.Variable != "" {
			p.WriteString(quoteVariable(e.Variable))
		}
		for i, t := range e.Types {
			if i == 0 {
				p.WriteString(":")
			} else {
				p.WriteString("|")
			}
			p.WriteString(quoteName(t))
		}
		if e.Var && !e.Quantified {
			p.WriteString(edgeLength(e.Min, e.Max))
		}
		p.patternProps(e.Props, e.Variable != "" || e.Types != nil || e.Var && !e.Quantified)
		p.where(e.Where)
		p.WriteString("]")
	}
	p.WriteString("-")
	if e.Dir == dirOut {
		p.WriteString(">")
	}
	if e.Quantified {
		p.WriteString(quantifierText(e.Min, e.Max))
	}
}

// quantifierText writes a length behind an edge, as {1,3}.
func quantifierText(min, max int) string {
	text := "{" + strconv.Itoa(min) + ","
	if max >= 0 {
		text += strconv.Itoa(max)
	}
	return text + "}"
}

// where writes WHERE and a condition, if there is one.
func (p *printer) where(x expr) {
	if x != nil {
		p.WriteString(" WHERE ")
		p.inner(x)
	}
}

// edgeLength writes a variable length as *1..3.
func edgeLength(min, max int) string {
	switch {
	case min == max:
		return "*" + strconv.Itoa(min)
	case min == 1 && max < 0:
		return "*"
	case max < 0:
		return "*" + strconv.Itoa(min) + ".."
	}
	return "*" + strconv.Itoa(min) + ".." + strconv.Itoa(max)
}
