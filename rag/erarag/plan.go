package erarag

import (
	"context"
	"math"

	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
)

// plan is [method.System.Plan] (spec C4): the nodes that rank first for the
// question, packed until the budget is used.
func (s *system) plan(_ context.Context, m *method.Models, q method.Question) (*method.Plan, error) {
	pack := &query.Pack{
		In: s.search(q.Text, m.QuestionSpace()), Name: "tree", Budget: q.Tokens(),
		Render: s.render, Cut: s.c.CutText, Source: "token budget T",
	}
	return &method.Plan{Sections: []method.Section{{Name: "tree", Pack: pack}}}, nil
}

// search ranks the nodes of the tree.
func (s *system) search(text string, space llm.SpaceInfo) query.Op {
	r, k := s.rank(text, space), s.p.K
	part := int(math.Ceil(s.p.P*float64(k) - 1e-9))
	switch s.p.Search {
	case "detailed":
		return &query.Union{In: []query.Op{r.chunks(part), r.summaries(k - part)}, Combine: query.First, Source: "detailed search, p k chunks"}
	case "summarised":
		return &query.Union{In: []query.Op{r.summaries(part), r.chunks(k - part)}, Combine: query.First, Source: "summarised search, p k summaries"}
	case "layers":
		return r.layers(k)
	}
	return r.tree(k)
}

// render is the text of a node of the tree: that of a chunk is read through to
// the base graph.
func (s *system) render(ctx context.Context, e *query.Env, it query.Item) (string, int, error) {
	if it.Graph == s.c.Base().ID() {
		return s.c.RenderChunk(ctx, e, it)
	}
	v := e.Snap.Graph(s.g).WithContext(ctx)
	n, err := e.Node(ctx, s.g, it.ID)
	if err != nil {
		return "", 0, err
	}
	if v.NodeTypeName(n.Type) == method.ChunkNodeType {
		return s.c.TextOf(ctx, e.Snap, s.p.Chunks, n.Key)
	}
	text, err := summaryText(v, n)
	return text, int(n.Prop(propTokens).AsInt()), err
}

// citing is how the method cites: a summary rests on the chunks below it, in order
// of id. At most 256 are cited: all of a summary of the second layer, of segments of
// up to 16. A summary of a high layer rests on most of the corpus, and each chunk is
// looked up.
func citing() graph.Citing { return graph.Citing{Else: 256, Sorted: true} }
