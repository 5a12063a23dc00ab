package cypher

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"github.com/ragdb/ragdb/engine"
)

// TestChargesMatchMemory keeps rows of every shape and compares what the statement has drawn
// from the budget with what the heap has grown by: never less than nine tenths of it.
func TestChargesMatchMemory(t *testing.T) {
	db, err := engine.Open(t.Context(), engine.Memory, &engine.Options{MemoryBudget: 4 << 30})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	ns, err := db.Namespace(t.Context(), "main")
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewSession(Options{DB: db, Namespace: ns, Limits: Limits{Bytes: 2 << 30}})
	if err != nil {
		t.Fatal(err)
	}
	res, err := s.Run(t.Context(), "UNWIND range(1, 20000) AS i CREATE (:P {k: i, s: 'name ' + i})-[:R {w: i, t: 'of ' + i}]->(:Q {k: i})", nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := res.Close(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []string{
		"UNWIND range(1, 60000) AS i RETURN collect(i)",
		"UNWIND range(1, 60000) AS i RETURN collect([i, i + 1, 'text ' + i])",
		"UNWIND range(1, 60000) AS i RETURN collect(toString(i))",
		"UNWIND range(1, 30000) AS i RETURN collect({a: i, b: {c: i, d: [i, i, i]}})",
		"UNWIND range(1, 30000) AS i RETURN collect({a: i})",
		"UNWIND range(1, 5000) AS i RETURN collect({a: 1, b: 2, c: 3, d: 4, e: 5, f: 6, g: 7, h: 8, i: 9, j: i, k: 11, l: 12})",
		"UNWIND range(1, 60000) AS i RETURN collect(date({year: 2000, month: 1, day: 1 + i % 28}))",
		"UNWIND range(1, 60000) AS i RETURN collect(point({x: i, y: i}))",
		"UNWIND range(1, 60000) AS i RETURN collect(DISTINCT 'key ' + i)",
		"UNWIND range(1, 60000) AS i WITH i % 30000 AS k, i AS i RETURN k, count(*), sum(i), collect(i)",
		"UNWIND range(1, 60000) AS i RETURN DISTINCT i, 'a ' + i",
		"UNWIND range(1, 60000) AS i RETURN i, 'a ' + i ORDER BY -i",
		"MATCH (p:P) RETURN collect(p)",
		"MATCH (p:P) RETURN collect(properties(p))",
		"MATCH (:P)-[r:R]->(:Q) RETURN collect(r)",
		"MATCH (:P)-[r:R]->(:Q) WHERE r.w > 0 AND r.t <> '' RETURN collect(r)",
		"MATCH x = (:P)-[r:R]->(:Q) RETURN collect(x)",
	} {
		grown, drawn, err := kept(t.Context(), s, c)
		if err != nil {
			t.Fatalf("%s: %v", c, err)
		}
		ratio := float64(drawn) / float64(grown)
		line := fmt.Sprintf("%.2f of %d bytes: %s", ratio, grown, c)
		if t.Log(line); ratio < .9 || ratio > 3 {
			t.Errorf("drawn is %s", line)
		}
	}
}

// kept returns by how much the heap has grown when a statement has its first row, and how
// much it has drawn.
func kept(ctx context.Context, s *Session, text string) (grown, drawn int64, err error) {
	res, err := s.Run(ctx, text, nil)
	if err != nil {
		return 0, 0, err
	}
	before, n := inHeap(), 0
	for row, err := range res.Rows() {
		if err != nil {
			return 0, 0, err
		}
		if n++; n == 1 {
			grown, drawn = inHeap()-before, res.share.Used()
			var large int64
			for _, v := range row {
				large += v.memory()
			}
			if large >= largeRow {
				drawn -= 3 * large // for writing it out
			}
		}
		runtime.KeepAlive(row)
	}
	return grown, drawn, nil
}

// inHeap returns the bytes of what is in use.
func inHeap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
