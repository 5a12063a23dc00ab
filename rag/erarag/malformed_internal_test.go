package erarag

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/ragdb/ragdb/engine"
)

// TestMalformedEntries puts an entry of a wrong size into a tree and reads it by
// what reads such entries. All of them say that the database is corrupt.
func TestMalformedEntries(t *testing.T) {
	t.Parallel()
	c := corpus(t)
	s := opened(t, c, small)
	bytes := func(n int) []byte { return bytes.Repeat([]byte{1}, n) }
	member := func(t *treeTx) error { _, _, err := t.member(1, 7); return err }
	code := func(t *treeTx) error { _, _, err := t.code(1, 7); return err }
	layer := func(t *treeTx) error { _, err := t.layer(1); return err }
	nodes := func(t *treeTx) error { _, err := t.nodes(1); return err }
	changes := func(t *treeTx) error { _, _, _, err := t.changes(1); return err }
	entered := func(t *treeTx) error { _, err := t.entered(); return err }
	at := func(t *treeTx) error { _, err := t.at(1, place{3, 7}); return err }
	waiting := func(t *treeTx) error {
		_, err := t.waiting(1, layerKey('w', 1), layerKey('w', 2))
		return err
	}
	ids := roaring.BitmapOf(1)
	chunks, err := ids.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		what       string
		key, value []byte
		read       func(t *treeTx) error
		whole      int // the size of a value that is read, -1 if the key is wrong
	}{
		{"member", idKey('m', 1, 7), nil, member, 8},
		{"code", idKey('n', 1, 7), nil, code, 8},
		{"code among all", idKey('n', 1, 7), nil, nodes, 8},
		{"layer", layerKey('t', 1), nil, layer, 16},
		{"waiting", placeKey('w', 1, place{3, 7}), nil, waiting, 8},
		{"waiting, by its key", idKey('w', 1, 7), bytes(8), waiting, -1},
		{"node, by its key", layerKey('n', 1), bytes(8), nodes, -1},
		{"segment", placeKey('s', 1, place{3, 7}), nil, at, segmentHead + 16},
		{"segment of two", placeKey('s', 1, place{3, 7}), nil, at, segmentHead + 32},
		{"segment of none", placeKey('s', 1, place{3, 7}), bytes(segmentHead), at, -1},
		{"chunks, by their key", []byte{'e', 0}, chunks, entered, -1},
		{"chunks", []byte{'e', 0, 0}, chunks[:len(chunks)-1], entered, -1},
		{"change", idKey('c', 1, 7), bytes(2), changes, -1},
		{"change of no kind", idKey('c', 1, 7), []byte{3}, changes, -1},
		{"long change of no kind", idKey('c', 1, 7), bytes(9), changes, -1},
		{"change of a node without a code", idKey('c', 1, 7), []byte{1}, changes, -1},
	} {
		try := func(value []byte) error {
			var got error
			stop := errors.New("leave no trace")
			err := c.DB().Update(t.Context(), func(tx *engine.Tx) error {
				tree, err := s.change(tx, "malformed")
				if err != nil {
					return err
				}
				if err := tree.w.Set(x.key, value); err != nil {
					return err
				}
				got = x.read(tree)
				return stop
			})
			if !errors.Is(err, stop) {
				t.Fatal(err)
			}
			return got
		}
		if x.whole < 0 {
			err := try(x.value)
			if !errors.Is(err, engine.ErrCorrupt) {
				t.Fatalf("%s: %v", x.what, err)
			}
			if strings.Contains(x.what, "no kind") && !strings.Contains(err.Error(), "a change of") {
				t.Errorf("%s is read as one: %v", x.what, err)
			}
			continue
		}
		for _, n := range []int{0, 1, x.whole - 1, x.whole, x.whole + 1} {
			if err := try(bytes(n)); (n == x.whole) != (err == nil) || n != x.whole && !errors.Is(err, engine.ErrCorrupt) {
				t.Errorf("%s of %d bytes, not %d: %v", x.what, n, x.whole, err)
			}
		}
	}
	if _, _, err := readIDKey(bytes(9)); !errors.Is(err, engine.ErrCorrupt) {
		t.Errorf("a key of 9 bytes: %v", err)
	}
	if _, err := readPlace(bytes(15)); !errors.Is(err, engine.ErrCorrupt) {
		t.Errorf("a place of 15 bytes: %v", err)
	}
}

// TestMalformedResults: the stages' results, cut anywhere, are refused or lack
// elements of their vector.
func TestMalformedResults(t *testing.T) {
	t.Parallel()
	l := leaf{base: 1, tokens: 2, code: 3, vec: []float32{4}}
	raw := l.append(nil)
	for n := range leafHead {
		if _, err := readLeaf(raw[:n]); err == nil {
			t.Errorf("a leaf of %d bytes is read", n)
		}
	}
	if got, err := readLeaf(raw); err != nil || got.base != 1 || got.tokens != 2 || got.code != 3 || len(got.vec) != 1 || got.vec[0] != 4 {
		t.Errorf("%+v, %v", got, err)
	}
	d := made{of: []engine.NodeID{300, 2}, code: 1 << 40, text: "a ferry", vec: []float32{5}}
	raw = d.append(nil)
	for n := range len(raw) - 4 {
		if _, err := readMade(raw[:n]); err == nil {
			t.Errorf("a summary of %d bytes is read", n)
		}
	}
	if got, err := readMade(raw); err != nil || len(got.of) != 2 || got.of[0] != 300 || got.of[1] != 2 || got.code != 1<<40 || got.text != "a ferry" || len(got.vec) != 1 || got.vec[0] != 5 {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestDecodeTree: each kind of entry is read if key and value have its size, and
// only then.
func TestDecodeTree(t *testing.T) {
	t.Parallel()
	key := func(kind byte, n int) []byte { return append([]byte{kind}, make([]byte, n-1)...) }
	for _, x := range []struct {
		kind       byte
		key, value int
	}{
		{'t', 2, 16}, {'b', 2, 1}, {'n', 10, 8}, {'m', 10, 8}, {'w', 18, 8}, {'p', 10, 16},
		{'s', 18, segmentHead + 16}, {'r', 18, 0}, {'d', 10, 0}, {'x', 10, 0},
	} {
		value := make([]byte, x.value)
		for i := range value {
			value[i] = byte(i + 1) // no two are the same
		}
		if got, err := decodeTree(key(x.kind, x.key), value); err != nil || !bytes.Equal(got, value) {
			t.Errorf("%c: %v, %v", x.kind, got, err)
		}
		for _, n := range []int{1, 2, 3, 9, 10, 17, 18, 19} {
			if _, err := decodeTree(key(x.kind, n), value); n != x.key && err == nil {
				t.Errorf("%c with a key of %d bytes is read", x.kind, n)
			}
		}
		for _, n := range []int{0, 1, x.value + 1} {
			if _, err := decodeTree(key(x.kind, x.key), make([]byte, n)); n != x.value && err == nil {
				t.Errorf("%c with %d bytes is read", x.kind, n)
			}
		}
	}
	empty, err := roaring.New().MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	one, err := roaring.BitmapOf(7).MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	nine := func(first byte) []byte { return append([]byte{first}, make([]byte, 8)...) }
	for _, x := range []struct {
		what       string
		key, value []byte
		ok         bool
	}{
		{"chunks", key('e', 3), one, true},
		{"no chunk", key('e', 3), empty, false},
		{"chunks of a short key", key('e', 2), one, false},
		{"a model", key('v', 1), []byte("m"), true},
		{"a model without a name", key('v', 1), nil, false},
		{"a model with a long key", key('v', 2), []byte("m"), false},
		{"hyperplanes of one byte", key('h', 1), []byte{0}, false},
		{"a node to put in", key('c', 10), []byte{1}, true},
		{"a node to put in another's place", key('c', 10), nine(2), true},
		{"a node to take out", key('c', 10), nine(0), true},
		{"a short change of another kind", key('c', 10), []byte{2}, false},
		{"a long change of another kind", key('c', 10), nine(1), false},
		{"an empty change", key('c', 10), nil, false},
		{"a change of two bytes", key('c', 10), []byte{1, 1}, false},
		{"a change with a short key", key('c', 9), []byte{1}, false},
		{"no key", nil, nil, false},
		{"another kind", key('z', 10), nil, false},
	} {
		if _, err := decodeTree(x.key, x.value); (err == nil) != x.ok {
			t.Errorf("%s: %v", x.what, err)
		}
	}
}
