package engine_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/engine/text"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/pebblekv"
	"github.com/ragdb/ragdb/vecindex"
)

// window is how many nodes the concurrency test keeps.
const window = 12

// TestConcurrentUse has one writer, and readers that hold every snapshot to
// what its commit wrote: commit n leaves the nodes n-window+1 to n, each with
// an edge from the hub, a term, a vector, a bucket entry and a contribution to
// one derived node. Others make, replace and drop graphs, check and export.
// The database is closed under all of them. Run it with -race.
func TestConcurrentUse(t *testing.T) {
	stores := map[string]opener{
		"memory": memory,
		"pebble": pebbleOpener(&pebblekv.Options{FS: vfs.NewMem(), MemtableBytes: 64 << 10, CacheBytes: 1 << 20}),
	}
	for name, store := range stores {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db, err := engine.Open(t.Context(), "db", &engine.Options{PromoteAt: 4, OpenStore: store})
			if err != nil {
				t.Fatal(err)
			}
			c := &concurrent{t: t, db: db, g: graph(t, db, "g")}
			c.commit(0)
			commits := 120
			if *long {
				commits = 5000
			}
			var all sync.WaitGroup
			for _, loop := range []func() error{c.view, c.view, c.snapshot, c.graphs, c.fail, c.wholeDatabase} {
				all.Go(func() { c.until(loop) })
			}
			for n := 1; n <= commits && !t.Failed(); n++ {
				c.commit(n)
			}
			// The loops are still at work: they must end by themselves.
			if err := db.Close(); err != nil {
				t.Error(err)
			}
			all.Wait()
			if err := db.View(context.Background(), func(*engine.Snapshot) error { return nil }); !errors.Is(err, engine.ErrClosed) {
				t.Errorf("a view of a closed database: %v", err)
			}
			if c.looked.Load() == 0 {
				t.Error("no reader saw a commit")
			}
		})
	}
}

type concurrent struct {
	t      *testing.T
	db     *engine.DB
	g      *engine.Graph
	looked atomic.Int64
}

// until repeats a loop until the database is closed.
func (c *concurrent) until(loop func() error) {
	for !c.t.Failed() {
		if err := loop(); err != nil {
			if !errors.Is(err, engine.ErrClosed) {
				c.t.Error(err)
			}
			return
		}
	}
}

// commit writes commit n; commit 0 makes what all need.
func (c *concurrent) commit(n int) {
	c.t.Helper()
	err := c.db.UpdateWith(context.Background(), kv.NoSync, func(tx *engine.Tx) error {
		v := tx.Graph(c.g)
		typ, err := v.MakeNodeType("n")
		if err != nil {
			return err
		}
		hub, _, err := v.PutNode(typ, "hub", engine.Props{"n": engine.Int(int64(n))})
		if err != nil {
			return err
		}
		near, err := v.MakeEdgeType("near", false)
		if err != nil {
			return err
		}
		entries, err := v.MakeBucket("entries")
		if err != nil {
			return err
		}
		if n == 0 {
			if err := v.MakeSpace("s", engine.SpaceOptions{Dim: 2, Metric: vecindex.L2, Model: "m"}); err != nil {
				return err
			}
			return v.MakeField("f", engine.FieldOptions{Positions: true})
		}
		// Names grow while they are read.
		own, err := v.MakeNodeType(fmt.Sprintf("type %d", n%50))
		if err != nil {
			return err
		}
		id, _, err := v.PutNode(own, fmt.Sprint(n), engine.Props{"n": engine.Int(int64(n))})
		if err != nil {
			return err
		}
		sum, _, err := v.DeriveNode(typ, "sum")
		if err != nil {
			return err
		}
		for _, err := range []error{
			v.AddEdge(hub, id, near, float32(n)),
			v.PutTerms("f", id, []text.Term{{Text: "all"}, {Text: fmt.Sprint(n), Pos: 1}}),
			v.PutVector("s", id, []float32{float32(n), 1}),
			v.Contribute(id, engine.NodeTarget(sum), engine.Contribution{Count: 1}),
			entries.Set(fmt.Append(nil, n), nil),
		} {
			if err != nil {
				return err
			}
		}
		if n <= window {
			return nil
		}
		old, _ := v.NodeType(fmt.Sprintf("type %d", (n-window)%50))
		gone, err := v.Lookup(old, fmt.Sprint(n-window))
		if err != nil {
			return err
		}
		_, err = v.DeleteNode(gone)
		return errors.Join(err, entries.Delete(fmt.Append(nil, n-window)))
	})
	if err != nil {
		c.t.Errorf("commit %d: %v", n, err)
	}
}

// look compares what a snapshot shows with the commit that it says it is of.
func (c *concurrent) look(v *engine.View) error {
	typ, ok := v.NodeType("n")
	if !ok {
		return nil // before the first commit
	}
	id, err := v.Lookup(typ, "hub")
	if errors.Is(err, engine.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	hub, err := v.Node(id)
	if err != nil {
		return err
	}
	n := int(hub.Prop("n").AsInt())
	want := min(n, window)
	var counts []int
	degree, err := v.Degree(id, engine.EdgeFilter{})
	if err != nil {
		return err
	}
	page, err := v.Neighbors(id, engine.EdgeFilter{}, 0, make([]engine.Edge, 0, 2*window))
	if err != nil {
		return err
	}
	for _, e := range page {
		x, err := v.Node(e.Other(id))
		if err != nil {
			return fmt.Errorf("commit %d: %w", n, err)
		}
		if i := int(x.Prop("n").AsInt()); i <= n-window || i > n || e.Weight != float32(i) {
			return fmt.Errorf("commit %d: a neighbour of commit %d, weight %v", n, i, e.Weight)
		}
	}
	hits, err := v.Terms("f", []string{"all"}, engine.TermsOptions{})
	if err != nil {
		return err
	}
	phrase, err := v.Phrase("f", []string{"all", fmt.Sprint(n)})
	if err != nil {
		return err
	}
	vectors, err := v.Vectors("s")
	if err != nil {
		return err
	}
	near, err := vectors.Search(context.Background(), vecindex.Search{Vector: []float32{float32(n), 1}, K: 2 * window}, nil)
	if err != nil {
		return err
	}
	if n > 0 && (len(near) == 0 || near[0].Score != 0) {
		return fmt.Errorf("commit %d: its vector is not the nearest: %v", n, near)
	}
	entries := 0
	for _, err := range v.Bucket("entries").Prefix(nil) {
		if err != nil {
			return err
		}
		entries++
	}
	total := engine.Total{}
	if n > 0 {
		sum, err := v.Lookup(typ, "sum")
		if err != nil {
			return fmt.Errorf("commit %d: %w", n, err)
		}
		if total, err = v.Total(engine.NodeTarget(sum)); err != nil {
			return err
		}
	}
	counts = append(counts, degree, len(page), len(hits), vectors.Len(), len(near), entries, total.Sources, int(total.Count))
	for _, have := range counts {
		if have != want {
			return fmt.Errorf("commit %d: counts %v, want %d", n, counts, want)
		}
	}
	if have, want := int(phrase.GetCardinality()), min(n, 1); have != want {
		return fmt.Errorf("commit %d: %d nodes with its phrase, want %d", n, have, want)
	}
	c.looked.Add(1)
	return nil
}

// view looks at the latest commit.
func (c *concurrent) view() error {
	return c.db.View(context.Background(), func(s *engine.Snapshot) error { return c.look(s.Graph(c.g)) })
}

// snapshot looks at one commit several times while others are written, and in
// two goroutines.
func (c *concurrent) snapshot() error {
	s, err := c.db.Snapshot(context.Background())
	if err != nil {
		return err
	}
	v := s.Graph(c.g)
	other := make(chan error)
	go func() { other <- c.look(v) }()
	for range 3 {
		err = errors.Join(err, c.look(v))
	}
	return errors.Join(err, <-other, s.Close())
}

// graphs makes a graph, puts it in another one's place and drops it.
func (c *concurrent) graphs() error {
	ctx := context.Background()
	ns := c.g.Namespace()
	for _, name := range []string{"old", "new"} {
		g, err := ns.Graph(ctx, name)
		if err != nil {
			return err
		}
		err = c.db.UpdateWith(ctx, kv.NoSync, func(tx *engine.Tx) error {
			v := tx.Graph(g)
			typ, err := v.MakeNodeType(name)
			if err != nil {
				return err
			}
			_, _, err = v.PutNode(typ, name, nil)
			return err
		})
		if err != nil {
			return err
		}
	}
	next, err := ns.Graph(ctx, "new")
	if err != nil {
		return err
	}
	if err := ns.Swap(ctx, "old", next); err != nil {
		return err
	}
	err = c.db.View(ctx, func(s *engine.Snapshot) error {
		v := s.Graph(next)
		typ, ok := v.NodeType("new")
		if _, err := v.Lookup(typ, "new"); err != nil || !ok || next.Name() != "old" {
			return fmt.Errorf("the new graph %q after the swap: %t, %v", next.Name(), ok, err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return ns.Drop(ctx, "old")
}

// fail makes a transaction that writes and then meets a conflict.
func (c *concurrent) fail() error {
	err := c.db.Update(context.Background(), func(tx *engine.Tx) error {
		v := tx.Graph(c.g)
		typ, err := v.MakeNodeType("never")
		if err != nil {
			return err
		}
		id, _, err := v.PutNode(typ, "never", nil)
		if err != nil {
			return err
		}
		if err := v.PutVector("s", id, []float32{1, 1}); err != nil {
			return err
		}
		version, err := v.Version()
		if err != nil {
			return err
		}
		return v.ExpectVersion(version + 1)
	})
	if !errors.Is(err, engine.ErrConflict) {
		return fmt.Errorf("a transaction that expects another version: %w", err)
	}
	return nil
}

// wholeDatabase checks, counts and exports.
func (c *concurrent) wholeDatabase() error {
	ctx := context.Background()
	for f, err := range c.db.Check(ctx, engine.CheckOptions{Full: true}) {
		if err != nil {
			return err
		}
		return fmt.Errorf("check finds %v", f)
	}
	return c.db.View(ctx, func(s *engine.Snapshot) error {
		if _, err := s.Stats(ctx); err != nil {
			return err
		}
		return s.Export(ctx, "main", io.Discard, canonical)
	})
}

// TestConcurrentDrop has several users of one name, each of whom may find that
// the graph is gone: what they write after that must not stay behind.
func TestConcurrentDrop(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db := open(t, &engine.Options{OpenStore: memory})
	graph(t, db, "kept")
	ns, err := db.Namespace(ctx, "main")
	if err != nil {
		t.Fatal(err)
	}
	use := func() error {
		g, err := ns.Graph(ctx, "g")
		if err != nil {
			return err
		}
		err = db.Update(ctx, func(tx *engine.Tx) error {
			v := tx.Graph(g)
			typ, err := v.MakeNodeType("n")
			if err != nil {
				return err
			}
			_, _, err = v.PutNode(typ, "k", nil)
			return err
		})
		if err != nil {
			return err
		}
		return ns.Drop(ctx, "g")
	}
	rounds := 300
	if *long {
		rounds = 30_000
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range rounds {
				if err := use(); err != nil && !errors.Is(err, engine.ErrNotFound) {
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	for f, err := range db.Check(ctx, engine.CheckOptions{Full: true}) {
		t.Fatalf("check finds %v, %v", f, err)
	}
}
