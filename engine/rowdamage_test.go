package engine_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/kvtest"
	"github.com/ragdb/ragdb/kv/tablekv"
)

// rowsOf returns all rows of a server, ascending.
func rowsOf(t *testing.T, server *kvtest.Server) []kv.Pair {
	t.Helper()
	v, _, err := server.Table(kv.Bounds{}).View(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	all, err := v.Scan(t.Context(), nil, nil, false, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// rowFaults returns what may happen to a row of a server: rows that are written in place
// of others, a nil value for one that is gone.
func rowFaults(r *rand.Rand, all []kv.Pair, i int) map[string][]kv.Pair {
	p, other := all[i], all[r.IntN(len(all))]
	flip := func(b []byte) []byte {
		b = bytes.Clone(b)
		if len(b) > 0 {
			b[r.IntN(len(b))] ^= 1 << r.IntN(8)
		}
		return b
	}
	next := all[(i+1)%len(all)]
	return map[string][]kv.Pair{
		"deleted":  {{Key: p.Key}},
		"flipped":  {{Key: p.Key, Value: flip(p.Value)}},
		"cut":      {{Key: p.Key, Value: p.Value[:r.IntN(len(p.Value)+1)]}},
		"emptied":  {{Key: p.Key, Value: []byte{}}},
		"appended": {{Key: p.Key, Value: append(bytes.Clone(p.Value), make([]byte, 1+r.IntN(8))...)}},
		"swapped":  {{Key: p.Key, Value: next.Value}, {Key: next.Key, Value: p.Value}},
		"copied":   {{Key: other.Key, Value: p.Value}},
		"moved":    {{Key: p.Key}, {Key: flip(p.Key), Value: p.Value}},
	}
}

// undetected reports whether a fault that changes what the database holds may pass a
// check: docs/distributed.md names them. They concern what is stored once.
func undetected(key []byte, fault string) bool {
	switch layout.Tag(key[0]) {
	case layout.TagBucket: // what the layers above keep: see rag
		return true
	case layout.TagEdge: // a record says that its edge has properties
		return fault != "cut" && fault != "emptied" && fault != "appended"
	case layout.TagNode, layout.TagEdgeBlock, layout.TagText, layout.TagVector, layout.TagSlot, layout.TagContribution,
		layout.TagCatalog, layout.TagParallel, layout.TagPostings: // another value of the same form; of postings, other places
		return fault == "flipped" || fault == "swapped" || fault == "copied"
	}
	return false
}

// TestRowDamage damages one row at a time of a database in a table: a check finds it, or
// what the database holds is what it was, or the fault is one that is named.
func TestRowDamage(t *testing.T) {
	t.Parallel()
	server := kvtest.NewServer(1)
	writer := func(server *kvtest.Server, readOnly bool) (*engine.DB, error) {
		return engine.Open(t.Context(), "", &engine.Options{
			ReadOnly: readOnly, PromoteAt: 4, BlockEdges: 2,
			OpenStore: func(ctx context.Context, _ string, s *kv.Schema) (kv.Store, error) {
				return tablekv.Open(ctx, server.Table(kv.Bounds{}), s, &tablekv.Options{ReadOnly: readOnly})
			},
		})
	}
	db, err := writer(server, false)
	if err != nil {
		t.Fatal(err)
	}
	library(t, db)
	content := export(t, db, "main", canonical)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	all := rowsOf(t, server)
	step := 5
	if *long {
		step = 1
	}
	r := rand.New(rand.NewPCG(10, 1))
	found, harmless, passed := 0, map[string]int{}, map[string]int{}
	for i := r.IntN(step); i < len(all); i += step {
		faults := rowFaults(r, all, i)
		for _, name := range slices.Sorted(maps.Keys(faults)) {
			rows := map[string][]byte{}
			for _, p := range all {
				rows[string(p.Key)] = p.Value
			}
			same := true
			for _, p := range faults[name] {
				old, there := rows[string(p.Key)]
				same = same && there == (p.Value != nil) && bytes.Equal(old, p.Value)
				if rows[string(p.Key)] = p.Value; p.Value == nil {
					delete(rows, string(p.Key))
				}
			}
			if same {
				continue
			}
			what := fmt.Sprintf("%s %s", layout.Format(faults[name][0].Key), name)
			db, err := writer(serverOf(t, rows), true)
			if err != nil {
				found++
				continue
			}
			clean := true
			for _, err := range db.Check(t.Context(), engine.CheckOptions{Full: true}) {
				clean = false
				_ = err
			}
			got, tag := "", layout.Tag(faults[name][0].Key[0])
			if clean {
				var out bytes.Buffer
				if err := db.View(t.Context(), func(s *engine.Snapshot) error { return s.Export(t.Context(), "main", &out, canonical) }); err != nil {
					t.Errorf("%s: nothing is found, and an export fails: %v", what, err)
				}
				got = out.String()
			}
			switch {
			case !clean:
				found++
			case got == content:
				harmless[fmt.Sprintf("%v %s", tag, name)]++
			case undetected(faults[name][0].Key, name):
				passed[fmt.Sprintf("%v %s", tag, name)]++
			default:
				t.Errorf("%s: nothing is found, and the content is another", what)
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Logf("%d rows: %d faults found; not found, with the same content: %v; not found, with another: %v", len(all), found, harmless, passed)
	if found < 8*len(all)/step/2 {
		t.Errorf("only %d faults were found", found)
	}
}

// serverOf returns a server with rows.
func serverOf(t *testing.T, rows map[string][]byte) *kvtest.Server {
	t.Helper()
	server := kvtest.NewServer(1)
	keys := slices.Sorted(maps.Keys(rows))
	var c kv.Changes
	for _, k := range keys[1:] {
		c.Set = append(c.Set, kv.Pair{Key: []byte(k), Value: rows[k]})
	}
	g := kv.Guard{Key: []byte(keys[0]), New: rows[keys[0]]}
	if err := server.Table(kv.Bounds{}).Write(t.Context(), g, &c); err != nil {
		t.Fatal(err)
	}
	return server
}
