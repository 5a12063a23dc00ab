package cypher_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query/cypher"
)

// FuzzRun runs whatever text as a statement: there is no panic and no hang, and
// a statement that fails leaves the graph as it was.
func FuzzRun(f *testing.F) {
	files, err := filepath.Glob("testdata/scenarios/*.txt")
	if err != nil || len(files) == 0 {
		f.Fatal("no scenarios")
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, s := range parseScenarios(f, file, string(text)) {
			f.Add(s.when)
		}
	}
	for _, text := range endless {
		f.Add(text)
	}
	params := map[string]cypher.Value{"n": cypher.Int(1), "key": cypher.String("a"), "l": cypher.ListOf([]cypher.Value{cypher.Null})}
	f.Fuzz(func(t *testing.T, text string) {
		s := newSession(t, stores["memkv"], cypher.Options{
			Limits: cypher.Limits{Rows: 10_000, Bytes: 8 << 20},
			Files:  memoryFiles{}, Procedures: procedures(t),
		})
		give(t, s, "CREATE (a:A {key: 'a', n: 1})-[:T {w: 1}]->(b:B {key: 'b', s: 'x'}), (a)-[:U]->(:A {key: 'c'}); CREATE INDEX FOR (a:A) ON (a.n);")
		before := digest(t, s)
		start := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		defer cancel()
		res, err := s.Run(ctx, text, params)
		if err == nil {
			n := 0
			for row, rowErr := range res.Rows() {
				if err = rowErr; err != nil {
					break
				}
				for _, v := range row {
					_ = v.String()
				}
				if n++; n == 100 {
					break
				}
			}
		}
		if took := time.Since(start); took > time.Minute {
			t.Errorf("took %v", took)
		}
		if err != nil && errors.Is(err, engine.ErrCorrupt) {
			t.Errorf("the error is %v", err)
		}
		batches := err != nil && strings.Contains(err.Error(), "of CALL IN TRANSACTIONS before it stay")
		if (err != nil && !batches || err == nil && !res.Counts.Any()) && digest(t, s) != before {
			t.Errorf("the graph is another one, and %v", err)
		}
	})
}

// digest returns the hash of what the session's database holds.
func digest(t testing.TB, s *cypher.Session) [32]byte {
	t.Helper()
	ctx := context.Background()
	g, err := s.Namespace().Graph(ctx, "town")
	if err != nil {
		t.Fatal(err)
	}
	snap, err := g.DB().Snapshot(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	sum, err := snap.Digest(ctx, s.Namespace().Name(), engine.ExportOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return sum
}
