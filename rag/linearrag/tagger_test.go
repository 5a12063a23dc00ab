package linearrag_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/llm/encoder"
)

// words is a tagger that finds the words that it consists of.
type words string

func (w words) Name() string { return "words:" + string(w) }

func (w words) Tag(_ context.Context, s string) (out []encoder.Span, _ error) {
	for _, name := range strings.Fields(string(w)) {
		if i := strings.Index(s, name); i >= 0 {
			out = append(out, encoder.Span{Start: i, End: i + len(name), Type: "PER", Score: 1})
		}
	}
	return out, nil
}

// TestTagger: names that only a tagger finds are entities once documents are read with
// it, those of another tagger take their place, and a graph that is built without one
// has neither.
func TestTagger(t *testing.T) {
	t.Parallel()
	// The rules take the first word of a sentence for no name if it is an ordinary word.
	docs := []ragtest.Doc{
		{Key: "a.txt", Text: "Bread met Ada Fenn and Jonas Brandt in Karrow. Milk met Jonas Brandt and Silas Vane in Orsk."},
		{Key: "b.txt", Text: "Milk wrote to Ada Fenn in Karrow. Bread wrote to Silas Vane in Orsk."},
	}
	fresh := func(c *ragtest.Corpus, tagger encoder.Tagger) *ragtest.Corpus {
		c.Use(func(ctx context.Context, c *rag.Corpus) (*rag.Models, error) {
			return c.OpenLocal(ctx, true, rag.Parts{Tagger: tagger})
		})
		c.Index(t, "linearrag", docs...)
		return c
	}
	has := func(c *ragtest.Corpus, key string) (ok bool) {
		c.View(t, "linearrag", func(v *engine.View) error {
			typ, _ := v.NodeType("entity")
			_, err := v.Lookup(typ, key)
			if errors.Is(err, engine.ErrNotFound) {
				return nil
			}
			ok = err == nil
			return err
		})
		return ok
	}
	c := open(t)
	for _, x := range []struct {
		tagger      encoder.Tagger
		bread, milk bool
	}{{words("Bread"), true, false}, {words("Milk"), false, true}, {words("Milk Bread"), true, true}, {nil, false, false}} {
		name := "no tagger"
		if x.tagger != nil {
			name = x.tagger.Name()
		}
		fresh(c, x.tagger)
		if b, m := has(c, "bread"), has(c, "milk"); b != x.bread || m != x.milk || !has(c, "ada fenn") {
			t.Errorf("%s: bread %v, milk %v, Ada Fenn %v", name, b, m, has(c, "ada fenn"))
		}
		ragtest.Same(t, name, c.Canonical(t), fresh(open(t), x.tagger).Canonical(t))
	}
}
