package cypher

// Token is a piece of a text for a highlighter: text[Start:End].
type Token struct {
	Kind       TokenKind
	Start, End int // in bytes
}

// TokenKind says what a [Token] is.
type TokenKind uint8

// The kinds of tokens.
const (
	TokenName      TokenKind = iota // a variable, a property, a key
	TokenKeyword                    // a word of the grammar
	TokenFunction                   // a function or a procedure, with its namespace
	TokenLabel                      // a label or an edge type
	TokenString                     // a string with its quotes
	TokenNumber                     // an integer or a float
	TokenParameter                  // $name
	TokenOperator                   // an operator or a bracket
	TokenComment                    // a comment
	TokenBad                        // what is no token, or does not end
)

// Tokens cuts a text into tokens in order; between them is only space. It takes
// any text, whole or not, and looks at words only one by one, so that it can run
// at each key.
func Tokens(text string) []Token {
	toks := lex(text)
	out := make([]Token, 0, len(toks))
	end := 0
	for i, t := range toks {
		out = appendComments(out, text, end, t.start)
		if t.kind == tokEnd {
			break
		}
		out = append(out, Token{Kind: highlightKind(toks, i), Start: t.start, End: t.end})
		end = t.end
	}
	return out
}

// appendComments adds the comments of what lies between two tokens.
func appendComments(out []Token, text string, from, to int) []Token {
	for i := from; i+1 < to; i++ {
		if text[i] != '/' {
			continue
		}
		start := i
		if text[i+1] == '/' {
			for i < to && text[i] != '\n' && text[i] != '\r' {
				i++
			}
		} else {
			for i += 3; i < to && !(text[i-1] == '*' && text[i] == '/'); i++ {
			}
			i++
		}
		out = append(out, Token{Kind: TokenComment, Start: start, End: min(i, to)})
	}
	return out
}

// highlightKind returns how the i-th token is shown.
func highlightKind(toks []token, i int) TokenKind {
	t := toks[i]
	before := token{kind: tokSemicolon}
	if i > 0 {
		before = toks[i-1]
	}
	switch t.kind {
	case tokBad, tokForeign:
		if t.bad == badComment {
			return TokenComment
		}
		return TokenBad
	case tokString:
		return TokenString
	case tokInt, tokFloat:
		return TokenNumber
	case tokParam:
		return TokenParameter
	case tokWord, tokQuoted:
	default:
		return TokenOperator
	}
	after := toks[i+1].kind
	switch {
	case before.kind == tokColon && !isKey(toks, i-1), isAlternative(toks, i):
		return TokenLabel
	case before.word == kwCall, callsFunction(toks, i):
		return TokenFunction
	case before.kind == tokDot, t.word == noKeyword, after == tokColon && before.kind != tokLeftParen, after == tokDot:
		return TokenName
	case after == tokEqual && !t.word.reserved():
		return TokenName
	}
	return TokenKeyword
}

// isKey reports whether the colon at i stands after the key of a map and not
// before a label.
func isKey(toks []token, i int) bool {
	if i < 2 || toks[i-1].kind != tokWord && toks[i-1].kind != tokQuoted {
		return false
	}
	before := toks[i-2].kind
	return before == tokLeftBrace || before == tokComma
}

// isAlternative reports whether the name at i is a label after a bar, as in
// :A|B. In comprehensions a bar has space around it.
func isAlternative(toks []token, i int) bool {
	return i >= 3 && toks[i-1].kind == tokBar && toks[i-1].end == toks[i].start &&
		toks[i-2].end == toks[i-1].start &&
		(toks[i-3].kind == tokColon || toks[i-3].kind == tokBar)
}

// maxNamespaces is how many names with a dot are looked at before a bracket.
const maxNamespaces = 8

// callsFunction reports whether the name at i belongs to one that is called.
func callsFunction(toks []token, i int) bool {
	if toks[i].word.reserved() && toks[i].word != kwAll && toks[i].word != kwExists {
		return false
	}
	for n := 0; n < maxNamespaces && i+2 < len(toks) && toks[i+1].kind == tokDot && toks[i+2].kind == tokWord; n++ {
		i += 2
	}
	if toks[i+1].kind != tokLeftParen {
		return false
	}
	switch toks[i].word {
	case kwIn, kwOn, kwFor, kwCopy: // a bracket follows them too
		return false
	}
	return true
}
