package ketrag_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/llm/local"
)

// counted counts what a model is asked, by kind.
type counted struct {
	llm.Provider
	mu    sync.Mutex
	asked map[llm.Kind]int
}

// Do implements [llm.Provider].
func (c *counted) Do(ctx context.Context, t llm.Task) (llm.Reply, llm.Usage, error) {
	c.mu.Lock()
	c.asked[t.Kind]++
	c.mu.Unlock()
	return c.Provider.Do(ctx, t)
}

// take returns what was asked since it was last called.
func (c *counted) take() (reads, merges int) {
	reads, merges = c.asked[llm.Extract], c.asked[llm.MergeDescriptions]
	clear(c.asked)
	return reads, merges
}

// TestOwnCalls: one of 16 documents asks for its own texts: at most 1.2 times its share,
// by chunks, of what an index of all 16 asks. One that leaves asks for no text of another,
// and for descriptions alone that it had a part in.
func TestOwnCalls(t *testing.T) {
	t.Parallel()
	const size = 10 // parts of a document
	parts := ragtest.Docs(81, 17*size)
	var docs []ragtest.Doc
	for i := range 17 {
		var b strings.Builder
		for _, d := range parts[i*size : (i+1)*size] {
			b.WriteString(d.Text + "\n\n")
		}
		docs = append(docs, ragtest.Doc{Key: fmt.Sprintf("d%02d.txt", i), Text: b.String()})
	}
	for _, spec := range []string{"ketrag", "ketrag:read=core", "ketrag:unit=300"} {
		t.Run(spec, func(t *testing.T) {
			t.Parallel()
			start := func() (*ragtest.Corpus, *counted) {
				c, model := open(t), &counted{asked: map[llm.Kind]int{}}
				c.Use(func(_ context.Context, c *rag.Corpus) (*rag.Models, error) {
					model.Provider = local.New(local.Options{Tokens: c.Tokens().Count})
					return c.NewModels(rag.Parts{Provider: model, Documents: ragtest.Hashes{}, Questions: ragtest.Hashes{}}), nil
				})
				return c, model
			}
			c, model := start()
			c.Index(t, spec, docs[:16]...)
			reads, merges := model.take()
			all := reads + merges

			c, model = start()
			in := append(docs[:5:5], docs[6:16]...)
			c.Index(t, spec, in...)
			model.take()
			before := len(chunks(t, c))
			c.Index(t, spec, docs[:16]...) // the sixth stands between others
			reads, merges = model.take()
			now := len(chunks(t, c))
			if share := float64(all) * float64(now-before) / float64(now); float64(reads+merges) > 1.2*share || reads == 0 {
				t.Errorf("%d chunks beside %d ask for %d texts and %d descriptions, their share is %.1f of %d", now-before, before, reads, merges, share, all)
			}
			c.Remove(t, docs[5].Key)
			c.Index(t, spec)
			if reads, merges := model.take(); reads > 0 && spec == "ketrag" || merges > all {
				t.Errorf("without it %d texts and %d descriptions are asked for", reads, merges)
			}
		})
	}
}
