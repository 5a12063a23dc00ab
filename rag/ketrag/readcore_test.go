package ketrag_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/llm/local"
)

// reader keeps the texts that entities are read from.
type reader struct {
	llm.Provider
	mu    sync.Mutex
	texts []string
}

func (r *reader) Do(ctx context.Context, t llm.Task) (llm.Reply, llm.Usage, error) {
	if in, ok := t.Input.(llm.ExtractInput); ok {
		r.mu.Lock()
		r.texts = append(r.texts, in.Text)
		r.mu.Unlock()
	}
	return r.Provider.Do(ctx, t)
}

// TestReadCore: with read=core a model reads the chunks of the core and no other; with
// read=texts it reads them among their neighbours.
func TestReadCore(t *testing.T) {
	t.Parallel()
	docs := ragtest.Docs(82, 12)
	for i := range docs {
		docs[i].Text += "\n\n" + docs[(i+1)%12].Text // chunks beside chunks
	}
	for spec, alone := range map[string]bool{"ketrag:read=core,beta=0.4": true, "ketrag:read=texts,beta=0.4": false} {
		c, model := open(t), &reader{}
		c.Use(func(_ context.Context, c *rag.Corpus) (*rag.Models, error) {
			model.Provider = local.New(local.Options{Tokens: c.Tokens().Count})
			return c.NewModels(rag.Parts{Provider: model, Documents: ragtest.Hashes{}, Questions: ragtest.Hashes{}}), nil
		})
		c.Index(t, spec, docs...)
		core := map[string]bool{}
		c.View(t, spec, func(v *engine.View) error {
			typ, _ := v.NodeType("skeleton")
			set, err := v.Nodes(typ)
			if err != nil {
				return err
			}
			for it := set.Iterator(); it.HasNext(); {
				n, err := v.Node(engine.NodeID(it.Next()))
				if err != nil {
					return err
				}
				core[n.Key] = true
			}
			return nil
		})
		read := strings.Join(model.texts, "\n\n")
		var own []string // texts of the core, which others may have or be a part of
		for _, ch := range chunks(t, c) {
			if core[ch.Key] {
				own = append(own, ch.Text)
			}
		}
		others := 0
		for _, ch := range chunks(t, c) {
			has := strings.Contains(read, ch.Text)
			if core[ch.Key] && !has {
				t.Errorf("%s: %s, of the core, is not read", spec, ch.Key)
			}
			if has && !slices.ContainsFunc(own, func(s string) bool { return strings.Contains(s, ch.Text) }) {
				others++
			}
		}
		if len(core) == 0 || (others == 0) != alone {
			t.Errorf("%s: of %d in the core, %d others are read", spec, len(core), others)
		}
	}
}
