package ledger_test

import (
	"context"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/ledger"
	"github.com/ragdb/ragdb/rag/llm/replay"
	"github.com/ragdb/ragdb/rag/methods"
)

// TestUses holds that a reply stays for as long as an item uses it, and that nothing tells
// of a use that has ended.
func TestUses(t *testing.T) {
	ctx := t.Context()
	c := ragtest.Open(t, methods.All(), methods.Encodings()...)
	l := c.Ledger()
	ended, cancel := context.WithCancel(ctx)
	cancel()
	keep := func(digest byte, item string, r *ledger.StoredReply, docs ...string) {
		t.Helper()
		// A reply that was paid is kept also if the run has ended.
		if err := l.Keep(ended, ledger.Reply{Digest: [32]byte{digest}, Item: item, Docs: docs, Reply: r}); err != nil {
			t.Fatal(err)
		}
	}
	forget := func(doc string) {
		t.Helper()
		if err := c.DB().Update(ctx, func(tx *engine.Tx) error { return ledger.Forget(tx.Graph(c.Base()), doc) }); err != nil {
			t.Fatal(err)
		}
	}
	holds := func(what string, digest byte, kept bool, uses int) {
		t.Helper()
		if _, ok, err := l.Reply(ctx, [32]byte{digest}); err != nil || ok != kept {
			t.Errorf("%s: a reply is kept: %v, %v; want %v", what, ok, err, kept)
		}
		n := 0
		err := c.DB().View(ctx, func(s *engine.Snapshot) error {
			for _, err := range s.Graph(c.Base()).Bucket("reply-uses").Scan(nil, nil) {
				if err != nil {
					return err
				}
				n++
			}
			return nil
		})
		if err != nil || n != uses {
			t.Errorf("%s: %d entries tell of uses, %v; want %d", what, n, err, uses)
		}
	}
	keep(1, "first", &ledger.StoredReply{Text: "green"}, "a.md")
	keep(1, "first", nil, "b.md")
	keep(1, "second", nil, "b.md")
	holds("two items", 1, true, 5)
	forget("a.md")
	holds("one item is left", 1, true, 2)
	forget("b.md")
	holds("no item is left", 1, false, 0)
	entry := replay.Entry{Digest: replay.Digest{2}, Kind: replay.KindPassage, Reply: "white"}
	if err := l.KeepEntries(ctx, "third", []ledger.Kept{{Entry: entry, Doc: "a.md"}, {Entry: entry, Doc: "b.md"}}); err != nil {
		t.Fatal(err)
	}
	holds("an entry of two documents", 2, true, 3)
	forget("b.md")
	holds("an entry without its documents", 2, false, 0)
	keep(3, "fourth", &ledger.StoredReply{Text: "red"}, "a.md", "b.md")
	if p, err := l.Prune(ctx, ledger.PruneOptions{}); err != nil || p.Replies != 1 {
		t.Errorf("pruned %+v, %v", p, err)
	}
	holds("pruned", 3, false, 0)
}
