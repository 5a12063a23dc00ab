package cypher

// query writes a query, its clauses with spaces between them.
func (p *printer) query(q *regularQuery) {
	for i, part := range q.Parts {
		if i > 0 {
			p.WriteString(" UNION ")
			if q.All[i-1] {
				p.WriteString("ALL ")
			}
		}
		for j, c := range part.Clauses {
			if p.most > 0 && p.Len() > p.most {
				return
			}
			if j > 0 {
				p.WriteString(" ")
			}
			p.clause(c)
		}
	}
}

// clause writes a clause.
func (p *printer) clause(c clause) {
	if _, ok := c.(*subqueryClause); !ok {
		p.WriteString(clauseName(c) + " ")
	}
	switch c := c.(type) {
	case *matchClause:
		p.patterns(c.Patterns)
		p.where(c.Where)
	case *unwindClause:
		p.inner(c.List)
		p.WriteString(" AS " + quoteVariable(c.Variable))
	case *projection:
		p.projection(c)
	case *callClause:
		p.call(c)
	case *createClause:
		p.patterns(c.Patterns)
	case *mergeClause:
		p.pattern(c.Pattern)
		p.onItems(" ON CREATE SET ", c.OnCreate)
		p.onItems(" ON MATCH SET ", c.OnMatch)
	case *setClause:
		p.setItems(c.Items)
	case *removeClause:
		for i, it := range c.Items {
			p.comma(i)
			p.target(it.Target, it.Labels)
		}
	case *deleteClause:
		p.list(c.Exprs)
	case *subqueryClause:
		p.callQuery(c)
	case *foreachClause:
		p.WriteString("(" + quoteVariable(c.Variable) + " IN ")
		p.until(c.List, true)
		p.WriteString(" | ")
		p.query(&regularQuery{Parts: []*singleQuery{{Clauses: c.Clauses}}})
		p.WriteString(")")
	case *loadClause:
		p.load(c)
	}
}

// comma writes a comma before all items but the first.
func (p *printer) comma(i int) {
	if i > 0 {
		p.WriteString(", ")
	}
}

func (p *printer) projection(c *projection) {
	if c.Distinct {
		p.WriteString("DISTINCT ")
	}
	if c.Star {
		p.WriteString("*")
	}
	for i, it := range c.Items {
		if i > 0 || c.Star {
			p.WriteString(", ")
		}
		p.inner(it.Expr)
		if v, ok := it.Expr.(*variable); it.Aliased && !(ok && v.Name == it.Name) {
			p.WriteString(" AS " + quoteVariable(it.Name))
		}
	}
	for i, s := range c.Order {
		p.WriteString([]string{", ", " ORDER BY "}[1-min(i, 1)])
		p.inner(s.Expr)
		p.WriteString(s.suffix())
	}
	if c.Skip != nil {
		p.WriteString(" SKIP ")
		p.inner(c.Skip)
	}
	if c.Limit != nil {
		p.WriteString(" LIMIT ")
		p.inner(c.Limit)
	}
	p.where(c.Where)
}

func (p *printer) call(c *callClause) {
	p.WriteString(quoteFunction(c.Procedure))
	if !c.Implicit {
		p.WriteString("(")
		p.list(c.Args)
		p.WriteString(")")
	}
	if c.Star {
		p.WriteString(" YIELD *")
	}
	for i, it := range c.Yield {
		p.WriteString([]string{", ", " YIELD "}[1-min(i, 1)])
		p.WriteString(quoteVariable(it.Column))
		if it.Variable != it.Column {
			p.WriteString(" AS " + quoteVariable(it.Variable))
		}
	}
	p.where(c.Where)
}

func (p *printer) onItems(what string, items []*setClauseItem) {
	if len(items) > 0 {
		p.WriteString(what)
		p.setItems(items)
	}
}

func (p *printer) setItems(items []*setClauseItem) {
	for i, it := range items {
		p.comma(i)
		p.target(it.Target, it.Labels)
		if it.Value == nil {
			continue
		}
		if it.Add {
			p.WriteString(" +")
		} else {
			p.WriteString(" ")
		}
		p.WriteString("= ")
		p.inner(it.Value)
	}
}

// target writes the target of SET or REMOVE, with its labels.
func (p *printer) target(x expr, labels []string) {
	p.expr(x, levelPostfix)
	for _, l := range labels {
		p.WriteString(":" + quoteName(l))
	}
}

func (p *printer) callQuery(c *subqueryClause) {
	if c.Optional {
		p.WriteString("OPTIONAL ")
	}
	p.WriteString("CALL ")
	if c.Scoped {
		p.WriteString("(")
		if c.All {
			p.WriteString("*")
		}
		for i, v := range c.Imports {
			p.comma(i)
			p.WriteString(quoteVariable(v.Name))
		}
		p.WriteString(") ")
	}
	p.WriteString("{ ")
	p.query(c.Query)
	p.WriteString(" }")
	if c.Batch == nil {
		return
	}
	p.WriteString(" IN TRANSACTIONS")
	if c.Batch.Rows != nil {
		p.WriteString(" OF ")
		p.inner(c.Batch.Rows)
		p.WriteString(" ROWS")
	}
}

func (p *printer) load(c *loadClause) {
	if c.Headers {
		p.WriteString("WITH HEADERS ")
	}
	p.WriteString("FROM ")
	p.inner(c.File)
	p.WriteString(" AS " + quoteVariable(c.Variable))
	if c.Separator != "" {
		p.WriteString(" FIELDTERMINATOR " + quoteString(c.Separator))
	}
}
