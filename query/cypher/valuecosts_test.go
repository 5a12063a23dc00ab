package cypher_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ragdb/ragdb/internal/growthtest"
	"github.com/ragdb/ragdb/query/cypher"
)

// ofValues are statements over values of size n: $s is a string of n
// characters, $u one of n characters of several bytes, $w n blanks, $a n times
// the letter a and $h half as many with a b behind, $d n digits, $l a list of n
// numbers, $m one of n strings, $x one of n numbers without order, $k a map of n
// entries, $n the number itself.
var ofValues = []string{
	"toUpper($s)", "toLower($u)", "toUpper($u)", "trim($w)", "ltrim($w)", "rtrim($w)", "left($u, $n / 2)", "right($u, $n / 2)",
	"substring($u, $n / 2)", "substring($u, $n / 4, $n / 2)", "replace($s, 'a', 'bcd')", "replace($s, '', '-')", "replace($a, 'aa', '')",
	"replace($a, $h, 'x')", "split($s, ' ')", "split($s, '')", "split($a, 'aa')", "split($a, $h)", "reverse($s)", "reverse($u)",
	"size($u)", "char_length($u)", "isEmpty($s)", "toInteger($d)", "toFloat($d)", "toBoolean($s)", "toString($s)", "datetime($d)", "toInteger('1' + $w)",
	"$s CONTAINS 'zz'", "$a CONTAINS $h", "$a CONTAINS 'aaaaaaaaaaaaaaaab'", "$s STARTS WITH left($s, $n - 1)", "$s ENDS WITH right($s, $n - 1)",
	"$s =~ '.*z'", "$a =~ '(a|aa)*b'", "$a =~ '(a*)*b'", "$s =~ '(a )*'", "$s = $s + ''", "$s < $s + 'b'", "$s + $s", "$s + 1",
	"$l + $l", "$l + 1", "1 + $l", "$n IN $l", "$l = $l + []", "$l < $l + 1", "$l IN [$l + 1, $l]", "size($l)", "head($l)", "last($l)", "tail($l)", "reverse($l)",
	"range(0, $n)", "range($n, 0, -1)", "$l[$n / 4..$n / 2]", "$l[-1]", "$k.k1", "$k['k' + $n]", "keys($k)", "properties($k)", "$k = $k", "$k { .*, x: 1 }", "$k { .k1, .k2 }",
	"[x IN $l WHERE x % 2 = 0 | x + 1]", "[x IN $m | toUpper(x)]", "all(x IN $l WHERE x >= 0)", "any(x IN $l WHERE x < 0)", "none(x IN $l WHERE x < 0)",
	"single(x IN $l WHERE x = 0)", "reduce(t = 0, x IN $l | t + x)", "reduce(t = '', x IN $m | t + x)", "reduce(t = '', x IN $m | x + t)",
	"reduce(t = '', x IN $m | '(' + t + ')')", "reduce(t = '', x IN $m | t + ', ' + x)", "reduce(t = [], x IN $l | t + x)", "reduce(t = [], x IN $l | x + t)",
	"reduce(t = [], x IN $l | t + [x, x])", "reduce(t = '', x IN $m | CASE WHEN t = '' THEN x ELSE t + x END)",
	"[x IN split($s, ' ') | x + x]", "size(toString($n) + $s)", "coalesce(null, $l)", "[$l, $l]", "{a: $l}", "CASE $s WHEN $u THEN 1 WHEN $s THEN 2 END",
	"nodes($l)", "labels($s)",
}

// ofRows are statements over n rows.
var ofRows = []string{
	"UNWIND $l AS x RETURN x", "UNWIND $l AS x RETURN count(x)", "UNWIND $x AS x RETURN collect(x)", "UNWIND $x AS x RETURN count(DISTINCT x)",
	"UNWIND $x AS x RETURN collect(DISTINCT x)", "UNWIND $x AS x RETURN sum(x), avg(x), min(x), max(x), stDev(x)", "UNWIND $x AS x RETURN percentileCont(x, 0.3)",
	"UNWIND $x AS x RETURN DISTINCT x", "UNWIND $x AS x RETURN x ORDER BY x", "UNWIND $x AS x RETURN x ORDER BY x DESC LIMIT 10", "UNWIND $l AS x RETURN x ORDER BY x LIMIT 10",
	"UNWIND $l AS x RETURN x ORDER BY x DESC LIMIT 10", "UNWIND $m AS x RETURN x ORDER BY x SKIP 10", "UNWIND $x AS x RETURN x, count(*)", "UNWIND $m AS x WITH x, collect(x) AS y RETURN count(y)",
	"UNWIND $x AS x WITH x WHERE x > 5 RETURN x SKIP 5", "UNWIND $x AS x RETURN x UNION UNWIND $l AS x RETURN x", "UNWIND keys($k) AS x RETURN $k[x]",
	"UNWIND $l AS x RETURN size(collect([x]))", "UNWIND $x AS x CREATE (:Y {i: x})", "UNWIND $l AS x MERGE (:Y {key: toString(x)})",
	"UNWIND $l AS x CREATE (:Y {key: toString(x)})-[:T {i: x}]->(:Z)", "MERGE (h:H {key: 'h'}) WITH h UNWIND $l AS x CREATE (h)-[:T]->(:Y {i: x})",
	"MERGE (h:H {key: 'h'}) WITH h UNWIND $l AS x CREATE (h)-[:T {i: x}]->(:Y)", "MERGE (h:H {key: 'h'}) WITH h UNWIND $m AS x MERGE (h)-[:T]->(:Y {key: x})", "UNWIND $l AS x CREATE (y:Y {i: x}) WITH y SET y.j = y.i REMOVE y.i",
	"UNWIND $l AS x CREATE (y:Y) WITH y DELETE y", "CREATE (:Y {s: $s})", "CREATE (y:Y {l: $m}) RETURN y.l",
}

// quick are those of them that copied or read all again and again once, or have
// a reason to: they are measured in every run. With -long all are.
var quick = map[string]bool{
	"RETURN $a CONTAINS $h": true, "RETURN split($a, $h)": true, "RETURN replace($s, 'a', 'bcd')": true, "RETURN split($s, '')": true, "RETURN toUpper($u)": true,
	"RETURN $s =~ '.*z'": true, "RETURN reduce(t = '', x IN $m | t + x)": true, "RETURN reduce(t = '', x IN $m | x + t)": true,
	"RETURN reduce(t = '', x IN $m | '(' + t + ')')": true, "RETURN reduce(t = [], x IN $l | t + x)": true, "RETURN reduce(t = [], x IN $l | x + t)": true,
	"UNWIND $x AS x RETURN collect(x)": true, "UNWIND $x AS x RETURN x ORDER BY x": true, "UNWIND $l AS x RETURN x ORDER BY x DESC LIMIT 10": true,
	"UNWIND $l AS x MERGE (:Y {key: toString(x)})": true, "MERGE (h:H {key: 'h'}) WITH h UNWIND $l AS x CREATE (h)-[:T]->(:Y {i: x})": true,
}

// TestValueCosts: what a function, an operator or a clause costs grows with the
// size of its value or the number of its rows, and not with the square.
func TestValueCosts(t *testing.T) {
	read := newSession(t, stores["memkv"], cypher.Options{Limits: cypher.Limits{Rows: 1 << 40, Bytes: 1 << 40}})
	for _, text := range append(ofRowsWith("RETURN ", ofValues), ofRows...) {
		if !*long && !quick[text] {
			continue
		}
		t.Run(text, func(t *testing.T) {
			writes := strings.Contains(text, "CREATE") || strings.Contains(text, "MERGE")
			checkGrowth(t, text, "", 1<<20, func(n int) time.Duration {
				params, s := sized(n, text), read
				if writes {
					s = newSession(t, stores["memkv"], cypher.Options{})
				}
				return growthtest.Cost(func() {
					_ = drainWith(t.Context(), s, text, params) // what is refused costs, too
				})
			})
		})
	}
}

func ofRowsWith(before string, list []string) []string {
	var out []string
	for _, text := range list {
		out = append(out, before+text)
	}
	return out
}

// drainWith runs a statement to its last row.
func drainWith(ctx context.Context, s *cypher.Session, text string, params map[string]cypher.Value) error {
	res, err := s.Run(ctx, text, params)
	if err != nil {
		return err
	}
	defer res.Close()
	for _, err := range res.Rows() {
		if err != nil {
			return err
		}
	}
	return nil
}

// sized returns the values of size n that a statement names.
func sized(n int, statement string) map[string]cypher.Value {
	text := func(s string, n int) cypher.Value { return cypher.String(strings.Repeat(s, n)) }
	list := func(item func(i int) cypher.Value) cypher.Value {
		items := make([]cypher.Value, n)
		for i := range items {
			items[i] = item(i)
		}
		return cypher.ListOf(items)
	}
	out := map[string]cypher.Value{}
	for name, value := range map[string]func() cypher.Value{
		"s": func() cypher.Value { return text("a ", n/2) },
		"u": func() cypher.Value { return text("aé日", n/3) },
		"w": func() cypher.Value { return text(" ", n) },
		"a": func() cypher.Value { return text("a", n) },
		"h": func() cypher.Value { return cypher.String(strings.Repeat("a", n/2) + "b") },
		"d": func() cypher.Value { return text("7", n) },
		"l": func() cypher.Value { return list(func(i int) cypher.Value { return cypher.Int(int64(i)) }) },
		"m": func() cypher.Value {
			return list(func(i int) cypher.Value { return cypher.String(fmt.Sprint("w", i)) })
		},
		"x": func() cypher.Value {
			return list(func(i int) cypher.Value { return cypher.Int(int64(i) * 7919 % 1_000_003) })
		},
		"n": func() cypher.Value { return cypher.Int(int64(n)) },
		"k": func() cypher.Value {
			entries := make(map[string]cypher.Value, n)
			for i := range n {
				entries[fmt.Sprint("k", i)] = cypher.Int(int64(i))
			}
			return cypher.MapOf(entries)
		},
	} {
		if strings.Contains(statement, "$"+name) {
			out[name] = value()
		}
	}
	return out
}

// copied are the files of COPY with n of something.
var copiedFiles = []struct {
	name, file, before, part, after string
	statements                      string // %s is the file; the last is measured
}{
	{"rows of CSV", "a.csv", "key,age:int,name\n", "k%d,%d,x\n", "", "COPY X FROM '%s'"},
	{"rows without keys", "a.csv", "age:int\n", "%d\n", "", "COPY X FROM '%s'"},
	{"rows of JSON", "a.jsonl", "", "{\"key\":\"k%d\",\"age\":%d}\n", "", "COPY X FROM '%s'"},
	{"blank lines", "a.jsonl", "{\"key\":\"a\"}\n", "\n", "{\"key\":\"b\"}\n", "COPY X FROM '%s'"},
	{"columns", "a.csv", "key", ",c%d", "\nk\n", "COPY X FROM '%s'"},
	{"fields", "a.jsonl", "{\"key\":\"a\"", ",\"k%d\":%d", "}\n", "COPY X FROM '%s'"},
	{"characters of a cell", "a.csv", "key,s\nk,", "x", "\n", "COPY X FROM '%s'"},
	{"quotes of a cell", "a.csv", "key,s\nk,\"", "\"\"", "\"\n", "COPY X FROM '%s'"},
	{"lines of a cell", "a.csv", "key,s\nk,\"", "x\n", "\"\n", "COPY X FROM '%s'"},
	{"open quotes", "a.csv", "key,s\nk,", "\"x", "\n", "COPY X FROM '%s'"},
	{"strings of a cell", "a.csv", "key,s:strings\nk,", "x;", "x\n", "COPY X FROM '%s'"},
	{"items of a field", "a.jsonl", "{\"key\":\"a\",\"l\":[\"x\"", ",\"x\"", "]}\n", "COPY X FROM '%s'"},
	{"escapes of a field", "a.jsonl", "{\"key\":\"a\",\"l\":\"", "\\u00e9", "\"}\n", "COPY X FROM '%s'"},
	{"lists in lists", "a.jsonl", "{\"key\":\"a\",\"l\":", "[", "\n", "COPY X FROM '%s'"},
	{"edges", "a.csv", "from,to\n", "h,h\n", "", "CREATE (:X {key: 'h'}); COPY T FROM '%s' (FROM X TO X)"},
	{"edges of one node with properties", "a.csv", "from,to,i:int\n", "h,n%d,%d\n", "", "CREATE (:X {key: 'h'}); UNWIND range(0, $n) AS i CREATE (:X {key: 'n' + i}); COPY T FROM '%s' (FROM X TO X)"},
	{"edges to nobody", "a.csv", "from,to\nh,", "x", "\n", "CREATE (:X {key: 'h'}); COPY T FROM '%s' (FROM X TO X)"},
	{"vectors", "a.jsonl", "", "{\"key\":\"k%d\",\"v\":[1,2]}\n", "", "CREATE VECTOR INDEX FOR (p:X) ON (p.v) OPTIONS {dimensions: 2, similarity: 'dot', kind: 'flat'}; COPY X FROM '%s'"},
	{"rows to CSV", "a.csv", "", "", "", "COPY (UNWIND range(1, $n) AS x RETURN x, 'a' AS y) TO '%s'"},
	{"rows to JSON", "a.jsonl", "", "", "", "COPY (UNWIND range(1, $n) AS x RETURN x, 'a' AS y) TO '%s'"},
	{"a long cell to CSV", "a.csv", "", "", "", "COPY (RETURN $s AS s, $l AS l) TO '%s'"},
	{"a long field to JSON", "a.jsonl", "", "", "", "COPY (RETURN $s AS s, $l AS l, $k AS k) TO '%s'"},
}

// TestCopyCosts: what COPY costs grows with the file, and not with its square.
func TestCopyCosts(t *testing.T) {
	for _, c := range copiedFiles {
		t.Run(c.name, func(t *testing.T) {
			checkGrowth(t, c.name, "", 1<<19, func(n int) time.Duration {
				content, params := c.before+times(n, "", c.part)+c.after, sized(n, c.statements)
				files := memoryFiles{c.file: bytes.NewBufferString(content)}
				s := newSession(t, stores["memkv"], cypher.Options{Files: files, Limits: cypher.Limits{Rows: 1 << 40, Bytes: 1 << 40}})
				statements := strings.Split(strings.ReplaceAll(c.statements, "%s", c.file), "; ")
				for _, text := range statements[:len(statements)-1] {
					if err := drainWith(t.Context(), s, text, params); err != nil {
						t.Fatal(err)
					}
				}
				return growthtest.Cost(func() {
					_ = drainWith(t.Context(), s, statements[len(statements)-1], params) // what is refused costs, too
				})
			})
		})
	}
}
