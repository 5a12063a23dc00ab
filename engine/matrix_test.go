package engine_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"maps"
	"math"
	"path/filepath"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/engine/text"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/vecindex"
)

// The matrix calls every exported method of the types below by reflection, so
// that a new one is called too, with arguments from a pool by type, nil and zero
// among them.

// callsTake is how long a call may take before it counts as hung: far more than
// any needs on a machine that is busy.
const callsTake = time.Minute

// matrixWorld is a database in one of the states that a call may meet.
type matrixWorld struct {
	db *engine.DB
	ns *engine.Namespace
	g  *engine.Graph
	// foreign is a graph of another database, with the number of one here.
	foreign *engine.Graph
	ctx     context.Context
	node    engine.NodeID
	kind    engine.TypeID
	edge    engine.EdgeType
	pool    map[reflect.Type][]any
}

// makeWorld makes a database with a small graph of everything, or an empty one.
func makeWorld(t *testing.T, path string, full bool, o *engine.Options) *matrixWorld {
	t.Helper()
	ctx := t.Context()
	db, err := engine.Open(ctx, path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	w := &matrixWorld{db: db, ctx: ctx, node: 1}
	if w.ns, err = db.Namespace(ctx, "main"); err != nil {
		t.Fatal(err)
	}
	if w.g, err = w.ns.Graph(ctx, engine.Base); err != nil {
		t.Fatal(err)
	}
	if full {
		if err := db.Update(ctx, w.fill); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// fill writes some of everything.
func (w *matrixWorld) fill(tx *engine.Tx) error {
	v := tx.Graph(w.g)
	var errs []error
	try := func(err error) { errs = append(errs, err) }
	var err error
	w.kind, err = v.MakeNodeType("person")
	try(err)
	w.edge, err = v.MakeEdgeType("knows", true)
	try(err)
	try(v.MakeField("f", engine.FieldOptions{Analyzer: text.Standard{}.Name()}))
	try(v.MakeSpace("s", engine.SpaceOptions{Dim: 2, Model: "m"}))
	try(v.MakeIndex("name"))
	for i, name := range []string{"ada", "brom", "celia"} {
		id, _, err := v.PutNode(w.kind, name, engine.Props{"name": engine.String(name), "n": engine.Int(int64(i))})
		try(err)
		if i == 0 {
			w.node = id
		} else {
			try(v.AddEdge(w.node, id, w.edge, 1))
			try(v.Contribute(w.node, engine.EdgeTarget(w.node, id, w.edge), engine.Contribution{Weight: 1}))
		}
		try(v.PutTerms("f", id, text.Standard{}.Terms(name+" of the mill")))
		try(v.PutVector("s", id, []float32{1, float32(i)}))
	}
	b, err := v.MakeBucket("b")
	try(err)
	try(b.Set([]byte("k"), []byte("v")))
	return errors.Join(errs...)
}

// matrixStates make the worlds.
func matrixStates() map[string]func(t *testing.T) *matrixWorld {
	full := func(t *testing.T) *matrixWorld { return makeWorld(t, engine.Memory, true, nil) }
	return map[string]func(t *testing.T) *matrixWorld{
		"empty": func(t *testing.T) *matrixWorld { return makeWorld(t, engine.Memory, false, nil) },
		"full":  full,
		"dropped graph": func(t *testing.T) *matrixWorld {
			w := full(t)
			other, err := w.ns.Graph(w.ctx, "other")
			if err != nil {
				t.Fatal(err)
			}
			w.g = other
			if err := w.db.Update(w.ctx, w.fill); err != nil {
				t.Fatal(err)
			}
			if err := w.ns.Drop(w.ctx, "other"); err != nil {
				t.Fatal(err)
			}
			return w
		},
		"dropped namespace": func(t *testing.T) *matrixWorld {
			w := full(t)
			if err := w.db.DropNamespace(w.ctx, "main"); err != nil {
				t.Fatal(err)
			}
			return w
		},
		"closed": func(t *testing.T) *matrixWorld {
			w := full(t)
			if err := w.db.Close(); err != nil {
				t.Fatal(err)
			}
			return w
		},
		"read-only": func(t *testing.T) *matrixWorld {
			dir := filepath.Join(t.TempDir(), "db")
			if err := makeWorld(t, dir, true, nil).db.Close(); err != nil {
				t.Fatal(err)
			}
			return makeWorld(t, dir, false, &engine.Options{ReadOnly: true})
		},
		"cancelled": func(t *testing.T) *matrixWorld {
			w := full(t)
			ctx, cancel := context.WithCancel(w.ctx)
			cancel()
			w.ctx = ctx
			return w
		},
	}
}

// fillPool gives each type of argument its values, nothing first.
func (w *matrixWorld) fillPool(t *testing.T) {
	add := func(vs ...any) {
		for _, v := range vs {
			w.pool[reflect.TypeOf(v)] = append(w.pool[reflect.TypeOf(v)], v)
		}
	}
	w.pool = map[reflect.Type][]any{}
	typeOf := func(p any) reflect.Type { return reflect.TypeOf(p).Elem() }
	w.pool[typeOf((*context.Context)(nil))] = []any{w.ctx}
	w.pool[typeOf((*io.Reader)(nil))] = []any{nil, strings.NewReader(""), strings.NewReader("{}\n")}
	w.pool[typeOf((*io.Writer)(nil))] = []any{nil, io.Discard}
	w.pool[typeOf((*engine.Predicate)(nil))] = []any{nil, engine.And(nil), engine.Not{}, engine.Test{}, engine.OneOf{}, engine.Comparison{}, engine.Comparison{Property: "name", Op: engine.OpEqual, Values: []engine.Value{engine.String("ada")}}}
	w.pool[typeOf((*error)(nil))] = []any{nil, io.EOF}
	add("", "person", "f", "s", "b", "ada", "main", engine.Base, "name", "\xff", t.TempDir())
	add([]byte(nil), []byte("k"), []byte("z"))
	add([][]byte(nil), [][]byte{[]byte("k"), nil, []byte("none")})
	add([]string(nil), []string{"mill"}, []string{""})
	add([]float32(nil), []float32{1, 2}, []float32{float32(math.NaN()), 1})
	add(float32(0), float32(1), float32(math.NaN()), float32(math.Inf(1)))
	add(float64(0), math.NaN(), int64(0), int64(-1), 0, -1, 1, uint64(0), uint64(1), uint8(0), uint8(255), false, true)
	add(time.Time{}, []engine.NodeID(nil), []engine.NodeID{0, w.node, 1 << 31}, []engine.Edge(nil))
	add(engine.NodeID(0), w.node, w.node+1, engine.NodeID(math.MaxUint32))
	add(engine.TypeID(0), w.kind, engine.TypeID(9999), engine.NoType, engine.AnyType)
	add([]engine.TypeID(nil), []engine.TypeID{w.kind}, []engine.TypeID{9999})
	add(engine.EdgeType(0), w.edge, engine.EdgeType(9999))
	add(engine.Edge{}, engine.Edge{From: w.node, To: w.node + 1, Type: w.edge}, engine.Edge{From: w.node, To: w.node, Type: w.edge, Weight: float32(math.NaN()), N: 7})
	add(engine.EdgeFilter{}, engine.EdgeFilter{Types: []engine.EdgeType{w.edge}})
	add(engine.Direction(0), engine.Direction(99))
	add(engine.Props(nil), engine.Props{"name": engine.String("x")}, engine.Props{"": {}}, engine.Props{"n": engine.Float(math.NaN())})
	add(engine.Value{}, engine.String("x"))
	add(engine.Span{}, engine.Span{Equal: []engine.Value{engine.String("ada")}}, engine.Span{Bounds: []engine.Bound{{Op: 99}, {}}})
	add(engine.Rule{}, engine.Rule{Name: "r", Kind: engine.Unique, Types: []string{"person"}, Properties: []string{"name"}}, engine.Rule{Name: "r", Kind: 99})
	add(engine.Target{}, engine.NodeTarget(w.node), engine.EdgeTarget(w.node, w.node+1, w.edge))
	add(engine.Contribution{}, engine.Contribution{Weight: float32(math.NaN())}, engine.Contribution{Weight: 1, Texts: []string{"x"}})
	add((*roaring.Bitmap)(nil), roaring.BitmapOf(uint32(w.node)))
	add([]text.Term(nil), []text.Term{{}}, []text.Term{{Text: "mill"}})
	add((*engine.Graph)(nil), &engine.Graph{}, w.foreign, w.g)
	add((*engine.Snapshot)(nil), &engine.Snapshot{})
	add((func(*engine.Tx) error)(nil), func(*engine.Tx) error { return nil })
	add((func(*engine.Snapshot) error)(nil), func(*engine.Snapshot) error { return nil })
	add((func(*engine.Snapshot, int) error)(nil), func(*engine.Snapshot, int) error { return nil })
	add((func(*engine.View, int) error)(nil), func(*engine.View, int) error { return nil })
	add((func(*engine.Loader) error)(nil), func(*engine.Loader) error { return nil })
	add([][]byte(nil), [][]byte{nil, []byte("k")})
	add((func(int, []byte) error)(nil), func(int, []byte) error { return nil })
	add((func(int, engine.Node) error)(nil), func(int, engine.Node) error { return nil })
	add((func(int, []byte) error)(nil), func(int, []byte) error { return nil })
	add(kv.Sync, kv.NoSync, engine.CheckOptions{}, engine.CheckOptions{Full: true}, engine.ExportOptions{},
		engine.FieldOptions{}, engine.SpaceOptions{}, engine.SpaceOptions{Dim: 2, Metric: vecindex.Metric(99)}, engine.TermsOptions{}, engine.TermsOptions{K: -1},
		engine.TermsOptions{Beside: []engine.FieldWeight{{Field: "f", Weight: 1}, {Field: "none", Weight: 1}, {Weight: 1}}})
}

// last are methods that end what they are called on.
var last = []string{"Withdraw", "DeleteNode", "DropIndex", "DropSpace", "Drop", "Swap", "DropNamespace", "Close"}

// callAll calls every exported method of a value, nothing in each place first.
func (w *matrixWorld) callAll(t *testing.T, on any) {
	v, folder := reflect.ValueOf(on), t.TempDir()
	var names []string
	for i := range v.NumMethod() {
		names = append(names, v.Type().Method(i).Name)
	}
	slices.SortStableFunc(names, func(a, b string) int { return slices.Index(last, a) - slices.Index(last, b) })
	for _, name := range names {
		m := v.MethodByName(name)
		most := 1
		for i := range m.Type().NumIn() {
			in := m.Type().In(i)
			if w.pool[in] == nil && !(m.Type().IsVariadic() && i == m.Type().NumIn()-1) {
				t.Errorf("%T.%s: the matrix has nothing to give for a %s: add it to the pool", on, name, in)
				return
			}
			most = max(most, len(w.pool[in]))
		}
		for k := range 2 * most {
			args := make([]reflect.Value, 0, m.Type().NumIn())
			for i := range m.Type().NumIn() {
				in := m.Type().In(i)
				pool := w.pool[in]
				if pool == nil {
					continue // variadic
				}
				at := k % len(pool)
				if k >= most { // the last of the others, that most calls take
					at = (k*(i+3) + i) % len(pool)
				}
				arg := reflect.New(in).Elem()
				if pool[at] != nil {
					arg.Set(reflect.ValueOf(pool[at]))
				}
				if name == "Backup" && in.Kind() == reflect.String && arg.Len() > 0 { // it is the name of a folder
					arg.SetString(filepath.Join(folder, arg.String()))
				}
				args = append(args, arg)
			}
			watchCall(t, fmt.Sprintf("%T.%s, call %d", on, name, k), func() []reflect.Value {
				if m.Type().IsVariadic() && len(args) == m.Type().NumIn() {
					return m.CallSlice(args)
				}
				return m.Call(args)
			})
		}
	}
}

// watchCall makes a call, reads the iterators that it returns, and tells of a
// panic, a hang, and an error that a program cannot tell from others.
func watchCall(t *testing.T, name string, call func() []reflect.Value) {
	t.Helper()
	done := make(chan error, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				done <- fmt.Errorf("panic: %v\n%s", p, debug.Stack())
			}
		}()
		var errs []error
		for _, out := range call() {
			switch x := out.Interface().(type) {
			case func(): // it releases what the call holds
				if x != nil {
					x()
				}
			case *engine.Snapshot:
				if x != nil && strings.Contains(name, "DB.Snapshot") { // Close of the database waits for it
					errs = append(errs, x.Close())
				}
			case error:
				errs = append(errs, x)
			case iter.Seq2[engine.Edge, error]:
				errs = append(errs, drained(x))
			case iter.Seq2[engine.Target, error]:
				errs = append(errs, drained(x))
			case iter.Seq2[engine.Contribution, error]:
				errs = append(errs, drained(x))
			case iter.Seq2[engine.Entry, error]:
				errs = append(errs, drained(x))
			case iter.Seq2[engine.Finding, error]:
				errs = append(errs, drained(x))
			case iter.Seq2[engine.Posting, error]:
				errs = append(errs, drained(x))
			case iter.Seq2[engine.TermEntry, error]:
				errs = append(errs, drained(x))
			case iter.Seq2[*engine.EdgeBlock, error]:
				errs = append(errs, drained(x))
			case iter.Seq2[*engine.List, error]:
				errs = append(errs, drained(x))
			default:
				if out.Kind() == reflect.Func && out.Type().NumIn() == 1 {
					errs = append(errs, fmt.Errorf("the matrix does not read a %s", out.Type()))
				}
			}
		}
		for _, err := range errs {
			if err != nil && !typedError(err) {
				done <- err
				return
			}
		}
		done <- nil
	}()
	select {
	case err := <-done:
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	case <-time.After(callsTake):
		t.Fatalf("%s hangs", name)
	}
}

func drained[T any](seq iter.Seq2[T, error]) error {
	for _, err := range seq {
		if err != nil {
			return err
		}
	}
	return nil
}

// typedError reports whether a program can tell an error from others.
func typedError(err error) bool {
	for _, target := range []error{
		engine.ErrClosed, engine.ErrConflict, engine.ErrCorrupt, engine.ErrExists, kv.ErrForeign, engine.ErrFormat,
		kv.ErrIncompatible, engine.ErrInvalid, kv.ErrLocked, engine.ErrMemory, engine.ErrNotFound, engine.ErrReadOnly, engine.ErrClosed,
		engine.ErrTxTooLarge, context.Canceled, vecindex.ErrRange, errors.ErrUnsupported, fs.ErrNotExist,
	} {
		if errors.Is(err, target) {
			return true
		}
	}
	var line *engine.LineError
	var index *engine.NoIndexError
	var dim *vecindex.DimensionError
	var vec *vecindex.VectorError
	return errors.As(err, &line) || errors.As(err, &index) || errors.As(err, &dim) || errors.As(err, &vec)
}

// TestMatrix calls every exported method in every state: of the database, of a
// snapshot that is open and one that is closed, of a transaction that runs and
// one that is over. Each gives a result or an error that a program can tell from
// others.
func TestMatrix(t *testing.T) {
	t.Parallel()
	for _, state := range slices.Sorted(maps.Keys(matrixStates())) {
		t.Run(state, func(t *testing.T) {
			w := matrixStates()[state](t)
			w.foreign = makeWorld(t, engine.Memory, true, nil).g
			w.fillPool(t)
			var over []any
			_ = w.db.View(w.ctx, func(s *engine.Snapshot) error {
				v := s.Graph(w.g).WithContext(w.ctx)
				w.callAll(t, v)
				w.callAll(t, v.Bucket("b"))
				w.callAll(t, v.NodeColumns(nil))
				w.callAll(t, v.NodeColumns(nil).Column("name"))
				w.callAll(t, s.Graph(nil))
				w.callAll(t, s.Graph(&engine.Graph{}))
				w.callAll(t, s.Graph(w.foreign))
				w.callAll(t, (*engine.Snapshot)(nil).Graph(w.g))
				w.callAll(t, new(engine.Snapshot).Graph(w.g))
				over = append(over, s, v, v.Bucket("b"), v.NodeColumns(nil).Column("name"))
				return nil
			})
			_ = w.db.Update(w.ctx, func(tx *engine.Tx) error {
				v := tx.Graph(w.g)
				b, err := v.MakeBucket("b")
				w.callAll(t, tx)
				w.callAll(t, v)
				w.callAll(t, v.NodeColumns(nil).Column("name"))
				if err == nil {
					w.callAll(t, b)
				}
				w.callAll(t, tx.Graph(nil))
				w.callAll(t, tx.Graph(w.foreign))
				over = append(over, tx, v, b)
				return errors.New("enough")
			})
			_ = w.db.Load(w.ctx, w.g, func(l *engine.Loader) error {
				w.callAll(t, l)
				over = append(over, l)
				return errors.New("enough")
			})
			for _, x := range over {
				w.callAll(t, x)
			}
			if s, err := w.db.Snapshot(w.ctx); err == nil {
				w.callAll(t, s)
			}
			w.callAll(t, w.g)
			w.callAll(t, w.ns)
			w.callAll(t, w.db)
		})
	}
}

// TestMatrixValues calls the methods of values, which no state concerns, and the
// functions that open, restore and read, with nothing.
func TestMatrixValues(t *testing.T) {
	t.Parallel()
	w := makeWorld(t, engine.Memory, true, nil)
	w.foreign = w.g
	w.fillPool(t)
	for _, on := range []any{
		engine.And(nil), engine.And{nil}, engine.Or(nil), engine.Or{nil}, engine.Not{}, engine.Comparison{}, engine.Op(99), engine.Edge{}, engine.EdgeType(0),
		engine.Finding{}, &engine.Node{}, engine.Value{}, engine.String("x"), &engine.ConflictError{}, &engine.FormatError{}, &engine.LineError{}, &engine.NoIndexError{},
	} {
		v := reflect.ValueOf(on)
		for i := range v.NumMethod() {
			m, name := v.Method(i), v.Type().Method(i).Name
			args := make([]reflect.Value, m.Type().NumIn())
			for k := range args {
				args[k] = reflect.Zero(m.Type().In(k))
			}
			watchCall(t, fmt.Sprintf("%T.%s", on, name), func() []reflect.Value {
				if m.Type().IsVariadic() {
					return m.CallSlice(args)
				}
				out := m.Call(args)
				if name == "MarshalJSON" || name == "UnmarshalJSON" || name == "Unwrap" {
					return nil // encoding/json has errors of its own
				}
				return out
			})
		}
	}
	dir := t.TempDir()
	for name, call := range map[string]func() error{
		"Restore":       func() error { return engine.Restore(w.ctx, "", "") },
		"Restore there": func() error { return engine.Restore(w.ctx, dir, dir) },
		"Open nothing":  func() error { _, err := engine.Open(w.ctx, "", nil); return err },
		"Open a file": func() error {
			_, err := engine.Open(w.ctx, filepath.Join(dir, "a", "b"), &engine.Options{ReadOnly: true})
			return err
		},
		"ReadManifest": func() error { _, err := engine.ReadManifest(dir); return err },
		"Import":       func() error { return w.ns.Import(w.ctx, bytes.NewReader([]byte("x\n"))) },
	} {
		watchCall(t, name, func() []reflect.Value { return []reflect.Value{reflect.ValueOf(&[]error{call()}[0]).Elem()} })
	}
}

// TestForeignGraph: a graph of another database is neither read nor written,
// though one of its number is here.
func TestForeignGraph(t *testing.T) {
	t.Parallel()
	w, other := makeWorld(t, engine.Memory, true, nil), makeWorld(t, engine.Memory, true, nil)
	if w.g.ID() != other.g.ID() {
		t.Fatalf("the graphs have the numbers %d and %d", w.g.ID(), other.g.ID())
	}
	err := w.db.Update(w.ctx, func(tx *engine.Tx) error {
		_, _, err := tx.Graph(other.g).PutNode(w.kind, "intruder", nil)
		return err
	})
	if !errors.Is(err, engine.ErrNotFound) {
		t.Errorf("a write through a graph of another database: %v", err)
	}
	if _, err := w.db.DeleteNode(w.ctx, other.g, w.node); !errors.Is(err, engine.ErrNotFound) {
		t.Errorf("a removal through a graph of another database: %v", err)
	}
	if err := w.db.Load(w.ctx, other.g, func(*engine.Loader) error { return nil }); !errors.Is(err, engine.ErrNotFound) {
		t.Errorf("a load through a graph of another database: %v", err)
	}
	err = w.db.View(w.ctx, func(s *engine.Snapshot) error {
		if n, err := s.Graph(other.g).Node(w.node); !errors.Is(err, engine.ErrNotFound) {
			t.Errorf("a graph of another database reads %v, %v", n, err)
		}
		if _, err := s.Graph(w.g).Node(w.node); err != nil {
			t.Errorf("the node of this one: %v", err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestCloseWaits: Close waits for a snapshot that is open. It still reads, and
// nothing else begins.
func TestCloseWaits(t *testing.T) {
	t.Parallel()
	w := makeWorld(t, engine.Memory, true, nil)
	s, err := w.db.Snapshot(w.ctx)
	if err != nil {
		t.Fatal(err)
	}
	closed := make(chan error, 1)
	go func() { closed <- w.db.Close() }()
	for end := time.Now().Add(callsTake); ; time.Sleep(time.Millisecond) {
		other, err := w.db.Snapshot(w.ctx)
		if errors.Is(err, engine.ErrClosed) {
			break
		}
		if err != nil || time.Now().After(end) {
			t.Fatalf("a snapshot beside Close: %v", err)
		}
		if err := other.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Graph(w.g).Node(w.node); err != nil {
		t.Errorf("the open snapshot reads: %v", err)
	}
	select {
	case err := <-closed:
		t.Fatalf("Close did not wait: %v", err)
	case <-time.After(20 * time.Millisecond):
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
}
