package methods_test

import (
	"context"
	"sync"
	"testing"

	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/cost"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/llm/local"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/methods"
)

// counted counts the tasks that it is asked, by kind.
type counted struct {
	llm.Provider
	mu    sync.Mutex
	calls map[llm.Kind]int
}

func (p *counted) Name() string { return "counted" }

func (p *counted) Do(ctx context.Context, t llm.Task) (llm.Reply, llm.Usage, error) {
	p.mu.Lock()
	p.calls[t.Kind]++
	p.mu.Unlock()
	r, _, err := p.Provider.Do(ctx, t)
	return r, llm.Usage{Calls: 1, InTokens: 100, OutTokens: 10}, err
}

// take returns how often a text was read, and begins to count anew.
func (p *counted) take() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := p.calls[llm.Extract] + p.calls[llm.Glean]
	clear(p.calls)
	return n
}

// readers are the methods that read entities and relations. Each of the variants
// and baselines is of one of their graphs.
var readers = []string{"hirag", "archrag", "noderag", "hipporag", "ketrag", "graphrag-local", "graphrag-global:level=1"}

// TestReadOnce indexes by one method, then by all others that read entities: no
// text is read a second time, an estimate says so before, and what comes later is
// read once for all. A document that is removed leaves nothing of it in any graph.
func TestReadOnce(t *testing.T) {
	t.Parallel()
	for _, first := range []string{"hirag", "noderag", "hipporag", "graphrag-local"} {
		t.Run(first, func(t *testing.T) {
			t.Parallel()
			c := ragtest.Open(t, methods.All(), methods.Encodings()...)
			c.Learn(false)
			p := &counted{calls: map[llm.Kind]int{}}
			c.Use(func(_ context.Context, c *rag.Corpus) (*rag.Models, error) {
				if p.Provider == nil {
					p.Provider = local.New(local.Options{Tokens: c.Tokens().Count})
				}
				return c.NewModels(rag.Parts{Provider: p, Documents: ragtest.Hashes{}, Questions: ragtest.Hashes{}}), nil
			})
			docs := ragtest.Docs(81, 9)
			later := docs[8]
			c.Index(t, first, docs[:8]...)
			read := p.take()
			if read < 8 {
				t.Errorf("%s read %d texts of 8 documents", first, read)
			}
			index := func(d ...ragtest.Doc) {
				t.Helper()
				x := rag.Indexer{Corpus: c.Corpus, Methods: c.Methods}
				for _, spec := range readers {
					x.Systems = append(x.Systems, c.System(t, spec))
				}
				if _, err := x.Run(t.Context(), []rag.Input{{FS: ragtest.Files(d...), Root: "."}}); err != nil {
					t.Fatal(err)
				}
			}
			index(docs[:8]...)
			if n := p.take(); n != 0 {
				t.Errorf("after %s the other methods read %d texts again", first, n)
			}
			index(later)
			if n := p.take(); n != 1 {
				t.Errorf("one more document was read %d times", n)
			}
			c.Remove(t, later.Key)
			for _, key := range ragtest.Find(t, c.Store, later.Code) {
				t.Errorf("%s was removed, and is in %s", later.Key, key)
			}
			index(docs[:8]...)
			if n := p.take(); n != 0 {
				t.Errorf("after a document was removed %d texts were read", n)
			}
		})
	}
}

// TestEstimateOfSecond says that an estimate counts no reading for a second method.
func TestEstimateOfSecond(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, methods.All(), methods.Encodings()...)
	c.Learn(false)
	p := &counted{calls: map[llm.Kind]int{}, Provider: local.New(local.Options{Tokens: c.Tokens().Count})}
	c.Use(func(_ context.Context, c *rag.Corpus) (*rag.Models, error) {
		return c.NewModels(rag.Parts{Provider: p, Documents: ragtest.Hashes{}, Questions: ragtest.Hashes{}}), nil
	})
	docs := ragtest.Docs(82, 6)
	c.Index(t, "hirag", docs...)
	read := p.take()
	x := rag.Indexer{Corpus: c.Corpus, Methods: c.Methods, Systems: []*method.System{c.System(t, "archrag")}}
	e, err := x.Estimate(t.Context(), []rag.Input{{FS: ragtest.Files(docs...), Root: "."}}, cost.EstimateOptions{Chat: p.Name(), Space: ragtest.Hashes{}.Space()})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range e.Stages {
		if s.Stage == "extract" && (s.Calls != 0 || s.Cached != read) {
			t.Errorf("an estimate of a second method reads %d texts, and takes %d of %d replies that are kept", s.Calls, s.Cached, read)
		}
	}
	if n := p.take(); n != 0 {
		t.Errorf("an estimate read %d texts", n)
	}
}
