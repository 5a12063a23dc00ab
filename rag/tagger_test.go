package rag_test

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/llm/encoder"
	"github.com/ragdb/ragdb/rag/llm/local"
	"github.com/ragdb/ragdb/rag/methods"
)

// nameList is a tagger that knows some names, with their types.
type nameList map[string]string

func (l nameList) Name() string {
	var all []string
	for name, kind := range l {
		all = append(all, name+"="+kind)
	}
	slices.Sort(all)
	return "list:" + strings.Join(all, ",")
}

func (l nameList) Tag(_ context.Context, s string) (out []encoder.Span, _ error) {
	for name, kind := range l {
		for at := 0; ; {
			i := strings.Index(s[at:], name)
			if i < 0 {
				break
			}
			out = append(out, encoder.Span{Start: at + i, End: at + i + len(name), Type: kind, Score: 1})
			at += i + len(name)
		}
	}
	slices.SortFunc(out, func(a, b encoder.Span) int { return cmp.Compare(a.Start, b.Start) })
	return out, nil
}

// taggedBy makes a corpus use a tagger; nil is none.
func taggedBy(c *ragtest.Corpus, t encoder.Tagger) {
	c.Use(func(ctx context.Context, c *rag.Corpus) (*rag.Models, error) {
		return c.OpenLocal(ctx, true, rag.Parts{Tagger: t})
	})
}

// hasEntity reports whether a method's graph has an entity.
func hasEntity(t *testing.T, c *ragtest.Corpus, spec, key string) (has bool) {
	t.Helper()
	c.View(t, spec, func(v *engine.View) error {
		typ, ok := v.NodeType("entity")
		if !ok {
			return nil
		}
		_, err := v.Lookup(typ, key)
		if errors.Is(err, engine.ErrNotFound) {
			return nil
		}
		has = err == nil
		return err
	})
	return has
}

// TestTagger indexes with a tagger, with another one and with none: each time all
// methods read all documents again, and have what a new corpus would have. With the
// same one nothing is read again.
func TestTagger(t *testing.T) {
	t.Parallel()
	// The rules take the first word of a sentence for no name if it is an ordinary word.
	docs := []ragtest.Doc{
		{Key: "a.txt", Text: "Bread met Ines Tolland and Jonas Brandt in Karrow. Milk met Jonas Brandt and Silas Vane in Orsk."},
		{Key: "b.txt", Text: "Milk wrote to Ines Tolland in Karrow. Bread wrote to Silas Vane in Orsk."},
	}
	first := nameList{"Bread": "B-PER", "Milk": "CITY"}
	second := nameList{"Bread": "PER"}
	specs := []string{"ketrag:beta=1", "noderag", "hirag", "archrag", "linearrag"}
	fresh := func(tagger encoder.Tagger) *ragtest.Corpus {
		c := ragtest.Open(t, methods.All(), methods.Encodings()...)
		taggedBy(c, tagger)
		for _, spec := range specs {
			c.Index(t, spec, docs...)
		}
		return c
	}
	want := map[string]*ragtest.Corpus{"first": fresh(first), "second": fresh(second), "none": fresh(nil)}
	c := fresh(first)
	for _, step := range []struct {
		name   string
		tagger encoder.Tagger
		again  bool
	}{{"first", first, false}, {"second", second, true}, {"none", nil, true}, {"none", nil, false}, {"first", first, true}} {
		taggedBy(c, step.tagger)
		r := c.Index(t, "noderag") // the others are read again, too
		again := slices.ContainsFunc(r.Stages, func(s rag.StageResult) bool { return s.Stage == "decompose" && s.Done == 2 })
		if again != step.again {
			t.Errorf("%s: read again: %v", step.name, again)
		}
		for _, spec := range specs {
			for _, key := range []string{"bread", "milk", "karrow"} {
				if have, want := hasEntity(t, c, spec, key), hasEntity(t, want[step.name], spec, key); have != want {
					t.Errorf("%s, %s: entity %s: %v, want %v", step.name, spec, key, have, want)
				}
			}
		}
		if n := countStages(t, c.Corpus, specs).Pending; n > 0 {
			t.Errorf("%s: %d items are pending", step.name, n)
		}
		ragtest.Check(t, c.DB())
	}
	// A chat model reads new documents alone; what the tagger helped to read stays.
	c.Use(func(ctx context.Context, c *rag.Corpus) (*rag.Models, error) {
		return c.OpenLocal(ctx, true, rag.Parts{Provider: local.New(local.Options{})})
	})
	r := c.Index(t, "noderag", ragtest.Doc{Key: "c.txt", Text: "Bread met Otto Brandt and Ines Tolland in Orsk."})
	for _, s := range r.Stages {
		if s.Stage == "decompose" && s.Done != 1 {
			t.Errorf("%d texts are read by the chat model", s.Done)
		}
	}
	if !hasEntity(t, c, "noderag", "milk") {
		t.Error("a chat model loses the names of the tagger")
	}
	for _, spec := range specs {
		if !hasEntity(t, want["first"], spec, "milk") || hasEntity(t, want["none"], spec, "bread") {
			t.Errorf("%s: the tagger makes no difference", spec)
		}
	}
}
