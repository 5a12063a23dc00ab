package tablekv

import (
	"bytes"
	"errors"
	"testing"

	"github.com/ragdb/ragdb/kv"
)

// FuzzRecord decodes state records. What is decoded encodes to the same bytes, or to
// fewer if its lengths were written longer than they need be.
func FuzzRecord(f *testing.F) {
	f.Add((&record{}).encode())
	f.Add((&record{comparer: "c", merger: "m", fence: 7, beat: 9, commit: 5, by: 3, owner: "me", staged: true,
		removed: []kv.Range{{Lo: []byte{}, Hi: []byte("a")}, {Lo: []byte("b"), Hi: []byte{own}}}}).encode())
	f.Add((&record{owner: "me", removed: []kv.Range{{Lo: []byte("k"), Hi: []byte{own}}}}).encode())
	f.Add((&record{removed: []kv.Range{{Lo: []byte("b"), Hi: []byte("c")}, {Lo: []byte("a"), Hi: []byte("b")}}}).encode())
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := decodeRecord(b)
		if err != nil {
			if !errors.Is(err, kv.ErrCorrupt) && !errors.Is(err, kv.ErrIncompatible) {
				t.Fatal(err)
			}
			return
		}
		again, err := decodeRecord(r.encode())
		if err != nil || !bytes.Equal(again.encode(), r.encode()) || len(r.encode()) > len(b) {
			t.Fatalf("%x: %x, %v", b, r.encode(), err)
		}
	})
}

// TestKeys checks that the pieces of one key stand together and before those of a later
// key, and that own keys are told from others.
func TestKeys(t *testing.T) {
	keys := [][]byte{{0}, {0, 0}, {0, 0, 0}, {0, 1}, {0, 0xFF}, {1}, []byte("a"), []byte("a\x00"), []byte("ab"), []byte("b")}
	var last []byte
	for _, k := range keys {
		for n := range uint32(3) {
			p := pieceKey(k, n<<30)
			if bytes.Compare(last, p) >= 0 {
				t.Errorf("piece %d of %x is not after the one before", n, k)
			}
			last = p
		}
	}
	for _, hi := range [][]byte{nil, {0xFF}, {0xFF, 7}} {
		if got := bounded(hi); !bytes.Equal(got, []byte{own}) {
			t.Errorf("the keys of a store below %x end at %x", hi, got)
		}
	}
}

// FuzzChanged decodes what commits have changed. What is decoded encodes to the same, and
// cut to any size it says no less.
func FuzzChanged(f *testing.F) {
	for _, c := range []changed{
		everything(1),
		{by: 2, keys: [][]byte{[]byte("a"), []byte("a/1"), []byte("a/2"), []byte("b")}},
		{by: 3, ranges: []kv.Range{{Lo: []byte("x"), Hi: []byte("y")}}},
		{by: 4, keys: [][]byte{[]byte("abcdefg"), []byte("abd")}, cut: true},
	} {
		f.Add(c.bytes(), []byte("a/1"), []byte("b"), 20)
	}
	f.Fuzz(func(t *testing.T, b, lo, hi []byte, most int) {
		c, ok := decodeChanged(b)
		if !ok {
			return
		}
		again, ok := decodeChanged(c.bytes())
		if !ok || !bytes.Equal(again.bytes(), c.bytes()) {
			t.Fatalf("%x: %x", b, c.bytes())
		}
		was := c.in(lo, hi)
		if again.encode(most); was && !again.in(lo, hi) {
			t.Fatalf("%x, cut to %d bytes: nothing from %x to %x", b, most, lo, hi)
		}
		if cut, ok := decodeChanged(again.bytes()); !ok || cut.in(lo, hi) != again.in(lo, hi) {
			t.Fatalf("%x, cut to %d bytes, cannot be read", b, most)
		}
	})
}
