package engine_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/memkv"
)

// writer is what a transaction and a load have in common.
type writer interface {
	MakeNodeType(name string) (engine.TypeID, error)
	MakeEdgeType(name string, directed bool) (engine.EdgeType, error)
	node(t engine.TypeID, key string, props engine.Props) (engine.NodeID, error)
	edge(from, to engine.NodeID, t engine.EdgeType, w float32) error
}

type txWriter struct{ *engine.TxView }

func (w txWriter) node(t engine.TypeID, key string, props engine.Props) (engine.NodeID, error) {
	id, _, err := w.PutNode(t, key, props)
	return id, err
}

func (w txWriter) edge(from, to engine.NodeID, t engine.EdgeType, weight float32) error {
	return w.AddEdge(from, to, t, weight)
}

type loadWriter struct{ *engine.Loader }

func (w loadWriter) node(t engine.TypeID, key string, props engine.Props) (engine.NodeID, error) {
	return w.Node(t, key, props)
}

func (w loadWriter) edge(from, to engine.NodeID, t engine.EdgeType, weight float32) error {
	return w.Edge(from, to, t, weight)
}

// sampleWrite is a random piece of a graph: nodes from..to of two types and
// edges of four, with hubs, loops, repeated edges and, where weighted, weights
// that change.
type sampleWrite struct {
	seed             uint64
	from, to, edges  int
	weighted, direct bool // direct: only edges of one type, without hubs
}

func (s sampleWrite) write(w writer) error {
	r := rand.New(rand.NewPCG(s.seed, 1))
	var nodes [2]engine.TypeID
	var edges [4]engine.EdgeType
	var err error
	for i := range nodes {
		if nodes[i], err = w.MakeNodeType(fmt.Sprint("node", i)); err != nil {
			return err
		}
	}
	for i := range edges {
		if edges[i], err = w.MakeEdgeType(fmt.Sprint("edge", i), i%2 == 0); err != nil {
			return err
		}
	}
	ids := make([]engine.NodeID, 0, s.to)
	for i := range s.from {
		ids = append(ids, engine.NodeID(i+1))
	}
	for i := s.from; i < s.to; i++ {
		props := engine.Props{"name": engine.String(fmt.Sprint("n", r.IntN(50))), "i": engine.Int(int64(i))}
		if i%97 == 0 && i < 500 {
			props["text"] = engine.String(strings.Repeat("a long story ", 200+r.IntN(30_000)))
		}
		id, err := w.node(nodes[r.IntN(2)], fmt.Sprint("key", (i*7919)%1_000_003), props)
		if err != nil {
			return err
		}
		ids = append(ids, id)
	}
	for range s.edges {
		from, to := r.IntN(len(ids)), r.IntN(len(ids))
		if !s.direct && r.IntN(3) == 0 {
			from = r.IntN(3)
		}
		if !s.direct && r.IntN(3) == 0 {
			to = r.IntN(3)
		}
		t := edges[r.IntN(4)]
		if s.direct {
			t = edges[0]
		}
		weight := float32(1)
		if s.weighted && r.IntN(4) > 0 {
			weight = float32(r.IntN(9)) / 4
		}
		if err := w.edge(ids[from], ids[to], t, weight); err != nil {
			return err
		}
	}
	return nil
}

// result adapts must to a call with two results.
func result[T any](v T, err error) func(t testing.TB) T {
	return func(t testing.TB) T { t.Helper(); return must(t, v, err) }
}

// dumpNodes renders nodes.
func dumpNodes(t testing.TB, g *engine.Graph) []string {
	t.Helper()
	var out []string
	view(t, g, func(v *engine.View) {
		for _, nt := range v.NodeTypes() {
			for _, id := range result(v.Nodes(nt))(t).ToArray() {
				n := result(v.Node(engine.NodeID(id)))(t)
				text, err := v.Text(n.ID, "text")
				if err != nil && !errors.Is(err, engine.ErrNotFound) {
					t.Fatal(err)
				}
				if got, err := v.Lookup(nt, n.Key); got != n.ID || err != nil {
					t.Fatalf("lookup of %s: %d, %v", n.Key, got, err)
				}
				out = append(out, fmt.Sprintf("%d %s %s %v %v %d", id, v.NodeTypeName(nt), n.Key,
					n.Prop("name").AsString(), n.Prop("i").AsInt(), len(text)))
			}
		}
	})
	return out
}

// dumpEdges renders the lists of both directions.
func dumpEdges(t testing.TB, g *engine.Graph) []string {
	t.Helper()
	var out []string
	view(t, g, func(v *engine.View) {
		for _, dir := range []engine.Direction{engine.Out, engine.In} {
			for l, err := range v.Lists(dir, 0, 0, engine.EdgeFilter{}) {
				if err != nil {
					t.Fatal(err)
				}
				for i, other := range l.Others {
					w := float32(1)
					if l.Weights != nil {
						w = l.Weights[i]
					}
					out = append(out, fmt.Sprintf("%d %d %s %d %v", dir, l.Node, v.EdgeTypeName(l.Type), other, w))
				}
			}
		}
	})
	return out
}

func sameLines(t *testing.T, got, want []string) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%d lines, want %d", len(got), len(want))
	}
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Fatalf("line %d: %s\nwant %s", i, got[i], want[i])
		}
	}
}

// sameGraph fails if two graphs differ by what can be read of them.
func sameGraph(t *testing.T, got, want *engine.Graph) {
	t.Helper()
	sameLines(t, dumpNodes(t, got), dumpNodes(t, want))
	sameLines(t, dumpEdges(t, got), dumpEdges(t, want))
	r := rand.New(rand.NewPCG(7, 7))
	view(t, got, func(x *engine.View) {
		view(t, want, func(y *engine.View) {
			if v, w := result(x.Version())(t), result(y.Version())(t); v != w {
				t.Errorf("version %d, want %d", v, w)
			}
			types := y.EdgeTypes()
			for range 300 {
				from, to := engine.NodeID(1+r.IntN(60)), engine.NodeID(1+r.IntN(60))
				et := types[r.IntN(len(types))]
				w1, ok1, err1 := x.HasEdge(from, to, et)
				w2, ok2, err2 := y.HasEdge(from, to, et)
				if w1 != w2 || ok1 != ok2 || err1 != nil || err2 != nil {
					t.Fatalf("edge %d-%d: %v %v %v, want %v %v %v", from, to, w1, ok1, err1, w2, ok2, err2)
				}
				f := engine.EdgeFilter{Direction: engine.Direction(r.IntN(3))}
				page := 1 + r.IntN(20)
				p, err1 := x.Neighbors(from, f, to, make([]engine.Edge, 0, page))
				q, err2 := y.Neighbors(from, f, to, make([]engine.Edge, 0, page))
				if !slices.Equal(p, q) || err1 != nil || err2 != nil {
					t.Fatalf("neighbours of %d: %v %v, want %v %v", from, p, err1, q, err2)
				}
			}
			p := engine.Comparison{Property: "name", Op: engine.OpEqual, Values: []engine.Value{engine.String("n7")}}
			m, err1 := x.Where(p)
			n, err2 := y.Where(p)
			if (err1 == nil) != (err2 == nil) || err1 == nil && !m.Equals(n) {
				t.Fatalf("where: %v %v, want %v %v", m, err1, n, err2)
			}
		})
	})
}

// soundDB fails if a full check finds anything.
func soundDB(t *testing.T, db *engine.DB) {
	t.Helper()
	for f, err := range db.Check(t.Context(), engine.CheckOptions{Full: true}) {
		if err != nil {
			t.Fatal(err)
		}
		t.Errorf("check: %s", f)
	}
}

func transact(t testing.TB, g *engine.Graph, s sampleWrite) {
	t.Helper()
	update(t, g, func(v *engine.TxView) {
		if err := s.write(txWriter{v}); err != nil {
			t.Fatal(err)
		}
	})
}

func loadSample(ctx context.Context, g *engine.Graph, s sampleWrite) error {
	return g.DB().Load(ctx, g, func(l *engine.Loader) error {
		return s.write(loadWriter{l})
	})
}

// TestLoadEqualsTransactions loads random graphs and compares them with what
// transactions make of the same input, before, between and after which both
// get more by transactions.
func TestLoadEqualsTransactions(t *testing.T) {
	steps := func(seed uint64) map[string][]sampleWrite {
		return map[string][]sampleWrite{
			"empty":       {{}, {seed: seed, to: 300, edges: 5000}},
			"weighted":    {{}, {seed: seed, to: 300, edges: 5000, weighted: true}},
			"nodes there": {{seed: seed, to: 300}, {seed: seed + 1, from: 300, to: 300, edges: 5000, weighted: true}},
			"on top": {
				{seed: seed, to: 200, edges: 1500, weighted: true},
				{seed: seed + 1, from: 200, to: 260, edges: 3000, weighted: true},
			},
			"on top unweighted": {
				{seed: seed, to: 200, edges: 1500},
				{seed: seed + 1, from: 200, to: 260, edges: 3000},
			},
			"nodes only":  {{seed: seed, to: 10, edges: 30}, {seed: seed + 1, from: 10, to: 500}},
			"nothing new": {{seed: seed, to: 20, edges: 30, direct: true}, {seed: seed, from: 20, to: 20, edges: 1, direct: true}},
		}
	}
	onStores(t, func(t *testing.T, o *engine.Options) {
		seed := uint64(1)
		for _, c := range []struct{ promoteAt, memory int }{{1024, 0}, {2, 64 << 10}, {40, 100 << 10}} {
			for _, name := range sortedNames(steps(seed)) {
				s := steps(seed)[name]
				seed += 10
				t.Run(fmt.Sprintf("%s/%d", name, c.promoteAt), func(t *testing.T) {
					t.Log("seed", s[1].seed)
					opts := *o
					opts.PromoteAt, opts.LoadBytes = c.promoteAt, c.memory
					want := graph(t, open(t, &engine.Options{OpenStore: openMem, PromoteAt: c.promoteAt}), "g")
					dir := t.TempDir()
					db := result(engine.Open(t.Context(), dir, &opts))(t)
					got := graph(t, db, "g")
					for _, g := range []*engine.Graph{got, want} {
						update(t, g, func(v *engine.TxView) {
							if err := v.MakeIndex("name"); err != nil {
								t.Fatal(err)
							}
						})
						transact(t, g, s[0])
					}
					if err := loadSample(t.Context(), got, s[1]); err != nil {
						t.Fatal(err)
					}
					transact(t, want, s[1])
					sameGraph(t, got, want)
					soundDB(t, db)
					// What the database keeps in memory is right too.
					more := sampleWrite{seed: 99, from: s[1].to, to: s[1].to + 20, edges: 300, weighted: true}
					transact(t, got, more)
					transact(t, want, more)
					sameGraph(t, got, want)
					soundDB(t, db)
					if err := db.Close(); err != nil {
						t.Fatal(err)
					}
					if db.Path() == dir && !strings.Contains(t.Name(), "memory") {
						again := result(engine.Open(t.Context(), dir, &opts))(t)
						sameGraph(t, graph(t, again, "g"), want)
						if err := again.Close(); err != nil {
							t.Fatal(err)
						}
					}
				})
			}
		}
	})
}

// TestLoadLongLists loads lists of several containers, into nodes that have
// short lists, long ones and none.
func TestLoadLongLists(t *testing.T) {
	onStores(t, func(t *testing.T, o *engine.Options) {
		opts := *o
		opts.PromoteAt, opts.LoadBytes = 60, 256<<10
		var graphs [2]*engine.Graph
		for i := range graphs {
			graphs[i] = graph(t, open(t, &opts), "g")
			nodes := sampleWrite{seed: 1, to: 70_000} // in two containers
			if err := loadSample(t.Context(), graphs[i], nodes); err != nil {
				t.Fatal(err)
			}
			transact(t, graphs[i], sampleWrite{seed: 2, from: nodes.to, to: nodes.to, edges: 200, weighted: true})
		}
		for seed := range uint64(2) {
			s := sampleWrite{seed: 3 + seed, from: 70_000, to: 70_000, edges: 4000, weighted: true}
			if err := loadSample(t.Context(), graphs[0], s); err != nil {
				t.Fatal(err)
			}
			transact(t, graphs[1], s)
			sameLines(t, dumpEdges(t, graphs[0]), dumpEdges(t, graphs[1]))
		}
		soundDB(t, graphs[0].DB())
	})
}

func openMem(context.Context, string, *kv.Schema) (kv.Store, error) {
	return memkv.New(layout.Schema()), nil
}

func sortedNames[V any](m map[string]V) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// TestLoadLeavesNothing fails loads in every way and compares the graph with
// what it was.
func TestLoadLeavesNothing(t *testing.T) {
	boom := errors.New("boom")
	big := sampleWrite{seed: 5, from: 100, to: 400, edges: 4000, weighted: true}
	for _, c := range []struct {
		name string
		want error
		fn   func(cancel func(), l *engine.Loader) error
	}{
		{"error", boom, func(_ func(), l *engine.Loader) error {
			return errors.Join(big.write(loadWriter{l}), boom)
		}},
		{"cancelled before the end", context.Canceled, func(cancel func(), l *engine.Loader) error {
			err := big.write(loadWriter{l})
			cancel()
			return err
		}},
		{"cancelled under way", context.Canceled, func(cancel func(), l *engine.Loader) error {
			cancel()
			return big.write(loadWriter{l})
		}},
		{"key twice", engine.ErrExists, func(_ func(), l *engine.Loader) error {
			err := big.write(loadWriter{l})
			nt, _ := l.MakeNodeType("node0")
			for range 2 {
				// Far apart, so that only the sort finds it.
				if _, e := l.Node(nt, "twice", engine.Props{"text": engine.String(strings.Repeat("x", 1000))}); e != nil {
					return e
				}
				for i := range 100 {
					if _, e := l.Node(nt, fmt.Sprint("filler", i), engine.Props{"text": engine.String(strings.Repeat("x", 1000))}); e != nil && !errors.Is(e, engine.ErrExists) {
						return e
					}
				}
			}
			return err
		}},
		{"key taken", engine.ErrExists, func(_ func(), l *engine.Loader) error {
			nt, _ := l.MakeNodeType("node0")
			_, err := l.Node(nt, "mine", nil)
			return err
		}},
		{"no such node", engine.ErrNotFound, func(_ func(), l *engine.Loader) error {
			et, _ := l.MakeEdgeType("edge0", true)
			return l.Edge(1, 1000, et, 1)
		}},
		{"no such type", engine.ErrInvalid, func(_ func(), l *engine.Loader) error { return l.Edge(1, 2, 4000, 1) }},
		{"other direction", engine.ErrExists, func(_ func(), l *engine.Loader) error {
			_, err := l.MakeEdgeType("edge0", false)
			return err
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			tmp := t.TempDir()
			t.Setenv("TMPDIR", tmp)
			t.Setenv("TMP", tmp)
			for _, opts := range []*engine.Options{{PromoteAt: 20, LoadBytes: 64 << 10}, {PromoteAt: 20, LoadBytes: 64 << 10, OpenStore: openMem}} {
				db := open(t, opts)
				g, same := graph(t, db, "g"), graph(t, open(t, opts), "g")
				for _, g := range []*engine.Graph{g, same} {
					transact(t, g, sampleWrite{seed: 3, to: 100, edges: 600})
					update(t, g, func(v *engine.TxView) {
						nt, _ := v.MakeNodeType("node0")
						if _, _, err := v.PutNode(nt, "mine", nil); err != nil {
							t.Fatal(err)
						}
					})
				}
				epoch := db.Epoch()
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				err := db.Load(ctx, g, func(l *engine.Loader) error {
					return c.fn(cancel, l)
				})
				if !errors.Is(err, c.want) {
					t.Fatalf("error %v, want %v", err, c.want)
				}
				if db.Epoch() != epoch {
					t.Errorf("epoch %d after %d", db.Epoch(), epoch)
				}
				if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
					t.Errorf("temporary files left: %v %v", left, err)
				}
				sameGraph(t, g, same)
				// The next load is not hindered.
				next := sampleWrite{seed: 8, from: 100, to: 150, edges: 2000}
				if err := loadSample(t.Context(), g, next); err != nil {
					t.Fatal(err)
				}
				transact(t, same, next)
				sameGraph(t, g, same)
				soundDB(t, db)
			}
		})
	}
}

// brokenIngester is a store whose ingests fail after the input was taken.
type brokenIngester struct {
	kv.Store
	kv.Ingester
}

var errDisk = errors.New("disk failure")

func (s brokenIngester) Ingest(ctx context.Context, fill func(w kv.SortedWriter) error) error {
	return s.Ingester.Ingest(ctx, func(w kv.SortedWriter) error { return errors.Join(fill(w), errDisk) })
}

// TestLoadBetweenCommits stops a load after lists were promoted for it and
// before its own commit: the state that a crash there leaves.
func TestLoadBetweenCommits(t *testing.T) {
	opts := &engine.Options{PromoteAt: 20}
	same := graph(t, open(t, opts), "g")
	opts.OpenStore = func(context.Context, string, *kv.Schema) (kv.Store, error) {
		s := memkv.New(layout.Schema())
		return brokenIngester{s, s}, nil
	}
	db := open(t, opts)
	g := graph(t, db, "g")
	first := sampleWrite{seed: 3, to: 100, edges: 900, weighted: true}
	transact(t, g, first)
	transact(t, same, first)
	epoch := db.Epoch()
	err := loadSample(t.Context(), g, sampleWrite{seed: 4, from: 100, to: 120, edges: 3000})
	if !errors.Is(err, errDisk) || db.Epoch() != epoch {
		t.Fatalf("%v, epoch %d after %d", err, db.Epoch(), epoch)
	}
	sameGraph(t, g, same)
	soundDB(t, db)
	next := sampleWrite{seed: 6, from: 100, to: 110, edges: 700, weighted: true}
	transact(t, g, next)
	transact(t, same, next)
	sameGraph(t, g, same)
	soundDB(t, db)
}

// TestLoadWithoutIngest loads into a store that takes no sorted input.
func TestLoadWithoutIngest(t *testing.T) {
	opts := &engine.Options{PromoteAt: 20, MaxTxBytes: 1 << 20, LoadBytes: 64 << 10}
	same := graph(t, open(t, opts), "g")
	opts.OpenStore = func(context.Context, string, *kv.Schema) (kv.Store, error) {
		return struct{ kv.Store }{memkv.New(layout.Schema())}, nil
	}
	db := open(t, opts)
	g := graph(t, db, "g")
	for _, s := range []sampleWrite{{seed: 1, to: 90, edges: 900}, {seed: 2, from: 90, to: 95, edges: 2000, weighted: true}} {
		if err := loadSample(t.Context(), g, s); err != nil {
			t.Fatal(err)
		}
		transact(t, same, s)
		sameGraph(t, g, same)
	}
	soundDB(t, db)
	err := loadSample(t.Context(), g, sampleWrite{seed: 9, from: 95, to: 30_000})
	if !errors.Is(err, engine.ErrTxTooLarge) {
		t.Fatalf("a load greater than a batch: %v", err)
	}
	sameGraph(t, g, same)
}

func TestLoadRefuses(t *testing.T) {
	db := open(t, &engine.Options{OpenStore: openMem})
	g := graph(t, db, "g")
	nothing := func(*engine.Loader) error { return nil }
	if _, err := engine.Open(t.Context(), engine.Memory, &engine.Options{LoadBytes: 1}); !errors.Is(err, engine.ErrInvalid) {
		t.Errorf("memory of a byte: %v", err)
	}
	epoch := db.Epoch()
	if err := db.Load(t.Context(), g, nothing); err != nil || db.Epoch() != epoch {
		t.Errorf("an empty load: %v, epoch %d after %d", err, db.Epoch(), epoch)
	}
	var late *engine.Loader
	var et engine.EdgeType
	err := db.Load(t.Context(), g, func(l *engine.Loader) error {
		late = l
		nt, err := l.MakeNodeType("n")
		if err != nil {
			return err
		}
		if et, err = l.MakeEdgeType("e", true); err != nil {
			return err
		}
		id, err := l.Node(nt, "a", nil)
		return errors.Join(err, l.Edge(id, id, et, 2))
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := late.Edge(1, 1, et, 1); !errors.Is(err, engine.ErrClosed) {
		t.Errorf("an edge after the load: %v", err)
	}
	if _, err := late.Node(1, "b", nil); !errors.Is(err, engine.ErrClosed) {
		t.Errorf("a node after the load: %v", err)
	}
	if err := g.Namespace().Drop(t.Context(), "g"); err != nil {
		t.Fatal(err)
	}
	if err := db.Load(t.Context(), g, nothing); !errors.Is(err, engine.ErrNotFound) {
		t.Errorf("a load into a dropped graph: %v", err)
	}
}

// TestSpillsBesideTheDatabase loads and indexes more than memory is allowed for
// without a folder for temporary files: they are in the database's, where none is
// left, and where opening removes those of a process that ended.
func TestSpillsBesideTheDatabase(t *testing.T) {
	needsDirectory(t)
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "none"))
	t.Setenv("TMP", os.Getenv("TMPDIR"))
	dir := filepath.Join(t.TempDir(), "db")
	opts := &engine.Options{LoadBytes: 64 << 10}
	db := result(engine.Open(t.Context(), dir, opts))(t)
	if err := loadSample(t.Context(), graph(t, db, "g"), sampleWrite{seed: 1, to: 3000, edges: 20_000}); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	left := filepath.Join(dir, "temporary.7777777123.dbtmp")
	if err := os.WriteFile(left, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	db = result(engine.Open(t.Context(), dir, opts))(t)
	defer func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}()
	if names := result(filepath.Glob(filepath.Join(dir, "*.dbtmp")))(t); len(names) > 0 {
		t.Errorf("left behind: %v", names)
	}
	// In memory there is no folder.
	memory := result(engine.Open(t.Context(), engine.Memory, opts))(t)
	defer func() {
		if err := memory.Close(); err != nil {
			t.Error(err)
		}
	}()
	if err := loadSample(t.Context(), graph(t, memory, "g"), sampleWrite{seed: 1, to: 3000, edges: 20_000}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a load into memory had room for its runs: %v", err)
	}
}
