package cypher_test

import (
	"fmt"
	"strings"
)

// production is a rule of the grammar, applied n times in one statement.
type production struct {
	name string
	text func(n int) string
	// most is the largest n that the limits of a statement allow, 0 for any.
	most int
	// square says that what the statement asks for grows with the square of n,
	// and why.
	square string
	// wrong is what the error says that the statement ends with, "" for none.
	wrong string
}

// failing makes a production that ends with an error.
func failing(p production, wrong string) production {
	p.wrong = wrong
	return p
}

// atMost makes a production of which a statement can hold so many.
func atMost(n int, p production) production {
	p.most = n
	return p
}

// times writes a part of a statement n times, %d being which of them it is.
func times(n int, sep, part string) string {
	var b strings.Builder
	places := strings.Count(part, "%d")
	for i := range n {
		if i > 0 {
			b.WriteString(sep)
		}
		args := make([]any, places)
		for j := range args {
			args[j] = i
		}
		fmt.Fprintf(&b, part, args...)
	}
	return b.String()
}

// written makes a production of a text in which a part stands n times, with sep
// between.
func written(name, before, sep, part, after string) production {
	return production{name: name, text: func(n int) string { return before + times(n, sep, part) + after }}
}

// nested makes a production of brackets within each other.
func nested(name, before, open, inner, closing, after string) production {
	return production{name: name, most: 120, text: func(n int) string {
		return before + strings.Repeat(open, n) + inner + strings.Repeat(closing, n) + after
	}}
}

// grammar are the productions whose n is how often they stand in a text.
func grammar() []production {
	// Trees of more operators make the stack grow, which it does in large steps.
	operators := 8_000
	chain := func(name, start, part, end string) production {
		p := written(name, "WITH 1 AS x, [1] AS l, {a: 1} AS m, 'a' AS s RETURN "+start, "", part, end)
		p.most = operators
		return p
	}
	half := func(name, start, part, end string) production {
		return atMost(operators/2, chain(name, start, part, end))
	}
	return []production{
		// Patterns.
		failing(written("nodes of MATCH", "MATCH ", ", ", "(a%d)", " RETURN 1"), "more than 60"),
		failing(written("chain of MATCH", "MATCH (a)", "", "-[r%d]->(a%d)", " RETURN 1"), "more than 60"),
		failing(written("edges of one node", "MATCH ", ", ", "(a)-->(b%d)", " RETURN 1"), "more than 60"),
		written("labels, any", "MATCH (a:X|", "|", "L%d", ") RETURN 1"),
		written("labels, all", "MATCH (a:", ":", "L%d", ") RETURN 1"),
		written("edge types", "MATCH (a)-[:", "|", "T%d", "]->() RETURN 1"),
		written("properties of a node pattern", "MATCH (a {", ", ", "k%d: %d", "}) RETURN 1"),
		written("properties of an edge pattern", "MATCH ()-[r {", ", ", "k%d: %d", "}]->() RETURN 1"),
		written("properties of edges of variable length", "MATCH ()-[r* {", ", ", "k%d: %d", "}]->() RETURN 1"),
		nested("parentheses of a pattern", "MATCH ", "(", "(a)-->(b)", ")", " RETURN 1"),
		// Clauses.
		written("MATCH", "", " ", "MATCH (a%d)", " RETURN 1"),
		written("MATCH of one node", "MATCH (a) ", " ", "MATCH (a)", " RETURN 1"),
		written("OPTIONAL MATCH", "", " ", "OPTIONAL MATCH (a%d)", " RETURN 1"),
		written("UNWIND", "", " ", "UNWIND [1] AS a%d", " RETURN 1"),
		atMost(9000, written("WITH", "WITH 1 AS x ", " ", "WITH x + %d AS x", " RETURN x")),
		written("WITH DISTINCT", "WITH 1 AS x ", " ", "WITH DISTINCT x", " RETURN x"),
		atMost(9000, written("WITH ORDER BY", "WITH 1 AS x ", " ", "WITH x ORDER BY x SKIP 0 LIMIT 1 WHERE x > 0", " RETURN x")),
		written("WITH aggregate", "WITH 1 AS x ", " ", "WITH count(x) AS x", " RETURN x"),
		written("CALL", "", " ", "CALL db.labels() YIELD label AS l%d, nodes AS n%d", " RETURN 1"),
		written("UNION", "", " UNION ", "RETURN %d AS x", ""),
		written("UNION ALL", "", " UNION ALL ", "RETURN %d AS x", ""),
		written("nodes of CREATE", "CREATE ", ", ", "(:X {i: %d})", ""),
		written("named nodes of CREATE", "CREATE ", ", ", "(a%d:X)", ""),
		written("chain of CREATE", "CREATE (a:X)", "", "-[:T]->(b%d:X)", ""),
		written("CREATE", "", " ", "CREATE (a%d:X)", ""),
		written("CREATE of an edge", "CREATE (a:X) ", " ", "CREATE (a)-[:T]->(b%d:X)", ""),
		written("properties of CREATE", "CREATE (a:X {", ", ", "k%d: %d", "})"),
		written("MERGE", "", " ", "MERGE (a%d:X {key: 'k%d'})", ""),
		atMost(9000, written("ON CREATE SET", "MERGE (a:X {key: 'k'}) ", " ", "ON CREATE SET a.k%d = 1", "")),
		atMost(9000, written("items of SET", "MATCH (a) SET ", ", ", "a.k%d = 1", "")),
		atMost(9000, written("SET", "MATCH (a) ", " ", "SET a.k%d = 1", "")),
		written("SET +=", "MATCH (a) SET ", ", ", "a += {k%d: 1}", ""),
		atMost(9000, written("items of REMOVE", "MATCH (a) REMOVE ", ", ", "a.k%d", "")),
		written("items of DELETE", "MATCH (a) DELETE ", ", ", "a", ""),
		written("DELETE", "MATCH (a) ", " ", "DELETE a", ""),
		written("EXPLAIN", "EXPLAIN ", " ", "MATCH (a%d)", " RETURN 1"),
		written("PROFILE", "PROFILE ", " ", "UNWIND [1] AS a%d", " RETURN 1"),
		// Projections.
		written("columns", "RETURN ", ", ", "%d AS c%d", ""),
		written("columns without names", "RETURN ", ", ", "%d", ""),
		atMost(9000, written("columns of DISTINCT", "WITH 1 AS x RETURN DISTINCT ", ", ", "x + %d AS c%d", "")),
		atMost(9000, written("keys of a group", "WITH 1 AS x RETURN ", ", ", "x + %d AS c%d", ", count(*)")),
		atMost(9000, written("properties as keys of a group", "WITH {a: 1} AS x RETURN ", ", ", "x.k%d AS c%d", ", count(*)")),
		atMost(9000, written("aggregates", "WITH 1 AS x RETURN ", ", ", "sum(x + %d)", "")),
		atMost(9000, written("aggregates of DISTINCT", "WITH 1 AS x RETURN ", ", ", "count(DISTINCT x + %d)", "")),
		atMost(9000, written("sum of aggregates", "WITH 1 AS x RETURN ", " + ", "sum(x + %d)", "")),
		atMost(9000, written("expression beside an aggregate", "WITH {a: 1} AS x RETURN x.a, count(*)", "", " + x.a", "")),
		atMost(9000, written("ORDER BY", "WITH 1 AS x RETURN x ORDER BY ", ", ", "x + %d", "")),
		atMost(9000, written("ORDER BY of columns", "UNWIND [1] AS x RETURN x AS y ORDER BY y", "", " + 1", "")),
		atMost(9000, written("ORDER BY of DISTINCT", "UNWIND [1] AS x RETURN DISTINCT x AS y ORDER BY y", "", " + 1", "")),
		atMost(9000, written("ORDER BY of a group", "UNWIND [1] AS x RETURN x AS y, count(*) AS z ORDER BY y", "", " + 1", "")),
		{name: "ORDER BY of as many columns", text: func(n int) string {
			return "RETURN " + times(n, ", ", "%d AS c%d") + " ORDER BY " + times(n, ", ", "c%d")
		}},
		{name: "ORDER BY of as many groups", most: operators, text: func(n int) string {
			return "UNWIND [1] AS x RETURN " + times(n, ", ", "x + %d AS c%d") + ", count(*) AS n ORDER BY " + times(n, ", ", "c%d")
		}},
		{name: "WITH and RETURN of as many columns", most: operators, text: func(n int) string {
			return "WITH " + times(n, ", ", "%d AS c%d") + " RETURN " + times(n, ", ", "c%d + 1 AS d%d")
		}},
		{name: "WITH and conditions of as many columns", most: operators / 2, text: func(n int) string {
			return "WITH " + times(n, ", ", "%d AS c%d") + " WHERE " + times(n, " AND ", "c%d >= 0") + " RETURN 1"
		}},
		// Operators.
		chain("+ of constants", "1", " + 1", ""),
		failing(chain("+ of constants that fail", "1 / 0", " + 1", ""), "divided by zero"),
		chain("+ of a variable", "x", " + 1", ""),
		chain("+ of strings", "'a'", " + 'a'", ""),
		chain("-", "x", " - x", ""),
		chain("*", "x", " * x", ""),
		chain("/", "x", " / 1", ""),
		chain("modulo", "x", " %% 7", ""),
		chain("^", "x", " ^ 1", ""),
		half("AND", "true", " AND x = 1", ""),
		half("OR", "false", " OR x = 2", ""),
		chain("XOR", "true", " XOR true", ""),
		chain("comparisons", "x", " = x", ""),
		chain("<", "x", " < x", ""),
		chain("IN", "x", " IN l", ""),
		half("CONTAINS", "true", " AND s CONTAINS 'a'", ""),
		half("=~", "true", " AND s =~ 'a%d'", ""),
		chain("IS NULL", "x", " IS NULL", ""),
		chain("property", "null", ".a", ""),
		chain("index", "null", "[0]", ""),
		chain("slice", "l", "[0..]", ""),
		atMost(6000, written("conditions of MATCH", "MATCH (a) WHERE ", " AND ", "a.x = %d", " RETURN 1")),
		atMost(6000, written("alternatives of MATCH", "MATCH (a) WHERE ", " OR ", "a.x = %d", " RETURN 1")),
		nested("NOT", "RETURN ", "NOT ", "true", "", ""),
		nested("signs", "RETURN ", "- ", "1", "", ""),
		nested("parentheses", "RETURN ", "(", "1", ")", ""),
		nested("lists in lists", "RETURN ", "[", "1", "]", ""),
		nested("maps in maps", "RETURN ", "{a: ", "1", "}", ""),
		nested("functions of functions", "RETURN ", "abs(", "1", ")", ""),
		nested("CASE in CASE", "RETURN ", "CASE WHEN true THEN ", "1", " END", ""),
		nested("comprehensions in comprehensions", "RETURN ", "[x IN ", "[1]", " | x]", ""),
		nested("comprehensions of comprehensions", "RETURN ", "[x IN [1] | ", "1", "]", ""),
		nested("reduce in reduce", "RETURN ", "reduce(s = 0, x IN [1] | s + ", "1", ")", ""),
		nested("EXISTS in EXISTS", "MATCH (a) RETURN ", "EXISTS { (a)-->() WHERE ", "true", " }", ""),
		// Atoms.
		written("list", "RETURN [", ", ", "%d", "]"),
		written("list of a variable", "WITH 1 AS x RETURN [", ", ", "x", "]"),
		written("map", "RETURN {", ", ", "k%d: %d", "}"),
		atMost(9000, written("map projection", "WITH {a: 1} AS m RETURN m {", ", ", "k%d: %d", "}")),
		written("IN of a list", "MATCH (a) WHERE a.key IN [", ", ", "'%d'", "] RETURN 1"),
		written("IN of a list with a condition", "UNWIND [1] AS x WITH x WHERE x IN [", ", ", "%d", "] RETURN 1"),
		written("arguments", "RETURN coalesce(", ", ", "null", ")"),
		atMost(9000, written("WHEN", "WITH 1 AS x RETURN CASE ", " ", "WHEN x < 0 THEN %d", " END")),
		written("WHEN of a value", "WITH -1 AS x RETURN CASE x ", " ", "WHEN %d THEN %d", " END"),
		atMost(9000, written("list comprehensions", "RETURN [", ", ", "[x IN [1] WHERE x > 0 | x + %d]", "]")),
		atMost(9000, written("all", "RETURN [", ", ", "all(x IN [1] WHERE x > %d)", "]")),
		atMost(9000, written("reduce", "RETURN [", ", ", "reduce(s = 0, x IN [1] | s + x + %d)", "]")),
		written("EXISTS", "UNWIND [1] AS y RETURN [", ", ", "EXISTS { (a)-->(b) }", "]"),
		written("COUNT", "UNWIND [1] AS y RETURN [", ", ", "COUNT { (a)-->(b) }", "]"),
		atMost(9000, written("pattern comprehensions", "UNWIND [1] AS y RETURN [", ", ", "[(a)-->(b) | b.name]", "]")),
		failing(written("parameters", "WITH 1 AS x RETURN coalesce(", ", ", "$p", ")"), "has no value"),
		// Words.
		written("characters of a string", "RETURN '", "", "x", "'"),
		written("escapes of a string", "RETURN '", "", "\\u00e9", "'"),
		written("digits of a float", "RETURN 0.", "", "1", ""),
		failing(written("digits of an integer", "RETURN ", "", "1", ""), "outside 64 bits"),
		written("characters of a name", "WITH 1 AS a", "", "x", " RETURN 1"),
		written("characters of a name in backticks", "WITH 1 AS `a", "", "``", "` RETURN 1"),
		written("characters of a label", "MATCH (a:a", "", "x", ") RETURN 1"),
		written("space", "RETURN", "", " ", " 1"),
		atMost(900_000, written("comments", "RETURN ", " ", "/* x */", " 1")),
		written("comment", "RETURN /*", "", "*x", "*/ 1"),
		// What is wrong.
		failing(written("variable that is not defined", "WITH ", ", ", "1 AS variable%d", " RETURN varaible0"), "not defined"),
		failing(written("function that is not there", "RETURN f", "", "x", "(1)"), "not supported"),
		failing(written("procedure that is not there", "CALL p", "", "x", "()"), "no procedure"),
		failing(written("graph that is not there", "USE g", "", "x", " RETURN 1"), "graph"),
		failing(written("string without end", "RETURN '", "", "x", ""), "no closing"),
		failing(written("comment without end", "RETURN /*", "", "x", ""), "no closing"),
		failing(written("brackets without end", "RETURN ", "", "[", ""), "line 1"),
		failing(written("brackets that close", "RETURN ", "", "]", ""), "expected"),
		failing(written("braces of patterns without end", "RETURN ", "", "({", ""), "expected"),
		failing(written("characters that are none", "RETURN ", "", "\u00b6", ""), "no word"),
		failing(written("two statements", "", ";", "RETURN 1", ""), "one statement"),
		failing(written("error at the end", "RETURN [", ", ", "%d", "] RETRUN"), "RETURN"),
		failing(written("columns of one name", "RETURN ", ", ", "1 AS c", ""), "two columns"),
		// Statements beside queries.
		failing(written("options of an index", "CREATE VECTOR INDEX v FOR (p:P) ON (p.v) OPTIONS {", ", ", "o%d: 1", "}"), "no option"),
		written("name of an index", "CREATE INDEX n", "", "x", " FOR (p:P) ON (p.v)"),
		failing(written("index that is not there", "DROP INDEX n", "", "x", ""), "index"),
		failing(written("columns of COPY", "COPY (RETURN ", ", ", "%d AS c%d", ") TO 'x.csv'"), "no files"),
		failing(written("options of COPY", "COPY P FROM 'x.csv' OPTIONS {", ", ", "o%d: 1", "}"), "no files"),
		{name: "WITH *", most: 700, square: "the i-th clause has i columns",
			text: func(n int) string { return times(n, " ", "WITH *, %d AS c%d") + " RETURN 1" }},
	}
}
