package cypher

import (
	"context"
	"testing"
)

// BenchmarkEval evaluates expressions for one row.
func BenchmarkEval(b *testing.B) {
	run, _ := people(b)
	run.names = append(run.names, "i", "x", "s", "m", "l")
	run.row = append(run.row, Int(41), Float(0.5), String("a string of some length"),
		MapOf(map[string]Value{"age": Int(36)}), oneToFive)
	run.params["p"] = Int(41)
	for _, bc := range []struct{ name, expr string }{
		{"compare", "i = 41"},
		{"property", "ann.age > 30"},
		{"entry", "m.age > 30"},
		{"string", "ann.name = 'Ann'"},
		{"arithmetic", "(i + 1) * 2 - x"},
		{"logic", "i > 3 AND x < 1 OR s = 'no'"},
		{"label", "ann:Person"},
		{"in", "i IN [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 41]"},
		{"parameter", "i = $p"},
		{"call", "size(s) > 3"},
		{"regexp", "s =~ '.*some.*'"},
		{"comprehension", "[y IN l WHERE y > 2 | y * 2]"},
		{"map", "{a: i, b: x}"},
	} {
		b.Run(bc.name, func(b *testing.B) {
			e, err := parseExpr(bc.expr)
			must(b, err)
			c := &compiler{text: bc.expr, scope: &scope{names: run.names}, pattern: noPatterns}
			ev, err := c.expr(e)
			must(b, err)
			x := &exec{ctx: context.Background(), params: run.params}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := ev(x, run.row); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkAggregate adds a value to a group.
func BenchmarkAggregate(b *testing.B) {
	for _, call := range []string{"count(*)", "count(x)", "sum(x)", "max(x)", "count(DISTINCT x)"} {
		b.Run(call, func(b *testing.B) {
			e, err := parseExpr(call)
			must(b, err)
			c := &compiler{scope: &scope{names: []string{"x"}}}
			g, err := c.aggregation(e.(*funcCall))
			must(b, err)
			x := &exec{ctx: context.Background()}
			agg, err := g.begin(x, row{Int(0)})
			must(b, err)
			r := row{Null}
			i := int64(0)
			b.ReportAllocs()
			for b.Loop() {
				r[0] = Int(i & 1023)
				i++
				if err := g.feed(x, r, agg); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestRowsNeedNoMemory checks what a filter pays for each row.
func TestRowsNeedNoMemory(t *testing.T) {
	run := evalRun{
		names: []string{"i", "x", "s", "m"},
		row:   row{Int(41), Float(0.5), String("text"), MapOf(map[string]Value{"age": Int(36), "name": String("Ann")})},
	}
	for _, expr := range []string{
		"i = 41", "m.age > 30 AND m.name = 'Ann'", "(i + 1) * 2 - x > 3", "s STARTS WITH 'te' OR NOT i IN [1, 2]",
		"i IN [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 41]", "size(s) + abs(i) > 3", "s =~ 'te.*'", "CASE WHEN i > 3 THEN s ELSE 'none' END = 'text'",
		"coalesce(m.none, i) >= 41", "s IS NOT NULL", "left(s, 2) = 'te'",
	} {
		e, err := parseExpr(expr)
		must(t, err)
		c := &compiler{text: expr, scope: &scope{names: run.names}, pattern: noPatterns}
		holds, err := c.condition(e)
		must(t, err)
		x := &exec{ctx: context.Background()}
		if n := testing.AllocsPerRun(200, func() {
			if ok, err := holds(x, run.row); err != nil || !ok {
				t.Fatalf("%s: %v, %v", expr, ok, err)
			}
		}); n != 0 {
			t.Errorf("%s: %v allocations for a row", expr, n)
		}
	}
}
