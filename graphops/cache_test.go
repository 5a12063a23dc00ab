package graphops_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
)

func TestCacheKey(t *testing.T) {
	m := newMessy(t, rand.New(rand.NewPCG(1, 9)), 50, 200)
	v := viewOf(t, m.g)
	c := graphops.NewCache(1 << 20)
	base := graphops.Spec{Nodes: m.nodes, Edges: m.edges, Where: roaring.BitmapOf(1, 2, 3, 40)}
	first := must(c.Project(t.Context(), v, base))(t)
	for _, test := range []struct {
		name string
		edit func(s *graphops.Spec)
		same bool
	}{
		{"again", func(*graphops.Spec) {}, true},
		{"workers and limit", func(s *graphops.Spec) { s.Workers, s.MaxBytes = 3, 1<<20 }, true},
		{"types in another order", func(s *graphops.Spec) {
			s.Edges = []engine.EdgeType{m.edges[2], m.edges[0], m.edges[1], m.edges[3], m.edges[0]}
		}, true},
		{"combine without weights", func(s *graphops.Spec) { s.Combine = graphops.Max }, true},
		{"an equal set", func(s *graphops.Spec) { s.Where = roaring.BitmapOf(40, 3, 2, 1) }, true},
		{"another set", func(s *graphops.Spec) { s.Where = roaring.BitmapOf(1, 2, 3, 41) }, false},
		{"no set", func(s *graphops.Spec) { s.Where = nil }, false},
		{"an empty set", func(s *graphops.Spec) { s.Where = roaring.New() }, false},
		{"fewer nodes", func(s *graphops.Spec) { s.Nodes = m.nodes[:2] }, false},
		{"fewer edges", func(s *graphops.Spec) { s.Edges = m.edges[:2] }, false},
		{"no edges", func(s *graphops.Spec) { s.Edges = []engine.EdgeType{} }, false},
		{"direction", func(s *graphops.Spec) { s.Direction = engine.Both }, false},
		{"weights", func(s *graphops.Spec) { s.Weighted = true }, false},
		{"weights combined otherwise", func(s *graphops.Spec) { s.Weighted, s.Combine = true, graphops.Min }, false},
	} {
		s := base
		test.edit(&s)
		p := must(c.Project(t.Context(), v, s))(t)
		if (p == first) != test.same {
			t.Errorf("%s: the same projection: %t", test.name, p == first)
		}
		want := modelOf(t, v, s)
		want.check(t, p)
	}
}

func TestCacheFollowsTheVersion(t *testing.T) {
	m := newMessy(t, rand.New(rand.NewPCG(2, 9)), 50, 200)
	c := graphops.NewCache(1 << 20)
	old := viewOf(t, m.g)
	p := must(c.Project(t.Context(), old, graphops.Spec{}))(t)
	update(t, m.g, func(v *engine.TxView) error {
		b, err := v.MakeBucket("b")
		if err != nil {
			return err
		}
		return b.Set([]byte("k"), nil)
	})
	if q := must(c.Project(t.Context(), viewOf(t, m.g), graphops.Spec{}))(t); q != p {
		t.Error("a bucket write made the projection stale")
	}
	update(t, m.g, func(v *engine.TxView) error {
		a, _, err := v.PutNode(m.nodes[0], "new", nil)
		if err != nil {
			return err
		}
		b, _, err := v.PutNode(m.nodes[0], "newer", nil)
		if err != nil {
			return err
		}
		return v.AddEdge(a, b, m.edges[0], 1)
	})
	now := viewOf(t, m.g)
	q := must(c.Project(t.Context(), now, graphops.Spec{}))(t)
	if q.Len() != p.Len()+2 || q.Edges() != p.Edges()+1 || q.Version() == p.Version() {
		t.Errorf("%d nodes, %d edges after %d, %d", q.Len(), q.Edges(), p.Len(), p.Edges())
	}
	// The older one made room, but an old snapshot still gets what it shows.
	if s := c.Stats(); s.Entries != 1 || s.Bytes != q.Bytes() || s.Evictions != 1 {
		t.Errorf("%+v", s)
	}
	want := modelOf(t, old, graphops.Spec{})
	want.check(t, must(c.Project(t.Context(), old, graphops.Spec{}))(t))
	if again := must(c.Project(t.Context(), now, graphops.Spec{}))(t); again != q {
		t.Error("a build for an old snapshot dropped the new projection")
	}
}

func TestCacheEvicts(t *testing.T) {
	m := newMessy(t, rand.New(rand.NewPCG(3, 9)), 200, 900)
	v := viewOf(t, m.g)
	specs := []graphops.Spec{{}, {Direction: engine.In}, {Weighted: true}}
	var sizes [3]int64
	for i, s := range specs {
		sizes[i] = must(graphops.Project(t.Context(), v, s))(t).Bytes()
	}
	get := func(c *graphops.Cache, i int) *graphops.Projection {
		return must(c.Project(t.Context(), v, specs[i]))(t)
	}

	c := graphops.NewCache(sizes[0] + sizes[2])
	first := get(c, 0)
	get(c, 1)
	if get(c, 0) != first { // used: 1 is now the oldest
		t.Error("evicted though there was room")
	}
	get(c, 2)
	if get(c, 0) != first {
		t.Error("what was used last was evicted")
	}
	if s := c.Stats(); s.Entries != 2 || s.Bytes != sizes[0]+sizes[2] || s.Misses != 3 || s.Hits != 2 || s.Evictions != 1 {
		t.Errorf("%+v", s)
	}

	small := graphops.NewCache(sizes[0] - 1)
	want := modelOf(t, v, specs[0])
	want.check(t, get(small, 0))
	if s := small.Stats(); s.Entries != 0 || s.Bytes != 0 {
		t.Errorf("too large a projection was kept: %+v", s)
	}
}

// A limit holds for what is in the cache as for what is not.
func TestCacheRefusesMemory(t *testing.T) {
	m := newMessy(t, rand.New(rand.NewPCG(5, 9)), 200, 900)
	v := viewOf(t, m.g)
	c := graphops.NewCache(1 << 20)
	plain := must(graphops.Estimate(t.Context(), v, graphops.Spec{}))(t).BuildBytes
	need := must(graphops.Project(t.Context(), v, graphops.Spec{MaxBytes: plain - 1}))(t).Bytes() // of rows in bytes
	for range 2 {
		_, err := c.Project(t.Context(), v, graphops.Spec{MaxBytes: need - 1})
		var e *graphops.MemoryError
		if !errors.As(err, &e) || e.Need != need {
			t.Fatalf("%v", err)
		}
		must(c.Project(t.Context(), v, graphops.Spec{MaxBytes: need}))(t)
	}
}

func TestCacheBuildsOnce(t *testing.T) {
	t.Parallel()
	m := newMessy(t, rand.New(rand.NewPCG(6, 9)), 3000, 9000)
	v := viewOf(t, m.g)
	c := graphops.NewCache(1 << 30)
	var got [16]*graphops.Projection
	var wg sync.WaitGroup
	for i := range got {
		wg.Go(func() {
			var err error
			if got[i], err = c.Project(t.Context(), v, graphops.Spec{Workers: 1}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for _, p := range got {
		if p != got[0] {
			t.Fatal("two projections")
		}
	}
	if s := c.Stats(); s.Misses != 1 || s.Hits != 15 {
		t.Errorf("%+v", s)
	}
}

// Who waits for a build can give up alone, and does not inherit its failure.
func TestCacheWaiters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &hookedStore{}
		g := openGraph(t, "x", store.options())
		update(t, g, func(v *engine.TxView) error {
			n, err := v.MakeNodeType("n")
			if err != nil {
				return err
			}
			_, _, err = v.PutNode(n, "a", nil)
			return err
		})
		v := viewOf(t, g)
		hold := make(chan struct{})
		store.hook = func(ctx context.Context) error {
			select {
			case <-hold:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		c := graphops.NewCache(1 << 20)
		project := func(ctx context.Context) chan error {
			result := make(chan error, 1)
			go func() {
				p, err := c.Project(ctx, v, graphops.Spec{})
				if err == nil && p.Len() != 1 {
					err = errors.New("wrong projection")
				}
				result <- err
			}()
			synctest.Wait()
			return result
		}
		building, stop := context.WithCancel(t.Context())
		impatient, giveUp := context.WithCancel(t.Context())
		builder := project(building)
		first, second := project(impatient), project(t.Context())
		giveUp()
		if err := <-first; !errors.Is(err, context.Canceled) {
			t.Errorf("the waiter that gave up: %v", err)
		}
		stop()
		if err := <-builder; !errors.Is(err, context.Canceled) {
			t.Errorf("the builder: %v", err)
		}
		synctest.Wait()
		select {
		case err := <-second:
			t.Fatalf("the waiter ended with the builder: %v", err)
		default:
		}
		close(hold)
		if err := <-second; err != nil {
			t.Errorf("the waiter that went on: %v", err)
		}
		if s := c.Stats(); s.Misses != 2 || s.Entries != 1 {
			t.Errorf("%+v", s)
		}
	})
}
