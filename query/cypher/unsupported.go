package cypher

import "strings"

// unsupportedClause returns the feature of other dialects of Cypher or of GQL
// that a clause with this first word is, or "".
func unsupportedClause(word string) string {
	return foreignClauses[strings.ToUpper(word)]
}

var foreignClauses = map[string]string{
	"ALTER":      "ALTER, administration of databases and users",
	"BEGIN":      "BEGIN, transactions of several statements",
	"COMMIT":     "COMMIT, transactions of several statements",
	"CYPHER":     "CYPHER, options in front of a query",
	"DEALLOCATE": "DEALLOCATE, administration",
	"DENY":       "DENY, rights of users",
	"ENABLE":     "ENABLE, administration",
	"FILTER":     "FILTER of GQL; write WITH ... WHERE",
	"FINISH":     "FINISH; leave RETURN out of a query that writes",
	"FOR":        "FOR of GQL; write UNWIND list AS variable",
	"GRANT":      "GRANT, rights of users",
	"INSERT":     "INSERT of GQL; write CREATE",
	"LET":        "LET of GQL; write WITH *, expression AS variable",
	"MANDATORY":  "MANDATORY MATCH",
	"NEXT":       "NEXT of GQL; write WITH",
	"NODETACH":   "NODETACH; DELETE alone refuses nodes with edges",
	"OFFSET":     "OFFSET of GQL; write SKIP",
	"REVOKE":     "REVOKE, rights of users",
	"ROLLBACK":   "ROLLBACK, transactions of several statements",
	"SELECT":     "SELECT of SQL; write MATCH (n) RETURN n",
	"SHOW":       "SHOW within a query; it is a statement of its own",
	"START":      "START",
	"STOP":       "STOP, administration",
	"TERMINATE":  "TERMINATE, administration",
	"WHEN":       "WHEN, conditional queries",
	"EXCEPT":     "EXCEPT of GQL",
	"INTERSECT":  "INTERSECT of GQL",
	"OTHERWISE":  "OTHERWISE of GQL",
	"CONSTRAINT": "CONSTRAINT as a clause; CREATE CONSTRAINT and DROP CONSTRAINT are statements of their own",
	"PERIODIC":   "PERIODIC COMMIT; write CALL { ... } IN TRANSACTIONS",
	"USING":      "hints of the planner (USING)",
}

// unsupportedCreate returns the feature of other dialects that CREATE or DROP
// with a word is, or "".
func unsupportedCreate(word string) string {
	switch w := strings.ToUpper(word); w {
	case "UNIQUE":
		return "CREATE UNIQUE; write MERGE"
	case "DATABASE", "COMPOSITE", "ALIAS":
		return w + ", administration of databases"
	case "USER", "ROLE", "SERVER":
		return w + ", administration of users and servers"
	case "OR":
		return "CREATE OR REPLACE"
	}
	return ""
}

// unsupportedOperator describes an operator of other dialects and its
// replacement.
func unsupportedOperator(text string) string {
	switch text {
	case "!=":
		return "the operator !=; write <>"
	case "==":
		return "the operator ==; write ="
	case "&&":
		return "the operator &&; write AND"
	case "||":
		return "the operator ||; write OR, or + to join strings and lists"
	case "::":
		return "types of values (::)"
	case "&", "!":
		return "the operator " + text + "; labels are written :A:B for all of them and :A|B for any"
	}
	return "the operator " + text
}

// nearest returns the word of a list that is most similar to a word, "" if none
// is similar. One letter may be wrong, missing, added or transposed; two in
// words of six letters and more.
func nearest(word string, list []string) string {
	word = strings.ToUpper(word)
	if len(word) < 3 || len(word) > 24 {
		return ""
	}
	best, bestDistance := "", 2
	if len(word) >= 6 {
		bestDistance = 3
	}
	for _, w := range list {
		if d := editDistance(word, strings.ToUpper(w)); d < bestDistance {
			best, bestDistance = w, d
		}
	}
	return best
}

// editDistance returns how many letters must be changed, added, taken away or
// swapped with their neighbour to make one word of the other (optimal string
// alignment).
func editDistance(a, b string) int {
	before, last, cur := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			cur[j] = min(last[j]+1, cur[j-1]+1, last[j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], before[j-2]+1)
			}
		}
		before, last, cur = last, cur, before
	}
	return last[len(b)]
}
