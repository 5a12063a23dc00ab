package cypher

import (
	"os"
	"reflect"
	"strings"
	"testing"
)

// TestExprString: an expression is printed with the brackets that it needs and
// no others.
func TestExprString(t *testing.T) {
	for text, want := range map[string]string{
		"1+2*3":                            "1 + 2 * 3",
		"(1+2)*3":                          "(1 + 2) * 3",
		"a-(b-c)":                          "a - (b - c)",
		"(a-b)-c":                          "a - b - c",
		"2^(3^2)":                          "2 ^ (3 ^ 2)",
		"(-a)^b":                           "-a ^ b",
		"-(a^b)":                           "-(a ^ b)",
		"-(-1)":                            "-(-1)",
		"-(1)":                             "-(1)",
		"not (a and b)":                    "NOT (a AND b)",
		"not a and b":                      "NOT a AND b",
		"(not a) = b":                      "(NOT a) = b",
		"a<b<c":                            "a < b AND b < c",
		"(a<b)<c":                          "(a < b) < c",
		"(a = b) is null":                  "(a = b) IS NULL",
		"a + b is not null":                "a + b IS NOT NULL",
		"x starts  with 'it\\'s'":          `x STARTS WITH 'it\'s'`,
		"`a b`.`c d`[0][1..]":              "`a b`.`c d`[0][1..]",
		"(a+b).c":                          "(a + b).c",
		"(1).x":                            "(1).x",
		"(-1)[0]":                          "(-1)[0]",
		"1.50":                             "1.5",
		"1e30":                             "1e+30",
		"2.0":                              "2.0",
		"0x10":                             "16",
		`"a\u00e9"`:                        "'aé'",
		"Count( * )":                       "Count(*)",
		"count(distinct x)":                "count(DISTINCT x)",
		"n:A:B":                            "n:A:B",
		"[x in xs where (x:A|B) | x.y]":    "[x IN xs WHERE (x:A|B) | x.y]",
		"[x in xs where f(x:A|B) | x.y]":   "[x IN xs WHERE f(x:A|B) | x.y]",
		"[(x in xs), y]":                   "[(x IN xs), y]",
		"[(x in xs and y)]":                "[(x IN xs AND y)]",
		"n{.*,.a,b:1,c}":                   "n {.*, .a, b: 1, c: c}",
		"{a:1,`b c`:null}":                 "{a: 1, `b c`: null}",
		"case when a then 1 else 2 end":    "CASE WHEN a THEN 1 ELSE 2 END",
		"exists((a)-[:X]->(b))":            "EXISTS { MATCH (a)-[:X]->(b) }",
		"not (a)--()":                      "NOT (a)--()",
		"count{(a {x:1})<-[r:X|Y*..3]-()}": "COUNT { MATCH (a {x: 1})<-[r:X|Y*1..3]-() }",
		"shortestpath((a)-[*]->(b))":       "shortestPath((a)-[*]->(b))",
		"[p=(a)-->(b) where b:C | p]":      "[p = (a)-->(b) WHERE b:C | p]",
		"reduce(s=0,x in xs|s+x)":          "reduce(s = 0, x IN xs | s + x)",
		"ANY(x in xs where x>1)":           "any(x IN xs WHERE x > 1)",
		"$`a b` + $0":                      "$`a b` + $0",
		"`match`.match":                    "`match`.`match`",
	} {
		got := exprString(column(t, text))
		if got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
		roundTrip(t, column(t, text))
	}
}

// roundTrip checks that an expression as it is printed parses to the same tree.
func roundTrip(t *testing.T, x expr) {
	t.Helper()
	text := exprString(x)
	s, err := parse("RETURN "+text, nil)
	if err != nil {
		t.Errorf("%s is printed as %s: %v", sexpr(x), text, err)
		return
	}
	y := s.Query.Parts[0].Clauses[0].(*projection).Items[0].Expr
	if a, b := sexpr(x), sexpr(y); a != b {
		t.Errorf("%s is printed as %s, which parses as %s", a, text, b)
	}
}

// statementExprs calls visit for the outermost expressions of a statement.
func statementExprs(s *statement, visit func(expr)) {
	var find func(v reflect.Value)
	find = func(v reflect.Value) {
		if v.CanInterface() {
			if x, ok := v.Interface().(expr); ok && !(v.Kind() == reflect.Pointer && v.IsNil()) {
				if isExpr(x) {
					visit(x)
					return
				}
			}
		}
		switch v.Kind() {
		case reflect.Pointer, reflect.Interface:
			if !v.IsNil() {
				find(v.Elem())
			}
		case reflect.Struct:
			for i := range v.NumField() {
				find(v.Field(i))
			}
		case reflect.Slice:
			for i := range v.Len() {
				find(v.Index(i))
			}
		}
	}
	find(reflect.ValueOf(s))
}

// isExpr tells expressions from clauses and patterns, which have the same method.
func isExpr(x expr) bool {
	ps, _ := patternParts(x)
	parts := 0
	eachPart(x, func(*expr, ...string) { parts++ })
	switch x.(type) {
	case *literal, *param, *variable, *listLit, *mapLit, *funcCall:
		return true
	}
	return parts > 0 || ps != nil
}

// TestRoundTrip prints all expressions of the accepted statements.
func TestRoundTrip(t *testing.T) {
	raw, err := os.ReadFile("testdata/syntax/accepted.txt")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, c := range strings.Split(string(raw), "\n\n") {
		text, _, ok := strings.Cut(c, "\n----")
		if !ok {
			continue
		}
		s, err := parse(text, nil)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		statementExprs(s, func(x expr) { n++; roundTrip(t, x) })
	}
	if n < 150 {
		t.Errorf("only %d expressions were printed", n)
	}
}
