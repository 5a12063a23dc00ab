package ledger

import (
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/corpus"
	"github.com/ragdb/ragdb/rag/llm/replay"
)

// TestPruneMeanwhile: an entry that came into use after it was looked at stays, but for a
// vector if all are to go.
func TestPruneMeanwhile(t *testing.T) {
	db, err := engine.Open(t.Context(), engine.Memory, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	c, err := corpus.Open(t.Context(), db, "main", nil)
	if err != nil {
		t.Fatal(err)
	}
	l := New(c)
	err = db.Update(t.Context(), func(tx *engine.Tx) error {
		v := tx.Graph(l.base)
		typ, err := v.MakeNodeType(corpus.TypeDocument)
		if err == nil {
			_, _, err = v.PutNode(typ, "a.md", nil)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	kept := []Kept{{Entry: replay.Entry{Digest: replay.Digest{1}, Kind: replay.KindPassage, Reply: "white"}, Doc: "a.md"}}
	if err := l.KeepEntries(t.Context(), "item", kept); err != nil {
		t.Fatal(err)
	}
	if err := l.KeepVectors(t.Context(), []PaidVector{{Digest: [32]byte{2}, Docs: []string{"a.md"}, Vector: []float32{1}}}); err != nil {
		t.Fatal(err)
	}
	seen := []replay.Entry{{Digest: replay.Digest{1}, Kind: replay.KindPassage}, {Digest: replay.Digest{2}, Kind: replay.KindEmbedding}}
	for _, want := range []struct{ embeddings, vector bool }{{false, true}, {true, false}} {
		err := db.Update(t.Context(), func(tx *engine.Tx) error {
			for _, e := range seen {
				if err := l.prune(tx.Graph(l.base), e, PruneOptions{Embeddings: want.embeddings}); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		_, reply, err := l.Reply(t.Context(), [32]byte{1})
		_, missing, err2 := l.Vectors(t.Context(), [][32]byte{{2}})
		if err != nil || err2 != nil || !reply || want.vector != (len(missing) == 0) {
			t.Errorf("%+v: the reply is kept: %v, %v; vectors are missing: %v, %v", want, reply, err, missing, err2)
		}
	}
}
