package cypher

import (
	"bytes"
	"context"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestJoined: values that are joined in place are what they would be as copies,
// and none changes later.
func TestJoined(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 1))
		x := &exec{ctx: t.Context()}
		var g joined[byte]
		values, want := [][]byte{nil}, [][]byte{nil}
		for i := range 300 {
			a, b := r.IntN(len(values)), r.IntN(len(values))
			if r.IntN(4) > 0 { // the last value grows
				a = len(values) - 1
			}
			part := slices.Repeat([]byte{byte(i)}, r.IntN(200))
			left, right, expected := values[a], part, slices.Concat(want[a], part)
			switch {
			case r.IntN(3) == 0:
				left, right, expected = part, values[a], slices.Concat(part, want[a])
			case r.IntN(20) == 0 && len(values[a])+len(values[b]) < 1<<16:
				right, expected = values[b], slices.Concat(want[a], want[b])
			}
			v, err := g.join(x, left, right)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(v, expected) {
				t.Fatalf("seed %d, step %d: a value of %d bytes is wrong", seed, i, len(v))
			}
			values, want = append(values, v), append(want, expected)
		}
		for i := range values {
			if !bytes.Equal(values[i], want[i]) {
				t.Fatalf("seed %d: value %d has changed", seed, i)
			}
		}
	}
}

// TestJoinedEnds: joining and making long lists ends with the context.
func TestJoinedEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	x := &exec{ctx: ctx}
	var g joined[byte]
	a, err := g.join(x, make([]byte, 1<<20), make([]byte, 1<<20))
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := g.join(x, a, a); err != context.Canceled {
		t.Errorf("2 MiB are joined after the end: %v", err)
	}
	if list, err := made[Value](x, 1<<20); err != context.Canceled && len(list) != 1<<20 {
		t.Errorf("%d values are made, %v", len(list), err)
	}
	c := &chunks[int]{}
	for i := range 10 * chunkItems {
		c.add(i)
	}
	if _, err := c.take(x); err != context.Canceled {
		t.Errorf("chunks are joined after the end: %v", err)
	}
}

func TestChunks(t *testing.T) {
	for _, n := range []int{0, 1, chunkItems, chunkItems + 1, 3*chunkItems + 5} {
		x := &exec{ctx: t.Context()}
		var c chunks[int]
		for i := range n {
			c.add(i)
		}
		all, err := c.take(x)
		if err != nil || len(all) != n || c.n != 0 {
			t.Fatalf("%d of %d items, %d left, %v", len(all), n, c.n, err)
		}
		for i, item := range all {
			if item != i {
				t.Fatalf("item %d of %d is %d", i, n, item)
			}
			c.add(item)
		}
		next := 0
		if err := c.each(x, func(item int) error { next++; return nil }); err != nil || next != n {
			t.Errorf("%d of %d items, %v", next, n, err)
		}
	}
}
