// Package baseline holds the methods that every comparison needs: they build
// no graph and retrieve chunks.
//
//	bm25   BM25 over the chunks' terms
//	dense  the vectors nearest to the question's
//	naive  both: the sum of their scores after each was brought to mean 0 and
//	       deviation 1 over its first candidates
package baseline

import (
	"context"
	"fmt"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/text"
)

// Candidates is how many chunks each ranking brings to the packing: as many as
// the KET-RAG paper's Text-RAG.
const Candidates = 1000

// Names lists the baselines.
func Names() []string { return []string{"bm25", "dense", "naive"} }

// System is a baseline on a corpus.
type System struct {
	c    *rag.Corpus
	name string
	set  text.ChunkSet
}

var _ rag.System = (*System)(nil)

// Open makes a baseline. Its one parameter is chunks, the name of a chunk set
// such as cl100k/150/0/paragraph, the default.
func Open(name string) func(context.Context, *rag.Corpus, map[string]string) (rag.System, error) {
	return func(_ context.Context, c *rag.Corpus, params map[string]string) (rag.System, error) {
		s := &System{c: c, name: name}
		for k, v := range params {
			if k != "chunks" {
				return nil, fmt.Errorf("rag: %w: %s has no parameter %q; it has chunks", rag.ErrMethod, name, k)
			}
			set, err := text.ParseChunkSet(v)
			if err != nil {
				return nil, fmt.Errorf("rag: %w: %w", rag.ErrMethod, err)
			}
			s.set = set
		}
		return s, nil
	}
}

// Name implements [rag.System].
func (s *System) Name() string { return s.name }

// Instance implements [rag.System].
func (s *System) Instance() string {
	return rag.Instance(s.name, s.Params(), map[string]string{"chunks": text.ChunkSet{}.String()})
}

// Params implements [rag.System].
func (s *System) Params() map[string]string { return map[string]string{"chunks": s.set.String()} }

// ChunkSet implements [rag.System].
func (s *System) ChunkSet() text.ChunkSet { return s.set }

// Graph implements [rag.System]: a baseline builds none.
func (s *System) Graph() *engine.Graph { return nil }

// Stages implements [rag.System]: chunks, postings and vectors are all.
func (s *System) Stages(*rag.Models) []rag.Stage { return nil }

// Changed implements [rag.System].
func (s *System) Changed(context.Context, *rag.Models, []rag.Chunk) (func(context.Context, *engine.Tx) error, error) {
	return nil, nil
}

// Plan implements [rag.System].
func (s *System) Plan(_ context.Context, m *rag.Models, q rag.Question) (*rag.Plan, error) {
	pack := &query.Pack{
		In: s.rank(m, q), Name: "text", Budget: q.Tokens(), Render: s.c.RenderChunk, Cut: s.c.CutText,
	}
	return &rag.Plan{Sections: []rag.Section{{Name: "text", Pack: pack}}}, nil
}

func (s *System) rank(m *rag.Models, q rag.Question) query.Op {
	lexical := &query.TextSearch{Graph: s.c.Base, Field: rag.TextField(s.set), Text: q.Text, K: Candidates}
	if s.name == "bm25" {
		return lexical
	}
	dense := &query.VectorSearch{
		Graph: s.c.Base, Space: rag.ChunkSpace(s.set, m.Questions.Space().Model), Text: q.Text, K: Candidates,
	}
	if s.name == "dense" {
		return dense
	}
	return &query.Union{In: []query.Op{dense, lexical}, Combine: query.ZSum}
}

// Cite implements [rag.System].
func (s *System) Cite(v *engine.View, it query.Item) ([]string, error) {
	n, err := v.Node(it.ID)
	if err != nil {
		return nil, err
	}
	if !strings.HasPrefix(v.NodeTypeName(n.Type), "chunk:") {
		return nil, nil
	}
	return []string{n.Key}, nil
}
