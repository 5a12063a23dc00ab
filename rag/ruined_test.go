package rag_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/methods"
)

// ruin overwrites the entries of the bucket of words that a rule picks.
func ruin(t *testing.T, c *ragtest.Corpus, value string, pick func(key string) bool) (n int) {
	t.Helper()
	err := c.DB().Update(t.Context(), func(tx *engine.Tx) error {
		b, err := tx.Graph(c.Base()).MakeBucket("words")
		if err != nil {
			return err
		}
		for e, err := range b.Scan(nil, nil) {
			if err != nil {
				return err
			}
			if pick(string(e.Key)) {
				if err := b.Set(append([]byte(nil), e.Key...), []byte(value)); err != nil {
					return err
				}
				n++
			}
		}
		return nil
	})
	if err != nil || n == 0 {
		t.Fatalf("%d entries ruined: %v", n, err)
	}
	return n
}

// check returns what a full check finds, and how much of it was repaired.
func check(t *testing.T, c *ragtest.Corpus, repair bool) (found []string, repaired int) {
	t.Helper()
	o := engine.CheckOptions{Full: true, Repair: repair, Encodings: methods.Encodings()}
	for f, err := range c.DB().Check(t.Context(), o) {
		if err != nil {
			t.Fatal(err)
		}
		if found = append(found, fmt.Sprintf("%.120s", f)); len(found) > 50 {
			break
		}
		if f.Repaired {
			repaired++
		}
	}
	return found, repaired
}

// TestRuinedWords says of each thing that is learnt of words: damaged, it stops
// no question, no count of what is left to do and no removal; check names it and
// repairs it, and the next index alone mends it too.
func TestRuinedWords(t *testing.T) {
	t.Parallel()
	has := func(part string) func(string) bool {
		return func(key string) bool { return len(key) > 8 && strings.HasPrefix(key[8:], part) }
	}
	for name, x := range map[string]struct {
		value  string
		pick   func(string) bool
		exact  bool // the words are as if they had never been damaged
		relied bool // only check can tell: the next index does not read all of them
	}{
		"cases":   {"\x00\x00", has("/case/a"), true, true},
		"rows":    {"\xff", has("/row/a"), false, true},
		"a word":  {"\x00", has("/table/row/a"), false, true},
		"a head":  {"", has("/table/head"), false, false},
		"a count": {"\x01\x02\x03", has("/texts"), false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			docs := ragtest.Docs(151, 12)
			// Opened without encodings, a build with ragdb_invariants lets them be ruined.
			twin, c, mended := ragtest.Open(t, methods.All()), ragtest.Open(t, methods.All()), ragtest.Open(t, methods.All())
			for _, o := range []*ragtest.Corpus{twin, c, mended} {
				o.Index(t, "naive", docs...)
				o.Index(t, "ketrag")
			}
			ruin(t, c, x.value, x.pick)
			n := ruin(t, mended, x.value, x.pick)

			// It stops nothing.
			m, err := c.Corpus.OpenLocal(t.Context(), false, rag.Parts{})
			if err != nil {
				t.Fatal(err)
			}
			for _, called := range []string{"naive", "ketrag", "bm25"} {
				if _, err := c.Ask(t.Context(), c.System(t, called), m, method.Question{Text: "Who repaired the " + docs[3].Code + "ium?"}); err != nil {
					t.Errorf("ask %s: %v", called, err)
				}
			}
			models, err := c.IndexedModels(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			err = c.DB().View(t.Context(), func(s *engine.Snapshot) error {
				for _, st := range c.System(t, "ketrag").Stages(models) {
					if _, err := st.Count(t.Context(), s); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				t.Errorf("count what is left: %v", err)
			}
			// Check names it and mends it.
			found, _ := check(t, c, false)
			if len(found) == 0 || !strings.Contains(found[0], "words") {
				t.Errorf("found %q", found)
			}
			for _, o := range []*ragtest.Corpus{c, twin} {
				o.Remove(t, docs[5].Key)
			}
			if found, repaired := check(t, mended, true); repaired < n || repaired != len(found) {
				t.Errorf("%d of %d ruined entries repaired: %q", repaired, n, found)
			}
			if found, _ := check(t, mended, false); len(found) > 0 {
				t.Errorf("after the repair: %q", found)
			}
			mended.Remove(t, docs[5].Key)

			// The next index is good by itself.
			if x.relied {
				check(t, c, true)
			}
			for _, o := range []*ragtest.Corpus{c, mended, twin} {
				o.Index(t, "ketrag")
				if found, _ := check(t, o, false); len(found) > 0 {
					t.Errorf("after the next index: %q", found)
				}
			}
			if x.exact {
				sameWords(t, "after the next index", wordBucket(t, c), wordBucket(t, twin))
				sameWords(t, "after repair and index", wordBucket(t, mended), wordBucket(t, twin))
			}
			if got := rows(t, c, docs[5].Code); len(got) > 0 {
				t.Errorf("rows of a removed document: %v", got)
			}
		})
	}
}
