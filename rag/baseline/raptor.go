package baseline

import (
	"context"
	"fmt"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/ledger"
	"github.com/ragdb/ragdb/rag/method"
)

// raptor retrieves from a tree of summaries (Sarthi et al., "RAPTOR: Recursive
// Abstractive Processing for Tree-Organized Retrieval", 2024). Its graph holds
//
//	chunk    one for each chunk of its set; the key is the chunk's; layer 0
//	summary  of a cluster of nodes of the layer below; derived from them, the
//	         key is the layer and a digest of the members' keys
//
// and the vectors of all in one space. A node may be in several clusters.
// Clusters are made again for a layer whose nodes are not those that they were
// made of; a cluster of the same members as before keeps its summary.
type raptor struct {
	method.Identity
	c *method.Corpus
	g *engine.Graph

	dim, layers, tokens, cluster, k int
}

// The names in the graph.
const (
	typeSummary = "summary"

	propText  = "text"  // summary
	propLayer = "layer" // summary: 1 is that above the chunks

	bucketClusters = "clusters" // layer u8 -> its clusters as JSON
	spaceTree      = "tree"
)

func openRAPTOR(ctx context.Context, c *method.Corpus, params map[string]string) (*method.System, error) {
	r := method.ReadParams("raptor", params, nil)
	s := &raptor{c: c}
	s.dim = r.Int("dim", 10, 1, 64)
	s.layers = r.Int("layers", 5, 0, 20)
	s.tokens = r.Int("tokens", 100, 10, 2000)
	s.cluster = r.Int("cluster", 3500, 1, 1_000_000)
	r.Indexed()
	s.k = r.Int("k", 100, 1, 10_000)
	var err error
	if s.Identity, err = method.NewIdentity(ctx, c, r, "raptor"); err != nil {
		return nil, err
	}
	s.g = s.Graph()
	return &method.System{Identity: s.Identity, Build: s.stages, Changed: s.changed, Plan: s.plan, Cite: graph.Citing{Else: maxCited, Sorted: true}.Cite}, nil
}

// stages is [method.System.Build].
func (s *raptor) stages(m *method.Models) []method.Step {
	model := m.DocumentSpace()
	out := method.Steps(&leafStage{graph.NewStage("leaves", s.g), s, model})
	for layer := range s.layers {
		clusters := &clusterStage{graph.NewWholeStage(fmt.Sprintf("clusters %d", layer), s.g), s, layer, model}
		steps := method.Steps(clusters,
			&summaryStage{Stage: graph.NewStage(fmt.Sprintf("summaries %d", layer+1), s.g), s: s, layer: layer + 1, model: model})
		steps[0].Whole = clusters.Whole()
		out = append(out, steps...)
	}
	return out
}

// plan is [method.System.Plan]: the collapsed tree (section 3, querying).
func (s *raptor) plan(_ context.Context, m *method.Models, q method.Question) (*method.Plan, error) {
	pack := &query.Pack{
		In: &query.VectorSearch{
			Graph: s.g, Space: spaceOf(spaceTree, m.QuestionSpace().Model), Text: q.Text, K: s.k, Source: "collapsed tree, section 3",
		},
		Name: "tree", Budget: q.Tokens(), Render: s.render, Cut: s.c.CutText,
	}
	return &method.Plan{Sections: []method.Section{{Name: "tree", Pack: pack}}}, nil
}

// render is the text of a node.
func (s *raptor) render(ctx context.Context, e *query.Env, it query.Item) (string, int, error) {
	n, err := e.Node(ctx, s.g, it.ID)
	if err != nil {
		return "", 0, err
	}
	says, _, err := s.textOf(ctx, e.Snap, n)
	return says, 0, err
}

// textOf returns the text of a node, a chunk's read through to the base graph,
// and what replies made of it are made from: the chunk's document, or the
// summary.
func (s *raptor) textOf(ctx context.Context, snap *engine.Snapshot, n engine.Node) (says, source string, err error) {
	v := snap.Graph(s.g).WithContext(ctx)
	if v.NodeTypeName(n.Type) == method.ChunkNodeType {
		says, _, err = s.c.TextOf(ctx, snap, s.ChunkSet(), n.Key)
		return says, method.DocOf(n.Key), err
	}
	says, err = v.Text(n.ID, propText)
	return says, s.madeFrom(n.Key), err
}

// madeFrom names a summary among the documents that replies are made from. No
// document has such a key.
func (s *raptor) madeFrom(summary string) string { return "\x01" + s.Instance() + "/" + summary }

// maxCited bounds the chunks that are cited for one summary.
const maxCited = 1000

// changed is [method.System.Changed]: the summaries above chunks that leave tell
// of them, and go at once.
func (s *raptor) changed(_ context.Context, _ *method.Models, gone []method.Chunk) (func(context.Context, *engine.Tx) error, error) {
	return func(_ context.Context, tx *engine.Tx) error {
		chunks, err := graph.Chunks(tx.Graph(s.g), gone)
		if err != nil {
			return err
		}
		for _, id := range chunks {
			if err := s.dropAbove(tx, id); err != nil {
				return err
			}
		}
		return nil
	}, nil
}

// dropAbove removes the summaries that rest on a node.
func (s *raptor) dropAbove(tx *engine.Tx, id engine.NodeID) error {
	var above []engine.NodeID
	for t, err := range tx.Graph(s.g).ContributedBy(id) {
		if err != nil {
			return err
		}
		above = append(above, t.Node)
	}
	for _, up := range above {
		if err := s.drop(tx, up); err != nil {
			return err
		}
	}
	return nil
}

// drop removes a summary, those above it first: they would go with it while
// their marks and replies stay.
func (s *raptor) drop(tx *engine.Tx, id engine.NodeID) error {
	if err := s.dropAbove(tx, id); err != nil {
		return err
	}
	v := tx.Graph(s.g)
	n, err := v.Node(id)
	if graph.IsMissing(err) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := method.ForgetJobs(v, summaryItem(n.Key)); err != nil {
		return err
	}
	if err := ledger.Forget(tx.Graph(s.c.Base()), s.madeFrom(n.Key)); err != nil {
		return err
	}
	_, err = v.DeleteNode(id)
	return err
}

func summaryItem(key string) string { return "summary:" + key }
