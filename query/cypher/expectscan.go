package cypher

import "slices"

// placeScanner reads the tokens before a position once, from left to right, and
// keeps the state that completion needs: the clause, the open brackets and the
// variables in scope. It takes any text and guesses at errors.
type placeScanner struct {
	text      string
	clause    keyword
	brackets  []openBracket
	vars      []string
	labels    map[string][]string // of variables, as patterns give them
	projected []string            // by the WITH that is being read
	star      bool                // WITH *
	procedure string              // of the last CALL
	dropping  bool                // DROP INDEX
}

// openBracket is a bracket that is not closed yet.
type openBracket struct {
	role     bracketRole
	outer    keyword // the clause around it
	variable string  // of a node or an edge
	colon    bool    // a label or type was begun
	labels   []string
}

// bracketRole is the kind of syntax that a bracket encloses.
type bracketRole uint8

// The roles.
const (
	roleGroup    bracketRole = iota // an expression, arguments, a list
	roleNode                        // (n:Label)
	roleEdge                        // -[r:TYPE]-
	roleProps                       // the properties in a pattern
	roleMap                         // a map
	roleSubquery                    // EXISTS { } and COUNT { }, or the query of COPY
)

// scanPlace reads tokens.
func scanPlace(text string, toks []token) *placeScanner {
	s := &placeScanner{text: text, labels: map[string][]string{}}
	for i, t := range toks {
		before, after := token{}, token{}
		if i > 0 {
			before = toks[i-1]
		}
		if i+1 < len(toks) {
			after = toks[i+1]
		}
		s.token(before, t, after)
	}
	return s
}

// top returns the innermost bracket; none is a group.
func (s *placeScanner) top() openBracket {
	if len(s.brackets) == 0 {
		return openBracket{}
	}
	return s.brackets[len(s.brackets)-1]
}

// name returns the name that a token is.
func (s *placeScanner) name(t token) string {
	if t.kind == tokQuoted {
		return unquoteName(s.text[t.start:t.end])
	}
	return s.text[t.start:t.end]
}

// token reads one token between its neighbours.
func (s *placeScanner) token(before, t, after token) {
	switch t.kind {
	case tokLeftParen, tokLeftBracket, tokLeftBrace:
		b := openBracket{role: s.role(before, t), outer: s.clause}
		if b.role == roleSubquery && t.kind == tokLeftBrace {
			s.clause = kwMatch
		}
		s.brackets = append(s.brackets, b)
	case tokRightParen, tokRightBracket, tokRightBrace:
		if n := len(s.brackets); n > 0 {
			if s.brackets[n-1].role == roleSubquery {
				s.clause = s.brackets[n-1].outer
			}
			s.brackets = s.brackets[:n-1]
		}
	case tokColon:
		if n := len(s.brackets); n > 0 {
			s.brackets[n-1].colon = true
		}
	case tokStar:
		if s.clause == kwWith && len(s.brackets) == 0 {
			s.star = true
		}
	case tokWord, tokQuoted:
		s.word(before, t, after)
	}
}

// role returns the role of an opening bracket.
func (s *placeScanner) role(before, t token) bracketRole {
	top := s.top()
	inPattern := s.clause == kwMatch || s.clause == kwCreate || s.clause == kwMerge || s.clause == kwIndex
	switch t.kind {
	case tokLeftParen:
		if before.word == kwCopy {
			return roleSubquery
		}
		if inPattern && (len(s.brackets) == 0 || top.role == roleSubquery || before.word == kwShortestPath || before.word == kwAllShortestPaths) &&
			before.kind != tokQuoted && (before.kind != tokWord || before.word != noKeyword) {
			if before.word == kwShortestPath || before.word == kwAllShortestPaths {
				return roleSubquery
			}
			return roleNode
		}
	case tokLeftBracket:
		if before.kind == tokMinus {
			return roleEdge
		}
	case tokLeftBrace:
		switch {
		case top.role == roleNode || top.role == roleEdge:
			return roleProps
		case before.word == kwExists || before.word == kwCount || before.word == kwCall || before.isWord(s.text, "COLLECT"),
			before.kind == tokRightParen && s.clause == kwCall && s.procedure == "" && len(s.brackets) == 0:
			return roleSubquery
		}
		return roleMap
	}
	return roleGroup
}

// word reads a name or a keyword.
func (s *placeScanner) word(before, t, after token) {
	name := s.name(t)
	n := len(s.brackets)
	if before.kind == tokDot && s.clause == kwCall && n == 0 {
		s.procedure += "." + name
		return
	}
	if before.kind == tokDot {
		return
	}
	if n > 0 {
		switch b := &s.brackets[n-1]; b.role {
		case roleNode, roleEdge:
			if before.kind == tokColon || before.kind == tokBar {
				b.labels = append(b.labels, name)
				if b.variable != "" {
					s.labels[b.variable] = b.labels
				}
			} else if !t.word.reserved() {
				b.variable = name
				s.bind(name)
				b.labels = slices.Clone(s.labels[name])
			}
			return
		case roleProps, roleMap, roleGroup:
			if after.word == kwIn && (before.kind == tokLeftBracket || before.kind == tokLeftParen) {
				s.bind(name) // of a comprehension or a quantifier
			}
			return
		}
	}
	if before.kind == tokColon {
		return
	}
	switch {
	case before.word == kwCall:
		s.procedure = name
	case before.word == kwAs:
		s.bind(name)
		s.projected = append(s.projected, name)
	case t.word.beginsPlace() && before.word != kwStarts && before.word != kwEnds && before.word != kwOn:
		s.enter(t.word)
	case t.word.reserved():
	case s.clause == kwWith && (before.word == kwWith || before.word == kwDistinct || before.kind == tokComma) &&
		(after.kind == tokComma || after.kind == tokEnd || after.word.beginsPlace()):
		s.projected = append(s.projected, name)
	case s.clause == kwYield && after.word != kwAs:
		s.bind(name)
	case after.kind == tokEqual && (s.clause == kwMatch || s.clause == kwCreate || s.clause == kwMerge):
		s.bind(name) // of a path
	}
}

// bind adds a variable to those in scope.
func (s *placeScanner) bind(name string) {
	if !slices.Contains(s.vars, name) {
		s.vars = append(s.vars, name)
	}
}

// enter begins a clause. After WITH, the following clauses see only the
// variables that WITH passes on.
func (s *placeScanner) enter(clause keyword) {
	switch clause {
	case kwWhere, kwOrder, kwSkip, kwLimit, kwYield:
		s.clause = clause
		return
	case kwDrop:
		s.dropping = true
	case kwUnion:
		s.vars = nil
	}
	if s.projected != nil && !s.star {
		s.vars = s.projected
	}
	s.projected, s.star = nil, false
	if clause == kwWith {
		s.projected = []string{}
	}
	s.clause = clause
}

// beginsPlace reports whether completion is another after a keyword.
func (k keyword) beginsPlace() bool {
	switch k {
	case kwMatch, kwWhere, kwReturn, kwWith, kwOrder, kwSkip, kwLimit, kwUnwind,
		kwCall, kwYield, kwCreate, kwMerge, kwSet, kwRemove, kwDelete, kwUnion,
		kwUse, kwIndex, kwDrop, kwCopy:
		return true
	}
	return false
}
