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
// that nobody publishes does not wait for long.
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
		hits, err := v.Search(ctx, Search{Vector: []float32{1, 1}, K: 10}, nil)
		if err != nil || len(hits) != int(seq) {
			t.Fatalf("%d hits at %d, %v", len(hits), seq, err)
		}
		return v
	}
	commit(1).Publish()
	search(1).Close()
	w := commit(2)
	go func() {
		time.Sleep(5 * time.Millisecond)
		w.Publish()
	}()
	v := search(2)
	if v.state.Load() == nil {
		t.Error("the store was read though the commit was being published")
	}
	v.Close()
	commit(3)
	start := time.Now()
	search(3).Close()
	search(3).Close()
	if d := time.Since(start); d > 20*publishWait {
		t.Errorf("waited %v for a commit that is not published", d)
	}
}
