package query_test

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/vecindex"
)

// callsTake is how long a call may take before it counts as hung: far more than
// any needs on a machine that is busy.
const callsTake = time.Minute

// operators are all operators of the package. Their fields are filled by type,
// from a pool, so that a new field is met too.
var operators = []query.Op{
	&query.All{}, &query.AtLeast{}, &query.Bridge{}, &query.Filter{}, &query.Given{}, &query.Incident{}, &query.Intersect{},
	&query.Limit{}, &query.Minus{}, &query.Neighbors{}, &query.PPR{}, &query.Pack{}, &query.PathChain{}, &query.PathRows{}, &query.PhraseSearch{}, &query.Rerank{}, &query.Rescale{},
	&query.Reweigh{}, &query.Score{}, &query.Sections{}, &query.Sort{}, &query.Sources{}, &query.Tables{}, &query.TextSearch{},
	&query.TopPerGroup{}, &query.Twins{}, &query.Union{}, &query.VectorSearch{}, &query.Votes{},
}

// otherCalls are the exported calls that are no operator's, made in an Env with a
// plan of the matrix.
var otherCalls = map[string]func(m *matrixWorld, e *query.Env, plan query.Op) error{
	"Run": func(m *matrixWorld, e *query.Env, plan query.Op) error {
		_, err := query.Run(m.ctx, e, plan)
		return err
	},
	"Explain": func(_ *matrixWorld, _ *query.Env, plan query.Op) error {
		return errors.Join(query.Explain(io.Discard, plan), query.Explain(nil, plan))
	},
	"Env.Eval": func(m *matrixWorld, e *query.Env, plan query.Op) error {
		_, err := e.Eval(m.ctx, plan)
		return err
	},
	"Env.Ahead": func(m *matrixWorld, e *query.Env, _ query.Op) error {
		return errors.Join(e.Ahead(m.ctx, 2, func(*query.Env, int) error { return nil }), e.Ahead(m.ctx, -1, nil))
	},
	"Env.Label": func(m *matrixWorld, e *query.Env, _ query.Op) error {
		_, err := e.Label(m.ctx, m.g, 1)
		_, nothing := e.Label(m.ctx, nil, 0)
		return errors.Join(err, nothing)
	},
	"Env.Degree": func(m *matrixWorld, e *query.Env, _ query.Op) error {
		_, err := e.Degree(m.ctx, m.g, 1, "link", "")
		_, nothing := e.Degree(m.ctx, nil, 0)
		return errors.Join(err, nothing)
	},
	"Env.Node": func(m *matrixWorld, e *query.Env, _ query.Op) error {
		_, err := e.Node(m.ctx, m.g, 1)
		_, nothing := e.Node(m.ctx, nil, 0)
		return errors.Join(err, nothing)
	},
	"Env.Reader": func(m *matrixWorld, e *query.Env, _ query.Op) error {
		r, err := e.Reader(m.ctx, m.g)
		if err == nil {
			_, err = r.Node(1)
		}
		_, nothing := e.Reader(m.ctx, nil)
		return errors.Join(err, nothing)
	},
	"Where": func(m *matrixWorld, e *query.Env, _ query.Op) error {
		if e == nil {
			e = &query.Env{}
		}
		_, err := query.Where(e.Snap.Graph(m.g), roaring.BitmapOf(1), engine.Comparison{Property: "rating", Op: engine.OpExists}, nil)
		_, nothing := query.Where(e.Snap.Graph(nil), nil, nil, nil)
		return errors.Join(err, nothing)
	},
	"Rerank.Each": func(m *matrixWorld, e *query.Env, plan query.Op) error {
		_, err := query.Run(m.ctx, e, (&query.Rerank{}).Each(plan))
		return err
	},
	"Property": func(*matrixWorld, *query.Env, query.Op) error { query.Property(nil, ""); return nil },
	"Trace.Why": func(_ *matrixWorld, e *query.Env, _ query.Op) error {
		_ = (*query.Trace)(nil).Why(query.Ref{})
		_ = (&query.Trace{Ops: make([]query.OpTrace, 2)}).Why(query.Ref{ID: 1})
		if e != nil {
			_ = e.Trace.Why(query.Ref{Graph: 1, ID: 1})
		}
		return nil
	},
	"OpTrace.MarshalJSON":   func(*matrixWorld, *query.Env, query.Op) error { _, err := query.OpTrace{}.MarshalJSON(); return err },
	"OpTrace.UnmarshalJSON": func(*matrixWorld, *query.Env, query.Op) error { return (&query.OpTrace{}).UnmarshalJSON([]byte("{}")) },
	"Item.Ref":              func(*matrixWorld, *query.Env, query.Op) error { (&query.Item{}).Ref(); return nil },
	"Explanation.String":    func(*matrixWorld, *query.Env, query.Op) error { _ = query.Explanation{}.String(); return nil },
	"Finding.String":        func(*matrixWorld, *query.Env, query.Op) error { _ = query.Finding{}.String(); return nil },
	"TypeQuota.String":      func(*matrixWorld, *query.Env, query.Op) error { _ = query.TypeQuota{}.String(); return nil },
	"Combine.String":        func(*matrixWorld, *query.Env, query.Op) error { _ = query.Combine(99).String(); return nil },
}

// matrixWorld is a world with what calls are given in it.
type matrixWorld struct {
	*world
	ctx     context.Context
	env     func() *query.Env
	foreign *engine.Graph // of another database, with the number of one here
	odd     []query.Item
	pool    map[reflect.Type][]any
}

var errEnv = errors.New("a function of the Env fails")

// matrixStates make the worlds that calls meet.
var matrixStates = map[string]func(t *testing.T) *matrixWorld{
	"open":  func(t *testing.T) *matrixWorld { return newMatrixWorld(t, 12) },
	"empty": func(t *testing.T) *matrixWorld { return newMatrixWorld(t, 0) },
	"with everything": func(t *testing.T) *matrixWorld {
		return newMatrixWorld(t, 12).having(func(e *query.Env) {
			e.Graphs, e.Trace, e.AllowAny = graphops.NewCache(1<<20), &query.Trace{}, true
			allowing(e, map[engine.NodeID]bool{1: true, 2: true, 5: true})
		})
	},
	"nothing allowed": func(t *testing.T) *matrixWorld {
		return newMatrixWorld(t, 12).having(func(e *query.Env) { allowing(e, nil) })
	},
	"closed snapshot": func(t *testing.T) *matrixWorld {
		m := newMatrixWorld(t, 12)
		check(t, m.snap.Close())
		return m
	},
	"closed database": func(t *testing.T) *matrixWorld {
		m := newMatrixWorld(t, 12)
		check(t, m.snap.Close())
		check(t, m.g.DB().Close())
		return m
	},
	"dropped namespace": func(t *testing.T) *matrixWorld {
		m := newMatrixWorld(t, 12)
		check(t, m.g.DB().DropNamespace(t.Context(), "main"))
		snap, err := m.g.DB().Snapshot(t.Context())
		check(t, err)
		t.Cleanup(func() { check(t, snap.Close()) })
		return m.having(func(e *query.Env) { e.Snap = snap })
	},
	"cancelled": func(t *testing.T) *matrixWorld {
		m := newMatrixWorld(t, 12)
		ctx, cancel := context.WithCancel(m.ctx)
		cancel()
		m.ctx = ctx
		return m
	},
	"no Env": func(t *testing.T) *matrixWorld {
		m := newMatrixWorld(t, 12)
		m.env = func() *query.Env { return nil }
		return m
	},
	"zero Env": func(t *testing.T) *matrixWorld {
		m := newMatrixWorld(t, 12)
		m.env = func() *query.Env { return &query.Env{} }
		return m
	},
	"snapshot alone": func(t *testing.T) *matrixWorld {
		m := newMatrixWorld(t, 12)
		m.env = func() *query.Env { return &query.Env{Snap: m.snap} }
		return m
	},
	"functions that fail": func(t *testing.T) *matrixWorld {
		return newMatrixWorld(t, 12).having(func(e *query.Env) {
			e.Embed = func(context.Context, string) ([]float32, error) { return nil, errEnv }
			e.Allow = func(context.Context, *engine.View) (*roaring.Bitmap, error) { return nil, errEnv }
			e.Tokens = func(string) int { return -1 }
		})
	},
	"vectors of another model": func(t *testing.T) *matrixWorld {
		return newMatrixWorld(t, 12).having(func(e *query.Env) {
			e.Embed = func(_ context.Context, s string) ([]float32, error) {
				return [][]float32{nil, {1}, {float32(math.NaN()), 1, 1}}[len(s)%3], nil
			}
		})
	},
	"least limits": func(t *testing.T) *matrixWorld {
		return newMatrixWorld(t, 12).having(func(e *query.Env) { e.Rows = -1 })
	},
}

func newMatrixWorld(t *testing.T, n int) *matrixWorld {
	t.Helper()
	m := &matrixWorld{world: makeWorld(t, 7, n), ctx: t.Context()}
	m.env = m.world.env
	m.foreign = makeWorld(t, 8, 3).g
	for _, id := range []engine.NodeID{1, 2, 3, 99, math.MaxUint32} {
		m.odd = append(m.odd, m.item(id, []float64{1, 0, math.NaN(), math.Inf(1), -1}[id%5]), query.Item{Graph: 77, ID: id})
	}
	m.odd = append(m.odd, query.Item{}, query.Item{Graph: m.g.ID(), Edge: engine.Edge{From: 1, To: 2, Type: 9999}}, m.odd[0])
	m.fillPool()
	return m
}

// having changes the Envs of the world.
func (m *matrixWorld) having(change func(e *query.Env)) *matrixWorld {
	env := m.env
	m.env = func() *query.Env {
		e := env()
		change(e)
		return e
	}
	return m
}

// fillPool gives each type of field its values, nothing first.
func (m *matrixWorld) fillPool() {
	m.pool = map[reflect.Type][]any{}
	add := func(vs ...any) {
		for _, v := range vs {
			m.pool[reflect.TypeOf(v)] = append(m.pool[reflect.TypeOf(v)], v)
		}
	}
	nodes, odd := &input{name: "nodes"}, &input{name: "odd", items: m.odd}
	for i, id := range m.nodes {
		nodes.items = append(nodes.items, m.item(id, float64(i)))
	}
	round := &query.Limit{N: 1}
	round.In = round
	m.pool[reflect.TypeFor[query.Op]()] = []any{nil, (*query.Limit)(nil), nodes, odd, &input{name: "none"}, &input{name: "failing", err: errEnv}, round, valueOp{}}
	add([]query.Op(nil), []query.Op{nil}, []query.Op{nodes, odd}, []query.Op{odd, odd, round})
	add((*engine.Graph)(nil), &engine.Graph{}, m.g, m.far, m.foreign)
	add("", space, field, "name", deepLayers, "rating", "\xff", "1 0 2", "New York of Times ash birch", strings.Repeat("x", 70_000))
	add([]string(nil), []string{}, []string{""}, []string{"link", "said"}, []string{"thing"}, []string{"New York", ""})
	add(0, -1, 1, 5, 1000, math.MaxInt, math.MinInt)
	add(0.0, 0.5, 1.0, -1.0, math.NaN(), math.Inf(1), math.Inf(-1), 1e308)
	add(false, true, engine.Direction(0), engine.Direction(1), engine.Direction(99))
	add(query.Combine(0), query.ZSum, query.Turns, query.Mean, query.Count, query.Combine(99))
	add([]float32(nil), []float32{1}, make([]float32, 1<<10))
	add([]query.Item(nil), []query.Item{{}}, []query.Item{m.item(1, 1), m.item(2, -1), m.item(1, math.Inf(1))})
	add([]float64(nil), []float64{1}, []float64{1, math.NaN()}, []float64{math.Inf(1), 0, 1})
	add([]vecindex.LayerK(nil), []vecindex.LayerK{{Layer: 0, K: 5}}, []vecindex.LayerK{{Layer: 9, K: -1}}, []vecindex.LayerK{{Layer: 1, K: 1}, {Layer: 1, K: math.MaxInt}})
	add([]query.TypeQuota(nil), []query.TypeQuota{{}}, []query.TypeQuota{{Types: []string{"thing"}, Most: 2}, {Types: []string{"thing", "nothing"}, Most: -1}})
	m.pool[reflect.TypeFor[[]engine.FieldWeight]()] = []any{[]engine.FieldWeight(nil), []engine.FieldWeight{{Field: field, Weight: 1}, {Field: "none", Weight: 1}}, []engine.FieldWeight{{}}}
	m.pool[reflect.TypeFor[engine.Predicate]()] = []any{nil, engine.And(nil), engine.Not{}, engine.Comparison{},
		engine.Comparison{Property: "rating", Op: engine.OpEqual, Values: []engine.Value{engine.Int(1)}}, engine.Comparison{Property: "none", Op: engine.Op(99)}}
	add(graphops.EdgeWeights(0), graphops.DegreeWeights, graphops.EdgeWeights(99))
	type env = *query.Env
	add((func(context.Context, env, query.Item) (bool, error))(nil),
		func(_ context.Context, _ env, it query.Item) (bool, error) { return it.ID%2 == 0, nil },
		func(context.Context, env, query.Item) (bool, error) { return true, errEnv })
	add((func(context.Context, env, query.Item) (string, int, error))(nil),
		func(_ context.Context, _ env, it query.Item) (string, int, error) {
			return "a b c", int(it.ID) % 3, nil
		},
		func(context.Context, env, query.Item) (string, int, error) { return "", -5, nil },
		func(context.Context, env, query.Item) (string, int, error) { return "", 0, errEnv })
	add((func(context.Context, string, []string) ([]float64, error))(nil),
		func(_ context.Context, _ string, texts []string) ([]float64, error) {
			return make([]float64, len(texts)), nil
		},
		func(context.Context, string, []string) ([]float64, error) { return []float64{math.NaN()}, nil },
		func(context.Context, string, []string) ([]float64, error) { return nil, errEnv })
	add(time.Duration(0), time.Duration(-1), time.Nanosecond, time.Hour)
	add((func(context.Context, env, query.Item) (int, error))(nil),
		func(context.Context, env, query.Item) (int, error) { return 2, nil },
		func(context.Context, env, query.Item) (int, error) { return -1, errEnv })
	add((func(context.Context, env, query.Item, int) (string, error))(nil),
		func(context.Context, env, query.Item, int) (string, error) { return "a b", nil },
		func(context.Context, env, query.Item, int) (string, error) { return "", errEnv })
	add((func(context.Context, env, query.Item) (string, error))(nil),
		func(context.Context, env, query.Item) (string, error) { return "n1", nil },
		func(context.Context, env, query.Item) (string, error) { return "", errEnv })
	add((func(context.Context, env, query.Item) ([]engine.NodeID, error))(nil),
		func(_ context.Context, _ env, it query.Item) ([]engine.NodeID, error) {
			return []engine.NodeID{it.ID, 0, 1}, nil
		},
		func(context.Context, env, query.Item) ([]engine.NodeID, error) { return nil, errEnv })
	failing := &query.Measure{Of: func(context.Context, env, query.Item) (float64, bool, error) { return 0, false, errEnv }}
	add((*query.Measure)(nil), &query.Measure{}, constant(2), query.Property(m.g, "rating"), failing)
	add([]*query.Measure(nil), []*query.Measure{nil}, []*query.Measure{constant(1), query.Property(m.g, "rating")}, []*query.Measure{failing})
	add((*query.Incident)(nil), &query.Incident{}, &query.Incident{In: nodes, Graph: m.g, PerNode: math.MaxInt}, &query.Incident{In: odd, Graph: m.g, Ranked: true}, &query.Incident{Graph: m.foreign})
	add((func(string, int) string)(nil), func(s string, n int) string { return s[:max(0, min(n, len(s)))] })
}

// valueOp is an operator that is not told apart by ==.
type valueOp struct{ s []int }

func (valueOp) Run(context.Context, *query.Env) (query.Set, error) { return query.Set{}, nil }
func (valueOp) Explain() query.Explanation                         { return query.Explanation{Op: "Value"} }
func (valueOp) Inputs() []query.Op                                 { return nil }

// fill makes an operator of a type: the zero one first, then its fields as a
// draw of the pool has them.
func (m *matrixWorld) fill(t *testing.T, of query.Op, r *rand.Rand, k int) query.Op {
	v := reflect.New(reflect.TypeOf(of).Elem())
	if k == 0 {
		return v.Interface().(query.Op)
	}
	for i := range v.Elem().NumField() {
		f := v.Elem().Field(i)
		pool := m.pool[f.Type()]
		if pool == nil {
			t.Fatalf("%T: the matrix has nothing to give for a %s: add it to the pool", of, f.Type())
		}
		x := pool[r.IntN(len(pool))]
		if k%3 > 0 { // two of three operators have an input, a graph and functions that are in order
			switch {
			case f.Kind() == reflect.Func:
				x = pool[1]
			case f.Kind() == reflect.Pointer, f.Type() == reflect.TypeFor[query.Op]():
				x = pool[2+r.IntN(2)]
			}
		}
		if x != nil {
			f.Set(reflect.ValueOf(x))
		}
	}
	return v.Interface().(query.Op)
}

// typedError reports whether a program can tell each part of an error from
// others.
func typedError(err error) bool {
	if joined, ok := err.(interface{ Unwrap() []error }); ok && strings.Contains(fmt.Sprintf("%T", err), "joinError") {
		return !slices.ContainsFunc(joined.Unwrap(), func(err error) bool { return !typedError(err) })
	}
	for _, target := range []error{
		query.ErrLimit, engine.ErrClosed, engine.ErrInvalid, engine.ErrNotFound, engine.ErrMemory, graphops.ErrTooLarge,
		vecindex.ErrRange, vecindex.ErrDimension, vecindex.ErrVector, vecindex.ErrKind, context.Canceled, errEnv,
	} {
		if errors.Is(err, target) {
			return true
		}
	}
	var wide *graphops.ExpandError
	var index *engine.NoIndexError
	return errors.As(err, &wide) || errors.As(err, &index)
}

// watchCall makes a call and tells of a panic, a hang and an error that a
// program cannot tell from others.
func watchCall(t *testing.T, name string, call func() error) {
	t.Helper()
	done := make(chan error, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				done <- fmt.Errorf("panic: %v\n%s", p, debug.Stack())
			}
		}()
		done <- call()
	}()
	select {
	case err := <-done:
		if err != nil && !typedError(err) {
			t.Errorf("%s: %v", name, err)
		}
	case <-time.After(callsTake):
		t.Fatalf("%s hangs", name)
	}
}

// TestMatrix makes every exported call in every state of a database, a snapshot,
// an Env and a context, with nothing and with odd arguments: each gives a result
// or an error that a program can tell from others.
func TestMatrix(t *testing.T) {
	t.Parallel()
	draws := 40
	if *long {
		draws = 2000
	}
	for _, state := range slices.Sorted(maps.Keys(matrixStates)) {
		t.Run(state, func(t *testing.T) {
			m := matrixStates[state](t)
			r := rand.New(rand.NewPCG(3, 4))
			for _, of := range operators {
				for k := range draws {
					plan := m.fill(t, of, r, k)
					name := fmt.Sprintf("%T, draw %d", of, k)
					watchCall(t, name, func() error { _, err := query.Run(m.ctx, m.env(), plan); return err })
					watchCall(t, name, func() error { plan.Explain(); plan.Inputs(); return query.Explain(io.Discard, plan) })
					if k == 0 && state == "no Env" {
						if _, err := query.Run(m.ctx, m.env(), plan); !errors.Is(err, engine.ErrInvalid) {
							t.Errorf("%T in %s: %v", of, state, err)
						}
					}
				}
			}
			for _, name := range slices.Sorted(maps.Keys(otherCalls)) {
				for i, plan := range m.pool[reflect.TypeFor[query.Op]()] {
					op, _ := plan.(query.Op)
					watchCall(t, fmt.Sprintf("%s, call %d", name, i), func() error { return otherCalls[name](m, m.env(), op) })
				}
			}
		})
	}
}

// TestMatrixForeign: a graph of another database is not there, though one of its
// number is.
func TestMatrixForeign(t *testing.T) {
	t.Parallel()
	m := newMatrixWorld(t, 12)
	if m.foreign.ID() != m.g.ID() {
		t.Fatalf("the graphs have the numbers %d and %d", m.foreign.ID(), m.g.ID())
	}
	for _, plan := range []query.Op{
		&query.TextSearch{Graph: m.foreign, Field: field, Text: "ash birch"}, &query.VectorSearch{Graph: m.foreign, Space: space, K: 5},
		&query.PPR{Graph: m.foreign, In: &input{items: []query.Item{m.item(1, 1)}}},
	} {
		if set, _ := query.Run(t.Context(), m.env(), plan); len(set.Items) > 1 {
			t.Errorf("%T found %v in a graph of another database", plan, set.Items)
		}
	}
}

// TestMatrixClosed: what has to be read of a closed snapshot is an error, not an
// empty set.
func TestMatrixClosed(t *testing.T) {
	t.Parallel()
	m := newMatrixWorld(t, 12)
	check(t, m.snap.Close())
	in := &input{name: "nodes"}
	for i, id := range m.nodes {
		in.items = append(in.items, m.item(id, float64(i)))
	}
	for _, plan := range []query.Op{
		&query.TextSearch{Graph: m.g, Field: field, Text: "ash birch"}, &query.VectorSearch{Graph: m.g, Space: space, K: 5},
		&query.VectorSearch{Graph: m.g, Space: deepLayers, Layers: []vecindex.LayerK{{Layer: 0, K: 3}}}, &query.Score{In: in, Graph: m.g, Space: space},
		&query.All{Graph: m.g, Types: []string{"thing"}}, &query.Sources{In: in, Graph: m.g}, &query.Twins{In: in, Graph: m.g, Type: "thing", Of: m.g},
		&query.PhraseSearch{Graph: m.g, Field: "name", Phrases: []string{"York"}}, &query.Bridge{In: in, Graph: m.g, Names: "name", Words: field},
		&query.PPR{In: in, Graph: m.g}, &query.PathChain{In: in, Graph: m.g},
		&query.Filter{In: in, Graph: m.g, Types: []string{"thing"}}, &query.Incident{In: in, Graph: m.g}, &query.Incident{In: in, Graph: m.g, Within: true, Ranked: true},
		&query.Reweigh{In: in, By: query.Property(m.g, "rating")}, &query.Neighbors{In: in, Graph: m.g}, &query.TopPerGroup{In: in, Of: in, Graph: m.g, Most: 2},
		&query.PPR{In: in, Graph: m.g, Quotas: []query.TypeQuota{{Types: []string{"thing"}, Most: 2}}},
	} {
		if _, err := query.Run(t.Context(), m.env(), plan); !errors.Is(err, engine.ErrClosed) {
			t.Errorf("%T: %v", plan, err)
		}
	}
}

// TestMatrixIsWhole: every exported function and method of the package is called
// by the matrix.
func TestMatrixIsWhole(t *testing.T) {
	t.Parallel()
	called := map[string]bool{}
	for _, o := range operators {
		for _, method := range []string{"Run", "Explain", "Inputs"} {
			called[reflect.TypeOf(o).Elem().Name()+"."+method] = true
		}
	}
	for name := range otherCalls {
		called[name] = true
	}
	for _, name := range exported(t, ".") {
		if !called[name] {
			t.Errorf("query.%s is not called by the matrix", name)
		}
		delete(called, name)
	}
	for name := range called {
		t.Errorf("the matrix calls query.%s, which is not exported", name)
	}
}

// exported returns the exported functions and methods of the package in a
// folder, as Func and Type.Method.
func exported(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	var out []string
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		check(t, err)
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || !fn.Name.IsExported() {
				continue
			}
			if fn.Recv == nil {
				out = append(out, fn.Name.Name)
				continue
			}
			recv := fn.Recv.List[0].Type
			if p, ok := recv.(*ast.StarExpr); ok {
				recv = p.X
			}
			if id, ok := recv.(*ast.Ident); ok && id.IsExported() {
				out = append(out, id.Name+"."+fn.Name.Name)
			}
		}
	}
	return out
}
