package vecindex

import (
	"bytes"
	"encoding/hex"
	"errors"
	"math"
	"testing"

	"github.com/ragdb/ragdb/kv"
)

// TestRecordBytes holds the records to the bytes that format.go lays out.
func TestRecordBytes(t *testing.T) {
	m := meta{
		stamp: stamp{Model: "m1", Dim: 512, Metric: L2, Kind: Flat},
		next:  0x01020304, live: 5, seq: 0x0A0B0C,
	}
	n := m
	n.stamp.Metric, n.stamp.Normalised = Cosine, true
	for _, c := range []struct {
		name string
		got  []byte
		want string
	}{
		{"meta", appendMeta(nil, &m), "01000200" + "00020000" + "04030201" + "05000000" + "0c0b0a0000000000" + "6d31"},
		{"normalised", appendMeta(nil, &n)[:4], "01000001"},
		{"slot", appendSlot(nil, slotRecord{id: 0x0102, layer: 3, born: 0x060504030201}), "0201000000000000" + "03" + "010203040506"},
		{"vector", F32.append(nil, []float32{1, -2}), "0000803f" + "000000c0"},
	} {
		if got := hex.EncodeToString(c.got); got != c.want {
			t.Errorf("%s is %s, want %s", c.name, got, c.want)
		}
	}
}

// TestMetaRefuses spoils one field of an index record at a time.
func TestMetaRefuses(t *testing.T) {
	good := appendMeta(nil, &meta{stamp: stamp{Model: "m", Dim: 3, Normalised: true}, next: 2, live: 1, seq: 9})
	if _, err := readMeta(nil, good); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(b []byte) []byte{
		"empty":              func(b []byte) []byte { return nil },
		"cut":                func(b []byte) []byte { return b[:metaFixed-1] },
		"version":            func(b []byte) []byte { b[0] = 2; return b },
		"kind":               func(b []byte) []byte { b[1] = 4; return b },
		"metric":             func(b []byte) []byte { b[2] = 3; return b },
		"flags":              func(b []byte) []byte { b[3] = 4; return b },
		"no dimension":       func(b []byte) []byte { b[4] = 0; return b },
		"large dimension":    func(b []byte) []byte { b[7] = 1; return b },
		"more than slots":    func(b []byte) []byte { b[12] = 3; return b },
		"no sequence":        func(b []byte) []byte { b[16] = 0; return b },
		"large sequence":     func(b []byte) []byte { b[22] = 1; return b },
		"no model":           func(b []byte) []byte { return b[:metaFixed] },
		"model not UTF-8":    func(b []byte) []byte { return append(b, 0xFF) },
		"model name too big": func(b []byte) []byte { return append(b, make([]byte, maxModelBytes)...) },
	} {
		if _, err := readMeta(nil, spoil(bytes.Clone(good))); !errors.Is(err, kv.ErrCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzRecords decodes any bytes as each record. What is taken must encode to
// the same bytes; what is not must be marked as damage.
func FuzzRecords(f *testing.F) {
	f.Add(appendMeta(nil, &meta{stamp: stamp{Model: "m", Dim: 3, Normalised: true}, next: 2, live: 1, seq: 9}))
	f.Add(appendSlot(nil, slotRecord{id: 1, layer: 2, born: 3}))
	f.Add(F32.append(nil, []float32{1, 2, float32(math.Inf(1))}))
	f.Add([]byte{1, 0, 0, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		key := []byte{0x37}
		damaged := func(err error) bool {
			if err != nil && !errors.Is(err, kv.ErrCorrupt) {
				t.Fatalf("error %v does not mark damage", err)
			}
			return err != nil
		}
		if m, err := readMeta(key, b); !damaged(err) && !bytes.Equal(appendMeta(nil, &m), b) {
			t.Errorf("meta %x became %x", b, appendMeta(nil, &m))
		}
		if s, err := readSlot(key, b); !damaged(err) && !bytes.Equal(appendSlot(nil, s), b) {
			t.Errorf("slot %x became %x", b, appendSlot(nil, s))
		}
		if _, err := readSlotOf(key, b); !damaged(err) && len(b) != slotOfSize {
			t.Errorf("slot number of %d bytes was taken", len(b))
		}
		for _, e := range []Element{F32, F16} {
			v := make([]float32, len(b)/e.size())
			if err := e.read(key, b, v); !damaged(err) && !bytes.Equal(e.append(nil, v), b) {
				t.Errorf("vector %x of %s became %x", b, e, e.append(nil, v))
			}
			for _, x := range v {
				if y := float64(x); math.IsNaN(y) || math.IsInf(y, 0) {
					t.Errorf("vector %x of %s has element %g", b, e, x)
				}
			}
		}
	})
}
