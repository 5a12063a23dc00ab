package engine_test

import (
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/engine/temporal"
)

// randomKind returns a temporal value or a point of a few that are near each
// other, so that random comparisons hold sometimes.
func randomKind(r *rand.Rand) engine.Value {
	kind := temporal.Kind(r.IntN(7))
	switch kind {
	case 0:
		return engine.Point{SRID: []int{7203, 4326}[r.IntN(2)], X: float64(r.IntN(2)), Y: 1}.Value()
	case temporal.KindDuration:
		d, err := temporal.NewDuration(int64(r.IntN(2)), int64(r.IntN(2)*30), 0, 0)
		if err != nil {
			panic(err)
		}
		return engine.Temporal(d)
	}
	v, err := kind.At(time.Unix(int64(r.IntN(3))*1800, 0).In(time.FixedZone("", r.IntN(2)*1800)))
	if err != nil {
		panic(err)
	}
	return engine.Temporal(v)
}

// randomList returns a list of up to three values of one kind.
func randomList(r *rand.Rand) engine.Value {
	first := []func() engine.Value{
		func() engine.Value { return engine.Bool(r.IntN(2) == 0) },
		func() engine.Value { return engine.Int(int64(r.IntN(7) - 3)) },
		func() engine.Value { return engine.Float(float64(r.IntN(9)-4) / 2) },
		func() engine.Value { return randomKind(r) },
	}[r.IntN(4)]
	list := []engine.Value{first()}
	for range r.IntN(3) {
		next := first()
		if _, err := engine.ListOf([]engine.Value{list[0], next}); err == nil {
			list = append(list, next)
		}
	}
	v, err := engine.ListOf(list)
	if err != nil {
		panic(err)
	}
	return v
}

// sameKind compares temporal values of one kind, and points: ok is false if they
// have no such relation.
func sameKind(v, lit engine.Value, op engine.Op) (c int, ok bool) {
	if v.Kind() == engine.KindPoint {
		if v.AsPoint() == lit.AsPoint() {
			return 0, op == engine.OpEqual
		}
		return 1, op == engine.OpEqual
	}
	a, b := v.AsTemporal(), lit.AsTemporal()
	if a.Kind() != b.Kind() || a.Kind() == temporal.KindDuration && op != engine.OpEqual {
		return 0, false
	}
	return a.Compare(b), true
}

func isList(v engine.Value) bool {
	return v.Kind() == engine.KindStrings || v.Kind() == engine.KindList
}

// TestValuesAsJSON reads back what MarshalJSON wrote.
func TestValuesAsJSON(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 8))
	zoned, err := temporal.KindDateTime.Parse("2024-07-01T07:05+02:00[Europe/Vienna]", nil)
	if err != nil {
		t.Fatal(err)
	}
	values := []engine.Value{engine.Temporal(zoned), engine.Point{SRID: 4979, X: 15.4, Y: 47.1, Z: -3}.Value()}
	for range 500 {
		values = append(values, randomKind(r), randomList(r))
	}
	for _, v := range values {
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		var again engine.Value
		if err := json.Unmarshal(b, &again); err != nil || !again.Equal(v) || again.String() != v.String() {
			t.Fatalf("%s is %s, read back as %s, %v", v, b, again, err)
		}
	}
	for _, bad := range []string{`{"date":"x"}`, `{"date":"2024-01-01","time":"10:00"}`, `{"moon":"full"}`, `{"point":3}`, `{"point":{"srid":1`, `[1,"a"]`, `[[1]]`, `[{"date":"2024-01-01"},{"time":"10:00"}]`, `{}`} {
		var v engine.Value
		if err := json.Unmarshal([]byte(bad), &v); err == nil {
			t.Errorf("%s is read as %s", bad, v)
		}
	}
}

// TestRefusedValues stores what cannot be stored.
func TestRefusedValues(t *testing.T) {
	t.Parallel()
	date, _ := temporal.KindDate.Parse("2024-01-01", nil)
	for _, list := range [][]engine.Value{
		{engine.Int(1), engine.Float(1)}, {engine.Int(1), {}}, {{}}, {engine.Strings("a")}, {engine.Bytes(nil)},
		{engine.Temporal(date), engine.Time(time.Unix(0, 0))},
	} {
		if v, err := engine.ListOf(list); !errors.Is(err, engine.ErrInvalid) {
			t.Errorf("%v is a list: %s, %v", list, v, err)
		}
	}
	db := open(t, &engine.Options{})
	g := graph(t, db, engine.Base)
	nan, err := engine.ListOf([]engine.Value{engine.Float(math.NaN())})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range []engine.Value{nan, engine.Point{SRID: 4326, Y: 91}.Value(), engine.Point{X: 1}.Value(), engine.Point{SRID: 7203, X: math.Inf(1)}.Value()} {
		err := db.Update(t.Context(), func(tx *engine.Tx) error {
			nt, err := tx.Graph(g).MakeNodeType("n")
			if err != nil {
				return err
			}
			_, _, err = tx.Graph(g).PutNode(nt, "k", engine.Props{"p": v})
			return err
		})
		if !errors.Is(err, engine.ErrInvalid) {
			t.Errorf("%s is stored: %v", v, err)
		}
	}
}

// TestDistance has points whose distance is known.
func TestDistance(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b engine.Point
		want float64
	}{
		{engine.Point{SRID: 7203, X: 1, Y: 2}, engine.Point{SRID: 7203, X: 4, Y: 6}, 5},
		{engine.Point{SRID: 9157, X: 1, Y: 2, Z: 0}, engine.Point{SRID: 9157, X: 3, Y: 4, Z: 1}, 3},
		{engine.Point{SRID: 4326, X: 0, Y: 0}, engine.Point{SRID: 4326, X: 180, Y: 0}, math.Pi * 6_378_140},
		{engine.Point{SRID: 4979, X: 5, Y: 90, Z: 7}, engine.Point{SRID: 4979, X: 9, Y: 90, Z: 10}, 3},
	} {
		if d, ok := c.a.Distance(c.b); !ok || math.Abs(d-c.want) > 1e-6*c.want {
			t.Errorf("from %s to %s it is %v, not %v", c.a, c.b, d, c.want)
		}
	}
	if _, ok := (engine.Point{SRID: 7203}).Distance(engine.Point{SRID: 4326}); ok {
		t.Error("a plane and the earth have a distance")
	}
}

// day returns a date.
func day(t testing.TB, n int) temporal.Value {
	t.Helper()
	v, err := temporal.KindDate.At(time.Date(2025, 1, 1+n, 0, 0, 0, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// mustList returns a list.
func mustList(t testing.TB, list ...engine.Value) engine.Value {
	t.Helper()
	v, err := engine.ListOf(list)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
