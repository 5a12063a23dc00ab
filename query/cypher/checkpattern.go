package cypher

// matchPatterns checks patterns that are matched, and binds their variables in
// the scope. undo removes the variables again.
func (c *checker) matchPatterns(ps []*pattern, scope exprScope) (undo func()) {
	before := scope.vars
	here := map[string]varKind{} // what these patterns bind
	bind := func(at Pos, name string, kind varKind) {
		if name == "" {
			return
		}
		was, bound := here[name]
		if !bound {
			was, bound = before[name]
		}
		if bound && was != varAny && was != kind {
			c.fail(c.nameAfter(at, name), conflictCode(was, kind), "the variable %s is %s already, and cannot be %s", name, was, kind)
		}
		here[name] = kind
	}
	for _, pt := range ps {
		if c.look(); c.err != nil {
			return func() {}
		}
		for _, n := range pt.Nodes {
			bind(n.Pos, n.Variable, varNode)
		}
		for _, e := range pt.Edges {
			kind := varEdge
			if e.Var {
				kind = varEdges
				if k, ok := before[e.Variable]; ok && e.Variable != "" && k == varList {
					before[e.Variable] = varEdges // a list that may hold edges
				}
			}
			if k, ok := here[e.Variable]; ok && (k == varEdge || k == varEdges) {
				c.fail(c.nameAfter(e.Pos, e.Variable), "RelationshipUniquenessViolation", "the edge %s stands twice in one MATCH, and no two edges of a match are the same", e.Variable)
			}
			bind(e.Pos, e.Variable, kind)
		}
		if pt.Variable != "" {
			_, early := before[pt.Variable]
			if _, ok := here[pt.Variable]; ok || early {
				c.fail(pt.Pos, "VariableAlreadyBound", "the variable %s is bound already, and cannot name a path", pt.Variable)
			}
			here[pt.Variable] = varPath
		}
		if pt.Shortest != notShortest {
			c.shortest(pt)
		}
	}
	undo = scope.vars.enter(ps)
	for _, pt := range ps {
		for _, n := range pt.Nodes {
			c.matchedProps(n.Props, scope)
			c.patternWhere(n.Where, scope)
		}
		for _, e := range pt.Edges {
			c.matchedProps(e.Props, scope)
			c.edgeWhere(e, scope)
		}
	}
	return undo
}

// patternWhere checks a condition within a pattern.
func (c *checker) patternWhere(where expr, scope exprScope) {
	scope.where = "WHERE"
	c.where(where, scope)
}

// edgeWhere checks the condition of an edge. In a quantified pattern its variable stands
// for one edge.
func (c *checker) edgeWhere(e *edgePattern, scope exprScope) {
	if e.Var && e.Variable != "" {
		defer scope.vars.set(varEdge, e.Variable)()
	}
	c.patternWhere(e.Where, scope)
}

// nameAfter returns the position of a name at or after a position.
func (c *checker) nameAfter(at Pos, name string) Pos {
	l := lexer{text: c.text, pos: int(at)}
	for t := l.next(); t.kind != tokEnd; t = l.next() {
		switch text := c.text[t.start:t.end]; {
		case t.kind == tokWord && text == name, t.kind == tokQuoted && unquoteName(text) == name:
			return Pos(t.start)
		}
	}
	return at
}

// conflictCode returns the code of the error for a variable that is bound as
// two kinds of things.
func conflictCode(was, kind varKind) string {
	if was == varPath && kind == varPath {
		return "VariableAlreadyBound"
	}
	return "VariableTypeConflict"
}

// matchedProps checks the properties in a pattern that is matched.
func (c *checker) matchedProps(props expr, scope exprScope) {
	if props == nil {
		return
	}
	if pm, ok := props.(*param); ok {
		c.fail(pm.Pos, "InvalidParameterUse", "a parameter cannot stand for all properties of a pattern that is looked for: write {name: $value}")
		return
	}
	if m, ok := props.(*mapLit); ok {
		c.reads[c.at] = append(c.reads[c.at], m.Keys...)
	}
	c.expr(props, scope)
}

// shortest checks a pattern of shortest paths.
func (c *checker) shortest(pt *pattern) {
	for _, e := range pt.Edges {
		if e.Var && e.Min > 1 {
			c.unsupported(e.Pos, "a least length above 1 in shortestPath")
		}
	}
}

// writtenPattern checks a pattern of CREATE or MERGE.
func (c *checker) writtenPattern(pt *pattern, vars kinds, clause string) {
	scope := exprScope{vars: vars, where: clause}
	if pt.Shortest != notShortest {
		c.fail(pt.Pos, "", "%s cannot make a shortest path", clause)
	}
	if pt.Variable != "" {
		c.fresh(pt.Pos, pt.Variable, vars)
	}
	here := map[string]varKind{}
	c.look()
	for _, n := range pt.Nodes {
		c.look()
		c.writtenNode(n, len(pt.Edges) == 0, here, scope)
	}
	for _, e := range pt.Edges {
		c.writtenEdge(e, here, scope)
	}
	if _, ok := here[pt.Variable]; ok && pt.Variable != "" {
		c.fail(pt.Pos, "VariableAlreadyBound", "the variable %s is bound already, and cannot name a path", pt.Variable)
	}
}

// writtenNode checks a node of CREATE or MERGE. A node that is already bound
// may only be the end of an edge, without labels and properties.
func (c *checker) writtenNode(n *nodePattern, alone bool, here map[string]varKind, scope exprScope) {
	if n.Where != nil {
		c.fail(n.Where.At(), "", "a condition in a pattern is for MATCH, not for %s", scope.where)
	}
	if _, ok := n.Labels.names(); !ok {
		c.fail(n.Pos, "UnexpectedSyntax", "%s cannot choose between labels: write those that the node gets", scope.where)
	}
	if n.Variable != "" {
		kind, bound := scope.vars[n.Variable]
		if k, ok := here[n.Variable]; ok {
			kind, bound = k, true
		}
		switch {
		case bound && kind != varNode && kind != varAny:
			c.fail(c.nameAfter(n.Pos, n.Variable), "VariableTypeConflict", "the variable %s is %s already, and cannot be a node", n.Variable, kind)
		case bound && (alone || n.Labels != nil || n.Props != nil):
			c.fail(c.nameAfter(n.Pos, n.Variable), "VariableAlreadyBound", "the node %s is bound already: %s cannot make it again", n.Variable, scope.where)
		}
		here[n.Variable] = varNode
	}
	c.writtenProps(n.Props, scope)
}

// writtenEdge checks an edge of CREATE or MERGE.
func (c *checker) writtenEdge(e *edgePattern, here map[string]varKind, scope exprScope) {
	clause := scope.where
	if e.Where != nil {
		c.fail(e.Where.At(), "", "a condition in a pattern is for MATCH, not for %s", clause)
	}
	if _, bound := scope.vars[e.Variable]; bound && e.Variable != "" {
		c.fail(c.nameAfter(e.Pos, e.Variable), "VariableAlreadyBound", "the variable %s is bound already: %s cannot make it again", e.Variable, clause)
	}
	switch {
	case e.Var:
		c.fail(e.Pos, "CreatingVarLength", "%s makes single edges: a variable length is for MATCH", clause)
	case len(e.Types) != 1:
		c.fail(e.Pos, "NoSingleRelationshipType", "%s needs one type of the edge: -[:TYPE]->", clause)
	case e.Dir == dirBoth && clause == "CREATE":
		c.fail(e.Pos, "RequiresDirectedRelationship", "CREATE needs a direction of the edge: -[:TYPE]->")
	}
	if e.Variable != "" {
		if k, ok := here[e.Variable]; ok && k == varNode {
			c.fail(c.nameAfter(e.Pos, e.Variable), "VariableTypeConflict", "the variable %s is a node already, and cannot be an edge", e.Variable)
		} else if ok {
			c.fail(c.nameAfter(e.Pos, e.Variable), "VariableAlreadyBound", "the variable %s is bound already: %s cannot make it again", e.Variable, clause)
		}
		here[e.Variable] = varEdge
	}
	c.writtenProps(e.Props, scope)
}

// writtenProps checks the properties of a created node or edge. They see only
// variables that are bound before the pattern.
func (c *checker) writtenProps(props expr, scope exprScope) {
	if props == nil {
		return
	}
	if pm, ok := props.(*param); ok && scope.where == "MERGE" {
		c.fail(pm.Pos, "InvalidParameterUse", "a parameter cannot stand for all properties in MERGE: write {name: $value}")
		return
	}
	c.expr(props, scope)
}
