package linearrag

import (
	"context"
	"encoding/binary"
	"errors"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/encoded"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/internal/queue"
	"github.com/ragdb/ragdb/rag/internal/text"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
)

// embedNames gives entities the vectors of their names. A name is embedded as its key
// has it, so that it has one vector however the texts spell it.
func (s *system) embedNames(model llm.SpaceInfo) *graph.Embedding {
	return &graph.Embedding{
		Stage: graph.NewStage("embed name", s.g), Model: model, Types: []string{typeEntity}, Kind: "embed",
		Text: func(_ engine.Reader, n engine.Node) ([]string, error) { return []string{n.Key}, nil },
		Put: func(v *engine.TxView, id engine.NodeID, _ [32]byte, vec []float32) error {
			if err := makeSpace(v, spaceName, model); err != nil {
				return err
			}
			return graph.SetVector(v, spaceOf(spaceName, model.Model), id, vec)
		},
	}
}

// sentenceStage gives the sentences of chunks their vectors.
type sentenceStage struct {
	graph.Stage
	s     *system
	model llm.SpaceInfo
}

// Items implements [method.Stage]: the chunks of the graph.
func (st *sentenceStage) Items(ctx context.Context, s *engine.Snapshot) iter.Seq2[method.WorkItem, error] {
	return st.local().All(s.Graph(st.s.g).WithContext(ctx))
}

// local says that the sentences of a chunk are written with it.
func (st *sentenceStage) local() *queue.Local {
	digest := method.Digest("sentences", st.model.Model)
	return &queue.Local{Nodes: []string{method.ChunkNodeType}, Digest: digest, Items: func(v *engine.View, targets []engine.Target) ([]method.WorkItem, error) {
		return graph.NodeItems(v, targets, func(n engine.Node) (method.WorkItem, error) {
			return method.WorkItem{Key: n.Key, Digest: digest, Node: n.ID}, nil
		})
	}}
}

// step returns the stage as a step that looks at chunks which changed.
func (st *sentenceStage) step() method.Step {
	step := method.Steps(st)[0]
	step.Local = st.local()
	return step
}

// Do implements [method.Stage]: each sentence's node as u64, then its vector. A
// sentence without words has none.
func (st *sentenceStage) Do(ctx context.Context, s *engine.Snapshot, m *method.Models, w method.WorkItem) ([]byte, error) {
	v := s.Graph(st.s.g).WithContext(ctx)
	nodes, err := sentencesOf(v, w.Node)
	if err != nil || len(nodes) == 0 {
		return nil, err
	}
	ch, err := st.s.c.ChunkByKey(s.Graph(st.s.c.Base()).WithContext(ctx), st.s.ChunkSet(), w.Key)
	if err != nil {
		return nil, err
	}
	spans := text.Sentences(ch.Text)
	texts := make([]string, len(nodes))
	for i, n := range nodes {
		number, err := strconv.Atoi(n.Key[strings.LastIndexByte(n.Key, '/')+1:])
		if err != nil || number >= len(spans) {
			return nil, errors.New("sentence " + n.Key + " is not in its chunk")
		}
		texts[i] = text.OneLine(ch.Text[spans[number].Start:spans[number].End])
	}
	vecs, err := m.Embed(ctx, []string{ch.Doc}, texts)
	if err != nil {
		return nil, err
	}
	var out []byte
	for i, vec := range vecs {
		if vec != nil {
			out = encoded.AppendVector(binary.BigEndian.AppendUint64(out, uint64(nodes[i].ID)), vec)
		}
	}
	return out, nil
}

// Apply implements [method.Stage].
func (st *sentenceStage) Apply(_ context.Context, tx *engine.Tx, _ method.WorkItem, result []byte) error {
	v := tx.Graph(st.s.g)
	if len(result) > 0 {
		if err := makeSpace(v, spaceSentence, st.model); err != nil {
			return err
		}
	}
	for one := range slices.Chunk(result, 8+4*st.model.Dim) {
		id, vec, err := graph.ReadVector(one)
		if err != nil {
			return err
		}
		if err := v.PutVector(spaceOf(spaceSentence, st.model.Model), id, vec); err != nil {
			return err
		}
	}
	return nil
}

// sentencesOf returns the sentences of a chunk, in order of id.
func sentencesOf(v engine.Reader, chunk engine.NodeID) ([]engine.Node, error) {
	t, ok := v.NodeType(typeSentence)
	if !ok {
		return nil, nil
	}
	said, err := graph.Contributed(v, chunk)
	if err != nil {
		return nil, err
	}
	var ids []engine.NodeID
	for _, target := range said {
		if target.Type == 0 {
			ids = append(ids, target.Node)
		}
	}
	slices.Sort(ids)
	nodes, err := graph.Read(v, ids)
	return slices.DeleteFunc(nodes, func(n engine.Node) bool { return n.Type != t }), err
}
