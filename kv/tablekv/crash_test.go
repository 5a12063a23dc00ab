package tablekv_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/kvtest"
	"github.com/ragdb/ragdb/kv/tablekv"
)

// TestStops stops the server after every number of writes in turn. A reader, and the next
// writer, then find all that was acknowledged, and of the batch that failed all or
// nothing.
func TestStops(t *testing.T) {
	t.Parallel()
	for stop := 1; ; stop++ {
		server := kvtest.NewServer(uint64(stop))
		w := open(t, server.Table(tiny))
		server.SetFaults(kvtest.Faults{Stop: stop, Uncertain: 0.2})
		rnd := rand.New(rand.NewPCG(uint64(stop%7), 9))
		before, after := kvtest.NewModel(kvtest.Schema()), kvtest.NewModel(kvtest.Schema())
		var err error
		for range 4 {
			b := w.NewBatch()
			kvtest.Mutate(rnd, 1+rnd.IntN(40), b, after)
			if err = w.Apply(t.Context(), b, kv.Sync); err != nil {
				break
			}
			before = after.Clone()
		}
		_ = w.Close() // it cannot give the lease up if the server has stopped
		server.SetFaults(kvtest.Faults{})

		r, rerr := tablekv.Open(t.Context(), server.Table(tiny), kvtest.Schema(), &tablekv.Options{ReadOnly: true})
		if rerr != nil {
			t.Fatal(rerr)
		}
		found := before
		if before.Equal(t.Context(), r) != nil {
			found = after
		}
		sn, serr := r.Snapshot(t.Context())
		if serr != nil {
			t.Fatal(serr)
		}
		for range 3 {
			kvtest.CheckReader(t, rnd, sn, found)
		}
		_ = sn.Close()
		w2 := open(t, server.Table(tiny))
		kvtest.CheckReader(t, rnd, r, found)
		b := w2.NewBatch()
		kvtest.Mutate(rnd, 20, b, found)
		if err := errors.Join(w2.Apply(t.Context(), b, kv.Sync), found.Equal(t.Context(), r), w2.Close(), r.Close()); err != nil || t.Failed() {
			t.Fatalf("stop %d: %v", stop, err)
		}
		if left := raw(t, server); !slices.Equal(left, found.Keys()) {
			t.Fatalf("stop %d: the table has %q", stop, left)
		}
		if err == nil {
			t.Logf("%d writes", stop)
			return
		}
	}
}
