package linearrag

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"math"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/corpus"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/internal/knowledge"
	"github.com/ragdb/ragdb/rag/internal/models"
	"github.com/ragdb/ragdb/rag/internal/queue"
	"github.com/ragdb/ragdb/rag/llm/encoder"
	"github.com/ragdb/ragdb/rag/llm/local"
	"github.com/ragdb/ragdb/rag/method"
)

// nameStage enters chunks into the graph with their names and the sentences that join
// names.
type nameStage struct {
	graph.Stage
	s *system

	// When Items yielded the chunks:
	aliases corpus.Aliases
	tagger  string
}

// Items implements [method.Stage]: the chunks of the set. They are pending again if
// documents are read with another tagger than before.
func (st *nameStage) Items(ctx context.Context, s *engine.Snapshot) iter.Seq2[method.WorkItem, error] {
	return st.growth().All(s.Graph(st.s.c.Base()).WithContext(ctx))
}

// growth says that what a chunk names depends on it alone.
func (st *nameStage) growth() *queue.Growth {
	return &queue.Growth{
		Graph: st.s.c.Base(), Type: method.ChunkType(st.s.ChunkSet()), Digest: method.Digest("names"),
		Beside: func(v *engine.View) (string, error) { return models.TaggerOf(v) },
		Items: func(v *engine.View, ids []engine.NodeID) ([]method.WorkItem, error) {
			var err error
			if st.aliases, err = st.s.c.Aliases(v); err == nil {
				st.tagger, err = models.TaggerOf(v)
			}
			if err != nil {
				return nil, err
			}
			digest := method.Digest("names", st.tagger)
			out := make([]method.WorkItem, len(ids))
			return out, v.EachNode(ids, func(i int, n engine.Node) error {
				out[i] = method.WorkItem{Key: n.Key, Digest: digest, Node: n.ID}
				return nil
			})
		},
	}
}

// step returns the stage as a step that looks at chunks which came in.
func (st *nameStage) step() method.Step {
	step := method.Steps(st)[0]
	step.Growth = st.growth()
	return step
}

// Do implements [method.Stage]: the reading as JSON.
func (st *nameStage) Do(ctx context.Context, s *engine.Snapshot, m *method.Models, w method.WorkItem) ([]byte, error) {
	ch, err := st.s.c.Chunk(s.Graph(st.s.c.Base()).WithContext(ctx), w.Node)
	if err != nil {
		return nil, err
	}
	var tagger encoder.Tagger
	if t := m.All().Tagger; t != nil && t.Name() == st.tagger {
		tagger = t
	}
	names, err := local.New(local.Options{Tagger: tagger}).Names(ctx, ch.Text)
	if err != nil {
		return nil, err
	}
	r := read(ch.Text, names, st.aliases)
	r.Tokens = ch.Tokens
	return json.Marshal(r)
}

// Apply implements [method.Stage].
func (st *nameStage) Apply(_ context.Context, tx *engine.Tx, w method.WorkItem, result []byte) error {
	var r reading
	if err := json.Unmarshal(result, &r); err != nil {
		return fmt.Errorf("names of %s: %w", w.Key, err)
	}
	b, err := newBuilder(tx.Graph(st.s.g))
	if err != nil {
		return err
	}
	return b.enter(w.Key, r)
}

// builder writes readings into the graph.
type builder struct {
	v                       *engine.TxView
	chunk, entity, sentence engine.TypeID
	contains, mentions      engine.EdgeType
}

func newBuilder(v *engine.TxView) (b *builder, err error) {
	b = &builder{v: v}
	for name, t := range map[string]*engine.TypeID{method.ChunkNodeType: &b.chunk, typeEntity: &b.entity, typeSentence: &b.sentence} {
		if *t, err = v.MakeNodeType(name); err != nil {
			return nil, err
		}
	}
	for name, t := range map[string]*engine.EdgeType{edgeContains: &b.contains, edgeMentions: &b.mentions} {
		if *t, err = v.MakeEdgeType(name, false); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// enter writes what a chunk names, in place of what an earlier reading of it found.
func (b *builder) enter(key string, r reading) error {
	chunk, created, err := b.v.PutNode(b.chunk, key, engine.Props{knowledge.PropTokens: engine.Int(int64(r.Tokens))})
	if err != nil {
		return err
	}
	if !created {
		if err := b.withdraw(key, chunk); err != nil {
			return err
		}
	}
	ids := make([]engine.NodeID, len(r.Names))
	for i, n := range r.Names {
		if ids[i], _, err = b.v.DeriveNode(b.entity, n.Key); err != nil {
			return err
		}
		said := engine.Contribution{Count: uint32(n.Count), Label: n.Label}
		if err := b.v.Contribute(chunk, engine.NodeTarget(ids[i]), said); err != nil {
			return err
		}
		if err := b.v.AddEdge(chunk, ids[i], b.contains, float32(math.Log1p(float64(n.Count)))); err != nil {
			return err
		}
	}
	for _, j := range r.Joining {
		id, _, err := b.v.DeriveNode(b.sentence, sentenceKey(key, j.Number))
		if err != nil {
			return err
		}
		if err := b.v.Contribute(chunk, engine.NodeTarget(id), engine.Contribution{Count: 1}); err != nil {
			return err
		}
		for _, at := range j.Names {
			if err := b.v.AddEdge(id, ids[at], b.mentions, 1); err != nil {
				return err
			}
		}
	}
	return nil
}

// withdraw takes back what a chunk said, with the marks of the work on it.
func (b *builder) withdraw(key string, chunk engine.NodeID) error {
	before, err := graph.Contributed(b.v, chunk)
	if err != nil {
		return err
	}
	contained, err := graph.Neighbors(b.v, chunk, edgeContains, engine.Both)
	if err != nil {
		return err
	}
	for _, e := range contained {
		if err := b.v.RemoveEdge(engine.Edge{From: chunk, To: e, Type: b.contains}); err != nil {
			return err
		}
	}
	if _, err := b.v.Withdraw(chunk); err != nil {
		return err
	}
	if err := method.ForgetJobs(b.v, key); err != nil {
		return err
	}
	return graph.ForgetGone(b.v, before, graph.Item)
}
