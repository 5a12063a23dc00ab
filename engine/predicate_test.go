package engine_test

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/ragdb/ragdb/engine"
)

func TestParsePredicate(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`lang = "en" AND date >= 2025-01-01`, `lang = "en" AND date >= 2025-01-01`},
		{`lang='en'and` + "\n" + `date>=2025-01-01`, `lang = "en" AND date >= 2025-01-01`},
		{`a = 1 OR b = 2 AND NOT c = 3`, `a = 1 OR (b = 2 AND NOT c = 3)`},
		{`(a = 1 OR b = 2) AND c = 3`, `(a = 1 OR b = 2) AND c = 3`},
		{`((a = 1))`, `a = 1`},
		{`not not a = 1`, `NOT NOT a = 1`},
		{`NOT (a = 1 OR b = 2)`, `NOT (a = 1 OR b = 2)`},
		{`a IN ("x", 'y', 3, true, 2025-01-01)`, `a IN ("x", "y", 3, true, 2025-01-01)`},
		{`a IN ("x")`, `a = "x"`},
		{`a not in (1, 2)`, `a NOT IN (1, 2)`},
		{`a NOT IN (1)`, `a != 1`},
		{`EXISTS ( a )`, `EXISTS(a)`},
		{`path PREFIX "docs/"`, `path PREFIX "docs/"`},
		{`path starts with "docs/"`, `path PREFIX "docs/"`},
		{`starts STARTS WITH "a" AND with = "b"`, `starts PREFIX "a" AND with = "b"`},
		{"`odd name` = 1 AND `and` = 2 AND `a``b` != 3", "`odd name` = 1 AND `and` = 2 AND `a``b` != 3"},
		{`größe.in-cm > -1.5`, `größe.in-cm > -1.5`},
		{`a = 7 AND b = 7.0 AND c = 7e0 AND d = +7`, `a = 7 AND b = 7.0 AND c = 7.0 AND d = 7`},
		{`a < 9223372036854775808`, `a < 9.223372036854776e+18`}, // the shortest that reads back
		{`a = "q\"\\\n\tA\u00e9'" `, `a = "q\"\\\n\tAé'"`},
		{`a = 'q\'"'`, `a = "q'\""`},
		{`a = "\u0001"`, `a = "\u0001"`},
		{`t <= 2025-01-01T10:00:00Z`, `t <= 2025-01-01T10:00:00Z`},
		{`t <= 2025-01-01T10:00:00.25+02:00`, `t <= 2025-01-01T10:00:00.25+02:00`},
		{`t <= 2025-01-01T10:00:00`, `t <= 2025-01-01T10:00:00`},
		{`a = TRUE OR a = False`, `a = true OR a = false`},
	} {
		p, err := engine.ParsePredicate(c.in)
		if err != nil {
			t.Errorf("%s: %v", c.in, err)
			continue
		}
		if p.String() != c.want {
			t.Errorf("%s\nreads as %s\nwant     %s", c.in, p, c.want)
		}
		again, err := engine.ParsePredicate(p.String())
		if err != nil || again.String() != p.String() {
			t.Errorf("%s does not read back: %v, %v", p, again, err)
		}
	}
}

func TestParsePredicateRefuses(t *testing.T) {
	for _, c := range []struct {
		in     string
		column int
		near   string
		why    string
	}{
		{``, 1, ``, "expected a property"},
		{`   `, 4, ``, "expected a property"},
		{`lang`, 5, ``, "expected =, !=,"},
		{`lang =`, 7, ``, "expected a value"},
		{`lang = en`, 8, `en`, "text stands in quotes"},
		{`lang == "en"`, 7, `=`, "expected a value"},
		{`lang = "en`, 8, `"en`, "no closing quote"},
		{"`lang = 1", 1, "`lang = 1", "no closing backtick"},
		{"`` = 1", 1, "``", "empty name"},
		{`in = 1`, 1, `in`, "stands in backticks"},
		{`größe = 1 größe`, 11, `größe`, "expected AND, OR"},
		{`a = 1 AND`, 10, ``, "expected a property"},
		{`(a = 1`, 7, ``, "expected )"},
		{`a = 1)`, 6, `)`, "expected AND, OR"},
		{`a IN 1`, 6, `1`, "expected ("},
		{`a IN ()`, 7, `)`, "expected a value"},
		{`a IN (1 2)`, 9, `2`, "expected )"},
		{`a NOT = 1`, 7, `=`, "expected IN"},
		{`EXISTS a`, 8, `a`, "expected ("},
		{`a PREFIX 3`, 10, `3`, "expected text"},
		{`a STARTS "x"`, 10, `"x"`, "expected WITH"},
		{`a STARTS WITH 3`, 15, `3`, "expected text"},
		{`a = 2025-13-01`, 5, `2025-13-01`, "neither a number nor a date"},
		{`a = 1066-10-14`, 5, `1066-10-14`, "1678"},
		{`a = 0x10`, 5, `0x10`, "neither a number"},
		{`a = 1e999`, 5, `1e999`, "out of range"},
		{`a = -`, 5, `-`, "not a number"},
		{`a = "\x"`, 6, `\x`, "unknown escape"},
		{`a = "\ud800"`, 6, `\u`, "unknown escape"},
		{`a ~ 1`, 3, `~`, "no meaning"},
		{"a = \"\xff\"", 6, "\xff", "not UTF-8"},
		{strings.Repeat("(", 500) + "a = 1", 101, "(", "nested more than 100 deep"},
	} {
		p, err := engine.ParsePredicate(c.in)
		var syntax *engine.SyntaxError
		if !errors.As(err, &syntax) || !errors.Is(err, engine.ErrInvalid) {
			t.Errorf("%q gives %v, %v", c.in, p, err)
			continue
		}
		if p != nil {
			t.Errorf("%q gives %v beside its error", c.in, p)
		}
		if syntax.Column != c.column || syntax.Near != c.near || !strings.Contains(err.Error(), c.why) {
			t.Errorf("%q: at %d near %q: %v; want %d, %q, %s", c.in, syntax.Column, syntax.Near, err, c.column, c.near, c.why)
		}
		if !strings.HasPrefix(c.in[syntax.Offset:], syntax.Near) {
			t.Errorf("%q: offset %d is not at %q", c.in, syntax.Offset, syntax.Near)
		}
	}
}

// TestBareDate pins what a date without quotes stands for.
func TestBareDate(t *testing.T) {
	p, err := engine.ParsePredicate(`d >= 2025-01-01`)
	if err != nil {
		t.Fatal(err)
	}
	c := p.(engine.Comparison)
	day := time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)
	if len(c.Values) != 2 || !c.Values[0].Equal(engine.Time(day)) || !c.Values[1].Equal(engine.String("2025-01-01")) {
		t.Errorf("a bare date stands for %v", c.Values)
	}
}

func FuzzParsePredicate(f *testing.F) {
	for _, s := range []string{
		`lang = "en" AND date >= 2025-01-01`, `NOT (a IN ('x', 2, 2.5) OR EXISTS(b))`,
		"`a``b` PREFIX \"x\\u00e9\"", `a != true`, `a NOT IN (2025-01-01T10:00:00Z, -1e3)`, `((a=1))`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p, err := engine.ParsePredicate(s)
		if err != nil {
			var syntax *engine.SyntaxError
			if !errors.As(err, &syntax) || syntax.Offset < 0 || syntax.Offset > len(s) || syntax.Column < 1 {
				t.Fatalf("%q: %v", s, err)
			}
			return
		}
		again, err := engine.ParsePredicate(p.String())
		if err != nil || again.String() != p.String() {
			t.Fatalf("%q reads as %s, which reads as %v, %v", s, p, again, err)
		}
	})
}

// TestPredicateStrings writes what only a program makes.
func TestPredicateStrings(t *testing.T) {
	for _, c := range []struct {
		p    engine.Predicate
		want string
	}{
		{engine.Comparison{Property: "a", Op: engine.OpLess, Values: []engine.Value{engine.Int(1), engine.String("x")}}, `(a < 1 OR a < "x")`},
		{engine.Not{Predicate: engine.Comparison{Property: "a", Op: engine.OpExists}}, `NOT EXISTS(a)`},
		{engine.Comparison{Property: "a b", Values: []engine.Value{engine.Float(math.MaxFloat64)}}, "`a b` = 1.7976931348623157e+308"},
		{engine.Comparison{Property: "a", Values: []engine.Value{engine.Time(time.Date(2025, 1, 2, 3, 4, 5, 6, time.UTC))}}, `a = 2025-01-02T03:04:05.000000006Z`},
		{engine.And{engine.Or{engine.Comparison{Property: "a", Op: engine.OpExists}, engine.Comparison{Property: "b", Op: engine.OpExists}}, engine.Comparison{Property: "c", Op: engine.OpExists}}, `(EXISTS(a) OR EXISTS(b)) AND EXISTS(c)`},
	} {
		if got := c.p.String(); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}
