package query_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
)

// TestReader: a Reader of a graph with more that the query may not see reads what a
// Reader of the graph without it reads, and nothing of a hidden node.
func TestReader(t *testing.T) {
	t.Parallel()
	for seed := range seeds(20) {
		r := rand.New(rand.NewPCG(seed, 53))
		w := makeWorld(t, seed, 8+r.IntN(15))
		allow := map[engine.NodeID]bool{}
		for _, id := range w.nodes {
			if r.IntN(4) > 0 {
				allow[id] = true
			}
		}
		any := r.IntN(2) == 0
		more := w.withHidden(t, r, any)
		read := func(of *world) []string {
			e := allowing(of.env(), allow)
			e.AllowAny = any
			got, err := e.Reader(t.Context(), w.g)
			check(t, err)
			return readAll(t, got, more)
		}
		if got, want := read(more), read(w); !slices.Equal(got, want) {
			t.Errorf("seed %d: %q, without what is hidden %q", seed, got, want)
		}
	}
}

// readAll describes what a Reader tells of the nodes and edges of a world.
func readAll(t *testing.T, r query.Reader, w *world) (out []string) {
	t.Helper()
	add := func(args ...any) { out = append(out, fmt.Sprint(args...)) }
	set := func(nodes *roaring.Bitmap, err error) {
		check(t, err)
		add(nodes)
	}
	for _, nt := range r.NodeTypes() {
		set(r.Nodes(nt))
		for i := range 6 {
			if _, err := r.Lookup(nt, fmt.Sprint("hidden", i)); !errors.Is(err, engine.ErrNotFound) {
				t.Errorf("a hidden node is found by its key: %v", err)
			}
		}
	}
	set(r.Where(engine.Comparison{Property: "rating", Op: engine.OpGreater, Values: []engine.Value{engine.Int(0)}}))
	set(r.Where(engine.Not{Predicate: engine.Comparison{Property: "rating", Op: engine.OpExists}}))
	for _, id := range w.nodes {
		n, err := r.Node(id)
		add(id, n.Key, errors.Is(err, engine.ErrNotFound))
		for _, only := range []*roaring.Bitmap{nil, roaring.BitmapOf(uint32(id)), roaring.New()} {
			v, err := r.NodeColumns(only).Column("rating").Value(id)
			check(t, err)
			add(v)
		}
		_, err = r.Text(id, "rating")
		add(errors.Is(err, engine.ErrNotFound))
		for _, dir := range []engine.Direction{engine.Out, engine.In, engine.Both} {
			f := engine.EdgeFilter{Direction: dir}
			degree, err := r.Degree(id, f)
			check(t, err)
			var all []engine.Edge
			for after := engine.NodeID(0); ; {
				page, err := r.Neighbors(id, f, after, make([]engine.Edge, 0, 2))
				check(t, err)
				all = append(all, page...)
				if len(page) < 2 {
					break
				}
				after = page[len(page)-1].Other(id)
			}
			if len(all) != degree {
				t.Errorf("node %d has degree %d and edges %v", id, degree, all)
			}
			add(all)
		}
		for _, to := range w.nodes {
			for _, et := range r.EdgeTypes() {
				weight, ok, err := r.HasEdge(id, to, et)
				check(t, err)
				props, err := r.EdgeProps(engine.Edge{From: id, To: to, Type: et})
				check(t, err)
				total, err := r.Total(engine.EdgeTarget(id, to, et))
				check(t, err)
				if add(weight, ok, total.Weight); !ok && (len(props) > 0 || total.Sources > 0) {
					t.Errorf("edge %d-%d is hidden and has %v, %v", id, to, props, total)
				}
			}
		}
	}
	return out
}

// TestWhereTestsNoOthers: a condition is tested only for nodes of the set, whether it
// is a set that is given or what a query may see.
func TestWhereTestsNoOthers(t *testing.T) {
	t.Parallel()
	w := makeWorld(t, 3, 12)
	allow := map[engine.NodeID]bool{w.nodes[0]: true, w.nodes[2]: true}
	among := roaring.BitmapOf(uint32(w.nodes[0]), uint32(w.nodes[2]))
	var tested []string
	condition := engine.Test{Text: "noted", Holds: func(_ context.Context, key string, _ []engine.Value) (bool, error) {
		tested = append(tested, key)
		return true, nil
	}}
	got, err := query.Where(w.snap.Graph(w.g), among, engine.Not{Predicate: condition}, nil)
	check(t, err)
	r, err := allowing(w.env(), allow).Reader(t.Context(), w.g)
	check(t, err)
	shown, err := r.Where(condition)
	check(t, err)
	want := []string{w.keys[w.nodes[0]], w.keys[w.nodes[2]]}
	if !slices.Equal(tested, append(want, want...)) || !got.IsEmpty() || !shown.Equals(among) {
		t.Errorf("tested %q, found %v and %v", tested, got, shown)
	}
	// A field is a stored property, or the key.
	fields := map[string]string{"key": "", "stars": "rating"}
	for _, p := range []engine.Predicate{
		engine.Comparison{Property: "key", Values: []engine.Value{engine.String(want[0])}},
		engine.Test{Properties: []string{"stars", "key"}, Holds: func(_ context.Context, _ string, values []engine.Value) (bool, error) {
			return values[1].AsString() == want[0] && values[0].AsInt() == w.rating[w.nodes[0]], nil
		}},
	} {
		if got, err = query.Where(w.snap.Graph(w.g), among, p, fields); err != nil || !slices.Equal(got.ToArray(), []uint32{uint32(w.nodes[0])}) {
			t.Errorf("%v finds %v, %v", p, got, err)
		}
	}
}
