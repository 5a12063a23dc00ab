package tablekv_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/kvtest"
	"github.com/ragdb/ragdb/kv/tablekv"
)

// rows returns all rows of a server.
func rows(t *testing.T, server *kvtest.Server) []kv.Pair {
	t.Helper()
	v, _, err := server.Table(kv.Bounds{}).View(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	all, err := v.Scan(t.Context(), nil, nil, false, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// serverOf returns a server with rows.
func serverOf(t *testing.T, all []kv.Pair) *kvtest.Server {
	t.Helper()
	server := kvtest.NewServer(1)
	if len(all) == 0 {
		return server
	}
	all = slices.Clone(all)
	slices.SortFunc(all, func(a, b kv.Pair) int { return bytes.Compare(a.Key, b.Key) })
	g := kv.Guard{Key: all[0].Key, New: all[0].Value}
	if err := server.Table(kv.Bounds{}).Write(t.Context(), g, &kv.Changes{Set: all[1:]}); err != nil {
		t.Fatal(err)
	}
	return server
}

// checked opens a table for reading and returns what its check says.
func checked(t *testing.T, all []kv.Pair, b kv.Bounds) error {
	t.Helper()
	st, err := tablekv.Open(t.Context(), serverOf(t, all).Table(b), kvtest.Schema(), &tablekv.Options{ReadOnly: true})
	if err != nil {
		return err
	}
	defer st.Close()
	return st.Check(t.Context())
}

// TestCheck damages the rows that a store keeps for itself, one at a time: each is
// removed, emptied, cut, changed, lengthened and written under another key. A sound table
// of any age passes.
func TestCheck(t *testing.T) {
	t.Parallel()
	bounds := kv.Bounds{ValueBytes: 64, ChangeBytes: 4096, RemoveKeys: 20}
	for _, commits := range []int{0, 1, 255, 256, 257, 300} {
		server := kvtest.NewServer(1)
		st := open(t, server.Table(bounds))
		for i := range commits {
			if err := set(t, st, fmt.Sprint("k", i%7), strings.Repeat("v\x00", i%100)); err != nil {
				t.Fatal(err)
			}
		}
		if err := st.Check(t.Context()); err != nil {
			t.Errorf("%d commits: %v", commits, err)
		}
		if err := st.Close(); err != nil {
			t.Fatal(err)
		}
		all := rows(t, server)
		if err := checked(t, all, bounds); err != nil {
			t.Errorf("%d commits, opened again: %v", commits, err)
		}
		if commits != 300 {
			continue
		}
		faults := 0
		for i, p := range all {
			if p.Key[0] != 0xFF {
				continue
			}
			for name, value := range map[string][]byte{
				"removed": nil, "emptied": {}, "cut": p.Value[:len(p.Value)/2],
				"lengthened": append(bytes.Clone(p.Value), 0), "changed": changedIn(p.Value, 9),
			} {
				damaged := append([]kv.Pair{}, all[:i]...)
				if value != nil {
					damaged = append(damaged, kv.Pair{Key: p.Key, Value: value})
				}
				damaged = append(damaged, all[i+1:]...)
				if bytes.Equal(value, p.Value) || passes(p.Key, name) {
					continue
				}
				faults++
				if err := checked(t, damaged, bounds); !errors.Is(err, kv.ErrCorrupt) && !errors.Is(err, kv.ErrForeign) {
					t.Errorf("row %x %s: %v", p.Key, name, err)
				}
			}
			key := bytes.Clone(p.Key)
			key[min(2, len(key)-1)] ^= 0x80
			damaged := append(append([]kv.Pair{}, all...), kv.Pair{Key: key, Value: p.Value})
			if err := checked(t, damaged, bounds); !errors.Is(err, kv.ErrCorrupt) {
				t.Errorf("row %x under the key %x too: %v", p.Key, key, err)
			}
		}
		last := all[len(all)-1] // of the log of commits
		next := bytes.Clone(last.Key)
		next[len(next)-1]++
		if err := checked(t, append(slices.Clone(all), kv.Pair{Key: next, Value: last.Value}), bounds); !errors.Is(err, kv.ErrCorrupt) {
			t.Errorf("a row of a commit after the last one: %v", err)
		}
		other := append(slices.Clone(all[:len(all)-1]), kv.Pair{Key: last.Key, Value: changedIn(last.Value, 0)})
		if err := checked(t, other, bounds); !errors.Is(err, kv.ErrCorrupt) {
			t.Errorf("a row of the last commit by another writer: %v", err)
		}
		if faults < 1000 {
			t.Errorf("only %d faults", faults)
		}
	}
}

// passes reports whether a fault is one that the rows of the store do not tell: another
// number in the state record, such as the owner's beat; a piece of a value, which is
// compared with the value's length when that is read; and other keys in what a commit has
// changed, which make a reader forget too little.
func passes(key []byte, fault string) bool {
	switch key[1] {
	case 0:
		return fault == "changed"
	case 2:
		return fault != "removed"
	}
	return key[1] == 4 && fault == "changed"
}

// changedIn changes a byte of a value.
func changedIn(v []byte, at int) []byte {
	out := bytes.Clone(v)
	if len(out) > 0 {
		out[min(at, len(out)-1)] ^= 0x40
	}
	return out
}
