package cypher

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// aggregateOver computes an aggregate over values of x.
func aggregateOver(text string, values []Value) (Value, error) {
	e, err := parseExpr(text)
	if err != nil {
		return Null, err
	}
	c := &compiler{text: "RETURN " + text, scope: &scope{names: []string{"x"}}}
	g, err := c.aggregation(e.(*funcCall))
	if err != nil {
		return Null, err
	}
	x := &exec{ctx: context.Background()}
	var first row
	if len(values) > 0 {
		first = row{values[0]}
	}
	agg, err := g.begin(x, first)
	if err != nil {
		return Null, err
	}
	for _, v := range values {
		if err := g.feed(x, row{v}, agg); err != nil {
			return Null, err
		}
	}
	return agg.result(&exec{})
}

// TestAggregates checks aggregates over what a list holds.
func TestAggregates(t *testing.T) {
	for _, tc := range []struct{ list, call, want string }{
		{"[1, null, 'a', 1]", "count(*)", "4"},
		{"[1, null, 'a', 1]", "count(x)", "3"},
		{"[1, null, 'a', 1, 1.0]", "count(DISTINCT x)", "2"},
		{"[0.0 / 0.0, 0.0 / 0.0, [null], [null]]", "count(DISTINCT x)", "2"},
		{"[]", "count(*)", "0"},
		{"[]", "count(x)", "0"},
		{"[1, 2, null, 3]", "sum(x)", "6"},
		{"[1, 2.5]", "sum(x)", "3.5"},
		{"[]", "sum(x)", "0"},
		{"[null]", "sum(x)", "0"},
		{"[1, 1, 2]", "sum(DISTINCT x)", "3"},
		{"[9223372036854775807, 1, -1]", "sum(x)", "9223372036854775807"},
		{"[-9223372036854775808, -1, 1]", "sum(x)", "-9223372036854775808"},
		{"[9223372036854775807, 1]", "sum(x)", "!ArithmeticError"},
		{"[-9223372036854775808, -1]", "sum(x)", "!ArithmeticError"},
		{"[9223372036854775807, 9223372036854775807, 0.0]", "sum(x)", "18446744073709552000.0"},
		{"[-3, 0.5]", "sum(x)", "-2.5"},
		{"[1e16, 1.0, -1e16]", "sum(x)", "1.0"},
		{"[1.0 / 0.0, 1]", "sum(x)", "Infinity"},
		{"[1, 'a']", "sum(x)", "!TypeError"},
		{"[1, 2, 4, null]", "avg(x)", "2.3333333333333335"},
		{"[1, 3]", "avg(x)", "2.0"},
		{"[9223372036854775807, 9223372036854775807]", "avg(x)", "9223372036854776000.0"},
		{"[]", "avg(x)", "null"},
		{"[null]", "avg(x)", "null"},
		{"['a']", "avg(x)", "!TypeError"},
		{"[1, 2, 0, null, -1]", "max(x)", "2"},
		{"[1, 2, 0, null, -1]", "min(x)", "-1"},
		{"['a', 'b', 'B', null, 'abc']", "max(x)", "'b'"},
		{"['a', 'b', 'B', null, 'abc']", "min(x)", "'B'"},
		{"[[1], [2], [2, 1]]", "max(x)", "[2, 1]"},
		{"[1, 'a', null, [1, 2], 0.2, 'b']", "max(x)", "1"},
		{"[1, 'a', null, [1, 2], 0.2, 'b']", "min(x)", "[1, 2]"},
		{"[1, 2.0, 5, null, 3.2, 0.1]", "min(x)", "0.1"},
		{"[null]", "max(x)", "null"},
		{"[]", "min(x)", "null"},
		{"[3, null, 1, 3]", "collect(x)", "[3, 1, 3]"},
		{"[3, null, 1, 3, 3.0]", "collect(DISTINCT x)", "[3, 1]"},
		{"[]", "collect(x)", "[]"},
		{"[2, 4, 4, 4, 5, 5, 7, 9]", "stDevP(x)", "2.0"},
		{"[1, 2, 3, 4]", "stDev(x)", "1.2909944487358056"},
		{"[5]", "stDev(x)", "0.0"},
		{"[]", "stDevP(x)", "0.0"},
		{"['a']", "stDev(x)", "!TypeError"},
		{"[30, 10, 20]", "percentileCont(x, 0.0)", "10.0"},
		{"[30, 10, 20]", "percentileCont(x, 0.5)", "20.0"},
		{"[30, 10, 20]", "percentileCont(x, 1.0)", "30.0"},
		{"[10, 20]", "percentileCont(x, 0.25)", "12.5"},
		{"[30, 10, 20]", "percentileDisc(x, 0.0)", "10"},
		{"[30, 10, 20]", "percentileDisc(x, 0.5)", "20"},
		{"[30, 10, 20]", "percentileDisc(x, 1.0)", "30"},
		{"[1, 2, 3, 4]", "percentileDisc(x, 0.5)", "2"},
		{"[1, 2, 3, 4]", "percentileDisc(x, 0.51)", "3"},
		{"[7]", "percentileDisc(x, 1)", "7"},
		{"[]", "percentileCont(x, 0.5)", "null"},
		{"[1]", "percentileCont(x, 1.5)", "!ArgumentError"},
		{"[1]", "percentileDisc(x, -0.1)", "!ArgumentError"},
		{"[1]", "percentileCont(x, 0.0 / 0.0)", "!ArgumentError"},
		{"[1]", "percentileCont(x, 'a')", "!TypeError"},
		{"['a']", "percentileDisc(x, 0.5)", "!TypeError"},
		{"[1, 2]", "sum(x * 2)", "6"},
		{"[1, 2]", "sum(1 / (x - 1))", "!ArithmeticError"},
		{"[1, 2]", "percentileDisc(x)", "!InvalidNumberOfArguments"},
		{"[1, 2]", "sum()", "!InvalidNumberOfArguments"},
		{"[1, 2]", "sum(count(x))", "!InvalidAggregation"},
	} {
		list, err := evalRun{}.eval(tc.list)
		must(t, err)
		got := ""
		v, err := aggregateOver(tc.call, list.AsList())
		var failed *EvalError
		var syntax *SyntaxError
		switch {
		case errors.As(err, &failed):
			got = "!" + failed.Code
		case errors.As(err, &syntax):
			got = "!" + syntax.Code
		case err != nil:
			got = err.Error()
		default:
			s := ListOf([]Value{v}).String()
			got = s[1 : len(s)-1]
		}
		if got != tc.want {
			t.Errorf("%s over %s is %s, want %s", tc.call, tc.list, got, tc.want)
		}
	}
}

// TestSumsDoNotDependOnOrder checks sums of integers in any order, and that
// those of floats are exact if the result is a float near.
func TestSumsDoNotDependOnOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		var values []Value
		var want int64
		for range 2 + r.IntN(20) {
			n := int64(r.Uint64())
			values = append(values, Int(n), Int(-n))
		}
		want = int64(r.Uint64())
		values = append(values, Int(want))
		r.Shuffle(len(values), func(i, j int) { values[i], values[j] = values[j], values[i] })
		v, err := aggregateOver("sum(x)", values)
		if err != nil || v.AsInt() != want || v.Kind() != KindInt {
			t.Fatalf("%v, %v; want %d", v, err, want)
		}
		avg, err := aggregateOver("avg(x)", values)
		if exact := float64(want) / float64(len(values)); err != nil || math.Abs(avg.AsFloat()-exact) > math.Abs(exact)*1e-15 {
			t.Fatalf("avg %v, %v; want %v", avg, err, exact)
		}
	}
}

// TestAggregatorBytes checks that what grows is told.
func TestAggregatorBytes(t *testing.T) {
	for _, name := range []string{"collect(x)", "count(DISTINCT x)", "collect(DISTINCT x)", "percentileCont(x, 0.5)"} {
		e, err := parseExpr(name)
		must(t, err)
		c := &compiler{scope: &scope{names: []string{"x"}}}
		g, err := c.aggregation(e.(*funcCall))
		must(t, err)
		x := &exec{ctx: t.Context()}
		agg, err := g.begin(x, row{Int(0)})
		must(t, err)
		before := agg.bytes()
		for i := range 1000 {
			must(t, g.feed(x, row{Int(int64(i))}, agg))
		}
		if grown := agg.bytes() - before; grown < 1000*valueBytes || grown > 1000*200 {
			t.Errorf("%s grew by %d bytes", name, grown)
		}
	}
	long := String(strings.Repeat("x", 1000))
	agg, _ := startCollect(0, Null)
	must(t, agg.add(ListOf([]Value{long, MapOf(map[string]Value{"a": long})})))
	if agg.bytes() < 2000 {
		t.Errorf("a list of 2000 bytes counts as %d", agg.bytes())
	}
}

// TestGrouping checks how projections with aggregates are taken apart.
func TestGrouping(t *testing.T) {
	for _, tc := range []struct{ query, keys, calls, items, order string }{
		{"RETURN a.x, count(*)", " key 0=a.x", " call 0=count(*)", "` key 0`; ` call 0`", ""},
		{"RETURN a, count(b) + 1", "a=a", " call 0=count(b)", "a; ` call 0` + 1", ""},
		{"RETURN count(*)", "", " call 0=count(*)", "` call 0`", ""},
		{"RETURN a.x + 1 AS y, sum(b) / count(b) AS z ORDER BY y, z", " key 0=a.x + 1", " call 0=sum(b); call 1=count(b)", "` key 0`; ` call 0` / ` call 1`", "y; z"},
		{"RETURN a.x, a.x + count(*)", " key 0=a.x", " call 0=count(*)", "` key 0`; ` key 0` + ` call 0`", ""},
		{"RETURN a, a.x + count(*)", "a=a", " call 0=count(*)", "a; a.x + ` call 0`", ""},
		{"RETURN {n: count(*), l: collect(b.x)}", "", " call 0=count(*); call 1=collect(b.x)", "{n: ` call 0`, l: ` call 1`}", ""},
		{"RETURN count(*) + count(*), count( * )", "", " call 0=count(*)", "` call 0` + ` call 0`; ` call 0`", ""},
		{"RETURN count(DISTINCT b), count(b)", "", " call 0=count(DISTINCT b); call 1=count(b)", "` call 0`; ` call 1`", ""},
		{"RETURN a.x, count(*) ORDER BY count(*) DESC, a.x", " key 0=a.x", " call 0=count(*)", "` key 0`; ` call 0`", "`count(*)`; `a.x`"},
		{"RETURN a.x AS a, count(*) AS n ORDER BY n * 2, a", " key 0=a.x", " call 0=count(*)", "` key 0`; ` call 0`", "n * 2; a"},
		{"RETURN a.x, [a IN collect(b) | a.x]", " key 0=a.x", " call 0=collect(b)", "` key 0`; [a IN ` call 0` | a.x]", ""},
		{"RETURN a.x, all(y IN collect(b) WHERE y = a.x)", " key 0=a.x", " call 0=collect(b)", "` key 0`; all(y IN ` call 0` WHERE y = ` key 0`)", ""},
		{"RETURN *, count(*)", "a=a; b=b", " call 0=count(*)", "` call 0`", ""},
		{"RETURN a.x", "", "", "", ""},
	} {
		st, err := parse(tc.query, nil)
		if err != nil {
			t.Errorf("%s: %v", tc.query, err)
			continue
		}
		p := st.Query.Parts[0].Clauses[0].(*projection)
		c := &compiler{text: tc.query, scope: &scope{names: []string{"a", "b"}}}
		var keys, calls, items, order []string
		if g := c.grouping(p); g != nil {
			for _, k := range g.keys {
				keys = append(keys, k.name+"="+exprString(k.expr))
			}
			for _, k := range g.calls {
				calls = append(calls, k.name+"="+exprString(k.call))
			}
			for _, e := range g.items {
				items = append(items, exprString(e))
			}
			for _, e := range g.order {
				order = append(order, exprString(e))
			}
		}
		for _, part := range [][2]string{
			{strings.Join(keys, "; "), tc.keys}, {strings.Join(calls, ";"), tc.calls},
			{strings.Join(items, "; "), tc.items}, {strings.Join(order, "; "), tc.order},
		} {
			if part[0] != part[1] {
				t.Errorf("%s: %q, want %q", tc.query, part[0], part[1])
			}
		}
	}
}
