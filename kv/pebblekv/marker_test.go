package pebblekv_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/ragdb/ragdb/kv"
)

// markers watches in which order markers come and go.
type markers struct {
	t *testing.T

	mu       sync.Mutex
	unsynced string // made, and the directory not synced since
	removed  int
}

func (m *markers) MaybeError(op errorfs.Op) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch marker := strings.Contains(op.Path, "marker."); {
	case op.Kind == errorfs.OpCreate && marker:
		m.unsynced = op.Path
	case op.Kind == errorfs.OpFileSync && !marker:
		m.unsynced = ""
	case op.Kind == errorfs.OpRemove && marker:
		m.removed++
		if m.unsynced != "" {
			m.t.Errorf("%s goes while %s may be lost", op.Path, m.unsynced)
		}
	}
	return nil
}

func (m *markers) String() string { return "markers" }

// A file system that reorders what happens to a directory loses no manifest.
func TestMarkerBeforeItsPredecessorGoes(t *testing.T) {
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
