package column

import (
	"encoding/hex"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

func number(n int64) Value  { return Value{Kind: Number | 2, Num: n} }
func float(f float64) Value { return Value{Kind: Float | 3, Num: int64(math.Float64bits(f))} }
func text(s string) Value   { return Value{Kind: Text | 4, Str: s} }
func repeat(n int, v ...Value) []Value {
	out := make([]Value, n)
	for i := range out {
		out[i] = v[i%len(v)]
	}
	return out
}

// written writes columns and reads them again.
func written(t *testing.T, rows int, columns []Column) *Block {
	t.Helper()
	var k Block
	if err := k.Read(Append(nil, rows, columns)); err != nil {
		t.Fatal(err)
	}
	if k.Rows() != rows {
		t.Fatalf("%d rows, want %d", k.Rows(), rows)
	}
	return &k
}

func checkColumn(t *testing.T, k *Block, c Column, v *Vector) {
	t.Helper()
	if err := k.Column(c.ID, v); err != nil {
		t.Fatal(err)
	}
	some := 0
	for i, want := range c.Values {
		if got := v.At(i); got != want {
			t.Fatalf("column %d, row %d: %+v, want %+v", c.ID, i, got, want)
		}
		if v.Has(i) != (want.Kind != 0) {
			t.Fatalf("column %d, row %d: has %v", c.ID, i, v.Has(i))
		}
		if want.Kind != 0 {
			some++
		}
	}
	if v.Some() != some || v.Rows() != len(c.Values) {
		t.Fatalf("column %d: %d of %d rows have a value, want %d of %d", c.ID, v.Some(), v.Rows(), some, len(c.Values))
	}
}

// Values of every class and width are read as they were written, by one vector in turn.
func TestValues(t *testing.T) {
	columns := []Column{
		{ID: 0, Values: repeat(1000, number(7))},
		{ID: 1, Values: repeat(1000, number(math.MinInt64), number(math.MaxInt64))},
		{ID: 2, Values: repeat(1000, float(1.5), float(-2), float(0))},
		{ID: 3, Values: repeat(1000, float(math.Pi), float(math.Copysign(0, -1)), float(1e300))},
		{ID: 4, Values: repeat(1000, text("a"), text(""), text("ä"))},
		{ID: 5, Values: repeat(1000, Value{}, number(3), Value{}, Value{})},
		{ID: 6, Values: repeat(1000, text("x"), number(1), float(0.25), Value{})},
		{ID: 7, Values: repeat(1000, Value{}, text("y"))},
		{ID: 8, Values: repeat(1000, Value{})},
		{ID: 9, Values: repeat(1000, Value{Kind: Number | 1, Num: 1}, Value{Kind: Number | 1})},
		{ID: math.MaxUint32, Values: repeat(1000, Value{Kind: Text | 6, Str: "b"}, text("b"))},
	}
	for w := range 64 {
		values := make([]Value, 1000)
		for i := range values {
			values[i] = number(int64(rand.New(rand.NewPCG(uint64(w), uint64(i))).Uint64() >> w))
		}
		columns = append(columns[:len(columns)-1], Column{ID: uint32(100 + w), Values: values}, columns[len(columns)-1])
	}
	k := written(t, 1000, columns)
	var v Vector
	for _, c := range columns {
		checkColumn(t, k, c, &v)
	}
	for i := len(columns) - 1; i >= 0; i-- {
		checkColumn(t, k, columns[i], &v)
	}
	if n := len(k.IDs()); n != len(columns)-1 {
		t.Errorf("%d columns, want all but the one without a value", n)
	}
}

// Random columns of random lengths are read as they were written, and a vector that is
// filled says the same.
func TestRandomValues(t *testing.T) {
	var v, filled Vector
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		rows := r.IntN(70)
		var columns []Column
		for id := range uint32(r.IntN(5)) {
			values := make([]Value, rows)
			kinds := 1 + r.IntN(3)
			for i := range values {
				switch r.IntN(kinds) {
				case 0:
					values[i] = number(int64(i*3) + int64(r.IntN(4)))
				case 1:
					values[i] = text(fmt.Sprint("s", r.IntN(9)))
				case 2:
					values[i] = float(float64(r.IntN(1000)) / 8)
				}
				if seed%3 == 0 && r.IntN(3) == 0 {
					values[i] = Value{}
				}
			}
			columns = append(columns, Column{ID: id * 7, Values: values})
		}
		k := written(t, rows, columns)
		for _, c := range columns {
			checkColumn(t, k, c, &v)
			filled.Fill(c.Values)
			for i, want := range c.Values {
				if filled.At(i) != want || filled.Has(i) != (want.Kind != 0) {
					t.Fatalf("filled, row %d: %+v, want %+v", i, filled.At(i), want)
				}
			}
			if filled.Some() != v.Some() || filled.Kind != v.Kind {
				t.Fatalf("filled: %d of kind %d, want %d of %d", filled.Some(), filled.Kind, v.Some(), v.Kind)
			}
		}
	}
}

// The bytes of a block, worked out by hand from the manual of the package.
func TestBytes(t *testing.T) {
	for _, c := range []struct {
		name    string
		values  []Value
		columns string // from the number of columns on
	}{
		{"numbers over the least", []Value{number(5), number(7), number(6)}, "01" + "0306" + "00" + "02" + "00" + "0a" + "02" + "18"},
		{"one value in place of many", repeat(3, number(5)), "01" + "0305" + "00" + "02" + "00" + "0a" + "00"},
		{"rows without a value", []Value{{}, number(1), {}}, "01" + "0306" + "01" + "02" + "02" + "00" + "02" + "00"},
		{"floats with a decimal", []Value{float(0.5), float(1), float(1.5)}, "01" + "0308" + "00" + "43" + "01" + "00" + "0a" + "04" + "500a"},
	} {
		got := Append(nil, len(c.values), []Column{{ID: 3, Values: c.values}})
		want := "01" + fmt.Sprintf("%02x", len(c.values)) + c.columns
		if hex.EncodeToString(got) != want {
			t.Errorf("%s: %x, want %s", c.name, got, want)
		}
	}
}

// Ascending numbers and repeated texts take few bytes.
func TestSize(t *testing.T) {
	ascending, cities, years := make([]Value, 1024), make([]Value, 1024), make([]Value, 1024)
	for i := range ascending {
		ascending[i] = number(1e15 + int64(i)*1000 + int64(i%7))
		cities[i] = text(fmt.Sprint("the city of ", i%50))
		years[i] = number(int64(1990 + i%32))
	}
	for _, c := range []struct {
		values []Value
		most   int
	}{{ascending, 700}, {cities, 1700}, {years, 660}} {
		if n := len(Append(nil, 1024, []Column{{Values: c.values}})); n > c.most {
			t.Errorf("%+v: %d bytes, want at most %d", c.values[0], n, c.most)
		}
	}
}

// FuzzRead: no bytes make the reader panic or take more memory than they stand for.
func FuzzRead(f *testing.F) {
	f.Add(Append(nil, 10, []Column{{ID: 1, Values: repeat(10, number(3), Value{}, text("a"))}, {ID: 2, Values: repeat(10, text("a"), text("b"))}}))
	f.Add(Append(nil, 10, []Column{{ID: 1, Values: repeat(10, float(3.5), float(2))}, {ID: 9, Values: repeat(10, number(1), number(1<<40))}}))
	f.Fuzz(func(t *testing.T, b []byte) {
		var k Block
		if k.Read(b) != nil {
			return
		}
		var v Vector
		var columns []Column
		for _, id := range k.IDs() {
			if k.Column(id, &v) != nil {
				return
			}
			c := Column{ID: id, Values: make([]Value, k.Rows())}
			for i := range c.Values {
				c.Values[i] = v.At(i)
			}
			columns = append(columns, c)
		}
		again := written(t, k.Rows(), columns)
		for _, c := range columns {
			checkColumn(t, again, c, &v)
		}
	})
}

func BenchmarkColumn(b *testing.B) {
	years, ids, cities := make([]Value, 1024), make([]Value, 1024), make([]Value, 1024)
	r := rand.New(rand.NewPCG(1, 1))
	for i := range years {
		years[i], ids[i], cities[i] = number(int64(1990+r.IntN(35))), number(int64(i*90+r.IntN(50))), text(fmt.Sprint("city", r.IntN(100)))
	}
	bytes := Append(nil, 1024, []Column{{0, years}, {1, ids}, {2, cities}})
	for id, name := range []string{"years", "ids", "texts"} {
		b.Run(name, func(b *testing.B) {
			var k Block
			var v Vector
			for b.Loop() {
				if err := k.Read(bytes); err != nil {
					b.Fatal(err)
				}
				if err := k.Column(uint32(id), &v); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1024, "ns/row")
		})
	}
}

// Columns of equal values, of equal steps and of one row, with counts at which a form or
// a width changes, are read as they were written, alone and beside each other.
func TestRegularColumns(t *testing.T) {
	var v Vector
	for _, rows := range []int{0, 1, 2, 7, 8, 9, 127, 128, 129, 255, 256, 257, 1023, 1024, 1025, MaxRows - 1, MaxRows} {
		of := func(at func(i int) Value) []Value {
			out := make([]Value, rows)
			for i := range out {
				out[i] = at(i)
			}
			return out
		}
		var columns []Column
		add := func(at func(i int) Value) {
			columns = append(columns, Column{ID: uint32(2 * len(columns)), Values: of(at)})
		}
		for _, n := range []int64{0, 1, -1, 255, 256, math.MinInt64, math.MaxInt64} {
			add(func(int) Value { return number(n) })
			add(func(i int) Value { return number(n + int64(i)) })
			add(func(i int) Value { return number(n * int64(i)) })
			add(func(i int) Value { return number(n * int64(i%2)) })
		}
		for _, f := range []float64{0, math.Copysign(0, -1), 1, 0.1, 1 << 53, math.MaxFloat64, math.SmallestNonzeroFloat64} {
			add(func(int) Value { return float(f) })
			add(func(i int) Value { return float(f * float64(i%2)) })
		}
		for _, s := range []string{"", "a", "\x00"} {
			add(func(int) Value { return text(s) })
			add(func(i int) Value { return []Value{text(s), text(s + "b")}[i%2] })
			add(func(i int) Value { return []Value{text(s), {}}[i%2] })
			add(func(i int) Value { return []Value{text(s), number(0), float(0)}[i%3] })
		}
		add(func(i int) Value { return []Value{{}, number(3)}[min(1, i)] })
		add(func(i int) Value { return []Value{number(3), {}}[min(1, i)] })
		k := written(t, rows, columns)
		for _, c := range columns {
			checkColumn(t, k, c, &v)
		}
		if none := written(t, rows, nil); len(none.IDs()) != 0 {
			t.Errorf("%d rows without columns have some", rows)
		}
	}
}
