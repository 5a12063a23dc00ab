package cypher

import "slices"

// Expectation lists the completions for a position in a text that is being
// typed. It may list words that are not valid there.
type Expectation struct {
	// Typed is the part of the current word before the position, and Start its
	// offset in the text, in bytes.
	Typed string
	Start int

	// Keywords are words of the grammar, those first that are wanted most. Some
	// are several words, such as ORDER BY.
	Keywords []string
	// Variables are the names in scope, in the order in which they were bound.
	Variables []string

	Functions  bool // a function may be called
	Procedures bool // the name of a procedure is wanted
	Graphs     bool // the name of a graph is wanted
	Labels     bool // a label is wanted
	EdgeTypes  bool // an edge type is wanted
	Properties bool // the name of a property is wanted; see Of
	Parameters bool // the name of a parameter is wanted, after its $
	Indexes    bool // the name of an index is wanted
	Files      bool // the name of a file is wanted

	// Of lists the labels or edge types of the element whose property is
	// completed, if they are known.
	Of []string
	// ColumnsOf is the procedure of which a column is wanted, "" for none.
	ColumnsOf string
}

// Words that may begin a clause, follow an operand, or follow the content of a
// clause.
var (
	beginWords = []string{
		"MATCH", "CALL", "RETURN", "OPTIONAL MATCH", "UNWIND", "WITH", "CREATE",
		"MERGE", "USE", "EXPLAIN", "PROFILE", "COPY", "LOAD CSV", "CREATE INDEX", "CREATE GRAPH",
		"CREATE VECTOR INDEX", "DROP INDEX", "DROP VECTOR INDEX",
	}
	nextWords = []string{
		"RETURN", "WITH", "MATCH", "OPTIONAL MATCH", "CALL", "UNWIND", "SET",
		"CREATE", "MERGE", "REMOVE", "DELETE", "DETACH DELETE", "FOREACH (", "LOAD CSV",
	}
	operatorWords = []string{
		"AND", "OR", "IN", "CONTAINS", "STARTS WITH", "ENDS WITH", "IS NULL",
		"IS NOT NULL", "XOR",
	}
	operandWords = []string{
		"NOT", "CASE", "EXISTS {", "COUNT {", "COLLECT {", "null", "true", "false",
	}
)

// subqueryWords are the words that a query within another may begin with.
var subqueryWords = []string{"MATCH", "WITH", "UNWIND", "CALL", "RETURN", "OPTIONAL MATCH", "CREATE", "MERGE"}

// wordsAfter are the words that follow a word.
var wordsAfter = map[keyword][]string{
	kwOptional: {"MATCH", "CALL"},
	kwDetach:   {"DELETE"},
	kwOrder:    {"BY"},
	kwIs:       {"NULL", "NOT NULL"},
	kwStarts:   {"WITH"},
	kwEnds:     {"WITH"},
	kwDrop:     {"INDEX", "VECTOR INDEX"},
	kwVector:   {"INDEX"},
	kwOn:       {"CREATE SET", "MATCH SET"},
	kwExplain:  beginWords,
	kwProfile:  beginWords,
}

// wordsIn lists the words that may follow an operand in a clause, besides
// operators.
var wordsIn = map[keyword][]string{
	kwMatch:  append([]string{"WHERE"}, nextWords...),
	kwWhere:  nextWords,
	kwReturn: {"AS", "ORDER BY", "SKIP", "LIMIT", "UNION", "UNION ALL"},
	kwWith:   append([]string{"AS", "WHERE", "ORDER BY", "SKIP", "LIMIT"}, nextWords...),
	kwOrder:  append([]string{"DESC", "ASC", "SKIP", "LIMIT"}, nextWords...),
	kwSkip:   append([]string{"LIMIT"}, nextWords...),
	kwLimit:  nextWords,
	kwUnwind: append([]string{"AS"}, nextWords...),
	kwCall:   append([]string{"YIELD"}, nextWords...),
	kwYield:  append([]string{"AS", "WHERE"}, nextWords...),
	kwCreate: nextWords,
	kwMerge:  append([]string{"ON CREATE SET", "ON MATCH SET"}, nextWords...),
	kwSet:    nextWords,
	kwRemove: nextWords,
	kwDelete: nextWords,
	kwUse:    beginWords,
	kwIndex:  {"IF NOT EXISTS", "FOR", "OPTIONS"},
	kwCopy:   {"FROM", "TO", "OPTIONS"},
}

// Expecting returns the completions for a position in a text, in bytes. It
// ignores the text after the position.
func Expecting(text string, at int) Expectation {
	at = min(max(at, 0), len(text))
	text = text[:at]
	toks := lex(text)
	toks = toks[:len(toks)-1]
	e := Expectation{Start: at}
	if len(toks) > 0 {
		last := toks[len(toks)-1]
		if last.end == at && last.kind != tokSemicolon {
			if done := e.typed(text, toks); done {
				return e
			}
			if e.Start < at {
				toks = toks[:len(toks)-1]
			}
		} else if inComment(text[last.end:]) {
			return e
		}
	} else if inComment(text) {
		return e
	}
	if i := slices.IndexFunc(toks, func(t token) bool { return t.kind == tokSemicolon }); i >= 0 {
		for j := len(toks) - 1; j >= i; j-- {
			if toks[j].kind == tokSemicolon {
				toks = toks[j+1:]
				break
			}
		}
	}
	s := scanPlace(text, toks)
	e.at(s, toks)
	e.Keywords = slices.Clone(e.Keywords)
	return e
}

// inComment reports whether a text without tokens ends in a comment.
func inComment(space string) bool {
	last := byte(0)
	for i := range len(space) {
		switch c := space[i]; {
		case c == '\n' || c == '\r':
			last = 0
		case c == '/' && i+1 < len(space) && space[i+1] == '/':
			last = c
		}
	}
	return last != 0
}

// typed sets the word that is being typed. It reports whether that word alone
// determines the completions.
func (e *Expectation) typed(text string, toks []token) (done bool) {
	last := toks[len(toks)-1]
	before := token{}
	if len(toks) > 1 {
		before = toks[len(toks)-2]
	}
	switch {
	case last.kind == tokWord, last.kind == tokQuoted, last.bad == badBackticks:
		e.Start, e.Typed = last.start, text[last.start:]
		return false
	case last.kind == tokParam, last.bad == badParam:
		e.Start, e.Typed = last.start+1, text[last.start+1:]
		e.Parameters = true
	case last.bad == badString:
		e.Start, e.Typed = last.start+1, text[last.start+1:]
		e.Files = before.word == kwFrom || before.word == kwTo
		e.Graphs = before.word == kwUse
	case last.kind == tokString, last.kind == tokInt, last.kind == tokFloat, last.kind == tokBad:
	default:
		return false // a symbol: what follows it is expected
	}
	return true
}

// at sets the completions after some tokens.
func (e *Expectation) at(s *placeScanner, toks []token) {
	if len(toks) == 0 {
		e.Keywords = beginWords
		return
	}
	last := toks[len(toks)-1]
	top := s.top()
	switch {
	case last.kind == tokDot:
		e.afterDot(s, toks)
		return
	case last.kind == tokColon && top.role == roleEdge, last.kind == tokBar && top.role == roleEdge && top.colon:
		e.EdgeTypes = true
		return
	case last.kind == tokColon && top.role != roleProps && top.role != roleMap, last.kind == tokBar && top.role == roleNode && top.colon:
		e.Labels = true
		return
	}
	switch top.role {
	case roleNode, roleEdge:
		if last.kind == tokLeftParen || last.kind == tokLeftBracket {
			e.Variables = s.vars
		}
		return
	case roleProps:
		if last.kind == tokLeftBrace || last.kind == tokComma {
			e.Properties, e.Of = true, s.brackets[len(s.brackets)-2].labels
			return
		}
	case roleMap:
		if last.kind == tokLeftBrace || last.kind == tokComma {
			return
		}
	case roleSubquery:
		if last.kind == tokLeftBrace {
			e.Keywords = subqueryWords
			return
		}
	}
	if words, ok := wordsAfter[last.word]; ok && !(last.word == kwOn && s.clause == kwIndex) {
		e.Keywords = words
		return
	}
	e.inClause(s, last)
}

// afterDot expects the rest of a procedure's or function's name, or a property.
func (e *Expectation) afterDot(s *placeScanner, toks []token) {
	i := len(toks) - 2
	for i >= 2 && toks[i-1].kind == tokDot && (toks[i].kind == tokWord || toks[i].kind == tokQuoted) {
		i -= 2
	}
	if i < 0 || toks[i].kind != tokWord && toks[i].kind != tokQuoted {
		e.Properties = len(toks) > 1
		return
	}
	start := toks[i].start
	if i > 0 && toks[i-1].word == kwCall {
		e.Procedures = true
	} else if name := s.name(toks[i]); slices.Contains(s.vars, name) {
		e.Properties, e.Of = true, s.labels[name]
		return
	} else {
		e.Functions = true
	}
	e.Typed = s.text[start:]
	e.Start = start
}

// wordsIn returns the words that may follow in a clause.
func (s *placeScanner) wordsIn(clause keyword) []string {
	if clause == kwIndex && s.dropping {
		return []string{"IF EXISTS", "FOR"}
	}
	return wordsIn[clause]
}

// inClause sets the completions after a token outside of patterns.
func (e *Expectation) inClause(s *placeScanner, last token) {
	nested := len(s.brackets) > 0 && s.top().role != roleSubquery
	switch {
	case last.word == kwCall && !nested:
		e.Procedures = true
	case last.word == kwUse && !nested:
		e.Graphs = true
	case last.word == kwAs && !nested:
	case s.clause == kwYield && !nested && (last.word == kwYield || last.kind == tokComma):
		e.ColumnsOf = s.procedure
	case last.word == kwIndex:
		e.Indexes = s.dropping
		e.Keywords = s.wordsIn(kwIndex)
	case last.word == kwCopy:
		e.Labels, e.EdgeTypes = true, true
	case last.word == kwFrom || last.word == kwTo:
		e.Labels = nested
	case last.word == kwUnion:
		e.Keywords = append([]string{"ALL"}, nextWords...)
	case (last.word == kwMatch || last.word == kwCreate || last.word == kwMerge) && !nested:
		if last.word == kwMatch {
			e.Keywords = []string{"shortestPath(", "allShortestPaths("}
		} else if last.word == kwCreate {
			e.Keywords = []string{"INDEX", "VECTOR INDEX"}
		}
	case endsOperand(last):
		if s.clause.holdsExpressions() || nested {
			e.Keywords = operatorWords
		}
		if !nested {
			e.Keywords = append(slices.Clone(s.wordsIn(s.clause)), e.Keywords...)
			if s.clause == kwWhere {
				e.Keywords = append(slices.Clone(operatorWords), nextWords...)
			}
		}
	default:
		e.Variables = s.vars
		e.Functions = true
		e.Keywords = operandWords
		if last.word == kwReturn || last.word == kwWith && s.clause == kwWith {
			e.Keywords = append([]string{"DISTINCT"}, operandWords...)
		}
	}
}

// endsOperand reports whether an operand may end with a token.
func endsOperand(t token) bool {
	switch t.kind {
	case tokWord:
		switch t.word {
		case kwNull, kwTrue, kwFalse, kwEnd, kwAsc, kwDesc, kwAscending, kwDescending:
			return true
		}
		return !t.word.reserved() && t.word != kwYield
	case tokQuoted, tokString, tokInt, tokFloat, tokParam, tokRightParen, tokRightBracket, tokRightBrace, tokStar:
		return true
	}
	return false
}

// holdsExpressions reports whether operators may stand in a clause.
func (k keyword) holdsExpressions() bool {
	switch k {
	case kwWhere, kwReturn, kwWith, kwOrder, kwUnwind, kwSet, kwSkip, kwLimit:
		return true
	}
	return false
}
