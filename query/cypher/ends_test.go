package cypher_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ragdb/ragdb/query/cypher"
)

// working are statements of one operator, function or clause each that would
// work long. $s is a string of 4 million characters, $l a list of a million
// numbers, $m a list of 300,000 strings, $d a list of lists in lists.
var working = []string{
	"RETURN $s =~ '(.*a){30}b'",
	"UNWIND $l AS x WITH x WHERE 'aaaa' =~ 'a' + toString(x) RETURN count(*)",
	"RETURN size([x IN range(1, 1000) | toUpper($s)])", "RETURN [x IN range(1, 1000) | size(toLower($s))]",
	"RETURN [x IN range(1, 1000) | size(reverse($s))]", "RETURN [x IN range(1, 1000) | size(trim(left($s, 3000000)))]",
	"RETURN [x IN range(1, 1000) | size(replace($s, 'a', 'b'))]", "RETURN [x IN range(1, 1000) | size(split($s, 'b'))]",
	"RETURN [x IN range(1, 1000) | size(split($s, ''))]", "RETURN [x IN range(1, 1000) | $s CONTAINS 'aab']",
	"RETURN [x IN range(1, 1000) | size($s)]", "RETURN [x IN range(1, 1000) | substring($s, 3999990)]",
	"RETURN [x IN range(1, 1000000) | toInteger($s)]", "RETURN [x IN range(1, 1000000) | toFloatOrNull($s)]",
	"RETURN [x IN range(1, 1000000) | $s = $s + 'b']",
	"RETURN reduce(t = 0, i IN range(1, 3000000) | t + reduce(u = 0, j IN range(1, 1000) | u + j))",
	"RETURN reduce(t = '', i IN range(1, 3000000) | t + 'x')", "RETURN reduce(t = [], i IN range(1, 3000000) | t + i)",
	"RETURN [i IN $l WHERE i IN $l AND i < 0]", "RETURN any(i IN $l WHERE single(j IN $l WHERE i + j < 0))",
	"RETURN [i IN $l | $d = $d]", "RETURN [i IN $l | $d < $d]", "RETURN [i IN $l | size(tail($l))]", "RETURN [i IN $l | size(reverse($l))]",
	"RETURN [i IN $l | size($l[1..])]", "RETURN [i IN $l | size([j IN $l WHERE j < 0])]", "RETURN [i IN $l | size(range(1, 1000000))]",
	"UNWIND $l AS x UNWIND $l AS y RETURN count(DISTINCT x + y)", "UNWIND $l AS x UNWIND range(1, 4) AS y WITH x * 7919 % 999983 AS k, y ORDER BY k, y DESC RETURN count(*)",
	"UNWIND $l AS x RETURN x ORDER BY $d, x LIMIT 10", "UNWIND $l AS x WITH DISTINCT x, $d AS d RETURN count(*)",
	"UNWIND $l AS x WITH $d AS d, count(*) AS n RETURN n", "UNWIND $l AS x RETURN max($d)", "UNWIND $l AS x RETURN count(DISTINCT $d)",
	"UNWIND $l AS x UNWIND range(1, 4) AS y RETURN percentileCont(x * 7919 % 999983, 0.5)", "UNWIND $l AS x UNWIND $l AS y RETURN size(collect(x))",
	"UNWIND $l AS x UNWIND $l AS y WITH x SKIP 100000000000 RETURN x", "UNWIND $m AS x UNWIND $m AS y RETURN count(x + y)",
	"MATCH (a)-[*]-(b) RETURN count(*)", "MATCH p = (a)-[*..20]->(b) RETURN max(length(p))", "MATCH (a), (b), (c), (d), (e), (f) RETURN count(*)",
	"MATCH (a)--(b)--(c)--(d)--(e)--(f) RETURN count(a.i)", "MATCH (a), (b) MATCH p = allShortestPaths((a)-[*]-(b)) UNWIND $l AS x RETURN count(p)",
	"UNWIND $l AS x MATCH (a:N {key: 'n1'}), (b:N {key: 'n9'}) MATCH p = shortestPath((a)-[*]-(b)) RETURN count(p)",
	"UNWIND $l AS x OPTIONAL MATCH (a:Nobody) RETURN count(a)", "MATCH (a) RETURN [x IN $l WHERE EXISTS { (a)--()--()--(b) WHERE b.i < x - 10000000 }]",
	"MATCH (a) RETURN [x IN $l | COUNT { (a)--()--() }]", "MATCH (a) RETURN [x IN $l | size([(a)--()--(b) | b.i])]",
	"UNWIND $l AS x CALL db.labels() YIELD label RETURN count(*)", "UNWIND $l AS x RETURN x UNION UNWIND $l AS x RETURN x",
	"UNWIND $l AS x MERGE (:N {key: 'n1'})", "UNWIND $l AS x MATCH (a:N {key: 'n1'}) SET a.x = x", "UNWIND $l AS x CREATE (:M {x: x})",
	"UNWIND $l AS x MERGE (a:N {i: 3}) ON MATCH SET a.x = x REMOVE a.y", "UNWIND $l AS x MATCH (a:N) WITH a, x CREATE (a)-[:U]->(:M)",
	"MATCH (a), (b), (c), (d), (e) DETACH DELETE a, b, c, d, e", "PROFILE UNWIND $l AS x UNWIND $l AS y RETURN count(*)",
}

// texts are statements that take long to be read, checked or planned.
func texts() map[string]string {
	return map[string]string{
		"a list of a million items":       "RETURN [" + strings.Repeat("1,", 1<<20) + "1]",
		"100,000 nodes":                   "MATCH " + strings.Repeat("(),", 100_000) + "() RETURN 1",
		"300,000 nodes to be made":        "CREATE " + strings.Repeat("(:X),", 300_000) + "(:X)",
		"60 nodes, 1000 times":            strings.Repeat("MATCH "+strings.Repeat("(),", 59)+"() ", 1000) + "RETURN 1",
		"60 nodes with conditions":        strings.Repeat("MATCH (a {x: 1, y: 2})"+strings.Repeat("-->({x: 1, y: 2})", 30)+" ", 200) + "RETURN 1",
		"19,000 operators that fail":      "RETURN 1 / 0" + strings.Repeat(" + 1", 19_000),
		"many columns of columns":         "WITH 1 AS x " + strings.Repeat("WITH *, 1 AS y ", 1) + "RETURN " + strings.Repeat("x + 1, ", 9000) + "count(*) AS c ORDER BY c",
		"columns that are passed on":      passedOn(1500),
		"a long string":                   "RETURN '" + strings.Repeat("x", 8_000_000) + "'",
		"a long name":                     "RETURN " + strings.Repeat("x", 8_000_000),
		"strings that are joined":         "RETURN 'x'" + strings.Repeat(" + '"+strings.Repeat("x", 400)+"'", 15_000),
		"subqueries":                      "MATCH (a) RETURN " + strings.Repeat("EXISTS { (a)-->(b)-->(c) } OR ", 9_000) + "true",
		"a million columns of one name":   "RETURN " + strings.Repeat("1,", 1<<20) + "1",
		"a condition of 100,000 elements": "MATCH " + strings.Repeat("(a)-->", 30) + "(b) WHERE a.x IN [" + strings.Repeat("1,", 100_000) + "1] RETURN 1",
	}
}

// passedOn is a statement whose i-th clause has i columns.
func passedOn(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "WITH *, %d AS c%d ", i, i)
	}
	return b.String() + "RETURN 1"
}

// TestStatementsEnd: whatever a statement is at, it ends soon after its context,
// whenever that ends: within 50 ms with -long, which measures many moments.
func TestStatementsEnd(t *testing.T) {
	s := newSession(t, stores["memkv"], cypher.Options{Procedures: allProcedures(t), Limits: cypher.Limits{Rows: 1 << 40, Bytes: 1 << 32}})
	completeGraph(t, s, 20)
	params := workingParams()
	soon, moments := 250*time.Millisecond, []time.Duration{25 * time.Millisecond}
	if *long {
		soon, moments = 50*time.Millisecond, nil
		for d := time.Millisecond; d < 2*time.Second; d = d * 3 / 2 {
			moments = append(moments, d)
		}
	}
	check := func(name, text string) {
		t.Run(name, func(t *testing.T) {
			worst := time.Duration(0)
			for _, moment := range moments {
				late, ended := statementLate(s, text, params, moment)
				for try := 0; late > soon && try < 10; try++ { // the machine may be busy
					again, _ := statementLate(s, text, params, moment)
					late = min(late, again)
				}
				if late > soon {
					t.Errorf("cancelled after %v it ended %v later", moment, late)
				}
				if worst = max(worst, late); ended {
					break // it is done before the next moment
				}
			}
			if *long {
				t.Logf("%6.1f ms late", float64(worst.Microseconds())/1000)
			}
		})
	}
	for _, text := range working {
		res, err := s.Run(t.Context(), "EXPLAIN "+strings.TrimPrefix(text, "PROFILE "), params)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		res.Close()
		check(text, text)
	}
	for name, text := range texts() {
		check(name, text)
	}
	if !*long { // else some statement is done before its context ends
		want(t, s, "MATCH (n) RETURN count(*)", "count(*)", "20")
	}
}

func workingParams() map[string]cypher.Value {
	numbers, words := make([]cypher.Value, 1_000_000), make([]cypher.Value, 300_000)
	for i := range numbers {
		numbers[i] = cypher.Int(int64(i))
	}
	for i := range words {
		words[i] = cypher.String(fmt.Sprint("word ", i))
	}
	deep := cypher.ListOf(numbers[:1000])
	for range 50 {
		deep = cypher.ListOf([]cypher.Value{cypher.ListOf(numbers[:1000]), deep})
	}
	return map[string]cypher.Value{
		"s": cypher.String(strings.Repeat("a ", 2_000_000)), "l": cypher.ListOf(numbers), "m": cypher.ListOf(words), "d": deep,
	}
}

// statementLate returns how long after its context a statement ended, and
// whether it ended before. It is the lesser of the time that passed and the
// processor time that this process used: a busy machine makes the one longer,
// the collector beside the statement the other.
func statementLate(s *cypher.Session, text string, params map[string]cypher.Value, after time.Duration) (late time.Duration, before bool) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var end time.Time
	var used time.Duration
	ended := make(chan struct{})
	timer := time.AfterFunc(after, func() {
		end, used = time.Now(), cpuTime()
		cancel()
		close(ended)
	})
	if res, err := s.Run(ctx, text, params); err == nil {
		for range res.Rows() { // an error ends them
		}
		res.Close()
	}
	now, cpu := time.Now(), cpuTime()
	if timer.Stop() {
		return 0, true
	}
	<-ended
	if late = now.Sub(end); cpu > 0 {
		late = min(late, cpu-used)
	}
	return max(late, 0), false
}

// TestReduceJoins: reduce makes a long string or list of many small parts, at
// either end and at both.
func TestReduceJoins(t *testing.T) {
	s := newSession(t, stores["memkv"], cypher.Options{})
	for _, text := range []string{
		"RETURN size(reduce(t = '', i IN range(1, 300000) | t + 'x')) AS n",
		"RETURN size(reduce(t = '', i IN range(1, 300000) | 'x' + t)) AS n",
		"RETURN size(reduce(t = '', i IN range(1, 150000) | 'x' + t + 'y')) AS n",
		"RETURN size(reduce(t = [], i IN range(1, 300000) | t + i)) AS n",
		"RETURN size(reduce(t = [], i IN range(1, 150000) | [i] + t + [i])) AS n",
	} {
		want(t, s, text, "n", "300000")
	}
}
