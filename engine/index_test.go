package engine_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/memkv"
	"github.com/ragdb/ragdb/kv/pebblekv"
)

// long makes the random tests of this package long.
var long = flag.Bool("long", false, "run random tests for minutes")

// memory opens stores in memory.
func memory(_ context.Context, _ string, s *kv.Schema) (kv.Store, error) { return memkv.New(s), nil }

// captured makes o open its store through the test, and returns where it will
// be: tests look at the keys themselves.
func captured(o *engine.Options) (*engine.Options, *kv.Store) {
	out := *o
	store := new(kv.Store)
	out.OpenStore = func(ctx context.Context, path string, s *kv.Schema) (kv.Store, error) {
		var err error
		if o.OpenStore != nil {
			*store, err = o.OpenStore(ctx, path, s)
		} else {
			*store, err = pebblekv.Open(ctx, path, s, &pebblekv.Options{MemtableBytes: 1 << 20})
		}
		return *store, err
	}
	return &out, store
}

// eachKey calls fn with the keys of a family in a graph.
func eachKey(t *testing.T, s kv.Store, g *engine.Graph, tag layout.Tag, fn func(key, value []byte)) {
	t.Helper()
	prefix := layout.GraphPrefix(tag, uint32(g.ID()))
	it, err := s.Iter(t.Context(), prefix, layout.Next(prefix))
	if err != nil {
		t.Fatal(err)
	}
	for ok := it.First(); ok; ok = it.Next() {
		fn(it.Key(), it.Value())
	}
	if err := errors.Join(it.Err(), it.Close()); err != nil {
		t.Fatal(err)
	}
}

// compare returns a comparison with Go values; a date is two.
func compare(property string, op engine.Op, values ...any) engine.Comparison {
	c := engine.Comparison{Property: property, Op: op}
	for _, v := range values {
		switch v := v.(type) {
		case string:
			c.Values = append(c.Values, engine.String(v))
		case int:
			c.Values = append(c.Values, engine.Int(int64(v)))
		case float64:
			c.Values = append(c.Values, engine.Float(v))
		case bool:
			c.Values = append(c.Values, engine.Bool(v))
		case []engine.Value:
			c.Values = append(c.Values, v...)
		default:
			panic(fmt.Sprintf("%T", v))
		}
	}
	return c
}

// whole compares lists as a whole.
func whole(c engine.Comparison) engine.Comparison {
	c.Whole = true
	return c
}

// refuses returns a test that holds, and fails for some keys.
func refuses(keys ...int) engine.Test {
	return engine.Test{Holds: func(_ context.Context, key string, _ []engine.Value) (bool, error) {
		if n, _ := strconv.Atoi(key); slices.Contains(keys, n) {
			return false, fmt.Errorf("asked about %d", n)
		}
		return true, nil
	}}
}

// date returns a date or time as a point in time and as text.
func date(s string) []engine.Value {
	layout := time.RFC3339
	if len(s) == len(time.DateOnly) {
		layout = time.DateOnly
	}
	t, err := time.Parse(layout, s)
	if err != nil {
		panic(err)
	}
	return []engine.Value{engine.Time(t), engine.String(s)}
}

// wantWhere fails the test unless a predicate finds exactly these nodes.
func wantWhere(t *testing.T, r engine.Reader, p engine.Predicate, want ...engine.NodeID) {
	t.Helper()
	rb, err := r.Where(p)
	if err != nil {
		t.Errorf("%s: %v", p, err)
		return
	}
	var got []engine.NodeID
	for it := rb.Iterator(); it.HasNext(); {
		got = append(got, engine.NodeID(it.Next()))
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s finds %v, want %v", p, got, want)
	}
}

func TestWhere(t *testing.T) {
	onStores(t, func(t *testing.T, o *engine.Options) {
		g := graph(t, open(t, o), engine.Base)
		long := strings.Repeat("x", 300)
		external := strings.Repeat("y", 5000)
		day := time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)
		props := []engine.Props{ // nodes 1, 2, ...
			{"lang": engine.String("en"), "n": engine.Int(1), "date": engine.Time(day)},
			{"lang": engine.String("de"), "n": engine.Float(1), "date": engine.String("2024-12-31")},
			{"lang": engine.String("en"), "n": engine.Int(1 << 53), "date": engine.String("2025-01-01T09:00:00Z")},
			{"lang": engine.Strings("en", "fr"), "n": engine.Int(1<<53 + 1), "date": engine.Time(day.Add(-1))},
			{"lang": engine.String(long), "n": engine.String("1"), "date": engine.String("2025-01-01")},
			{"lang": engine.String(external), "n": engine.Bytes([]byte{1}), "ok": engine.Bool(true)},
			{"lang": engine.Strings(), "n": engine.Int(-5), "ok": engine.Bool(false)},
			{"lang": engine.Strings("a\x00b", long+"z"), "n": engine.Float(-5.5)},
		}
		update(t, g, func(v *engine.TxView) {
			typ, err := v.MakeNodeType("document")
			if err != nil {
				t.Fatal(err)
			}
			if err := v.MakeIndex("lang"); err != nil {
				t.Fatal(err)
			}
			for i, p := range props {
				if _, _, err := v.PutNode(typ, fmt.Sprint(i+1), p); err != nil {
					t.Fatal(err)
				}
			}
			// A transaction sees what it indexes, and fills what comes later.
			wantWhere(t, v, compare("lang", engine.OpEqual, "en"), 1, 3, 4)
			for _, name := range []string{"n", "date", "ok", "lang", "nowhere"} {
				if err := v.MakeIndex(name); err != nil {
					t.Fatal(err)
				}
			}
			wantWhere(t, v, compare("n", engine.OpEqual, 1), 1, 2)
		})
		view(t, g, func(v *engine.View) {
			if got := v.Indexes(); !slices.Equal(got, []string{"date", "lang", "n", "nowhere", "ok"}) {
				t.Errorf("indexes of %v", got)
			}
			for _, c := range []struct {
				p    engine.Predicate
				want []engine.NodeID
			}{
				{compare("lang", engine.OpEqual, "en"), []engine.NodeID{1, 3, 4}},
				{compare("lang", engine.OpNotEqual, "en"), []engine.NodeID{2, 5, 6, 7, 8}},
				{compare("lang", engine.OpEqual, "fr", "de"), []engine.NodeID{2, 4}},
				{compare("lang", engine.OpNotEqual, "fr", "de"), []engine.NodeID{1, 3, 5, 6, 7, 8}},
				{compare("lang", engine.OpGreater, "en"), []engine.NodeID{4, 5, 6, 8}},
				{compare("lang", engine.OpLess, "b"), []engine.NodeID{8}},
				{compare("lang", engine.OpEqual, "a\x00b"), []engine.NodeID{8}},
				{compare("lang", engine.OpPrefix, "a"), []engine.NodeID{8}},
				{compare("lang", engine.OpPrefix, "a\x00"), []engine.NodeID{8}},
				{compare("lang", engine.OpPrefix, "xx"), []engine.NodeID{5, 8}},
				{compare("lang", engine.OpPrefix, ""), []engine.NodeID{1, 2, 3, 4, 5, 6, 8}},
				{compare("lang", engine.OpEqual, long), []engine.NodeID{5}},
				{compare("lang", engine.OpNotEqual, long), []engine.NodeID{1, 2, 3, 4, 6, 7, 8}},
				{compare("lang", engine.OpEqual, external), []engine.NodeID{6}},
				{compare("lang", engine.OpGreaterEqual, external), []engine.NodeID{6}},
				{compare("lang", engine.OpEqual, "en", long+"z"), []engine.NodeID{1, 3, 4, 8}},
				{compare("lang", engine.OpExists), []engine.NodeID{1, 2, 3, 4, 5, 6, 7, 8}},
				{compare("ok", engine.OpExists), []engine.NodeID{6, 7}},
				{whole(compare("lang", engine.OpEqual, "en")), []engine.NodeID{1, 3}},
				{whole(compare("lang", engine.OpNotEqual, "en")), []engine.NodeID{2, 4, 5, 6, 7, 8}},
				{whole(compare("lang", engine.OpLess, "de\x00")), []engine.NodeID{2}},
				{whole(compare("lang", engine.OpGreaterEqual, long)), []engine.NodeID{5, 6}},
				{whole(compare("lang", engine.OpPrefix, "")), []engine.NodeID{1, 2, 3, 5, 6}},
				{whole(compare("n", engine.OpNotEqual, 1, "1")), []engine.NodeID{3, 4, 6, 7, 8}},
				{engine.And{whole(compare("lang", engine.OpEqual, "en", "de")), compare("n", engine.OpLessEqual, 1)}, []engine.NodeID{1, 2}},
				{engine.OneOf{Nodes: roaring.BitmapOf(3, 5)}, []engine.NodeID{3, 5}},
				{engine.And{engine.OneOf{Nodes: roaring.BitmapOf(3, 5)}, whole(compare("lang", engine.OpEqual, "en"))}, []engine.NodeID{3}},
				{engine.Test{Properties: []string{"lang", "ok"}, Holds: func(_ context.Context, _ string, v []engine.Value) (bool, error) {
					return v[0].Kind() == engine.KindString && len(v[0].AsString()) >= 300 || v[1].Equal(engine.Bool(false)), nil
				}}, []engine.NodeID{5, 6, 7}},
				{engine.Test{Properties: []string{"_own"}, Holds: func(_ context.Context, key string, v []engine.Value) (bool, error) {
					return key < "3" && v[0].IsNull(), nil
				}}, []engine.NodeID{1, 2}},
				{engine.And{compare("n", engine.OpEqual, 1), refuses(5, 6)}, []engine.NodeID{1, 2}},
				{engine.Or{refuses(1, 2), compare("n", engine.OpEqual, 1)}, []engine.NodeID{1, 2, 3, 4, 5, 6, 7, 8}},
				{engine.Not{Predicate: compare("ok", engine.OpExists)}, []engine.NodeID{1, 2, 3, 4, 5, 8}},
				{compare("nowhere", engine.OpExists), []engine.NodeID{}},
				{compare("ok", engine.OpEqual, true), []engine.NodeID{6}},
				{compare("ok", engine.OpLess, true), []engine.NodeID{7}},
				{compare("ok", engine.OpNotEqual, false), []engine.NodeID{6}},
				{compare("n", engine.OpEqual, 1), []engine.NodeID{1, 2}},
				{compare("n", engine.OpEqual, 1.0), []engine.NodeID{1, 2}},
				{compare("n", engine.OpEqual, "1"), []engine.NodeID{5}},
				{compare("n", engine.OpNotEqual, 1), []engine.NodeID{3, 4, 5, 6, 7, 8}},
				{compare("n", engine.OpLessEqual, -5), []engine.NodeID{7, 8}},
				{compare("n", engine.OpLess, -5), []engine.NodeID{8}},
				{compare("n", engine.OpEqual, 9007199254740992), []engine.NodeID{3}},
				{compare("n", engine.OpEqual, 9007199254740993), []engine.NodeID{4}},
				{compare("n", engine.OpGreater, 9007199254740992), []engine.NodeID{4}},
				{compare("n", engine.OpGreaterEqual, 9007199254740992), []engine.NodeID{3, 4}},
				{compare("n", engine.OpLess, 9007199254740993), []engine.NodeID{1, 2, 3, 7, 8}},
				{compare("n", engine.OpLessEqual, 9007199254740993), []engine.NodeID{1, 2, 3, 4, 7, 8}},
				{compare("n", engine.OpEqual, 9007199254740992.0), []engine.NodeID{3}},
				{compare("n", engine.OpGreater, 1e300), []engine.NodeID{}},
				{compare("date", engine.OpGreaterEqual, date("2025-01-01")), []engine.NodeID{1, 3, 5}},
				{compare("date", engine.OpLess, date("2025-01-01")), []engine.NodeID{2, 4}},
				{compare("date", engine.OpEqual, date("2025-01-01")), []engine.NodeID{1, 5}},
				{compare("date", engine.OpNotEqual, date("2025-01-01")), []engine.NodeID{2, 3, 4}},
				{compare("date", engine.OpEqual, date("2025-01-01T01:00:00+01:00")), []engine.NodeID{1}},
				{compare("date", engine.OpEqual, "2025-01-01"), []engine.NodeID{5}},
				{engine.And{compare("lang", engine.OpEqual, "en"), compare("n", engine.OpEqual, 1)}, []engine.NodeID{1}},
				{engine.And{compare("lang", engine.OpEqual, "en"), engine.Not{Predicate: compare("n", engine.OpEqual, 1)}}, []engine.NodeID{3, 4}},
				{engine.And{engine.Not{Predicate: compare("lang", engine.OpEqual, "en")}, engine.Not{Predicate: compare("ok", engine.OpExists)}}, []engine.NodeID{2, 5, 8}},
				{engine.Or{compare("lang", engine.OpEqual, "de"), engine.Not{Predicate: compare("date", engine.OpExists)}}, []engine.NodeID{2, 6, 7, 8}},
				{engine.Not{Predicate: engine.Not{Predicate: compare("lang", engine.OpEqual, "de")}}, []engine.NodeID{2}},
				{engine.And{engine.Or{compare("lang", engine.OpEqual, "de"), compare("lang", engine.OpEqual, "en")}, compare("n", engine.OpGreater, 1)}, []engine.NodeID{3, 4}},
			} {
				wantWhere(t, v, c.p, c.want...)
			}
		})
		update(t, g, func(v *engine.TxView) {
			if err := v.SetProps(1, engine.Props{"lang": engine.String("fr"), "n": {}}); err != nil {
				t.Fatal(err)
			}
			if _, err := v.DeleteNode(3); err != nil {
				t.Fatal(err)
			}
			if err := v.SetProps(6, engine.Props{"lang": engine.String("en")}); err != nil {
				t.Fatal(err)
			}
			wantWhere(t, v, compare("lang", engine.OpEqual, "en"), 4, 6)
		})
		view(t, g, func(v *engine.View) {
			wantWhere(t, v, compare("lang", engine.OpEqual, "en"), 4, 6)
			wantWhere(t, v, compare("lang", engine.OpEqual, "fr"), 1, 4)
			wantWhere(t, v, compare("n", engine.OpExists), 2, 4, 5, 6, 7, 8)
			wantWhere(t, v, engine.Not{Predicate: compare("n", engine.OpExists)}, 1)
			wantWhere(t, v, compare("lang", engine.OpGreaterEqual, "yy"))
		})
	})
}

func TestWhereRefuses(t *testing.T) {
	g := graph(t, open(t, &engine.Options{OpenStore: memory}), engine.Base)
	update(t, g, func(v *engine.TxView) {
		for _, name := range []string{"b", "a"} {
			if err := v.MakeIndex(name); err != nil {
				t.Fatal(err)
			}
		}
		for _, name := range []string{"", "a\x00b", strings.Repeat("x", 5000)} {
			if err := v.MakeIndex(name); !errors.Is(err, engine.ErrInvalid) {
				t.Errorf("index of %.10q: %v", name, err)
			}
		}
	})
	deep := engine.Predicate(engine.Comparison{Property: "a", Op: engine.OpExists})
	for range 2000 {
		deep = engine.Not{Predicate: deep}
	}
	view(t, g, func(v *engine.View) {
		for name, p := range map[string]engine.Predicate{
			"nothing":         nil,
			"nothing in Not":  engine.Not{},
			"nothing in And":  engine.And{nil},
			"no value":        engine.Comparison{Property: "a"},
			"no property":     engine.Comparison{Op: engine.OpExists},
			"null":            engine.Comparison{Property: "a", Values: []engine.Value{{}}},
			"bytes":           engine.Comparison{Property: "a", Values: []engine.Value{engine.Bytes(nil)}},
			"list":            engine.Comparison{Property: "a", Values: []engine.Value{engine.Strings("x")}},
			"prefix of 1":     engine.Comparison{Property: "a", Op: engine.OpPrefix, Values: []engine.Value{engine.Int(1)}},
			"EXISTS of value": engine.Comparison{Property: "a", Op: engine.OpExists, Values: []engine.Value{engine.Int(1)}},
			"operator":        engine.Comparison{Property: "a", Op: 99, Values: []engine.Value{engine.Int(1)}},
			"depth":           deep,
			"no function":     engine.Test{Properties: []string{"a"}},
			"no set":          engine.OneOf{},
		} {
			if rb, err := v.Where(p); !errors.Is(err, engine.ErrInvalid) {
				t.Errorf("%s: %v, %v", name, rb, err)
			}
		}
		_, err := v.Where(engine.Or{engine.Comparison{Property: "a", Op: engine.OpExists}, engine.Comparison{Property: "c", Op: engine.OpExists}})
		var missing *engine.NoIndexError
		if !errors.As(err, &missing) || !errors.Is(err, engine.ErrNoIndex) || missing.Property != "c" || !slices.Equal(missing.Indexed, []string{"a", "b"}) {
			t.Errorf("no index: %v", err)
		}
	})
}

// TestIndexOfSnapshot says that an index made after a snapshot is not in it:
// it would find nothing there.
func TestIndexOfSnapshot(t *testing.T) {
	g := graph(t, open(t, &engine.Options{OpenStore: memory}), engine.Base)
	update(t, g, func(v *engine.TxView) {
		typ, err := v.MakeNodeType("t")
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := v.PutNode(typ, "k", engine.Props{"a": engine.Int(1)}); err != nil {
			t.Fatal(err)
		}
	})
	view(t, g, func(old *engine.View) {
		update(t, g, func(v *engine.TxView) {
			if err := v.MakeIndex("a"); err != nil {
				t.Fatal(err)
			}
			if err := v.MakeField("f", engine.FieldOptions{}); err != nil {
				t.Fatal(err)
			}
		})
		exists := engine.Comparison{Property: "a", Op: engine.OpExists}
		if rb, err := old.Where(exists); !errors.Is(err, engine.ErrNoIndex) || len(old.Indexes()) != 0 {
			t.Errorf("an index of later: %v, %v", rb, err)
		}
		if _, err := old.FieldInfo("f"); !errors.Is(err, engine.ErrNotFound) || len(old.Fields()) != 0 {
			t.Errorf("a field of later: %v", err)
		}
		view(t, g, func(v *engine.View) { wantWhere(t, v, compare("a", engine.OpExists), 1) })
	})
}

// whereModel is a graph as a map, filtered node by node.
type whereModel map[engine.NodeID]engine.Props

func (m whereModel) where(t testing.TB, p engine.Predicate) []engine.NodeID {
	t.Helper()
	out := []engine.NodeID{}
	for id, props := range m {
		if modelHolds(t, p, props) {
			out = append(out, id)
		}
	}
	slices.Sort(out)
	return out
}

func modelHolds(t testing.TB, p engine.Predicate, props engine.Props) bool {
	t.Helper()
	switch p := p.(type) {
	case engine.And:
		return !slices.ContainsFunc(p, func(q engine.Predicate) bool { return !modelHolds(t, q, props) })
	case engine.Or:
		return slices.ContainsFunc(p, func(q engine.Predicate) bool { return modelHolds(t, q, props) })
	case engine.Not:
		return !modelHolds(t, p.Predicate, props)
	case engine.Comparison:
		return comparisonHolds(p, props)
	case engine.Test:
		ok, err := p.Holds(t.Context(), "", []engine.Value{props[p.Properties[0]]})
		if err != nil {
			t.Fatal(err)
		}
		return ok
	}
	t.Fatalf("a predicate of type %T", p)
	return false
}

func comparisonHolds(p engine.Comparison, props engine.Props) bool {
	have := props[p.Property]
	switch {
	case have.IsNull():
		return false
	case p.Op == engine.OpExists:
		return true
	case p.Whole && isList(have):
		return p.Op == engine.OpNotEqual
	case p.Op == engine.OpNotEqual:
		return !modelCompares(have, engine.OpEqual, p.Values)
	}
	return modelCompares(have, p.Op, p.Values)
}

func modelCompares(have engine.Value, op engine.Op, lits []engine.Value) bool {
	values := []engine.Value{have}
	if isList(have) {
		values = have.AsList()
	}
	for _, v := range values {
		for _, lit := range lits {
			if modelRelation(v, op, lit) {
				return true
			}
		}
	}
	return false
}

func modelRelation(v engine.Value, op engine.Op, lit engine.Value) bool {
	var c int
	number := func(v engine.Value) *big.Rat {
		switch v.Kind() {
		case engine.KindInt:
			return new(big.Rat).SetInt64(v.AsInt())
		case engine.KindFloat:
			return new(big.Rat).SetFloat64(v.AsFloat())
		}
		return nil
	}
	switch a, b := number(v), number(lit); {
	case a != nil && b != nil:
		c = a.Cmp(b)
	case v.Kind() != lit.Kind():
		return false
	case v.Kind() == engine.KindString:
		if op == engine.OpPrefix {
			return strings.HasPrefix(v.AsString(), lit.AsString())
		}
		c = strings.Compare(v.AsString(), lit.AsString())
	case v.Kind() == engine.KindTemporal || v.Kind() == engine.KindPoint:
		var ok bool
		if c, ok = sameKind(v, lit, op); !ok {
			return false
		}
	case v.Kind() == engine.KindBool:
		switch {
		case v.AsBool() == lit.AsBool():
		case v.AsBool():
			c = 1
		default:
			c = -1
		}
	default:
		return false
	}
	switch op {
	case engine.OpEqual:
		return c == 0
	case engine.OpLess:
		return c < 0
	case engine.OpLessEqual:
		return c <= 0
	case engine.OpGreater:
		return c > 0
	case engine.OpGreaterEqual:
		return c >= 0
	}
	return false
}

func randomString(r *rand.Rand) string {
	switch r.IntN(8) {
	case 0:
		return strings.Repeat("ab", 120+r.IntN(20)) // about the longest indexed
	case 1:
		return strings.Repeat("ab", 510+r.IntN(5)) // about the longest inline
	case 2:
		return string([]byte{0, byte(r.IntN(2)), 0}[:r.IntN(4)])
	}
	b := make([]byte, r.IntN(3))
	for i := range b {
		b[i] = "ab"[r.IntN(2)]
	}
	return string(b)
}

func randomScalar(r *rand.Rand) engine.Value {
	switch r.IntN(8) {
	case 6, 7:
		return randomKind(r)
	case 0:
		return engine.Bool(r.IntN(2) == 0)
	case 1:
		return engine.Int([]int64{1 << 53, -1 << 53, 0, 1<<63 - 4}[r.IntN(4)] + int64(r.IntN(4)))
	case 2:
		return engine.Float([]float64{1 << 53, -1 << 53, 0, 1 << 63, -1 << 63, 0.5}[r.IntN(6)] + float64(r.IntN(3)))
	case 3:
		return engine.Time(time.Unix(int64(r.IntN(4))-2, 0))
	}
	return engine.String(randomString(r))
}

func randomValue(r *rand.Rand) engine.Value {
	switch r.IntN(9) {
	case 8:
		return randomList(r)
	case 0:
		return engine.Value{}
	case 1:
		return engine.Bytes([]byte(randomString(r)))
	case 2:
		list := make([]string, r.IntN(4))
		for i := range list {
			list[i] = randomString(r)
		}
		return engine.Strings(list...)
	}
	return randomScalar(r)
}

func randomPredicate(r *rand.Rand, depth int) engine.Predicate {
	switch n := r.IntN(8); {
	case depth > 0 && n < 4:
		list := make([]engine.Predicate, r.IntN(4))
		for i := range list {
			list[i] = randomPredicate(r, depth-1)
		}
		if n < 2 {
			return engine.And(list)
		}
		return engine.Or(list)
	case depth > 0 && n == 4:
		return engine.Not{Predicate: randomPredicate(r, depth-1)}
	}
	c := engine.Comparison{Property: string(rune('p' + r.IntN(3))), Op: engine.Op(r.IntN(int(engine.OpExists) + 1))}
	if c.Op == engine.OpExists {
		return c
	}
	for range 1 + r.IntN(3) {
		v := randomScalar(r)
		if c.Op == engine.OpPrefix {
			v = engine.String(randomString(r))
		}
		c.Values = append(c.Values, v)
	}
	c.Whole = r.IntN(2) == 0
	if r.IntN(4) > 0 {
		return c
	}
	return engine.Test{
		Properties: []string{c.Property},
		Holds: func(_ context.Context, _ string, v []engine.Value) (bool, error) {
			props := engine.Props{}
			if !v[0].IsNull() {
				props[c.Property] = v[0]
			}
			return comparisonHolds(c, props), nil
		},
		Text: "test " + c.String(),
	}
}

// TestComparisonHolds holds Comparison.Holds against the model.
func TestComparisonHolds(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 12))
	held := 0
	for range 20_000 {
		c, ok := randomPredicate(r, 0).(engine.Comparison)
		if !ok {
			continue
		}
		props := engine.Props{c.Property: randomValue(r)}
		if r.IntN(8) == 0 {
			props = engine.Props{}
		}
		want := comparisonHolds(c, props)
		if got := c.Holds(props[c.Property]); got != want {
			t.Fatalf("%s of %v is %v", c, props, got)
		}
		if want {
			held++
		}
	}
	if held < 1000 {
		t.Errorf("only %d comparisons held", held)
	}
}

// TestRandomPredicates holds Where against a model over random writes.
func TestRandomPredicates(t *testing.T) {
	onStores(t, func(t *testing.T, o *engine.Options) {
		const seed = 11
		r := rand.New(rand.NewPCG(1, seed))
		o, store := captured(o)
		g := graph(t, open(t, o), engine.Base)
		model := whereModel{}
		rounds := 60
		if *long {
			rounds = 1000
		}
		var typ engine.TypeID
		update(t, g, func(v *engine.TxView) {
			var err error
			if typ, err = v.MakeNodeType("t"); err != nil {
				t.Fatal(err)
			}
			if err := v.MakeIndex("p"); err != nil {
				t.Fatal(err)
			}
		})
		check := func(v engine.Reader) {
			t.Helper()
			for range 12 {
				p := randomPredicate(r, 3)
				rb, err := v.Where(p)
				if err != nil {
					t.Fatalf("seed %d: %s: %v", seed, p, err)
				}
				got := []engine.NodeID{}
				for it := rb.Iterator(); it.HasNext(); {
					got = append(got, engine.NodeID(it.Next()))
				}
				if want := model.where(t, p); !slices.Equal(got, want) {
					t.Fatalf("seed %d: %s finds %v, want %v", seed, p, got, want)
				}
			}
		}
		for round := range rounds {
			update(t, g, func(v *engine.TxView) {
				if round == rounds/3 { // the nodes of before are filled in
					for _, name := range []string{"q", "r"} {
						if err := v.MakeIndex(name); err != nil {
							t.Fatal(err)
						}
					}
				}
				for range r.IntN(20) {
					props := engine.Props{}
					for _, name := range []string{"p", "q", "r", "unindexed"} {
						if r.IntN(3) > 0 {
							props[name] = randomValue(r)
						}
					}
					key := fmt.Sprint(r.IntN(40))
					id, err := v.Lookup(typ, key)
					switch {
					case err != nil || r.IntN(3) == 0:
						if id, _, err = v.PutNode(typ, key, props); err != nil {
							t.Fatal(err)
						}
						model[id] = props
					case r.IntN(3) == 0:
						if _, err := v.DeleteNode(id); err != nil {
							t.Fatal(err)
						}
						delete(model, id)
					default:
						if err := v.SetProps(id, props); err != nil {
							t.Fatal(err)
						}
						all := engine.Props{}
						for name, val := range model[id] {
							all[name] = val
						}
						for name, val := range props {
							all[name] = val
						}
						model[id] = all
					}
				}
				if round > rounds/3 {
					check(v)
				}
			})
			if round >= rounds/3 {
				view(t, g, func(v *engine.View) { check(v) })
			}
		}
		update(t, g, func(v *engine.TxView) {
			for id := range model {
				if _, err := v.DeleteNode(id); err != nil {
					t.Fatal(err)
				}
			}
		})
		eachKey(t, *store, g, layout.TagSetIndex, func(key, value []byte) {
			if n, err := layout.SetLen(value); n != 0 || err != nil {
				t.Errorf("%s holds %d nodes after the deletion of all (%v)", layout.Format(key), n, err)
			}
		})
	})
}

func BenchmarkWhere(b *testing.B) {
	const nodes = 20_000
	g := graph(b, open(b, &engine.Options{}), engine.Base)
	langs := []string{"en", "de", "fr", "zh"}
	update(b, g, func(v *engine.TxView) {
		typ, err := v.MakeNodeType("t")
		if err != nil {
			b.Fatal(err)
		}
		for _, name := range []string{"lang", "date"} {
			if err := v.MakeIndex(name); err != nil {
				b.Fatal(err)
			}
		}
		r := rand.New(rand.NewPCG(1, 5))
		for i := range nodes {
			day := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, r.IntN(2000))
			_, _, err := v.PutNode(typ, fmt.Sprint(i), engine.Props{
				"lang": engine.String(langs[r.IntN(len(langs))]), "date": engine.String(day.Format(time.DateOnly)),
			})
			if err != nil {
				b.Fatal(err)
			}
		}
	})
	en, since := compare("lang", engine.OpEqual, "en"), compare("date", engine.OpGreaterEqual, date("2024-01-01"))
	for name, p := range map[string]engine.Predicate{
		"equal": en, "range": engine.And{en, since},
		"whole equal": whole(en), "whole range": engine.And{whole(en), whole(since)},
	} {
		b.Run(name, func(b *testing.B) {
			view(b, g, func(v *engine.View) {
				for b.Loop() {
					if _, err := v.Where(p); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "filters/s")
			})
		})
	}
}
