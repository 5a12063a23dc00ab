package cypher

import (
	"context"
	"errors"
	"testing"
)

var oneToFive = ListOf([]Value{Int(1), Int(2), Int(3), Int(4), Int(5)})

func TestIndexAndSlice(t *testing.T) {
	run := evalRun{
		names: []string{"l", "m", "none", "s", "i"},
		row:   row{oneToFive, MapOf(map[string]Value{"a": Int(1), "b": Null}), Null, String("text"), Int(1)},
	}
	checkCases(t, run, []evalCase{
		{"l[0]", "1"},
		{"l[4]", "5"},
		{"l[5]", "null"},
		{"l[-1]", "5"},
		{"l[-5]", "1"},
		{"l[-6]", "null"},
		{"l[i + 1]", "3"},
		{"l[none]", "null"},
		{"none[0]", "null"},
		{"l['0']", "!TypeError"},
		{"l[1.0]", "!TypeError"},
		{"s[0]", "!TypeError"},
		{"m['a']", "1"},
		{"m['z']", "null"},
		{"m[0]", "!TypeError"},
		{"m[none]", "null"},
		{"[[1, 2], [3]][0][1]", "2"},
		{"l[1..3]", "[2, 3]"},
		{"l[..2]", "[1, 2]"},
		{"l[3..]", "[4, 5]"},
		{"l[-2..]", "[4, 5]"},
		{"l[..-2]", "[1, 2, 3]"},
		{"l[-10..10]", "[1, 2, 3, 4, 5]"},
		{"l[3..1]", "[]"},
		{"l[2..2]", "[]"},
		{"l[7..9]", "[]"},
		{"l[none..2]", "null"},
		{"l[0..none]", "null"},
		{"none[0..1]", "null"},
		{"l['a'..2]", "!TypeError"},
		{"s[0..1]", "!TypeError"},
	})
}

// TestSliceIsOwn checks that what is added to a slice does not reach the list.
func TestSliceIsOwn(t *testing.T) {
	run := evalRun{names: []string{"l"}, row: row{oneToFive}}
	checkCases(t, run, []evalCase{{"[l[0..2] + 9, l]", "[[1, 2, 9], [1, 2, 3, 4, 5]]"}})
}

func TestComprehension(t *testing.T) {
	run := evalRun{names: []string{"l", "none", "x", "s"}, row: row{oneToFive, Null, Int(100), String("s")}}
	checkCases(t, run, []evalCase{
		{"[y IN l WHERE y > 2 | y * 10]", "[30, 40, 50]"},
		{"[y IN l WHERE y % 2 = 0]", "[2, 4]"},
		{"[y IN l | y + x]", "[101, 102, 103, 104, 105]"},
		{"[y IN l]", "[1, 2, 3, 4, 5]"},
		{"[x IN l | x] + [x]", "[1, 2, 3, 4, 5, 100]"},
		{"[y IN l | [z IN [1, 2] | y * z]]", "[[1, 2], [2, 4], [3, 6], [4, 8], [5, 10]]"},
		{"[y IN l | [y IN ['a'] | y]][0]", "['a']"},
		{"[y IN [1, null, 3] WHERE y > 1 | y]", "[3]"},
		{"[y IN none | y]", "null"},
		{"[y IN [] | y]", "[]"},
		{"[y IN s | y]", "!TypeError"},
		{"[y IN l WHERE y | y]", "!TypeError"},
	})
}

// TestQuantifiers checks the three-valued results of quantifiers.
func TestQuantifiers(t *testing.T) {
	run := evalRun{names: []string{"l", "none", "s"}, row: row{oneToFive, Null, String("s")}}
	checkCases(t, run, []evalCase{
		{"all(x IN l WHERE x > 0)", "true"},
		{"all(x IN l WHERE x > 1)", "false"},
		{"all(x IN [1, null] WHERE x > 0)", "null"},
		{"all(x IN [0, null] WHERE x > 0)", "false"},
		{"all(x IN [null, 0] WHERE x > 0)", "false"},
		{"all(x IN [] WHERE x > 0)", "true"},
		{"any(x IN l WHERE x > 4)", "true"},
		{"any(x IN l WHERE x > 5)", "false"},
		{"any(x IN [1, null] WHERE x > 0)", "true"},
		{"any(x IN [0, null] WHERE x > 0)", "null"},
		{"any(x IN [] WHERE true)", "false"},
		{"none(x IN l WHERE x > 5)", "true"},
		{"none(x IN l WHERE x > 4)", "false"},
		{"none(x IN [0, null] WHERE x > 0)", "null"},
		{"none(x IN [null, 1] WHERE x > 0)", "false"},
		{"none(x IN [] WHERE true)", "true"},
		{"single(x IN l WHERE x > 4)", "true"},
		{"single(x IN l WHERE x > 3)", "false"},
		{"single(x IN l WHERE x > 5)", "false"},
		{"single(x IN [1, null] WHERE x > 0)", "null"},
		{"single(x IN [1, null, 2] WHERE x > 0)", "false"},
		{"single(x IN [0, null] WHERE x > 0)", "null"},
		{"single(x IN [] WHERE true)", "false"},
		{"all(x IN none WHERE true)", "null"},
		{"any(x IN s WHERE true)", "!TypeError"},
		{"any(x IN l WHERE x)", "!TypeError"},
		{"any(x IN l WHERE all(y IN l WHERE y <= x))", "true"},
	})
}

func TestReduce(t *testing.T) {
	run := evalRun{names: []string{"l", "none", "sum"}, row: row{oneToFive, Null, Int(7)}}
	checkCases(t, run, []evalCase{
		{"reduce(s = 0, x IN l | s + x)", "15"},
		{"reduce(s = sum, x IN l | s + x)", "22"},
		{"reduce(s = '', x IN ['a', 'b'] | s + x)", "'ab'"},
		{"reduce(s = 0, x IN [1, null] | s + x)", "null"},
		{"reduce(s = 0, x IN [] | s + x)", "0"},
		{"reduce(s = 0, x IN none | s + x)", "null"},
		{"reduce(sum = 0, x IN l | sum + x) + sum", "22"},
		{"reduce(s = [], x IN l | [x] + s)", "[5, 4, 3, 2, 1]"},
		{"reduce(s = 0, x IN sum | s)", "!TypeError"},
	})
}

func TestMaps(t *testing.T) {
	run := evalRun{
		names:  []string{"m", "none", "x"},
		row:    row{MapOf(map[string]Value{"a": Int(1), "b": String("B")}), Null, Int(3)},
		params: map[string]Value{"p": MapOf(map[string]Value{"k": oneToFive})},
	}
	checkCases(t, run, []evalCase{
		{"{}", "{}"},
		{"{a: 1, b: x}", "{a: 1, b: 3}"},
		{"{`a b`: 1}", "{`a b`: 1}"},
		{"{a: {b: {c: 1}}}.a.b.c", "1"},
		{"m.a", "1"},
		{"m.z", "null"},
		{"none.a", "null"},
		{"x.a", "!TypeError"},
		{"$p.k[1]", "2"},
		{"m {.a}", "{a: 1}"},
		{"m {.a, .z}", "{a: 1, z: null}"},
		{"m {.*}", "{a: 1, b: 'B'}"},
		{"m {.*, a: 2}", "{a: 2, b: 'B'}"},
		{"m {x, y: x + 1}", "{x: 3, y: 4}"},
		{"none {.a}", "null"},
		{"x {.a}", "!TypeError"},
		{"$missing", "!ParameterMissing"},
		{"unknown", "!UndefinedVariable"},
	})
}

// TestMemoryOfExpressions checks that no expression builds without end.
func TestMemoryOfExpressions(t *testing.T) {
	run := evalRun{names: []string{"l"}, row: row{oneToFive}}
	checkCases(t, run, []evalCase{
		{"size(reduce(s = l, x IN range(1, 100) | s + s))", "!ResourceError"},
		{"size(reduce(s = 'aaaa', x IN range(1, 100) | s + s))", "!ResourceError"},
		{"size(reduce(s = 'aaaa', x IN range(1, 100) | replace(s, 'a', 'aaaa')))", "!ResourceError"},
		{"size(reduce(s = [1], x IN range(1, 200) | [s, s]))", "!ResourceError"},
		{"size(reduce(s = [1], x IN range(1, 200) | {a: s, b: s}))", "!ResourceError"},
		{"size(reduce(s = [1], x IN range(1, 200) | [y IN [1, 2] | s]))", "!ResourceError"},
		{"size(reduce(s = [1], x IN range(1, 200) | reverse(s + [s])))", "!ResourceError"},
		{"size(keys(reduce(s = {b: 1}, x IN range(1, 200) | s {.*, a: s, c: s})))", "!ResourceError"},
		{"range(0, 9223372036854775807)", "!ResourceError"},
		{"range(-9223372036854775808, 9223372036854775807)", "!ResourceError"},
		{"size([a IN range(1, 3000) | range(1, 3000)])", "!ResourceError"},
		{"reduce(s = 0, x IN range(1, 100000) | s + x)", "5000050000"},
	})
	// What one row built does not count for the next.
	e, err := parseExpr("size(range(1, 2000000))")
	must(t, err)
	c := &compiler{scope: &scope{}}
	ev, err := c.expr(e)
	must(t, err)
	x := &exec{ctx: t.Context()}
	for range 20 {
		v, err := ev(x, nil)
		if err != nil || v.AsInt() != 2000000 {
			t.Fatal(v, err)
		}
	}
}

// TestCancelledExpressions checks that a long loop ends with its context.
func TestCancelledExpressions(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, text := range []string{
		"$l = $l", "[x IN [1, 2] WHERE $l < $l]", "reverse($l)", "$l + $l", "CASE $l WHEN $l + [1] THEN 1 END", "[$l, $l]", "$l IN [$l]",
		"[x IN $l | x]", "any(x IN $l WHERE x < 0)", "reduce(s = 0, x IN $l | x)", "-1 IN $l",
	} {
		e, err := parseExpr(text)
		must(t, err)
		c := &compiler{scope: &scope{}}
		ev, err := c.expr(e)
		must(t, err)
		long := make([]Value, 5000)
		x := &exec{ctx: ctx, params: map[string]Value{"l": ListOf(long)}}
		for i := range long {
			long[i] = Int(int64(i))
		}
		if _, err := ev(x, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
