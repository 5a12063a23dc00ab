package cypher

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/ragdb/ragdb/engine"
)

// someValues returns values of all kinds, among them many that are near each
// other or equivalent.
func someValues(t testing.TB) []Value {
	run, _ := people(t)
	vs := append(row{}, run.row...)
	for _, n := range []int64{0, 1, -1, 1 << 53, 1<<53 + 1, math.MaxInt64, math.MaxInt64 - 1, math.MinInt64} {
		vs = append(vs, Int(n))
	}
	for _, x := range []float64{0, math.Copysign(0, -1), 1, -1, 0.5, 1 << 53, 1 << 63, -1 << 63, math.NaN(), math.Float64frombits(math.Float64bits(math.NaN()) ^ 1),
		math.Inf(1), math.Inf(-1), math.MaxFloat64, math.SmallestNonzeroFloat64} {
		vs = append(vs, Float(x))
	}
	for _, s := range []string{"", "a", "aa", "b", "A", "ä", "1", "\x00", "\x00\x00"} {
		vs = append(vs, String(s))
	}
	vs = append(vs, Null, Bool(false), Bool(true), at(time.Unix(0, 0)), at(time.Unix(0, 1)), at(time.Unix(0, -1)),
		temporalValue("date", "1970-01-01"), temporalValue("time", "10:00"), temporalValue("time", "11:00+01:00"), temporalValue("duration", "P1M"), temporalValue("duration", "PT2629746S"),
		point(engine.Point{SRID: 7203}), point(engine.Point{SRID: 7203, X: 1}),
		ListOf(nil), MapOf(nil), MapOf(map[string]Value{}))
	return vs
}

// randomValue makes a value of simpler ones.
func randomValue(r *rand.Rand, some []Value, depth int) Value {
	switch n := r.IntN(4); {
	case depth > 0 && n == 0:
		list := make([]Value, r.IntN(3))
		for i := range list {
			list[i] = randomValue(r, some, depth-1)
		}
		return ListOf(list)
	case depth > 0 && n == 1:
		m := map[string]Value{}
		for range r.IntN(3) {
			m[[]string{"a", "b", "aa"}[r.IntN(3)]] = randomValue(r, some, depth-1)
		}
		return MapOf(m)
	}
	return some[r.IntN(len(some))]
}

// TestOrderIsTotal checks that orderability is a total order whose classes are
// those of the keys, and that equality and comparability agree with it.
func TestOrderIsTotal(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	values := someValues(t)
	for range 300 {
		values = append(values, randomValue(r, values, 2))
	}
	keys := make([][]byte, len(values))
	for i, v := range values {
		keys[i] = v.appendKey(nil)
	}
	for i, a := range values {
		if compareOrder(a, a) != 0 || !a.Equal(a) {
			t.Fatalf("%s does not equal itself", a)
		}
		for j, b := range values {
			c := compareOrder(a, b)
			if c != -compareOrder(b, a) {
				t.Fatalf("%s and %s are in no order", a, b)
			}
			if (c == 0) != bytes.Equal(keys[i], keys[j]) {
				t.Fatalf("%s and %s: order %d, keys %x and %x", a, b, c, keys[i], keys[j])
			}
			if i != j && c != 0 && bytes.HasPrefix(keys[i], keys[j]) {
				t.Fatalf("the key of %s begins that of %s", b, a)
			}
			if equal(a, b) != equal(b, a) {
				t.Fatalf("%s = %s is not symmetric", a, b)
			}
			if equal(a, b) == isTrue && c != 0 {
				t.Fatalf("%s = %s and they are not equivalent", a, b)
			}
			checkComparison(t, a, b)
		}
	}
	for range 200000 {
		a, b, c := values[r.IntN(len(values))], values[r.IntN(len(values))], values[r.IntN(len(values))]
		if compareOrder(a, b) <= 0 && compareOrder(b, c) <= 0 && compareOrder(a, c) > 0 {
			t.Fatalf("%s, %s, %s: not transitive", a, b, c)
		}
	}
}

// checkComparison checks the operators of comparison on two values by each
// other.
func checkComparison(t *testing.T, a, b Value) {
	t.Helper()
	test := func(op binaryOp, a, b Value) truth { return comparisonTest(op)(a, b) }
	lt, le := test(opLess, a, b), test(opLessEqual, a, b)
	gt, ge := test(opGreater, a, b), test(opGreaterEqual, a, b)
	if lt != test(opGreater, b, a) || le != test(opGreaterEqual, b, a) {
		t.Fatalf("%s and %s compare otherwise the other way", a, b)
	}
	known := lt != isUnknown
	for _, x := range []truth{le, gt, ge} {
		if (x != isUnknown) != known {
			t.Fatalf("%s and %s: only some comparisons are null", a, b)
		}
	}
	if !known {
		return
	}
	n := 0
	for _, x := range []truth{lt, gt, equal(a, b)} {
		if x == isTrue {
			n++
		}
	}
	if n > 1 || n == 1 && (le == isTrue) == (gt == isTrue) || n == 0 && (le == isTrue || ge == isTrue) {
		t.Fatalf("%s and %s: < %d, <= %d, > %d, >= %d", a, b, lt, le, gt, ge)
	}
	if lt == isTrue && compareOrder(a, b) >= 0 {
		t.Fatalf("%s < %s and they are in another order", a, b)
	}
}

// TestOrderOfTypes checks the order of types.
func TestOrderOfTypes(t *testing.T) {
	run, _ := people(t)
	want := []Value{
		MapOf(nil), MapOf(map[string]Value{"a": Int(1)}), MapOf(map[string]Value{"a": Int(1), "b": Int(0)}), MapOf(map[string]Value{"a": Int(2)}), MapOf(map[string]Value{"b": Int(0)}),
		run.row[0], run.row[1], run.row[4], run.row[5],
		ListOf(nil), ListOf([]Value{String("z")}), ListOf([]Value{Int(1)}), ListOf([]Value{Int(1), Int(1)}), ListOf([]Value{Int(1), Null}), ListOf([]Value{Null}),
		run.row[7], point(engine.Point{SRID: 4326}), temporalValue("date", "2000-01-01"), at(time.Unix(5, 0)), at(time.Unix(6, 0)), temporalValue("duration", "P1D"), temporalValue("duration", "PT25H"),
		String(""), String("A"), String("a"), String("aa"), Bool(false), Bool(true),
		Float(math.Inf(-1)), Int(-1), Float(-0.5), Int(0), Float(0.5), Int(1), Int(math.MaxInt64), Float(1 << 63), Float(math.Inf(1)), Float(math.NaN()), Null,
	}
	got := slices.Clone(want)
	rand.New(rand.NewPCG(7, 8)).Shuffle(len(got), func(i, j int) { got[i], got[j] = got[j], got[i] })
	slices.SortFunc(got, compareOrder)
	for i := range got {
		if !got[i].Equal(want[i]) {
			t.Errorf("place %d has %s, want %s", i, got[i], want[i])
		}
	}
}

func TestValueOf(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 6, time.FixedZone("x", 3600))
	n, word := 5, "w"
	type named string
	for _, tc := range []struct {
		in   any
		want Value
	}{
		{nil, Null}, {true, Bool(true)}, {1, Int(1)}, {int8(-1), Int(-1)}, {uint64(7), Int(7)}, {float32(0.5), Float(0.5)}, {"a", String("a")}, {named("n"), String("n")},
		{json.Number("12"), Int(12)}, {json.Number("1.0"), Float(1)}, {json.Number("99999999999999999999"), Float(1e20)},
		{now, at(now)}, {&n, Int(5)}, {(*int)(nil), Null}, {Int(3), Int(3)},
		{[]any{1, "a", nil}, ListOf([]Value{Int(1), String("a"), Null})}, {[]string{"x"}, ListOf([]Value{String("x")})}, {[2]float32{1, 2}, ListOf([]Value{Float(1), Float(2)})}, {[]int(nil), ListOf(nil)},
		{map[string]any{"a": []int{1}, "b": &word}, MapOf(map[string]Value{"a": ListOf([]Value{Int(1)}), "b": String("w")})}, {map[named]int{"k": 1}, MapOf(map[string]Value{"k": Int(1)})},
	} {
		got, err := ValueOf(tc.in)
		if err != nil || !got.Equal(tc.want) || got.Kind() != tc.want.Kind() {
			t.Errorf("%#v: %s, %v; want %s", tc.in, got, err, tc.want)
		}
	}
	loop := map[string]any{}
	loop["again"] = loop
	for _, in := range []any{
		uint64(1 << 63), []byte("x"), "\xff", map[string]any{"\xff": 1}, map[int]int{1: 1}, struct{}{}, make(chan int), func() {}, complex(1, 1),
		engine.Point{X: 1}, json.Number("x"), loop, []any{[]any{struct{}{}}},
	} {
		if v, err := ValueOf(in); !errors.Is(err, engine.ErrInvalid) {
			t.Errorf("%T became %s, %v", in, v, err)
		}
	}
}

func TestGo(t *testing.T) {
	run, _ := people(t)
	at := time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	in := map[string]any{"null": nil, "b": true, "i": int64(1), "f": 1.5, "s": "a", "t": at, "l": []any{int64(1), "x"}, "m": map[string]any{}}
	v, err := ValueOf(in)
	must(t, err)
	if out := v.Go(); !reflect.DeepEqual(out, in) {
		t.Errorf("%v, want %v", out, in)
	}
	if id, ok := run.row[0].Go().(engine.NodeID); !ok || id != run.row[0].AsNode() {
		t.Error("a node is no NodeID")
	}
	if e, ok := run.row[4].Go().(engine.Edge); !ok || e.Weight != 2.5 {
		t.Error("an edge is no Edge")
	}
	if p, ok := run.row[7].Go().(*Path); !ok || len(p.Edges) != 2 {
		t.Error("a path is no Path")
	}
}

func TestMarshalJSON(t *testing.T) {
	run, _ := people(t)
	id := func(i int) string { return run.row[i].idText() }
	for _, tc := range []struct {
		v    Value
		want string
	}{
		{Null, "null"}, {Bool(true), "true"}, {Int(-7), "-7"}, {Int(math.MaxInt64), "9223372036854775807"}, {Float(1), "1.0"}, {Float(0.1), "0.1"}, {Float(1e21), "1e21"}, {Float(math.Copysign(0, -1)), "-0.0"},
		{Float(math.NaN()), `"NaN"`}, {Float(math.Inf(1)), `"Infinity"`}, {Float(math.Inf(-1)), `"-Infinity"`},
		{String("a\"<\n\x01ä"), `"a\"<\n\u0001ä"`}, {String(""), `""`}, {at(time.Unix(0, 5)), `"1970-01-01T00:00:00.000000005Z"`},
		{ListOf(nil), "[]"}, {ListOf([]Value{Int(1), Null, ListOf([]Value{String("x")})}), `[1,null,["x"]]`}, {MapOf(nil), "{}"}, {MapOf(map[string]Value{"b": Int(1), "a": Null}), `{"a":null,"b":1}`},
		{run.row[1], `{"id":` + id(1) + `,"labels":["Person"],"key":"bob","properties":{"age":30,"name":"Bob"}}`},
		{run.row[3], `{"id":` + id(3) + `,"labels":["Pet"],"key":"rex","properties":{}}`},
		{run.row[4], `{"id":81,"type":"KNOWS","start":` + id(0) + `,"end":` + id(1) + `,"properties":{"since":2001,"weight":2.5}}`},
	} {
		got, err := tc.v.MarshalJSON()
		if err != nil || string(got) != tc.want || !json.Valid(got) {
			t.Errorf("%s: %s, %v; want %s", tc.v, got, err, tc.want)
		}
	}
	var path struct {
		Nodes []struct{ Key string }
		Edges []struct{ Type string }
	}
	b, err := json.Marshal(run.row[7])
	must(t, err)
	must(t, json.Unmarshal(b, &path))
	if len(path.Nodes) != 3 || path.Nodes[2].Key != "cy/d" || len(path.Edges) != 2 || path.Edges[1].Type != "FRIEND" {
		t.Errorf("%s", b)
	}
}

// idText returns the id of a node as JSON.
func (v Value) idText() string {
	b, _ := json.Marshal(uint64(v.AsNode()))
	return string(b)
}

// TestFloatsReadBack checks that text and JSON of a float are the same float
// for JSON, for Go and for the language.
func TestFloatsReadBack(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for range 2000 {
		x := math.Float64frombits(r.Uint64())
		if r.IntN(2) == 0 {
			x = math.Round(r.NormFloat64()*1e6) / 1e3
		}
		if math.IsNaN(x) || math.IsInf(x, 0) {
			continue
		}
		text := Float(x).String()
		var y float64
		if err := json.Unmarshal([]byte(text), &y); err != nil || y != x {
			t.Fatalf("%v is %s, which JSON reads as %v, %v", x, text, y, err)
		}
		v, err := evalRun{}.eval(text)
		if err != nil || v.Kind() != KindFloat || v.AsFloat() != x {
			t.Fatalf("%v is %s, which the language reads as %v, %v", x, text, v, err)
		}
	}
}

func TestToStored(t *testing.T) {
	for _, tc := range []struct {
		v    Value
		want engine.Value
	}{
		{Null, engine.Value{}}, {Bool(true), engine.Bool(true)}, {Int(1), engine.Int(1)}, {Float(1.5), engine.Float(1.5)}, {String("a"), engine.String("a")},
		{at(time.Unix(1, 2)), engine.Time(time.Unix(1, 2))},
		{temporalValue("time", "10:00+01:00"), engine.Temporal(temporalValue("time", "10:00+01:00").AsTemporal())}, {point(engine.Point{SRID: 4326, X: 1}), engine.Point{SRID: 4326, X: 1}.Value()},
		{ListOf([]Value{Int(1), Int(2)}), engineList(t, engine.Int(1), engine.Int(2))}, {ListOf([]Value{Float(1), Float(2.5)}), engineList(t, engine.Float(1), engine.Float(2.5))},
		{ListOf([]Value{temporalValue("date", "2000-01-01")}), engineList(t, engine.Temporal(temporalValue("date", "2000-01-01").AsTemporal()))}, {ListOf([]Value{String("a"), String("b")}), engine.Strings("a", "b")}, {ListOf(nil), engine.Strings()},
	} {
		got, err := toStored(3, tc.v)
		if err != nil || !got.Equal(tc.want) {
			t.Errorf("%s: %s, %v", tc.v, got, err)
		}
		if back := fromStored(got); !back.Equal(tc.v) {
			t.Errorf("%s came back as %s", tc.v, back)
		}
	}
	run, _ := people(t)
	for _, v := range []Value{Float(math.NaN()), Float(math.Inf(1)), MapOf(nil), ListOf([]Value{Int(1), String("a")}), ListOf([]Value{temporalValue("date", "2000-01-01"), temporalValue("time", "10:00")}), ListOf([]Value{MapOf(nil)}), ListOf([]Value{String("a"), Null}), ListOf([]Value{ListOf(nil)}), run.row[0], run.row[4], run.row[7]} {
		got, err := toStored(3, v)
		var failed *EvalError
		if !errors.As(err, &failed) || failed.Pos != 3 {
			t.Errorf("%s is stored as %s, %v", v, got, err)
		}
	}
}

// TestMemoryOfValues checks that memory counts what is held twice twice, and
// ends.
func TestMemoryOfValues(t *testing.T) {
	s := String("0123456789")
	if got, want := s.memory(), valueBytes+10; got != want {
		t.Errorf("a string of 10 bytes takes %d, want %d", got, want)
	}
	list := ListOf([]Value{s, Int(1)})
	if got, want := list.memory(), 3*valueBytes+listBytes+10; got != want {
		t.Errorf("a list takes %d, want %d", got, want)
	}
	if got, want := MapOf(map[string]Value{"abc": list}).memory(), valueBytes+mapBytes+fewSlots*slotBytes+3+list.memory()-valueBytes; got != want {
		t.Errorf("a map takes %d, want %d", got, want)
	}
	for range 200 {
		before := list.memory()
		list = ListOf([]Value{list, list})
		if got := list.memory(); got < before || got < min(2*before, maxMemory) {
			t.Fatalf("twice %d is %d", before, got)
		}
	}
}

// TestStringsNeedNoMemory checks that a string becomes a value and back without
// an allocation.
func TestStringsNeedNoMemory(t *testing.T) {
	s := string([]byte("text that is not constant"))
	if n := testing.AllocsPerRun(100, func() {
		if String(s).AsString() != s {
			t.Error("another string")
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if String("").AsString() != "" || Int(3).AsString() != "" || (Value{}).AsString() != "" {
		t.Error("empty strings")
	}
}
