package cypher

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// TestAccepted compares trees with the golden file.
func TestAccepted(t *testing.T) {
	golden(t, "syntax/accepted.txt", func(text string) string {
		s, err := parse(text, nil)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			return ""
		}
		return tree(s)
	})
}

// tree prints a statement: the clauses of a query, one a line.
func tree(s *statement) string {
	var lines []string
	if s.Mode != modeRun {
		lines = append(lines, []string{modeExplain: "EXPLAIN", modeProfile: "PROFILE"}[s.Mode])
	}
	if s.Query == nil {
		return strings.Join(append(lines, sexpr(s)), "\n")
	}
	for i, part := range s.Query.Parts {
		if i > 0 {
			lines = append(lines, map[bool]string{false: "UNION", true: "UNION ALL"}[s.Query.All[i-1]])
		}
		if part.Use != nil {
			lines = append(lines, sexpr(part.Use))
		}
		for _, c := range part.Clauses {
			if p, ok := c.(*projection); ok {
				lines = append(lines, projectionTree(p)...)
				continue
			}
			lines = append(lines, sexpr(c))
		}
	}
	return strings.Join(lines, "\n")
}

// projectionTree prints each column of a projection in a line of its own.
func projectionTree(p *projection) []string {
	rest := *p
	rest.Items = nil
	lines := []string{sexpr(rest)}
	for _, it := range p.Items {
		line := "  " + sexpr(it.Expr)
		if it.Aliased {
			line += " AS " + it.Name
		}
		lines = append(lines, line)
	}
	return lines
}

// TestRefused compares errors of Parse and Check with the golden file.
func TestRefused(t *testing.T) {
	golden(t, "syntax/refused.txt", func(text string) string {
		s, err := parse(text, nil)
		if err == nil {
			_, err = check(s, nil)
		}
		return refusal(err)
	})
}

// refusal prints an error with its code and what else it says.
func refusal(err error) string {
	var e *SyntaxError
	if !errors.As(err, &e) {
		return fmt.Sprint("no SyntaxError: ", err)
	}
	out := e.Code
	if e.Unsupported != strings.HasPrefix(e.Message, "not supported: ") {
		out += " (Unsupported is wrong)"
	}
	if e.Incomplete {
		out += " incomplete"
	}
	return out + fmt.Sprintf(" near %q\n", e.Near) + e.Error()
}

// TestPrecedence holds each expression against the same with all brackets.
func TestPrecedence(t *testing.T) {
	for _, c := range [][2]string{
		{"a OR b AND c", "a OR (b AND c)"},
		{"a AND b OR c", "(a AND b) OR c"},
		{"a OR b XOR c", "a OR (b XOR c)"},
		{"a XOR b AND c", "a XOR (b AND c)"},
		{"a XOR b OR c XOR d", "(a XOR b) OR (c XOR d)"},
		{"a OR b OR c", "(a OR b) OR c"},
		{"NOT a AND b", "(NOT a) AND b"},
		{"NOT a OR NOT b", "(NOT a) OR (NOT b)"},
		{"NOT a = b", "NOT (a = b)"},
		{"NOT NOT a = b", "NOT (NOT (a = b))"},
		{"NOT a IS NULL", "NOT (a IS NULL)"},
		{"NOT a IN b", "NOT (a IN b)"},
		{"a AND NOT b = c AND d", "(a AND (NOT (b = c))) AND d"},
		{"a = b AND c < d", "(a = b) AND (c < d)"},
		{"a < b < c", "(a < b) AND (b < c)"},
		{"a < b = c <> d", "((a < b) AND (b = c)) AND (c <> d)"},
		{"a + 1 < b * 2", "(a + 1) < (b * 2)"},
		{"a = b IN c", "a = (b IN c)"},
		{"a IN b = c", "(a IN b) = c"},
		{"a = b IS NULL", "a = (b IS NULL)"},
		{"a < b STARTS WITH c", "a < (b STARTS WITH c)"},
		{"a + b IN c + d", "(a + b) IN (c + d)"},
		{"a + b IS NULL", "(a + b) IS NULL"},
		{"a + b CONTAINS c + d", "(a + b) CONTAINS (c + d)"},
		{"a =~ b + c", "a =~ (b + c)"},
		{"a IN b IS NULL", "(a IN b) IS NULL"},
		{"a - b - c", "(a - b) - c"},
		{"a - b + c", "(a - b) + c"},
		{"a + b * c", "a + (b * c)"},
		{"a * b + c", "(a * b) + c"},
		{"a / b * c % d", "((a / b) * c) % d"},
		{"a * b ^ c", "a * (b ^ c)"},
		{"a ^ b ^ c", "(a ^ b) ^ c"},
		{"-a ^ b", "(-a) ^ b"},
		{"a ^ -b", "a ^ (-b)"},
		{"-a * b", "(-a) * b"},
		{"a - -b", "a - (-b)"},
		{"-a.b", "-(a.b)"},
		{"-a[0]", "-(a[0])"},
		{"-a IS NULL", "(-a) IS NULL"},
		{"a.b.c[0]", "((a.b).c)[0]"},
		{"a + b.c", "a + (b.c)"},
		{"NOT a:B", "NOT (a:B)"},
		{"a:B AND c:D", "(a:B) AND (c:D)"},
		{"a:B = c", "(a:B) = c"},
		{"a.b:C", "(a.b):C"},
	} {
		if got, want := sexpr(column(t, c[0])), sexpr(column(t, c[1])); got != want {
			t.Errorf("%s: got %s, want that of %s: %s", c[0], got, c[1], want)
		}
	}
}

// column parses an expression as the column of a RETURN.
func column(t testing.TB, text string) expr {
	t.Helper()
	s, err := parse("RETURN "+text, nil)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return s.Query.Parts[0].Clauses[0].(*projection).Items[0].Expr
}

// TestColumnNames: a column without an alias is named as it is written.
func TestColumnNames(t *testing.T) {
	for text, want := range map[string]string{
		"RETURN n . name":                   "n . name",
		"RETURN  count( * )  ORDER BY 1":    "count( * )",
		"RETURN `a b`":                      "a b",
		"RETURN `a b`.x":                    "`a b`.x",
		"RETURN (1 + 2) /* c */, 3":         "(1 + 2)",
		"RETURN {a: 1} // the end":          "{a: 1}",
		"RETURN n.x AS `the x`":             "the x",
		"RETURN 'größe' LIMIT 1":            "'größe'",
		"RETURN [x IN xs WHERE x:A | x.y];": "[x IN xs WHERE x:A | x.y]",
	} {
		s, err := parse(text, nil)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := s.Query.Parts[0].Clauses[0].(*projection).Items[0].Name; got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

// TestPositions: At is the place in the text.
func TestPositions(t *testing.T) {
	const text = "MATCH (n)-[r]->(m) WHERE n.größe = 'ä' AND m.x > 1 RETURN n"
	s, err := parse(text, nil)
	if err != nil {
		t.Fatal(err)
	}
	clauses := s.Query.Parts[0].Clauses
	m := clauses[0].(*matchClause)
	and := m.Where.(*binaryExpr)
	for want, at := range map[string]Pos{
		"MATCH":  m.At(),
		"(n)-":   m.Patterns[0].Nodes[0].Pos,
		"-[r]":   m.Patterns[0].Edges[0].Pos,
		"(m)":    m.Patterns[0].Nodes[1].Pos,
		"AND m":  and.At(),
		"= 'ä'":  and.L.At(),
		"'ä'":    and.L.(*binaryExpr).R.At(),
		"> 1":    and.R.At(),
		"RETURN": clauses[1].At(),
	} {
		if !strings.HasPrefix(text[at:], want) {
			t.Errorf("got %q, want %q", text[at:], want)
		}
	}
}

// TestDeepNesting: what is nested too deeply, or has too many operators, is
// refused and does not overflow the stack.
func TestDeepNesting(t *testing.T) {
	deep := func(open, inner, shut string, n int) string {
		return "RETURN " + strings.Repeat(open, n) + inner + strings.Repeat(shut, n)
	}
	for name, c := range map[string]struct{ text, want string }{
		"brackets":      {deep("(", "1", ")", 100_000), "nested deeper than 256"},
		"lists":         {deep("[", "1", "]", 100_000), "nested deeper than 256"},
		"maps":          {deep("{a: ", "1", "}", 100_000), "nested deeper than 256"},
		"calls":         {deep("f(", "1", ")", 100_000), "nested deeper than 256"},
		"comprehension": {deep("[x IN ", "y", "]", 100_000), "nested deeper than 256"},
		"patterns":      {deep("[(a {x: ", "1", "})-->() | 1]", 100_000), "nested deeper than 256"},
		"nots":          {deep("NOT ", "a", "", 100_000), "nested deeper than 256"},
		"minus":         {deep("-", "a", "", 100_000), "nested deeper than 256"},
		"cases":         {deep("CASE WHEN ", "a", " THEN 1 END", 100_000), "nested deeper than 256"},
		"paths":         {"MATCH " + strings.Repeat("(", 100_000), "nested deeper than 256"},
		"subqueries":    {deep("EXISTS { (a {x: ", "1", "}) }", 100_000), "nested deeper than 256"},
		"sums":          {"RETURN 1" + strings.Repeat(" + 1", 100_000), "more than 20000 operators"},
		"comparisons":   {"RETURN 1" + strings.Repeat(" < 1", 100_000), "more than 20000 operators"},
		"nulls":         {"RETURN 1" + strings.Repeat(" IS NULL", 100_000), "more than 20000 operators"},
		"properties":    {"RETURN n" + strings.Repeat(".x", 100_000), "more than 20000 operators"},
		"indexes":       {"RETURN n" + strings.Repeat("[0]", 100_000), "more than 20000 operators"},
		"projections":   {"RETURN n" + strings.Repeat(" {}", 100_000), "expected"},
		"set":           {"SET n" + strings.Repeat(".x", 100_000) + " = 1", "more than 20000 operators"},
		"long":          {"RETURN '" + strings.Repeat("x", 9<<20) + "'", "longer than 8 MiB"},
	} {
		_, err := parse(c.text, nil)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want an error with %q", name, err, c.want)
		}
	}
	if _, err := parse(deep("(", "1", ")", 200), nil); err != nil {
		t.Error("200 brackets: ", err)
	}
	s, err := parse("RETURN 1"+strings.Repeat(" + 1", 19_000), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := check(s, nil); err != nil {
		t.Error("19000 operators: ", err)
	}
}

// TestKeywordsAsNames: every keyword may name a label, a type, a property and a
// key, and what is not reserved a variable too.
func TestKeywordsAsNames(t *testing.T) {
	for k := noKeyword + 1; k <= lastKeyword; k++ {
		w := strings.ToLower(k.String())
		text := fmt.Sprintf("MATCH (n:%[1]s {%[1]s: 1})-[:%[1]s]->(:%[1]s) RETURN n.%[1]s, {%[1]s: 1}, n {.%[1]s}, $%[1]s, n:%[1]s, `%[1]s`", w)
		if _, err := parse(text, nil); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		text = fmt.Sprintf("MATCH (%[1]s)-[x]->(y {a: %[1]s.b}) WITH %[1]s, %[1]s AS z WHERE %[1]s.a IS NULL RETURN %[1]s ORDER BY %[1]s", w)
		if _, err := parse(text, nil); (err == nil) == k.reserved() {
			t.Errorf("reserved is %v, and %s: %v", k.reserved(), text, err)
		}
	}
}

// TestParseKeepsTree: Check and printing leave a tree as it is.
func TestParseKeepsTree(t *testing.T) {
	const text = "MATCH (n:A {x: 1}) WHERE n.y IN [1, 2] WITH n, count(*) AS c ORDER BY c RETURN n.z, c"
	a, _ := parse(text, nil)
	b, _ := parse(text, nil)
	if _, err := check(a, nil); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(a, b) {
		t.Error("Check changed the tree")
	}
}
