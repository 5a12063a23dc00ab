package graphops_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
)

// messy is a stored graph with everything a projection has to cope with:
// interleaved types, edges of four types between the same nodes in both
// directions, loops, hubs whose lists are in containers, deleted nodes.
type messy struct {
	g     *engine.Graph
	nodes []engine.TypeID
	edges []engine.EdgeType
	ids   []engine.NodeID
}

func newMessy(t testing.TB, r *rand.Rand, nodes, edges int) *messy {
	t.Helper()
	m := &messy{g: openGraph(t, engine.Memory, &engine.Options{PromoteAt: 16})}
	update(t, m.g, func(v *engine.TxView) error {
		for i := range 3 {
			m.nodes = append(m.nodes, must(v.MakeNodeType(fmt.Sprint("n", i)))(t))
		}
		for i := range 4 {
			m.edges = append(m.edges, must(v.MakeEdgeType(fmt.Sprint("e", i), i%2 == 0))(t))
		}
		for i := range nodes {
			id, _, err := v.PutNode(m.nodes[r.IntN(3)], fmt.Sprint(i), nil)
			if err != nil {
				return err
			}
			m.ids = append(m.ids, id)
		}
		for range edges {
			// Squaring makes hubs.
			from := m.ids[int(r.Float64()*r.Float64()*float64(nodes))]
			to := m.ids[r.IntN(nodes)]
			weight := float32(r.IntN(12)) / 4 // 1 among them, and sums are exact
			if err := v.AddEdge(from, to, m.edges[r.IntN(4)], weight); err != nil {
				return err
			}
		}
		return nil
	})
	update(t, m.g, func(v *engine.TxView) error {
		for i := range nodes {
			if r.IntN(10) == 0 {
				if _, err := v.DeleteNode(m.ids[i]); err != nil {
					return err
				}
			}
		}
		return nil
	})
	return m
}

// spec returns a random spec of m's types.
func (m *messy) spec(r *rand.Rand) graphops.Spec {
	s := graphops.Spec{
		Direction: engine.Direction(r.IntN(3)),
		Weighted:  r.IntN(2) == 0,
		Combine:   graphops.Combine(r.IntN(3)),
		Workers:   1 + r.IntN(4),
	}
	if r.IntN(2) == 0 {
		s.Nodes = m.nodes[r.IntN(3):]
	}
	if r.IntN(2) == 0 {
		s.Edges = m.edges[r.IntN(4):]
	}
	if r.IntN(3) == 0 {
		s.Where = roaring.New()
		keep := r.Float64()
		for _, id := range m.ids {
			if r.Float64() < keep*keep {
				s.Where.Add(uint32(id))
			}
		}
	}
	return s
}

// model is what a projection should be, made edge by edge.
type model struct {
	order []engine.NodeID
	rows  map[engine.NodeID]map[engine.NodeID]float32
	loops int
	edges int // of the store, without loops
	loop  map[engine.NodeID]modelLoop
}

// modelLoop is what the loops of a node come to.
type modelLoop struct {
	ends   uint32
	weight float64
}

func modelOf(t testing.TB, v *engine.View, s graphops.Spec) model {
	t.Helper()
	m := model{rows: map[engine.NodeID]map[engine.NodeID]float32{}, loop: map[engine.NodeID]modelLoop{}}
	for _, kind := range v.NodeTypes() {
		if s.Nodes != nil && !slices.Contains(s.Nodes, kind) {
			continue
		}
		for it := must(v.Nodes(kind))(t).Iterator(); it.HasNext(); {
			id := it.Next()
			if s.Where == nil || s.Where.Contains(id) {
				m.order = append(m.order, engine.NodeID(id))
				m.rows[engine.NodeID(id)] = map[engine.NodeID]float32{}
			}
		}
	}
	add := func(from, to engine.NodeID, w float32) {
		old, has := m.rows[from][to]
		switch {
		case !s.Weighted:
			w = 1
		case has && s.Combine == graphops.Sum:
			w += old
		case has && s.Combine == graphops.Max:
			w = max(w, old)
		case has:
			w = min(w, old)
		}
		m.rows[from][to] = w
	}
	for e, err := range v.Edges(engine.EdgeFilter{Types: s.Edges}) {
		if err != nil {
			t.Fatal(err)
		}
		if m.rows[e.From] == nil || m.rows[e.To] == nil {
			continue
		}
		if e.From == e.To {
			m.loops++
			ends := uint32(1)
			if !e.Type.Directed() || s.Direction == engine.Both {
				ends = 2
			}
			l, more := m.loop[e.From]
			l.ends = max(l.ends, ends)
			switch w := float64(e.Weight); {
			case !s.Weighted:
				l.weight = float64(l.ends)
			case s.Combine == graphops.Sum:
				l.weight += float64(ends) * w
			case s.Combine == graphops.Max:
				l.weight = max(l.weight, w)
			case !more || w < l.weight:
				l.weight = w
			}
			m.loop[e.From] = l
			continue
		}
		m.edges++
		if !e.Type.Directed() || s.Direction != engine.In {
			add(e.From, e.To, e.Weight)
		}
		if !e.Type.Directed() || s.Direction != engine.Out {
			add(e.To, e.From, e.Weight)
		}
	}
	return m
}

// check compares a projection with the model.
func (m *model) check(t testing.TB, p *graphops.Projection) {
	t.Helper()
	if p.Len() != len(m.order) || p.Loops() != m.loops {
		t.Fatalf("%d nodes, %d loops; want %d, %d", p.Len(), p.Loops(), len(m.order), m.loops)
	}
	entries := 0
	for u, id := range m.order {
		if got := p.NodeOf(uint32(u)); got != id {
			t.Fatalf("node %d is %d, want %d", u, got, id)
		}
		if ends, weight := p.Loop(uint32(u)); (modelLoop{ends, weight}) != m.loop[id] {
			t.Fatalf("loop %d %v, want %+v", ends, weight, m.loop[id])
		}
		if got, ok := p.Index(id); !ok || got != uint32(u) {
			t.Fatalf("index of %d is %d, %t, want %d", id, got, ok, u)
		}
		ids, w := p.Neighbors(uint32(u), nil, nil)
		if !slices.IsSorted(ids) || p.Degree(uint32(u)) != len(ids) {
			t.Fatalf("row of %d: %v, degree %d", u, ids, p.Degree(uint32(u)))
		}
		if p.Weighted() != (len(w) == len(ids)) && len(ids) > 0 {
			t.Fatalf("row of %d: %d weights for %d, weighted %t", u, len(w), len(ids), p.Weighted())
		}
		row := map[engine.NodeID]float32{}
		for i, to := range ids {
			row[p.NodeOf(to)] = 1
			if p.Weighted() {
				row[p.NodeOf(to)] = w[i]
			}
		}
		if !maps.Equal(row, m.rows[id]) {
			t.Fatalf("row of node %d: %v, want %v", id, row, m.rows[id])
		}
		entries += len(ids)
	}
	if p.Symmetric() {
		entries /= 2
	}
	if p.Edges() != entries {
		t.Errorf("%d edges, want %d", p.Edges(), entries)
	}
}

func TestProjectAgainstModel(t *testing.T) {
	t.Parallel()
	for seed := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, 1))
		n := []int{0, 1, 40, 300, 3000, 5000}[seed]
		m := newMessy(t, r, n, n*5)
		v := viewOf(t, m.g)
		for i := range 12 {
			s := m.spec(r)
			t.Run(fmt.Sprintf("seed %d spec %d", seed, i), func(t *testing.T) {
				want := modelOf(t, v, s)
				p := must(graphops.Project(t.Context(), v, s))(t)
				want.check(t, p)
				for _, kind := range m.nodes {
					lo, hi := p.TypeRange(kind)
					set := must(v.Nodes(kind))(t)
					for u := range uint32(p.Len()) {
						if in := lo <= u && u < hi; in != set.Contains(uint32(p.NodeOf(u))) {
							t.Fatalf("type %d is %d to %d, node %d", kind, lo, hi, u)
						}
					}
				}
				size := must(graphops.Estimate(t.Context(), v, s))(t)
				if size.Nodes != p.Len() || !size.Sampled && (size.Edges != want.edges || size.Bytes < p.Bytes()) {
					t.Errorf("estimate %+v of %d nodes, %d edges, %d bytes", size, p.Len(), p.Edges(), p.Bytes())
				}
			})
		}
	}
}

func TestSymmetric(t *testing.T) {
	m := newMessy(t, rand.New(rand.NewPCG(7, 7)), 100, 600)
	v := viewOf(t, m.g)
	for _, test := range []struct {
		name string
		spec graphops.Spec
		want bool
	}{
		{"undirected types", graphops.Spec{Edges: []engine.EdgeType{m.edges[1], m.edges[3]}}, true},
		{"directed types both ways", graphops.Spec{Direction: engine.Both}, true},
		{"a directed type", graphops.Spec{}, false},
		{"a directed type reversed", graphops.Spec{Edges: m.edges[:1], Direction: engine.In}, false},
		{"no edge types", graphops.Spec{Edges: []engine.EdgeType{}}, true},
		{"no node types", graphops.Spec{Nodes: []engine.TypeID{}}, true},
		{"a type that does not exist", graphops.Spec{Nodes: []engine.TypeID{99}}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := must(graphops.Project(t.Context(), v, test.spec))(t)
			if p.Symmetric() != test.want {
				t.Errorf("symmetric: %t", p.Symmetric())
			}
			for u := range uint32(p.Len()) {
				row, _ := p.Row(u)
				for _, to := range row {
					if back, _ := p.Row(to); test.want && !slices.Contains(back, u) {
						t.Fatalf("%d-%d is not in the row of %d", u, to, to)
					}
				}
			}
		})
	}
}

func TestProjectIsTheSameForAnyWorkers(t *testing.T) {
	t.Parallel()
	s := rmat(13, 12, 3, 5)
	g := openGraph(t, engine.Memory, nil)
	s.store(t, g)
	v := viewOf(t, g)
	var first *graphops.Projection
	for _, workers := range []int{1, 2, 7} {
		p := must(graphops.Project(t.Context(), v, graphops.Spec{Weighted: true, Workers: workers}))(t)
		if first == nil {
			first = p
			continue
		}
		for u := range uint32(p.Len()) {
			to, w := p.Row(u)
			to1, w1 := first.Row(u)
			if !slices.Equal(to, to1) || !slices.Equal(w, w1) || p.NodeOf(u) != first.NodeOf(u) {
				t.Fatalf("%d workers: row of %d differs", workers, u)
			}
		}
	}
	size := must(graphops.Estimate(t.Context(), v, graphops.Spec{Weighted: true}))(t)
	ratio := float64(size.Edges) / float64(first.Edges())
	if !size.Sampled || ratio < 0.5 || ratio > 2 {
		t.Errorf("estimate %+v of %d edges", size, first.Edges())
	}
}

func TestProjectRefusesMemory(t *testing.T) {
	m := newMessy(t, rand.New(rand.NewPCG(3, 3)), 2000, 9000)
	v := viewOf(t, m.g)
	for _, s := range []graphops.Spec{{}, {Weighted: true, Direction: engine.Both}} {
		size := must(graphops.Estimate(t.Context(), v, s))(t)
		s.MaxBytes = size.BuildBytes
		p := must(graphops.Project(t.Context(), v, s))(t)
		if p.Bytes() > size.Bytes {
			t.Errorf("%d bytes, estimated %d", p.Bytes(), size.Bytes)
		}
		// A byte less, and rows are kept in bytes.
		s.MaxBytes--
		var e *graphops.MemoryError
		without := s
		without.NoPacking = true
		if _, err := graphops.Project(t.Context(), v, without); !errors.As(err, &e) || e.Need != s.MaxBytes+1 {
			t.Errorf("without rows in bytes: %v", err)
		}
		packed := must(graphops.Project(t.Context(), v, s))(t)
		small := must(graphops.Estimate(t.Context(), v, s))(t)
		if need := packed.Bytes(); need > s.MaxBytes || small.BuildBytes != small.Bytes || small.Bytes < need*98/100 || small.Bytes > need*102/100 {
			t.Errorf("%d bytes in bytes, estimated %+v", need, small)
		}
		for _, less := range []int64{1, packed.Bytes() / 2, packed.Bytes() - 1} {
			s.MaxBytes = packed.Bytes() - less
			_, err := graphops.Project(t.Context(), v, s)
			var e *graphops.MemoryError
			if !errors.Is(err, engine.ErrMemory) || !errors.As(err, &e) {
				t.Fatalf("%d bytes less: %v", less, err)
			}
			if e.Limit != s.MaxBytes || e.Need <= e.Limit || e.Need > size.BuildBytes {
				t.Errorf("%d bytes less: %+v, estimated %d", less, *e, size.BuildBytes)
			}
		}
	}
}

func TestProjectRefusesInvalid(t *testing.T) {
	v := viewOf(t, openGraph(t, engine.Memory, nil))
	for name, s := range map[string]graphops.Spec{
		"direction": {Direction: 9}, "combine": {Combine: 9}, "bytes": {MaxBytes: -1},
	} {
		if _, err := graphops.Project(t.Context(), v, s); !errors.Is(err, engine.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := graphops.Estimate(t.Context(), v, s); !errors.Is(err, engine.ErrInvalid) {
			t.Errorf("estimate with wrong %s: %v", name, err)
		}
		if _, err := graphops.NewCache(1).Project(t.Context(), v, s); !errors.Is(err, engine.ErrInvalid) {
			t.Errorf("cache with wrong %s: %v", name, err)
		}
	}
}

func TestProjectIsCancelled(t *testing.T) {
	m := newMessy(t, rand.New(rand.NewPCG(4, 4)), 3000, 3000)
	v := viewOf(t, m.g)
	for k := 0; ; k += 1 + k/8 {
		p, err := graphops.Project(&endsAfter{Context: t.Context(), left: k}, v, graphops.Spec{Workers: 1})
		if err == nil {
			if k < 6 {
				t.Errorf("the context was looked at %d times", k)
			}
			want := modelOf(t, v, graphops.Spec{})
			want.check(t, p)
			return
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("after %d looks: %v", k, err)
		}
	}
}

// Whatever read fails, its error is returned, and nothing that was read in
// part.
func TestReadErrors(t *testing.T) {
	store := &hookedStore{}
	g := openGraph(t, "x", store.options())
	s := rmat(13, 1, 1, 1) // more nodes than Estimate looks at
	s.store(t, g)
	v := viewOf(t, g)
	broken := errors.New("broken")
	for name, read := range map[string]func() error{
		"project": func() error {
			p, err := graphops.Project(t.Context(), v, graphops.Spec{Workers: 2})
			if (p == nil) == (err == nil) {
				t.Errorf("projection %v with error %v", p, err)
			}
			return err
		},
		"cache": func() error {
			_, err := graphops.NewCache(1<<20).Project(t.Context(), v, graphops.Spec{Workers: 2})
			return err
		},
		"estimate": func() error {
			_, err := graphops.Estimate(t.Context(), v, graphops.Spec{})
			return err
		},
		"local": func() error {
			g := graphops.Local(v, engine.EdgeFilter{Direction: engine.Both})
			g.Len()
			for u := range uint32(5) {
				g.Degree(u)
				g.Neighbors(u, nil, nil)
			}
			return g.Err()
		},
	} {
		for k := int64(0); ; k += 1 + k/4 {
			var calls atomic.Int64
			store.hook = func(context.Context) error {
				if calls.Add(1) > k {
					return broken
				}
				return nil
			}
			err := read()
			if err == nil && calls.Load() <= k && k > 0 {
				break
			}
			if !errors.Is(err, broken) {
				t.Errorf("%s: read %d failed: %v", name, k, err)
				break
			}
		}
	}
}

// endsAfter is a context that ends when it has been looked at some times. It
// is for one goroutine.
type endsAfter struct {
	context.Context
	left int
}

func (c *endsAfter) Err() error {
	if c.left == 0 {
		return context.Canceled
	}
	c.left--
	return c.Context.Err()
}

func TestFromEdges(t *testing.T) {
	edges := []graphops.WeightedEdge{{0, 1, 2}, {1, 0, 3}, {2, 2, 9}, {0, 1, 0.5}, {1, 2, -1}}
	for _, test := range []struct {
		name    string
		o       graphops.EdgeOptions
		rows    [][]uint32
		weights [][]float32
	}{
		{"undirected", graphops.EdgeOptions{}, [][]uint32{{1}, {0, 2}, {1}, {}}, nil},
		{"directed", graphops.EdgeOptions{Directed: true}, [][]uint32{{1}, {0, 2}, {}, {}}, nil},
		{"sum", graphops.EdgeOptions{Weighted: true}, [][]uint32{{1}, {0, 2}, {1}, {}}, [][]float32{{5.5}, {5.5, -1}, {-1}, {}}},
		{"max", graphops.EdgeOptions{Weighted: true, Combine: graphops.Max}, [][]uint32{{1}, {0, 2}, {1}, {}}, [][]float32{{3}, {3, -1}, {-1}, {}}},
		{"min directed", graphops.EdgeOptions{Weighted: true, Combine: graphops.Min, Directed: true}, [][]uint32{{1}, {0, 2}, {}, {}}, [][]float32{{.5}, {3, -1}, {}, {}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := must(graphops.FromEdges(4, edges, test.o))(t)
			if p.Len() != 4 || p.Loops() != 1 || p.Symmetric() == test.o.Directed || p.Weighted() != test.o.Weighted {
				t.Errorf("%d nodes, %d loops, symmetric %t, weighted %t", p.Len(), p.Loops(), p.Symmetric(), p.Weighted())
			}
			for u, row := range test.rows {
				ids, w := p.Neighbors(uint32(u), nil, nil)
				if !slices.Equal(ids, row) || test.weights != nil && !slices.Equal(w, test.weights[u]) {
					t.Errorf("row of %d: %v %v", u, ids, w)
				}
			}
			if ids, _ := p.Neighbors(4, nil, nil); len(ids) != 0 || p.Degree(1<<31) != 0 {
				t.Errorf("neighbours of a node that is not there: %v", ids)
			}
			if u, ok := p.Index(3); u != 3 || !ok {
				t.Errorf("index of 3: %d, %t", u, ok)
			}
			if _, ok := p.Index(4); ok {
				t.Error("index of 4")
			}
		})
	}
	nan := float32(0)
	nan /= nan
	for name, edge := range map[string]graphops.WeightedEdge{"from": {4, 0, 1}, "to": {0, 4, 1}, "weight": {0, 1, nan}} {
		if _, err := graphops.FromEdges(4, []graphops.WeightedEdge{edge}, graphops.EdgeOptions{Weighted: true}); !errors.Is(err, engine.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := graphops.FromEdges(-1, nil, graphops.EdgeOptions{}); !errors.Is(err, engine.ErrInvalid) {
		t.Errorf("-1 nodes: %v", err)
	}
	if _, err := graphops.FromEdges(0, nil, graphops.EdgeOptions{Combine: 9}); !errors.Is(err, engine.ErrInvalid) {
		t.Errorf("an unknown Combine: %v", err)
	}
}
