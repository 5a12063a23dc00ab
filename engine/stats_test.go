package engine_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/kv"
)

func stats(t testing.TB, db *engine.DB) (out engine.Stats) {
	t.Helper()
	err := db.View(t.Context(), func(s *engine.Snapshot) (err error) {
		out, err = s.Stats(t.Context())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func count(t testing.TB, counts []engine.Count, name string) int64 {
	t.Helper()
	for _, c := range counts {
		if c.Name == name {
			return c.Count
		}
	}
	t.Errorf("no count of %s in %v", name, counts)
	return -1
}

func TestStatsCount(t *testing.T) {
	onRawStores(t, func(t *testing.T, raw func(testing.TB) (*engine.DB, kv.Store)) {
		db, _ := raw(t)
		if s := stats(t, db); len(s.Graphs) != 0 || len(s.Spaces) == 0 {
			t.Errorf("an empty database: %+v", s)
		}
		g := library(t, db) // documents 0 and 2, and a hub
		graph(t, db, "empty")
		s := stats(t, db)
		if len(s.Graphs) != 2 || s.Graphs[0].Name != "base" || s.Graphs[1].Name != "empty" || s.Graphs[1].Nodes != 0 {
			t.Fatalf("%+v", s.Graphs)
		}
		b := s.Graphs[0]
		var nodes, edges int64
		view(t, g, func(v *engine.View) {
			for _, typ := range v.NodeTypes() {
				set, err := v.Nodes(typ)
				if err != nil {
					t.Fatal(err)
				}
				nodes += int64(set.GetCardinality())
				if got := count(t, b.NodeTypes, v.NodeTypeName(typ)); got != int64(set.GetCardinality()) {
					t.Errorf("%d nodes of %s, want %d", got, v.NodeTypeName(typ), set.GetCardinality())
				}
			}
			byType := map[string]int64{}
			for e, err := range v.Edges(engine.EdgeFilter{}) {
				if err != nil {
					t.Fatal(err)
				}
				all, err := v.Parallel(e.From, []engine.Edge{e})
				if err != nil {
					t.Fatal(err)
				}
				edges += int64(len(all))
				byType[v.EdgeTypeName(e.Type)] += int64(len(all))
			}
			for _, typ := range v.EdgeTypes() {
				name := v.EdgeTypeName(typ)
				if got := count(t, b.EdgeTypes, name); got != byType[name] {
					t.Errorf("%d edges of %s, want %d", got, name, byType[name])
				}
			}
			if version, err := v.Version(); err != nil || version != b.Version {
				t.Errorf("version %d, want %d, %v", b.Version, version, err)
			}
		})
		if b.Nodes != nodes || b.Edges != edges || nodes == 0 || edges == 0 {
			t.Errorf("%d nodes and %d edges, want %d and %d", b.Nodes, b.Edges, nodes, edges)
		}
		if n := count(t, b.Vectors, "chunk"); n != 6 {
			t.Errorf("%d vectors", n)
		}
		if n := count(t, b.Buckets, "manifest"); n != 2 {
			t.Errorf("%d entries", n)
		}
		// Each chunk has the, only<d>, a, a\0b and a byte of its own place.
		if got, want := fmt.Sprint(b.Fields), "[{field-false 6 30 6} {field-true 6 30 6}]"; got != want {
			t.Errorf("fields %s, want %s", got, want)
		}
		var keys, graphs int64
		for _, f := range s.Spaces {
			keys += f.KeyBytes + f.ValueBytes
		}
		for _, g := range s.Graphs {
			graphs += g.KeyBytes + g.ValueBytes
		}
		if keys <= graphs || graphs == 0 {
			t.Errorf("%d bytes in families, %d in graphs", keys, graphs)
		}
		if s.Memory.BudgetBytes != db.MemoryBudget() || s.Store.MemtableBytes == 0 {
			t.Errorf("%+v %+v", s.Memory, s.Store)
		}
		// The same content says the same, but for the engine's own figures.
		again := stats(t, db)
		again.Store = s.Store
		one, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if two, _ := json.Marshal(again); string(one) != string(two) || strings.Contains(string(one), "null") {
			t.Errorf("%s\n%s", one, two)
		}
	})
}
