package cypher

import "strings"

// token is a piece of a statement's text: text[start:end].
type token struct {
	kind       tokenKind
	word       keyword // of a tokWord that is a keyword
	bad        badToken
	start, end int
}

// tokenKind is the kind of a token.
type tokenKind uint8

// The kinds of tokens.
const (
	tokEnd    tokenKind = iota // the end of the text
	tokBad                     // not a token; see badToken
	tokWord                    // a name or a keyword
	tokQuoted                  // a name in backticks
	tokString                  // a string with its quotes
	tokInt
	tokFloat
	tokParam        // $name, $0 or $`a name`
	tokLeftParen    // (
	tokRightParen   // )
	tokLeftBracket  // [
	tokRightBracket // ]
	tokLeftBrace    // {
	tokRightBrace   // }
	tokComma        // ,
	tokSemicolon    // ;
	tokColon        // :
	tokDot          // .
	tokDotDot       // ..
	tokBar          // |
	tokEqual        // =
	tokNotEqual     // <>
	tokLess         // <
	tokLessEqual    // <=
	tokGreater      // >
	tokGreaterEqual // >=
	tokMatches      // =~
	tokPlus         // +
	tokPlusEqual    // +=
	tokMinus        // -
	tokStar         // *
	tokSlash        // /
	tokPercent      // %
	tokCaret        // ^
	tokForeign      // an operator of other dialects: !, !=, ==, &, ||, ::
)

// badToken is the reason for a tokBad.
type badToken uint8

// What can be wrong with a token.
const (
	notBad       badToken = iota
	badCharacter          // no token begins so
	badString             // a string does not end
	badBackticks          // a name in backticks does not end
	badComment            // a comment does not end
	badNumber             // letters follow digits, or digits follow a leading zero
	badParam              // a $ without a name
	badName               // a name in backticks is empty
	badEncoding           // the text is not UTF-8
)

// keyword is a word with a meaning in the grammar. See reserved for those that
// cannot name a variable.
type keyword uint8

// The keywords, in the order of their spelling.
const (
	noKeyword keyword = iota
	kwAll
	kwAnd
	kwAny
	kwAs
	kwAsc
	kwAscending
	kwBy
	kwCall
	kwCase
	kwContains
	kwCopy
	kwCount
	kwCreate
	kwDelete
	kwDesc
	kwDescending
	kwDetach
	kwDistinct
	kwDrop
	kwElse
	kwEnd
	kwEnds
	kwExists
	kwExplain
	kwFalse
	kwFor
	kwFrom
	kwIf
	kwIn
	kwIndex
	kwIs
	kwLimit
	kwMatch
	kwMerge
	kwNone
	kwNot
	kwNull
	kwOn
	kwOptional
	kwOptions
	kwOr
	kwOrder
	kwProfile
	kwReduce
	kwRemove
	kwReturn
	kwSet
	kwShortestPath
	kwAllShortestPaths
	kwSingle
	kwSkip
	kwStarts
	kwThen
	kwTo
	kwTrue
	kwUnion
	kwUnwind
	kwUse
	kwVector
	kwWhen
	kwWhere
	kwWith
	kwXor
	kwYield
	lastKeyword = kwYield
)

// keywordNames are the spellings, as messages and completion show them.
var keywordNames = [lastKeyword + 1]string{
	kwAll: "ALL", kwAnd: "AND", kwAny: "ANY", kwAs: "AS", kwAsc: "ASC",
	kwAscending: "ASCENDING", kwBy: "BY", kwCall: "CALL", kwCase: "CASE",
	kwContains: "CONTAINS", kwCopy: "COPY", kwCount: "COUNT", kwCreate: "CREATE",
	kwDelete: "DELETE", kwDesc: "DESC", kwDescending: "DESCENDING",
	kwDetach: "DETACH", kwDistinct: "DISTINCT", kwDrop: "DROP", kwElse: "ELSE",
	kwEnd: "END", kwEnds: "ENDS", kwExists: "EXISTS", kwExplain: "EXPLAIN",
	kwFalse: "FALSE", kwFor: "FOR", kwFrom: "FROM", kwIf: "IF", kwIn: "IN",
	kwIndex: "INDEX", kwIs: "IS", kwLimit: "LIMIT", kwMatch: "MATCH",
	kwMerge: "MERGE", kwNone: "NONE", kwNot: "NOT", kwNull: "NULL", kwOn: "ON",
	kwOptional: "OPTIONAL", kwOptions: "OPTIONS", kwOr: "OR", kwOrder: "ORDER",
	kwProfile: "PROFILE", kwReduce: "REDUCE", kwRemove: "REMOVE",
	kwReturn: "RETURN", kwSet: "SET", kwShortestPath: "SHORTESTPATH",
	kwAllShortestPaths: "ALLSHORTESTPATHS", kwSingle: "SINGLE", kwSkip: "SKIP",
	kwStarts: "STARTS", kwThen: "THEN", kwTo: "TO", kwTrue: "TRUE",
	kwUnion: "UNION", kwUnwind: "UNWIND", kwUse: "USE", kwVector: "VECTOR",
	kwWhen: "WHEN", kwWhere: "WHERE", kwWith: "WITH", kwXor: "XOR",
	kwYield: "YIELD",
}

// String returns the keyword as messages show it.
func (k keyword) String() string {
	switch k {
	case kwShortestPath:
		return "shortestPath"
	case kwAllShortestPaths:
		return "allShortestPaths"
	}
	return keywordNames[k]
}

// keywordsByName finds a keyword by its spelling in capitals.
var keywordsByName = indexKeywords()

func indexKeywords() map[string]keyword {
	m := make(map[string]keyword, len(keywordNames))
	for k := noKeyword + 1; k <= lastKeyword; k++ {
		m[keywordNames[k]] = k
	}
	return m
}

// keywordOf returns the keyword that a word spells in any case.
func keywordOf(word string) keyword {
	var buf [16]byte // ALLSHORTESTPATHS is the longest
	if len(word) < 2 || len(word) > len(buf) {
		return noKeyword
	}
	for i := range len(word) {
		c := word[i]
		if 'a' <= c && c <= 'z' {
			c -= 'a' - 'A'
		}
		buf[i] = c
	}
	return keywordsByName[string(buf[:len(word)])]
}

// reserved reports whether a keyword needs backticks to be a variable.
func (k keyword) reserved() bool {
	switch k {
	case kwAll, kwAnd, kwAs, kwAsc, kwAscending, kwBy, kwCase, kwContains,
		kwCreate, kwDelete, kwDesc, kwDescending, kwDetach, kwDistinct, kwElse,
		kwEnd, kwEnds, kwExists, kwFalse, kwIn, kwIs, kwLimit, kwMatch, kwMerge,
		kwNot, kwNull, kwOn, kwOptional, kwOr, kwOrder, kwRemove, kwReturn,
		kwSet, kwSkip, kwStarts, kwThen, kwTrue, kwUnion, kwUnwind, kwWhen,
		kwWhere, kwWith, kwXor:
		return true
	}
	return false
}

// symbols are the spellings of the tokens that have one spelling.
var symbols = [...]string{
	tokLeftParen: "(", tokRightParen: ")", tokLeftBracket: "[",
	tokRightBracket: "]", tokLeftBrace: "{", tokRightBrace: "}", tokComma: ",",
	tokSemicolon: ";", tokColon: ":", tokDot: ".", tokDotDot: "..", tokBar: "|",
	tokEqual: "=", tokNotEqual: "<>", tokLess: "<", tokLessEqual: "<=",
	tokGreater: ">", tokGreaterEqual: ">=", tokMatches: "=~", tokPlus: "+",
	tokPlusEqual: "+=", tokMinus: "-", tokStar: "*", tokSlash: "/",
	tokPercent: "%", tokCaret: "^",
}

// symbolKinds finds the kind of a symbol by its spelling.
var symbolKinds = indexSymbols()

func indexSymbols() map[string]tokenKind {
	m := map[string]tokenKind{}
	for kind, text := range symbols {
		if text != "" {
			m[text] = tokenKind(kind)
		}
	}
	for _, text := range []string{"!=", "==", "||", "&&", "::", "!", "&"} {
		m[text] = tokForeign
	}
	return m
}

// isWord reports whether the token spells a word, keyword or not, in any case.
func (t token) isWord(text, word string) bool {
	return t.kind == tokWord && strings.EqualFold(text[t.start:t.end], word)
}
