package importer

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
)

const (
	bucketImport = "import"
	keyDigest    = "digest" // of what was imported
)

// GraphRAGResult says what an import brought.
type GraphRAGResult struct {
	*rag.IndexResult
	Units       int     `json:"text_units"`
	Entities    int     `json:"entities"`
	Relations   int     `json:"relationships"`
	Communities int     `json:"communities"`
	Reports     int     `json:"reports"`
	Skipped     Skipped `json:"skipped"`
}

// Import indexes the documents by x and writes the graph. A namespace holds one
// GraphRAG import: another is [ErrOther], and nothing is written. Work items of
// x that fail are [rag.ErrPartial], and the graph is written beside them.
func (g *GraphRAG) Import(ctx context.Context, x *rag.Indexer) (*GraphRAGResult, error) {
	c := x.Corpus
	out := &GraphRAGResult{Units: len(g.units), Entities: len(g.entities) - g.skipped.Entities, Relations: len(g.relations), Communities: len(g.communities), Skipped: g.skipped}
	for _, m := range g.communities {
		if m.report != nil {
			out.Reports++
		}
	}
	graph, err := g.claim(ctx, c)
	if err != nil {
		return nil, phase.At("", err)
	}
	input, err := jsonl(len(g.documents), func(i int) record { return g.documents[i] })
	if err != nil {
		return nil, phase.At("", err)
	}
	var partly error
	if out.IndexResult, err = x.Run(ctx, []rag.Input{input}); errors.Is(err, rag.ErrPartial) {
		partly = err
	} else if err != nil {
		return out, err
	}
	places, err := g.places(ctx, c, x.Systems[0].ChunkSet(), input)
	if err != nil {
		return out, phase.At("", err)
	}
	w := &writer{g: g, db: c.DB(), graph: graph, places: places}
	if err := w.write(ctx); err != nil {
		return out, phase.At("", err)
	}
	return out, partly
}

// digest identifies all that is read.
func (g *GraphRAG) digest() ([]byte, error) {
	h := sha256.New()
	enc := json.NewEncoder(h)
	for _, d := range g.documents {
		if err := enc.Encode(d); err != nil {
			return nil, err
		}
	}
	fmt.Fprintf(h, "%#v %#v %#v", g.units, g.entities, g.relations)
	for _, m := range g.communities {
		fmt.Fprintf(h, "%#v %#v %#v %#v %#v", m.id, m.title, m.level, m.parent, m.members)
		if m.report != nil {
			fmt.Fprintf(h, "%#v", *m.report)
		}
	}
	return h.Sum(nil), nil
}

// claim makes the graph, or opens it if it is of this import.
func (g *GraphRAG) claim(ctx context.Context, c *rag.Corpus) (*engine.Graph, error) {
	digest, err := g.digest()
	if err != nil {
		return nil, err
	}
	graph, err := c.Graph(ctx, GraphName)
	if err != nil {
		return nil, err
	}
	return graph, c.DB().Update(ctx, func(tx *engine.Tx) error {
		b, err := tx.Graph(graph).MakeBucket(bucketImport)
		if err != nil {
			return err
		}
		have, err := b.Get([]byte(keyDigest), nil)
		switch {
		case errors.Is(err, engine.ErrNotFound):
			return b.Set([]byte(keyDigest), digest)
		case err == nil && string(have) != string(digest):
			return fmt.Errorf("namespace %s has the graph of another GraphRAG import: %w", c.Namespace().Name(), ErrOther)
		}
		return err
	})
}
