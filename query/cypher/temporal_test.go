package cypher_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ragdb/ragdb/query/cypher"
)

// TestTemporalIndex asks random comparisons of properties of all kinds, with an
// index and without one: the rows must be the same.
func TestTemporalIndex(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 9))
	literal := func() string {
		day := 1 + r.IntN(3)
		return []string{
			fmt.Sprintf("date('2024-01-0%d')", day),
			fmt.Sprintf("localtime('0%d:00')", day),
			fmt.Sprintf("time('0%d:00+0%d:00')", day, r.IntN(3)),
			fmt.Sprintf("localdatetime('2024-01-0%dT00:00')", day),
			fmt.Sprintf("datetime('2024-01-01T0%d:00+0%d:00')", day, r.IntN(3)),
			fmt.Sprintf("duration('P%dD')", day),
			fmt.Sprintf("point({x: %d, y: 1})", day),
			fmt.Sprint(day), fmt.Sprintf("%d.5", day), fmt.Sprintf("'%d'", day), "true",
		}[r.IntN(11)]
	}
	value := func() string {
		if r.IntN(4) > 0 {
			return literal()
		}
		kind := []string{"date('2024-01-0%d')", "%d", "%d.5", "'%d'", "duration('P%dD')", "datetime('2024-01-01T0%d:00Z')"}[r.IntN(6)]
		var list []string
		for range 1 + r.IntN(3) {
			list = append(list, fmt.Sprintf(kind, 1+r.IntN(3)))
		}
		return "[" + strings.Join(list, ", ") + "]"
	}
	plain, indexed := newSession(t, stores["memkv"], cypher.Options{}), newSession(t, stores["memkv"], cypher.Options{})
	give(t, indexed, "CREATE INDEX FOR (n:N) ON (n.p);")
	for i := range 120 {
		text := fmt.Sprintf("CREATE (:N {key: '%d', p: %s});", i, value())
		give(t, plain, text)
		give(t, indexed, text)
	}
	found := 0
	for range 600 {
		text := "MATCH (n:N) WHERE n.p " + []string{"=", "<>", "<", "<=", ">", ">="}[r.IntN(6)] + " " + value() + " RETURN n.key"
		if r.IntN(4) == 0 {
			text = "MATCH (n:N) WHERE n.p IN [" + literal() + ", " + value() + "] RETURN n.key"
		}
		want, _, err := outcome(plain, text, nil)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		got, _, err := outcome(indexed, text, nil)
		slices.Sort(want)
		slices.Sort(got)
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("%s: %v, %v with the index, %v without", text, got, err, want)
		}
		found += len(got) - 1
	}
	if found < 1000 {
		t.Errorf("only %d rows were found", found)
	}
}

// TestClock says that a statement sees one clock, the session's.
func TestClock(t *testing.T) {
	t.Parallel()
	asked := 0
	s := newSession(t, stores["memkv"], cypher.Options{Clock: func() time.Time {
		asked++
		return time.Date(2024, 2, 29, 23, 30, asked, 5, time.FixedZone("", 3600))
	}})
	want(t, s, "UNWIND [1, 2] AS i RETURN datetime(), date(), localtime.realtime(), timestamp(), date({timezone: '+03:00'})",
		"datetime() | date() | localtime.realtime() | timestamp() | date({timezone: '+03:00'})",
		"2024-02-29T22:30:01.000000005Z | 2024-02-29 | 22:30:01.000000005 | 1709245801000 | 2024-03-01",
		"2024-02-29T22:30:01.000000005Z | 2024-02-29 | 22:30:01.000000005 | 1709245801000 | 2024-03-01")
	if asked != 1 {
		t.Errorf("the clock was asked %d times", asked)
	}
}

// TestCopyKinds copies all kinds of values out and in again.
func TestCopyKinds(t *testing.T) {
	t.Parallel()
	columns := map[string]string{
		"a:date": "2024-02-29", "b:localtime": "09:30", "c:time": "12:00-05:00", "d:localdatetime": "2024-02-29T10:00", "e:datetime": "2024-07-01T07:05[Europe/Vienna]",
		"f:duration": "P1M2DT3.5S", "g:point": `"{""x"": 1, ""y"": 2}"`, "h:ints": "3;1", "i:floats": "1.5;2", "j:booleans": "true;false", "k:dates": "2024-01-01;2024-01-02", "l:strings": "x;y",
	}
	var head, cells []string
	for _, name := range slices.Sorted(func(yield func(string) bool) {
		for name := range columns {
			if !yield(name) {
				return
			}
		}
	}) {
		head, cells = append(head, name), append(cells, columns[name])
	}
	files := memoryFiles{
		"in.csv":  bytes.NewBufferString("key," + strings.Join(head, ",") + "\nx," + strings.Join(cells, ",") + "\n"),
		"bad.csv": bytes.NewBufferString("key,a:date\nx,soon\n"),
	}
	s := newSession(t, stores["memkv"], cypher.Options{Files: files})
	give(t, s, "CREATE (:N {key: 'old'});")
	give(t, s, "COPY N FROM 'in.csv';")
	want(t, s, "MATCH (n:N {key: 'x'}) RETURN n.a, n.b, n.c, n.d, n.e, n.f, n.g, n.h, n.i, n.j, n.k, n.l",
		"n.a | n.b | n.c | n.d | n.e | n.f | n.g | n.h | n.i | n.j | n.k | n.l",
		"2024-02-29 | 09:30 | 12:00-05:00 | 2024-02-29T10:00 | 2024-07-01T07:05+02:00[Europe/Vienna] | P1M2DT3.5S | point({x: 1.0, y: 2.0, crs: 'cartesian'}) | [3, 1] | [1.5, 2.0] | [true, false] | [2024-01-01, 2024-01-02] | ['x', 'y']")
	res, err := s.Run(context.Background(), "COPY M FROM 'bad.csv'", nil)
	if err == nil {
		res.Close()
	}
	if err == nil || !strings.Contains(err.Error(), `line 2: column a: "soon" is no date`) {
		t.Errorf("the error is %v", err)
	}
}
