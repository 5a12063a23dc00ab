package ketrag

import (
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/method"
)

// TestMalformedEntries: what the buckets hold in another size is refused by what reads it.
func TestMalformedEntries(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, method.Methods{Name: Open}, append(rag.Encodings(), Encodings()...)...)
	sys, err := Open(t.Context(), c.Docs(), nil)
	if err != nil {
		t.Fatal(err)
	}
	p, r := parse(nil)
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	s := &system{Identity: sys.Identity, p: p, c: c.Docs(), g: sys.Graph()}
	model := ragtest.Hashes{}.Space()
	renew, core := &renewStage{s: s, model: model}, &coreStage{s: s}
	set := func(bucket string, key, value []byte) {
		t.Helper()
		err := c.DB().Update(t.Context(), func(tx *engine.Tx) error {
			b, err := tx.Graph(s.g).MakeBucket(bucket)
			if err != nil {
				return err
			}
			if err := b.DeletePrefix(nil); err != nil {
				return err
			}
			return b.Set(key, value)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	read := func(fn func(v *engine.View) error) (got error) {
		t.Helper()
		c.View(t, Name, func(v *engine.View) error { got = fn(v); return nil })
		return got
	}
	for n, ok := range map[int]bool{7: false, 8: true, 9: false} {
		set(staleOf(model.Model), binary.BigEndian.AppendUint64(nil, 300<<8)[:min(n, 8)], nil)
		if n == 9 {
			set(staleOf(model.Model), make([]byte, 9), nil)
		}
		err := read(func(v *engine.View) error {
			ids, err := renew.stale(v, 5)
			if err == nil && !slices.Equal(ids, []engine.NodeID{300 << 8}) {
				t.Errorf("stale are %v", ids)
			}
			return err
		})
		if ok != (err == nil) || !ok && !errors.Is(err, errSum) {
			t.Errorf("a stale keyword of %d bytes: %v", n, err)
		}
	}
	want := choice{last: 9, full: 7, of: 5, degree: 2.5, least: .25}
	raw := want.append(nil)
	for n := range choiceSize + 2 {
		set(bucketNear, []byte(keyChosen), append(raw[:choiceSize:choiceSize], 0)[:n])
		err := read(func(v *engine.View) error {
			got, err := core.chosen(v)
			if err == nil && got != want && (n != firstChoiceSize || got != choice{}) {
				t.Errorf("the choice is %+v", got)
			}
			return err
		})
		good := n == choiceSize || n == firstChoiceSize
		if good != (err == nil) || err != nil && !errors.Is(err, errCore) {
			t.Errorf("a choice of %d bytes: %v", n, err)
		}
		if _, err := decodeNear([]byte(keyChosen), append(raw[:choiceSize:choiceSize], 0)[:n]); good != (err == nil) {
			t.Errorf("a choice of %d bytes is decoded: %v", n, err)
		}
	}
	for _, n := range []int{0, 8, 40, 47, 49, 55} {
		err := c.DB().Update(t.Context(), func(tx *engine.Tx) error {
			return core.Apply(t.Context(), tx, method.WorkItem{}, make([]byte, n))
		})
		if !errors.Is(err, errCore) {
			t.Errorf("a core of %d bytes: %v", n, err)
		}
	}
}

// TestDecode: the other entries are read if they have their form, and only then.
func TestDecode(t *testing.T) {
	t.Parallel()
	id := make([]byte, 8)
	for _, x := range []struct {
		what       string
		decode     func(key, value []byte) ([]byte, error)
		key, value []byte
		ok         bool
	}{
		{"sum", decodeSum, id, []byte{2, 4}, true}, // 1 and 2, zigzag
		{"sum of a short key", decodeSum, id[1:], []byte{2, 4}, false},
		{"sum of none", decodeSum, id, []byte{0, 4}, false},
		{"sum of less than none", decodeSum, id, []byte{1, 4}, false},
		{"sum without numbers", decodeSum, id, []byte{2}, false},
		{"sum with half a number", decodeSum, id, []byte{2, 0x84}, false},
		{"empty sum", decodeSum, id, nil, false},
		{"stale", decodeStale, id, nil, true},
		{"stale with a value", decodeStale, id, []byte{0}, false},
		{"stale with a short key", decodeStale, id[1:], nil, false},
		{"model", decodeNear, []byte(keyModel), []byte("m"), true},
		{"model that is no text", decodeNear, []byte(keyModel), []byte{0xFF}, false},
	} {
		if _, err := x.decode(x.key, x.value); (err == nil) != x.ok {
			t.Errorf("%s: %v", x.what, err)
		}
	}
}

// TestPending: a batch of sums is counted as six bytes for each of their numbers, which is
// about what they take when they are written.
func TestPending(t *testing.T) {
	t.Parallel()
	st := &keywordStage{sums: map[engine.NodeID]*wordSum{1: {}, 2: {}, 3: {}}}
	if st.model.Dim = 50; st.pending() != 900 {
		t.Errorf("three sums of 50 numbers are %d bytes", st.pending())
	}
}
