package cypher_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query/cypher"
)

// TestParseWhere pins what is answered by an index, and what is a test.
func TestParseWhere(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`team = 'sales' AND year >= 2024`, `team = 'sales' AND year >= 2024`},
		{`lang="en"and` + "\n" + `2024<=year`, `lang = 'en' AND year >= 2024`},
		{`2020 < year <= 2024`, `year > 2020 AND year <= 2024`},
		{`a = 1 OR b = 2 AND NOT c = 3`, `a = 1 OR (b = 2 AND c <> 3)`},
		{`NOT (a = 1 OR NOT b < 2)`, `a <> 1 AND b < 2`},
		{`(((a = 1 AND b = 2) AND (c = 3 AND d = 4)))`, `a = 1 AND b = 2 AND c = 3 AND d = 4`},
		{`key STARTS WITH 'contracts/'`, `key STARTS WITH 'contracts/'`},
		{`'draft' IN tags AND NOT 'old' IN tags`, `'draft' IN tags AND NOT 'old' IN tags`},
		{`a IN ['x', 3, true]`, `a IN ['x', 3, true]`},
		{`NOT a IN ['x']`, `a <> 'x'`},
		{`a IN []`, `false`},
		{`NOT a IN []`, `true`},
		{`NOT a IN [1, null]`, `false`},
		{`a IN [1, null]`, `a = 1`},
		{`a = null OR NOT b < null`, `(false) OR (false)`},
		{`a IS NULL AND b IS NOT NULL`, `NOT a IS NOT NULL AND b IS NOT NULL`},
		{`NOT a IS NULL`, `a IS NOT NULL`},
		{`published AND NOT draft`, `published = true AND draft = false`},
		{"`odd name` = 1 AND `a``b` = 2 AND `x.y` = 3 AND größe = 4", "`odd name` = 1 AND `a``b` = 2 AND `x.y` = 3 AND `größe` = 4"},
		{`date >= datetime('2025-01-01')`, `date >= datetime('2025-01-01T00:00Z')`},
		{`a = 1 + 2 * 3`, `a = 7`},
		{`true`, `true`},
		{`NOT true OR 1 > 2`, `false`},
		{`a IN null`, `false`},

		{`a ENDS WITH 'x'`, `a IS NOT NULL AND (a ENDS WITH 'x')`},
		{`NOT a STARTS WITH 'x'`, `a IS NOT NULL AND (NOT a STARTS WITH 'x')`},
		{`toLower(a) = 'x' AND b = 1`, `(a IS NOT NULL AND (toLower(a) = 'x')) AND b = 1`},
		{`date.year = 2024`, `date IS NOT NULL AND (date.year = 2024)`},
		{`coalesce(a, 0) > 1`, `coalesce(a, 0) > 1`},
		{`a > b`, `a IS NOT NULL AND b IS NOT NULL AND (a > b)`},
		{`a = 1 XOR b = 2`, `a = 1 XOR b = 2`},
		{`key ENDS WITH '.md'`, `key ENDS WITH '.md'`},
		{`any(t IN tags WHERE t STARTS WITH a)`, `any(t IN tags WHERE t STARTS WITH a)`},
		{`size([x IN tags WHERE x <> 'y' | x]) = 1`, `size([x IN tags WHERE x <> 'y' | x]) = 1`},
		{`a = ['x']`, `a IS NOT NULL AND (a = ['x'])`},
	} {
		p, err := cypher.ParseWhere(c.in)
		if err != nil {
			t.Errorf("%s: %v", c.in, err)
			continue
		}
		if p.String() != c.want {
			t.Errorf("%s\nis   %s\nwant %s", c.in, p, c.want)
		}
		if _, err := cypher.ParseWhere(p.String()); err != nil {
			t.Errorf("%s does not read back: %v", p, err)
		}
	}
}

func TestParseWhereRefuses(t *testing.T) {
	for _, c := range []struct {
		in     string
		column int
		near   string
		why    string
	}{
		{``, 1, ``, "expected an expression, found the end of the condition"},
		{`lang =`, 7, ``, "expected an expression"},
		{`lang == 'en'`, 6, `==`, "write ="},
		{`lang != 'en'`, 6, `!=`, "write <>"},
		{`lang = 'en`, 8, `'`, "no closing '"},
		{"`lang = 1", 1, "`", "no closing `"},
		{"`` = 1", 1, "``", "at least one character"},
		{`in = 1`, 1, `in`, "expected an expression"},
		{`größe = 1 größe`, 11, `größe`, "expected an operator or the end of the condition"},
		{`a = 1;`, 6, `;`, "the end of the condition"},
		{`(a = 1`, 7, ``, "')'"},
		{`a IN ('x', 'y')`, 10, `,`, "a list stands in brackets"},
		{`a IN 5`, 6, `5`, "IN needs a list"},
		{`a PREFIX 'x'`, 3, `PREFIX`, "expected an operator"},
		{`EXISTS(a)`, 1, `EXISTS`, "write IS NOT NULL"},
		{`a >= 2025-01-01`, 11, `01`, "datetime('2025-01-31')"},
		{`a >= 2025-10-01`, 14, `01`, "datetime('2025-01-31')"},
		{`a >= 2025-01-01T10:00:00Z`, 11, `01`, "datetime('2025-01-31')"},
		{`a >= 2025-10-10`, 6, `2025`, "datetime('2025-01-31')"},
		{`a >= datetime('yesterday')`, 6, `datetime`, "is no date"},
		{`a >= datetime('1066-10-32')`, 6, `datetime`, "day is 32"},
		{`a = 1/0`, 6, `/`, "zero"},
		{`nosuch(a) = 1`, 1, `nosuch`, "there is no function"},
		{`labels(a) = []`, 8, `a`, "labels needs a node"},
		{`count(a) > 1`, 1, `count`, "aggregates"},
		{`a = $x`, 5, `$x`, "parameters in a condition"},
		{`a:Label`, 2, `:`, "labels in a condition"},
		{`(a)-->(b)`, 1, `(`, "patterns in a condition"},
		{`EXISTS { MATCH (a) }`, 1, `EXISTS`, "patterns in a condition"},
		{`5`, 1, `5`, "boolean"},
		{`NOT 'x'`, 5, `'x'`, "true or false"},
		{"a = \"\xff\"", 6, "\xff", "not UTF-8"},
		{strings.Repeat("(", 500) + "a = 1", 257, "(", "nested deeper than 256 levels"},
		{"a = 1" + strings.Repeat(" OR a = 1", 20_000), 90003, "=", "more than 20000 operators"},
	} {
		p, err := cypher.ParseWhere(c.in)
		var syntax *cypher.SyntaxError
		if !errors.As(err, &syntax) || !errors.Is(err, engine.ErrInvalid) {
			t.Errorf("%.40q gives %v, %v", c.in, p, err)
			continue
		}
		if p != nil {
			t.Errorf("%.40q gives %v beside its error", c.in, p)
		}
		if syntax.Column != c.column || syntax.Near != c.near || !strings.Contains(err.Error(), c.why) {
			t.Errorf("%.40q: at %d near %q: %v; want %d, %q, %s", c.in, syntax.Column, syntax.Near, err, c.column, c.near, c.why)
		}
	}
}

// TestWhereIsCypher holds ParseWhere against MATCH ... WHERE: random conditions
// choose the same nodes.
func TestWhereIsCypher(t *testing.T) {
	const seed = 3
	r := rand.New(rand.NewPCG(seed, 0))
	db := freshDatabase(t)
	s := freshSession(t, db, cypher.Options{})
	g, err := s.Namespace().Graph(t.Context(), "g")
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"a", "b", "c", "tags", "an odd name"}
	view := func(fn func(v *engine.View) error) {
		t.Helper()
		if err := db.View(t.Context(), func(snap *engine.Snapshot) error { return fn(snap.Graph(g).WithContext(t.Context())) }); err != nil {
			t.Fatal(err)
		}
	}
	err = db.Update(t.Context(), func(tx *engine.Tx) error {
		v := tx.Graph(g)
		kind, err := v.MakeNodeType("doc")
		if err != nil {
			return err
		}
		for _, name := range names {
			if err := v.MakeIndex(name); err != nil {
				return err
			}
		}
		for i := range 150 {
			props := engine.Props{}
			for _, name := range names {
				if v, ok := randomProperty(r, name == "tags"); ok {
					props[name] = v
				}
			}
			if _, _, err := v.PutNode(kind, fmt.Sprint(i), props); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	rounds, chosen, failed, indexed := 1500, 0, 0, 0
	if *long {
		rounds = 100_000
	}
	for range rounds {
		text := randomCondition(r, names, 3)
		bare, statement := strings.ReplaceAll(text, "@", ""), "USE g MATCH (n:doc) WHERE "+strings.ReplaceAll(text, "@", "n.")+" RETURN n.key"
		p, err := cypher.ParseWhere(bare)
		if err != nil {
			failed++ // a constant part fails, which a statement may never evaluate
			continue
		}
		want, err := numbers(t, s, statement)
		var eval *cypher.EvalError
		if errors.As(err, &eval) {
			failed++
			continue
		}
		if err != nil {
			t.Fatalf("seed %d: %s: %v", seed, statement, err)
		}
		view(func(v *engine.View) error {
			set, err := v.Where(p)
			if errors.Is(err, engine.ErrInvalid) {
				failed++ // the statement asked other conditions first
				return nil
			}
			if err != nil {
				t.Fatalf("seed %d: %s, as %s: %v", seed, bare, p, err)
			}
			got := []int{}
			for it := set.Iterator(); it.HasNext(); {
				n, err := v.Node(engine.NodeID(it.Next()))
				if err != nil {
					return err
				}
				k, err := strconv.Atoi(n.Key)
				if err != nil {
					return err
				}
				got = append(got, k)
			}
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Fatalf("seed %d: %s, as %s, finds %v; the statement finds %v", seed, bare, p, got, want)
			}
			chosen += len(got)
			return nil
		})
		if _, ok := p.(engine.Test); !ok {
			indexed++
		}
	}
	if chosen == 0 || indexed == 0 || failed > rounds/2 {
		t.Errorf("%d nodes chosen, %d of %d conditions use an index, %d fail", chosen, indexed, rounds, failed)
	}
}

// numbers runs a statement whose rows are numbers, and returns them in order.
func numbers(t *testing.T, s *cypher.Session, statement string) ([]int, error) {
	res, err := s.Run(t.Context(), statement, nil)
	if err != nil {
		return nil, err
	}
	out := []int{}
	for row, err := range res.Rows() {
		if err != nil {
			return nil, err
		}
		k, err := strconv.Atoi(row[0].AsString())
		if err != nil {
			return nil, err
		}
		out = append(out, k)
	}
	slices.Sort(out)
	return out, nil
}

// randomCondition returns a condition; an @ stands before each property.
func randomCondition(r *rand.Rand, names []string, depth int) string {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	property := func() string {
		name := pick(names...)
		if strings.Contains(name, " ") {
			name = "`" + name + "`"
		}
		return "@" + name
	}
	constant := func() string {
		return pick("0", "1", "2.0", "1.5", "'x'", "'xy'", "''", "'draft'", "true", "false", "null", "1 + 1", "datetime('2024-01-01')", "datetime('2025')", "toUpper('x')", "['x']", "0.0 / 0.0")
	}
	value := func() string {
		switch r.IntN(12) {
		case 0:
			return pick("toLower", "toStringOrNull", "toStringOrNull", "toIntegerOrNull") + "(" + property() + ")"
		case 1:
			return "coalesce(" + property() + ", " + constant() + ")"
		case 2, 3, 4, 5:
			return constant()
		case 6:
			return "size(@tags)"
		}
		return property()
	}
	if depth > 0 {
		inner := func() string { return "(" + randomCondition(r, names, depth-1) + ")" }
		switch r.IntN(8) {
		case 0, 1:
			return inner() + " AND " + inner()
		case 2, 3:
			return inner() + " OR " + inner()
		case 4:
			return inner() + " XOR " + inner()
		case 5, 6:
			return "NOT " + inner()
		}
	}
	switch r.IntN(12) {
	case 0, 1, 2, 3:
		return value() + pick(" = ", " <> ", " < ", " <= ", " > ", " >= ") + value()
	case 4:
		return property() + " IN [" + constant() + ", " + constant() + ", " + constant() + "]"
	case 5:
		return property() + " IN " + pick("[]", "[null]", "null", "['x']")
	case 6:
		return constant() + " IN @tags"
	case 7:
		return value() + pick(" STARTS WITH ", " ENDS WITH ", " CONTAINS ", " =~ ") + pick("'x'", "'dra'", "''", property())
	case 8:
		return value() + pick(" IS NULL", " IS NOT NULL")
	case 9:
		return "any(t IN @tags WHERE t = " + property() + ")"
	case 10:
		return "1 < " + property() + " <= 2"
	}
	return pick("@tags = ['x', 'y']", "@a = true", property()) + pick("", "", " AND @b = false")
}

func randomProperty(r *rand.Rand, list bool) (engine.Value, bool) {
	words := []string{"x", "y", "xy", "", "draft"}
	if list {
		switch r.IntN(4) {
		case 0:
			return engine.Value{}, false
		case 1:
			return engine.Strings(), true
		}
		return engine.Strings(words[r.IntN(5)], words[r.IntN(5)]), true
	}
	switch r.IntN(9) {
	case 0, 1:
		return engine.Value{}, false
	case 2:
		return engine.Int(int64(r.IntN(4))), true
	case 3:
		return engine.Float(float64(r.IntN(8)) / 2), true
	case 4:
		return engine.Bool(r.IntN(2) == 0), true
	case 5:
		return engine.Time(time.Date(2024+r.IntN(2), 1, 1, 0, 0, 0, 0, time.UTC)), true
	case 6:
		return engine.Strings(words[r.IntN(5)]), true
	}
	return engine.String(words[r.IntN(5)]), true
}

func FuzzParseWhere(f *testing.F) {
	for _, s := range []string{
		`lang = "en" AND date >= datetime('2025-01-01')`, `NOT (a IN ['x', 2, 2.5] OR b IS NULL)`, "`a``b` STARTS WITH \"x\\u00e9\"",
		`a <> true`, `NOT a IN [-1e3, null]`, `((a=1))`, `size([x IN a WHERE x = b | x]) > 1 XOR c`, `1 < a <= 2`, `a >= 2025-10-10`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p, err := cypher.ParseWhere(s)
		if err != nil {
			var syntax *cypher.SyntaxError
			if !errors.As(err, &syntax) || syntax.Line < 1 || syntax.Column < 1 || !strings.Contains(s, syntax.Near) {
				t.Fatalf("%q: %v", s, err)
			}
			return
		}
		if _, err := cypher.ParseWhere(p.String()); err != nil {
			t.Fatalf("%q reads as %s, which gives %v", s, p, err)
		}
	})
}
