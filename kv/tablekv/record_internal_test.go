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
	f.Add((&record{comparer: "c", merger: "m", fence: 7, beat: 9, owner: "me", staged: true,
		removed: []kv.Range{{Lo: []byte("a"), Hi: []byte("b")}, {Lo: []byte{}, Hi: []byte{own}}}}).encode())
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
