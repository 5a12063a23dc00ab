package pebblekv_test

import (
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/kvtest"
	"github.com/ragdb/ragdb/kv/pebblekv"
)

// markers watches in which order manifests and their markers come and go.
type markers struct {
	t *testing.T

	mu       sync.Mutex
	manifest string // made, and the directory not synced since
	marker   string // likewise
	removed  int
}

func (m *markers) MaybeError(op errorfs.Op) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	marker := strings.Contains(op.Path, "marker.")
	manifest := !marker && strings.Contains(op.Path, "MANIFEST-")
	switch {
	case op.Kind == errorfs.OpCreate && manifest:
		m.manifest = op.Path
	case op.Kind == errorfs.OpCreate && marker:
		m.marker = op.Path
		if m.manifest != "" && strings.Contains(op.Path, "MANIFEST-") {
			m.t.Errorf("%s comes while %s may be lost", op.Path, m.manifest)
		}
	case op.Kind == errorfs.OpFileSync && op.Path == "db":
		m.manifest, m.marker = "", ""
	case op.Kind == errorfs.OpRemove && marker:
		m.removed++
		if m.marker != "" {
			m.t.Errorf("%s goes while %s may be lost", op.Path, m.marker)
		}
	}
	return nil
}

func (m *markers) String() string { return "markers" }

// A file system that reorders what happens to a directory loses no manifest.
func TestMarkersAndManifests(t *testing.T) {
	m := &markers{t: t}
	mem := vfs.NewMem()
	for range 3 {
		st := open(t, "db", small(errorfs.Wrap(mem, m)))
		b := st.NewBatch()
		b.Set([]byte("a"), nil)
		if err := st.Apply(t.Context(), b, kv.Sync); err != nil {
			t.Fatal(err)
		}
		if err := st.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if m.removed == 0 {
		t.Error("no marker was removed: the test sees nothing")
	}
}

// A crash at any operation of a store's creation, and of a second open, which
// makes a new manifest, leaves a directory that opens, with what was durable.
// The file system of the test keeps of what is not synced any part, entries of
// directories included, in any order.
func TestCrashInOpen(t *testing.T) {
	t.Parallel()
	clones := 0
	for n, reached := 1, true; reached; n++ {
		for seed := range uint64(4) {
			mem := vfs.NewCrashableMem()
			rnd := rand.New(rand.NewPCG(seed, uint64(n)))
			var mu sync.Mutex
			var clone *vfs.MemFS
			var left, durable, atCrash = n, 0, 0
			fs := errorfs.Wrap(mem, errorfs.InjectorFunc(func(op errorfs.Op) error {
				mu.Lock()
				defer mu.Unlock()
				if op.Kind.ReadOrWrite() != errorfs.OpIsWrite {
					return nil
				}
				if left--; left == 0 {
					clone = mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: int(seed) * 30, RNG: rnd})
					atCrash = durable
				}
				return nil
			}))
			for i := range 2 {
				st := open(t, "db", small(fs))
				b := st.NewBatch()
				b.Set([]byte{'a' + byte(i)}, nil)
				if err := st.Apply(t.Context(), b, kv.Sync); err != nil {
					t.Fatal(err)
				}
				mu.Lock()
				durable++
				mu.Unlock()
				if err := st.Close(); err != nil {
					t.Fatal(err)
				}
			}
			if reached = clone != nil; !reached {
				break
			}
			clones++
			st, err := pebblekv.Open(t.Context(), "db", kvtest.Schema(), small(clone))
			if err != nil {
				t.Fatalf("operation %d, seed %d: %v", n, seed, err)
			}
			for i := range atCrash {
				if _, err := st.Get(t.Context(), []byte{'a' + byte(i)}, nil); err != nil {
					t.Errorf("operation %d, seed %d: commit %d: %v", n, seed, i+1, err)
				}
			}
			if err := st.Close(); err != nil {
				t.Fatalf("operation %d, seed %d: %v", n, seed, err)
			}
		}
	}
	if clones < 100 {
		t.Errorf("only %d crashes", clones)
	}
	t.Logf("%d crashes", clones)
}
