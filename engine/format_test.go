package engine_test

import (
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/pebblekv"
	"github.com/ragdb/ragdb/vecindex"
)

var updateGolden = flag.Bool("update", false, "write the golden database of the format again")

func TestOpenRefusesOtherFormats(t *testing.T) {
	needsDirectory(t)
	for _, c := range []struct {
		name             string
		have, oldest     uint32
		refused          bool
		words, otherWord string
	}{
		{"newer", 2, 2, true, "newer", "older"},
		{"much newer", 1 << 31, 7, true, "newer", "older"},
		{"older", 0, 0, true, "older", "newer"},
		{"newer that this one reads", 2, 1, false, "", ""},
		{"this one", 1, 1, false, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "db")
			db, err := engine.Open(t.Context(), path, nil)
			if err != nil {
				t.Fatal(err)
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			store, err := pebblekv.Open(t.Context(), path, layout.Schema(), nil)
			if err != nil {
				t.Fatal(err)
			}
			write(t, store, func(b kv.Batch) {
				b.Set(layout.Meta("format"), binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, c.have), c.oldest))
			})
			if err := store.Close(); err != nil {
				t.Fatal(err)
			}
			db, err = engine.Open(t.Context(), path, nil)
			if !c.refused {
				if err != nil {
					t.Fatal(err)
				}
				if err := db.Close(); err != nil {
					t.Fatal(err)
				}
				return
			}
			var f *engine.FormatError
			if !errors.Is(err, engine.ErrFormat) || !errors.As(err, &f) || f.Have != c.have || f.Want != engine.Format || f.MinReads != c.oldest {
				t.Fatalf("%v", err)
			}
			if !strings.Contains(err.Error(), c.words) || strings.Contains(err.Error(), c.otherWord) || !strings.Contains(err.Error(), "import") {
				t.Errorf("it says %q", err)
			}
		})
	}
}

// files renders a directory with all that is in it.
func files(t testing.TB, dir string) string {
	t.Helper()
	var out strings.Builder
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			fmt.Fprintln(&out, path)
			return err
		}
		b, err := os.ReadFile(path)
		fmt.Fprintf(&out, "%s %x\n", path, b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestOpenRefusesForeignDirectories(t *testing.T) {
	needsDirectory(t)
	backup := func(t *testing.T, dir string) {
		db := open(t, &engine.Options{})
		if _, err := db.Backup(t.Context(), dir); err != nil {
			t.Fatal(err)
		}
	}
	for name, make := range map[string]func(t *testing.T, dir string){
		"files": func(t *testing.T, dir string) {
			if err := os.WriteFile(filepath.Join(dir, "notes.txt"), []byte("mine"), 0o644); err != nil {
				t.Fatal(err)
			}
		},
		"folder": func(t *testing.T, dir string) {
			if err := os.MkdirAll(filepath.Join(dir, "src", "x"), 0o755); err != nil {
				t.Fatal(err)
			}
		},
		"backup": backup,
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			make(t, dir)
			before := files(t, dir)
			for _, o := range []*engine.Options{nil, {MustExist: true}, {ReadOnly: true}} {
				if db, err := engine.Open(t.Context(), dir, o); !errors.Is(err, kv.ErrForeign) {
					t.Errorf("%+v: %v %v", o, db, err)
				}
			}
			if after := files(t, dir); after != before {
				t.Errorf("it was touched:\n%s\n%s", before, after)
			}
		})
	}
}

// TestOpenRefusesAnotherKeySpace opens a store of the right kind whose keys
// are not a database's.
func TestOpenRefusesAnotherKeySpace(t *testing.T) {
	needsDirectory(t)
	path := filepath.Join(t.TempDir(), "db")
	store, err := pebblekv.Open(t.Context(), path, layout.Schema(), nil)
	if err != nil {
		t.Fatal(err)
	}
	write(t, store, func(b kv.Batch) { b.Set(layout.Node(1, 1), []byte("x")) })
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := engine.Open(t.Context(), path, nil); !errors.Is(err, kv.ErrForeign) {
		t.Errorf("%v", err)
	}
}

// goldenDir holds, for the format in its name, a backup written when the
// format was, and the canonical export that its content must have for ever.
const goldenDir = "testdata/formats/v1"

// goldenSpaces are the families of keys that the golden database must have:
// all that this package writes.
var goldenSpaces = []string{
	"meta", "catalog", "name", "graph", "directory", "node", "key", "type", "nodeblock", "text", "out", "in", "promoted", "parallel", "edge",
	"contribution", "sources", "edgeblock", "set", "edgeset", "space", "vector", "code", "links", "slot", "slotof", "pending", "index", "postings", "lexsum", "termsof", "bucket",
}

func TestGoldenDatabase(t *testing.T) {
	needsDirectory(t)
	text := filepath.Join(goldenDir, "canonical.jsonl")
	if *updateGolden {
		writeGolden(t, text)
	}
	path := filepath.Join(t.TempDir(), "db")
	if err := engine.Restore(t.Context(), filepath.Join(goldenDir, "backup"), path); err != nil {
		t.Fatal(err)
	}
	db, err := engine.Open(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}()
	want, err := os.ReadFile(text)
	if err != nil {
		t.Fatal(err)
	}
	sameText(t, "the golden database", export(t, db, "main", canonical), string(want))
	// What wrote it left the keys of lists that it had emptied.
	for _, f := range check(t, db, engine.CheckOptions{Repair: true}) {
		if !f.Repaired || !strings.Contains(f.What, "nothing") {
			t.Errorf("the golden database: %s", f)
		}
	}
	sound(t, db, "the golden database")
	var have []string
	for _, s := range stats(t, db).Spaces {
		have = append(have, s.Space)
	}
	if !slices.Equal(have, goldenSpaces) {
		t.Errorf("families %v, want %v", have, goldenSpaces)
	}
	// The text is enough to make the content again.
	copied := open(t, &engine.Options{})
	ns, err := copied.Namespace(t.Context(), "main")
	if err != nil {
		t.Fatal(err)
	}
	if err := ns.Import(t.Context(), strings.NewReader(string(want))); err != nil {
		t.Fatal(err)
	}
	sameText(t, "the imported golden text", export(t, copied, "main", canonical), string(want))
	// And it can be written to.
	indexDocument(t, graph(t, db, engine.Base), 1)
	sound(t, db, "the golden database after a write")
	checkGoldenVectors(t, db)
	checkGoldenBlock(t, db)
}

// goldenVectors makes a layered space with a graph, and one with lists,, pending vectors and dead
// nodes.
func goldenVectors(t *testing.T, g *engine.Graph) {
	t.Helper()
	put := func(from, to int) {
		err := g.DB().Update(t.Context(), func(tx *engine.Tx) error {
			v := tx.Graph(g)
			nt, err := v.MakeNodeType("n")
			if err != nil {
				return err
			}
			for name, kind := range goldenKinds() {
				o := engine.SpaceOptions{Dim: 8, Model: "golden", Kind: kind, M: 4, Seed: 3}
				if err := v.MakeSpace(name, o); err != nil {
					return err
				}
			}
			for i := from; i < to; i++ {
				id, _, err := v.PutNode(nt, fmt.Sprint(i), nil)
				if err != nil {
					return err
				}
				x := make([]float32, 8)
				for j := range x {
					x[j] = float32((i*7+j*j)%11) - 4.5
				}
				for name := range goldenKinds() {
					if err := v.PutLayerVector(name, id, uint8(i%5/4), x); err != nil {
						return err
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	put(0, 40)
	for name := range goldenKinds() {
		if err := g.DB().FlushSpace(t.Context(), g, name); err != nil {
			t.Fatal(err)
		}
	}
	put(40, 45)
	for name := range goldenKinds() {
		err := g.DB().Update(t.Context(), func(tx *engine.Tx) error {
			return errors.Join(tx.Graph(g).DeleteVector(name, 3), tx.Graph(g).DeleteVector(name, 9))
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// goldenKinds yields the vector spaces of the golden database, always in the same order.
func goldenKinds() iter.Seq2[string, vecindex.Kind] {
	return func(yield func(string, vecindex.Kind) bool) {
		_ = yield("layers", vecindex.CHNSW) && yield("lists", vecindex.IVF)
	}
}

// checkGoldenVectors asks the spaces of goldenVectors, as they are and settled.
func checkGoldenVectors(t *testing.T, db *engine.DB) {
	t.Helper()
	g := graph(t, db, "vectors")
	for name := range goldenKinds() {
		checkGoldenSpace(t, db, g, name)
	}
}

func checkGoldenSpace(t *testing.T, db *engine.DB, g *engine.Graph, name string) {
	t.Helper()
	for range 2 {
		view(t, g, func(v *engine.View) {
			vecs, err := v.Vectors(name)
			if err != nil {
				t.Fatal(err)
			}
			hits, err := vecs.Search(t.Context(), vecindex.Search{
				Vector: []float32{1, 2, 3, 4, 5, 6, 7, 8}, Layers: []vecindex.LayerK{{Layer: 1, K: 50}, {Layer: 0, K: 50}},
			}, nil)
			if err != nil || len(hits) != 43 {
				t.Errorf("%d hits, %v", len(hits), err)
			}
		})
		if err := db.SettleSpace(t.Context(), g, name); err != nil {
			t.Fatal(err)
		}
		sound(t, db, "the golden vectors")
	}
}

// writeGolden makes the golden database and its text again.
// goldenBlock makes a block of nodes, and one of its nodes stale.
func goldenBlock(t *testing.T, g *engine.Graph) {
	err := g.DB().Load(t.Context(), g, func(l *engine.Loader) error {
		kind, err := l.MakeNodeType("thing")
		for i := range 1023 {
			if err == nil {
				_, err = l.Node(kind, fmt.Sprint(i), engine.Props{"n": engine.Int(int64(i)), "city": engine.String(fmt.Sprint(i % 7))})
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	update(t, g, func(v *engine.TxView) {
		if err := v.SetProps(5, engine.Props{"n": engine.Float(0.5)}); err != nil {
			t.Fatal(err)
		}
	})
}

// checkGoldenBlock reads it.
func checkGoldenBlock(t *testing.T, db *engine.DB) {
	g := graph(t, db, "blocks")
	view(t, g, func(v *engine.View) {
		cols := v.NodeColumns(nil)
		n, city := cols.Column("n"), cols.Column("city")
		for i := range 1023 {
			id, want := engine.NodeID(i+1), engine.Int(int64(i))
			if id == 5 {
				want = engine.Float(0.5)
			}
			if x, err := n.Value(id); err != nil || !x.Equal(want) {
				t.Fatalf("n of node %d: %v, %v", id, x, err)
			}
			if x, err := city.Value(id); err != nil || x.AsString() != fmt.Sprint(i%7) {
				t.Fatalf("city of node %d: %v, %v", id, x, err)
			}
		}
	})
}

func writeGolden(t *testing.T, text string) {
	t.Helper()
	var store kv.Store
	db := open(t, &engine.Options{
		PromoteAt:    4,
		NoBackground: true,
		OpenStore: func(ctx context.Context, path string, s *kv.Schema) (_ kv.Store, err error) {
			store, err = pebblekv.Open(ctx, path, s, &pebblekv.Options{CacheBytes: 1 << 20})
			return store, err
		},
	})
	library(t, db)
	graph(t, db, "empty")
	goldenVectors(t, graph(t, db, "vectors"))
	goldenRules(t, graph(t, db, "rules"))
	goldenColumns(t, graph(t, db, "columns"))
	goldenBlock(t, graph(t, db, "blocks"))
	m := store.(kv.Maintainer)
	if err := errors.Join(m.Flush(t.Context()), m.Compact(t.Context(), nil, nil)); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(goldenDir, "backup")
	if err := errors.Join(os.RemoveAll(dir), os.MkdirAll(goldenDir, 0o755)); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Backup(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(text, []byte(export(t, db, "main", canonical)), 0o644); err != nil {
		t.Fatal(err)
	}
}
