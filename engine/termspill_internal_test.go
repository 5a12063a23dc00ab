package engine

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/engine/text"
	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
)

// spillDB opens a database in which a transaction keeps maxTx bytes at the most.
func spillDB(t *testing.T, path string, maxTx int) (*DB, *Graph) {
	t.Helper()
	db, err := Open(t.Context(), path, &Options{MaxTxBytes: maxTx})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	ns, err := db.Namespace(t.Context(), "main")
	if err != nil {
		t.Fatal(err)
	}
	g, err := ns.Graph(t.Context(), "g")
	if err != nil {
		t.Fatal(err)
	}
	return db, g
}

// content returns every key and value of a database but for its random name.
func content(t *testing.T, db *DB) (out []string) {
	t.Helper()
	for p, err := range scanRange(t.Context(), db.store, nil, nil) {
		if err != nil {
			t.Fatal(err)
		}
		if string(p.key) == string(layout.Meta("uuid")) {
			continue
		}
		out = append(out, fmt.Sprintf("%x = %x", p.key, p.value))
	}
	return out
}

// spillLife puts, replaces and removes terms of nodes, the same for equal seeds.
// It returns how many of its transactions spilled.
func spillLife(t *testing.T, db *DB, g *Graph, seed uint64, many bool) (spilled int) {
	t.Helper()
	rnd := rand.New(rand.NewPCG(seed, 1))
	if many { // nodes are in two containers, so that one of them can empty
		g.st.nextNode = 1<<16 - 20
	}
	var nodes []NodeID
	for range 6 {
		before := len(nodes)
		err := db.Update(t.Context(), func(tx *Tx) error {
			v := tx.Graph(g)
			typ, err := v.MakeNodeType("n")
			for _, f := range []string{"a", "b"} {
				err = errors.Join(err, v.MakeField(f, FieldOptions{Positions: f == "a"}))
			}
			bucket, berr := v.MakeBucket("jobs")
			if err = errors.Join(err, berr); err != nil {
				return err
			}
			for range 20 + rnd.IntN(60) {
				var id NodeID
				if len(nodes) > 0 && rnd.IntN(3) == 0 {
					i := rnd.IntN(len(nodes))
					id = nodes[i]
					if rnd.IntN(2) == 0 {
						nodes = slices.Delete(nodes, i, i+1)
						if _, err := v.DeleteNode(id); err != nil {
							return err
						}
						if err := bucket.DeletePrefix(fmt.Append(nil, id, "/")); err != nil {
							return err
						}
						continue
					}
				} else {
					if id, _, err = v.PutNode(typ, fmt.Sprint(rnd.Uint64()), Props{"p": Int(1)}); err != nil {
						return err
					}
					nodes = append(nodes, id)
					if err := bucket.Set(fmt.Append(nil, id, "/done"), []byte("x")); err != nil {
						return err
					}
				}
				terms := make([]text.Term, rnd.IntN(60))
				for i := range terms {
					word := fmt.Sprintf("w%d", int(1e5*rnd.Float64()*rnd.Float64()*rnd.Float64()*rnd.Float64()))
					if rnd.IntN(9) == 0 {
						word += "\x00\xff"
					}
					terms[i] = text.Term{Text: word, Pos: uint32(i)}
				}
				if err := v.PutTerms([]string{"a", "b"}[rnd.IntN(2)], id, terms); err != nil {
					return err
				}
			}
			if tx.spill != nil {
				spilled++
			}
			return nil
		})
		if err != nil {
			t.Fatalf("with %d nodes: %v", before, err)
		}
	}
	return spilled
}

// TestSpilledTerms does the same with transactions that keep their terms in memory
// and with such that sort them in files: the databases are equal to the byte.
func TestSpilledTerms(t *testing.T) {
	for _, many := range []bool{false, true} {
		for seed := range uint64(2) {
			t.Run(fmt.Sprintf("many=%v/seed=%d", many, seed), func(t *testing.T) {
				memory, g := spillDB(t, Memory, 0)
				if n := spillLife(t, memory, g, seed, many); n != 0 {
					t.Errorf("%d transactions spilled", n)
				}
				want := content(t, memory)
				path := Memory
				if seed == 0 {
					path = t.TempDir() + "/db"
				}
				files, g := spillDB(t, path, 64<<10)
				if n := spillLife(t, files, g, seed, many); n < 3 {
					t.Errorf("%d transactions spilled", n)
				}
				got := content(t, files)
				if !slices.Equal(want, got) {
					for i := range min(len(want), len(got)) {
						if want[i] != got[i] {
							t.Fatalf("%d keys, not %d; first difference:\n%s\n%s", len(got), len(want), got[i], want[i])
						}
					}
					t.Fatalf("%d keys, not %d", len(got), len(want))
				}
				for f, err := range files.Check(t.Context(), CheckOptions{}) {
					t.Errorf("%v: %v", f, err)
				}
			})
		}
	}
}

// plainStore is a store that takes no sorted input.
type plainStore struct{ kv.Store }

// TestSpillNeedsIngester writes more terms than a transaction holds into a store
// that takes no sorted input: the transaction is refused whole.
func TestSpillNeedsIngester(t *testing.T) {
	db, g := spillDB(t, Memory, 64<<10)
	db.store = plainStore{db.store}
	before := content(t, db)
	err := db.Update(t.Context(), func(tx *Tx) error { return putManyTerms(tx, g, 300) })
	if !errors.Is(err, ErrTxTooLarge) {
		t.Errorf("%v", err)
	}
	if !slices.Equal(before, content(t, db)) {
		t.Error("something was written")
	}
}

// TestSpillLeavesNothing spills in a transaction that then fails: nothing is
// changed, and the next one writes.
func TestSpillLeavesNothing(t *testing.T) {
	db, g := spillDB(t, t.TempDir()+"/db", 64<<10)
	before := content(t, db)
	stop := errors.New("stop")
	err := db.Update(t.Context(), func(tx *Tx) error {
		return errors.Join(putManyTerms(tx, g, 300), stop)
	})
	if !errors.Is(err, stop) || !slices.Equal(before, content(t, db)) {
		t.Errorf("%v; or something was written", err)
	}
	if err := db.Update(t.Context(), func(tx *Tx) error { return putManyTerms(tx, g, 300) }); err != nil {
		t.Fatal(err)
	}
	s, err := db.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	hits, err := s.Graph(g).Terms("f", []string{"w7"}, TermsOptions{})
	if err != nil || len(hits) == 0 {
		t.Errorf("%v, %v", hits, err)
	}
}

func putManyTerms(tx *Tx, g *Graph, nodes int) error {
	v := tx.Graph(g)
	typ, err := v.MakeNodeType("n")
	if err := errors.Join(err, v.MakeField("f", FieldOptions{Positions: true})); err != nil {
		return err
	}
	for i := range nodes {
		id, _, err := v.PutNode(typ, fmt.Sprint(i), nil)
		if err != nil {
			return err
		}
		terms := make([]text.Term, 100)
		for k := range terms {
			terms[k] = text.Term{Text: fmt.Sprintf("w%d", (i*31+k*k)%997), Pos: uint32(k)}
		}
		if err := v.PutTerms("f", id, terms); err != nil {
			return err
		}
	}
	return nil
}

// TestListFile reads values before and after they go to the file, and the last of
// several of a key.
func TestListFile(t *testing.T) {
	var l listFile
	defer func() { _ = l.file.close() }()
	value := func(i int) []byte { return bytes.Repeat([]byte{byte(i)}, 1+i*997%30_000) }
	want := map[string][]byte{}
	for i := range 300 {
		k := string(layout.TermsOf(1, 1, uint64(i*7919%200)))
		want[k] = value(i)
		if i%7 == 0 {
			want[k] = nil
		}
		if err := l.set([]byte(k), want[k]); err != nil {
			t.Fatal(err)
		}
	}
	keys := slices.Sorted(maps.Keys(want))
	for round := range 2 { // in order of the keys, and in another one
		for _, k := range keys {
			b, ok, err := l.get([]byte(k), []byte("before"))
			if !ok || string(b) != "before"+string(want[k]) || errors.Is(err, ErrNotFound) != (want[k] == nil) {
				t.Errorf("round %d, %x: %d bytes, %v, %v", round, k, len(b), ok, err)
			}
		}
		slices.SortFunc(keys, func(a, b string) int { return bytes.Compare(want[a], want[b]) })
	}
	if _, ok, err := l.get(layout.TermsOf(1, 1, 1000), nil); ok || err != nil {
		t.Errorf("%v, %v", ok, err)
	}
}
