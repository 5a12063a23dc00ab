package graphops

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/engine"
)

func TestPartitionMembers(t *testing.T) {
	t.Parallel()
	p := Partition{Of: []uint32{2, None, 0, 2, 0}, Count: 4}
	off, nodes := p.Members()
	if want := []uint32{0, 2, 2, 4, 4}; !slices.Equal(off, want) {
		t.Errorf("offsets %v, want %v", off, want)
	}
	if want := []uint32{2, 4, 0, 3}; !slices.Equal(nodes, want) {
		t.Errorf("nodes %v, want %v", nodes, want)
	}
	if want := []int{2, 0, 2, 0}; !slices.Equal(p.Sizes(), want) {
		t.Errorf("sizes %v, want %v", p.Sizes(), want)
	}
	if err := p.validate(5); err != nil {
		t.Error(err)
	}
	for _, bad := range []Partition{{Of: p.Of, Count: 2}, {Of: p.Of[:4], Count: 4}} {
		if err := bad.validate(5); !errors.Is(err, engine.ErrInvalid) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}

func TestRenumber(t *testing.T) {
	t.Parallel()
	of := []uint32{7, None, 3, 7, 5, 3}
	if n := renumber(of, 8); n != 3 {
		t.Errorf("%d clusters", n)
	}
	if want := []uint32{0, None, 1, 0, 2, 1}; !slices.Equal(of, want) {
		t.Errorf("%v, want %v", of, want)
	}
}

func TestStream(t *testing.T) {
	t.Parallel()
	// The first outputs of splitmix64 from state 0, as published with it.
	s := stream{}
	for _, want := range []uint64{0xe220a8397b1dcdaf, 0x6e789e6aa1b965f4, 0x06c45d188009454f} {
		if got := s.next(); got != want {
			t.Errorf("%x, want %x", got, want)
		}
	}
	if a, b := newStream(1, 2), newStream(2, 1); a == b {
		t.Error("keys of another order have the same stream")
	}
	s = newStream(42)
	const n = 100000
	var sum, squares float64
	counts := [7]int{}
	for range n {
		x := s.normal()
		sum += x
		squares += x * x
		counts[s.below(7)]++
	}
	if mean, variance := sum/n, squares/n; math.Abs(mean) > 0.02 || math.Abs(variance-1) > 0.02 {
		t.Errorf("mean %.3f, variance %.3f", mean, variance)
	}
	for i, c := range counts {
		if math.Abs(float64(c)-n/7.0) > 600 {
			t.Errorf("%d of %d draws are %d", c, n, i)
		}
	}
	x := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
	shuffle(&s, x)
	if slices.IsSorted(x) {
		t.Error("not shuffled")
	}
	slices.Sort(x)
	if x[0] != 0 || x[9] != 9 {
		t.Errorf("elements lost: %v", x)
	}
}

func TestMatrix(t *testing.T) {
	t.Parallel()
	m := Matrix{Dim: 2, Data: []float32{1, 2, 3, 4}}
	if m.Len() != 2 || !slices.Equal(m.Row(1), []float32{3, 4}) || m.validate() != nil {
		t.Errorf("%d vectors, second %v, %v", m.Len(), m.Row(1), m.validate())
	}
	nan := float32(math.NaN())
	for _, bad := range []Matrix{{2, []float32{1}}, {0, []float32{1}}, {1, []float32{nan}}, {-1, nil}} {
		if err := bad.validate(); (bad.Dim != -1) != errors.Is(err, engine.ErrInvalid) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	if n := (Matrix{}).Len(); n != 0 {
		t.Errorf("empty matrix of %d vectors", n)
	}
}
