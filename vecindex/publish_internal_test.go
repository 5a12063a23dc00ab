package vecindex

import (
	"testing"
	"time"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/memkv"
)

// TestWaitForPublish says that a View of a commit that is applied and being
// published waits for that and searches in memory; and that one of a commit
// that is never published does not wait for long.
func TestWaitForPublish(t *testing.T) {
	ctx := t.Context()
	st := memkv.New(layout.Schema())
	defer st.Close()
	ix, err := Open(ctx, st, Config{Table: layout.Table{Graph: 1, Space: 1}, Dim: 2, Model: "m", Kind: HNSW}, nil)
	if err != nil {
		t.Fatal(err)
	}
	commit := func(seq uint64) *Write {
		t.Helper()
		b := st.NewBatch()
		w, err := ix.Begin(ctx, b, seq)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Put(ctx, seq, 0, []float32{1, float32(seq)}); err != nil {
			t.Fatal(err)
		}
		if err := st.Apply(ctx, b, kv.NoSync); err != nil {
			t.Fatal(err)
		}
		return w
	}
	search := func(seq uint64) *View {
		t.Helper()
		v, err := ix.At(ctx, st, seq)
		if err != nil {
			t.Fatal(err)
		}
		hits, err := v.Search(ctx, Search{Vector: []float32{1, 1}, K: 100}, nil)
		if err != nil || len(hits) != int(seq) {
			t.Fatalf("%d hits at %d, %v", len(hits), seq, err)
		}
		return v
	}
	commit(1).Publish()
	search(1).Close()
	// On a busy machine a publication may take longer than a View waits: one
	// of many tries must be in time.
	seq, waited := uint64(1), false
	for !waited && seq < 30 {
		seq++
		w := commit(seq)
		published := make(chan struct{})
		go func() {
			defer close(published)
			time.Sleep(5 * time.Millisecond)
			w.Publish()
		}()
		v := search(seq)
		waited = v.state.Load() != nil
		v.Close()
		<-published
	}
	if !waited {
		t.Error("the store was read though the commits were being published")
	}
	seq++
	commit(seq)
	start := time.Now()
	search(seq).Close()
	search(seq).Close()
	if d := time.Since(start); d > 200*publishWait {
		t.Errorf("waited %v for a commit that is not published", d)
	}
}
