package vecindex_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/memkv"
	"github.com/ragdb/ragdb/vecindex"
)

// TestDamage spoils one record at a time and expects whatever meets it to say
// so, with the key, whether it reads from memory or from the store.
func TestDamage(t *testing.T) {
	cfg := config(vecindex.L2)
	table := cfg.Table
	vector := func(bits byte) []byte {
		v := make([]byte, 4*dim)
		v[2], v[3] = 0x80, bits
		return v
	}
	for _, c := range []struct {
		name   string
		key    []byte
		value  []byte // nil deletes the record
		open   bool   // found by Open
		search bool   // found by a search
		all    bool   // found by reading all
		one    bool   // found by reading node 1
		in     string // family of the key in the error
	}{
		{"meta cut", table.Meta("index"), []byte{1}, true, true, true, true, "index("},
		{"meta of a later version", table.Meta("index"), append([]byte{2}, make([]byte, 40)...), true, true, true, true, "index("},
		{"slot cut", table.Slot(layout.TagSlot, 1), []byte{1}, false, true, true, true, "slot("},
		{"slot lost", table.Slot(layout.TagSlot, 1), nil, false, true, true, true, "("},
		{"slot of another node", table.Slot(layout.TagSlot, 1), []byte{2, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0}, false, false, true, true, "slot("},
		{"vector cut", table.Slot(layout.TagVector, 1), make([]byte, 7), false, true, true, true, "vector("},
		{"vector with NaN", table.Slot(layout.TagVector, 1), vector(0x7F), false, true, true, true, "vector("},
		{"vector lost", table.Slot(layout.TagVector, 1), nil, false, true, true, true, "("},
		{"vector too many", table.Slot(layout.TagVector, 9), vector(0), false, true, false, false, "vector("},
		{"malformed key", append(table.Slot(layout.TagVector, 0), 7), vector(0), false, true, false, false, "vector("},
		{"slot number cut", table.SlotOf(1), []byte{1}, false, false, true, true, "slotof("},
		{"malformed node key", append(table.SlotOf(0), 7), []byte{0, 0, 0, 0}, false, false, true, false, "slotof("},
		{"node without slot number", table.SlotOf(2), nil, false, false, true, false, "index("},
	} {
		t.Run(c.name, func(t *testing.T) {
			st := memkv.New(layout.Schema())
			defer func() {
				if err := st.Close(); err != nil {
					t.Error(err)
				}
			}()
			ix := mustOpen(t, st, cfg, nil)
			for id := range uint64(3) {
				put(t, st, ix, id+1, map[uint64][]float32{id: unit(int(id), 1)})
			}
			b := st.NewBatch()
			if c.value == nil {
				b.Delete(c.key)
			} else {
				b.Set(c.key, c.value)
			}
			if err := st.Apply(t.Context(), b, kv.NoSync); err != nil {
				t.Fatal(err)
			}
			check := func(what string, err error, found bool) {
				t.Helper()
				var ce *kv.CorruptError
				switch {
				case !found && err != nil:
					t.Errorf("%s: %v", what, err)
				case found && (!errors.Is(err, kv.ErrCorrupt) || !errors.As(err, &ce) || !strings.Contains(ce.Key, c.in)):
					t.Errorf("%s: error %v does not mark %s", what, err, c.in)
				}
			}
			for _, limit := range []int64{0, -1} {
				ix, err := vecindex.Open(t.Context(), st, cfg, &vecindex.Options{MaxMirrorBytes: limit})
				if check("open", err, c.open); err != nil {
					continue
				}
				v, err := ix.At(t.Context(), st, 9)
				if err != nil {
					t.Fatal(err)
				}
				_, err = v.Vector(t.Context(), 1, nil)
				check("vector", err, c.one)
				err = nil
				for _, e := range v.All(t.Context()) {
					err = e
				}
				check("all", err, c.all)
				_, err = v.Search(t.Context(), vecindex.Search{Vector: unit(0, 1), K: 5}, nil)
				if c.search || limit < 0 {
					check("search", err, c.search)
				}
				v.Close()
			}
		})
	}
}
