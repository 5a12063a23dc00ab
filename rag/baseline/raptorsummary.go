package baseline

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/encoded"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/vecindex"
)

// leafStage enters chunks into the graph with their vectors.
type leafStage struct {
	graph.Stage
	s     *raptor
	model llm.SpaceInfo
}

// Items implements [method.Stage]: the chunks of the set.
func (st *leafStage) Items(ctx context.Context, s *engine.Snapshot) iter.Seq2[method.WorkItem, error] {
	digest := method.Digest("leaf", st.model.Model)
	return func(yield func(method.WorkItem, error) bool) {
		for ch, err := range st.s.c.Chunks(s.Graph(st.s.c.Base()).WithContext(ctx), st.s.ChunkSet()) {
			if !yield(method.WorkItem{Key: ch.Key, Digest: digest}, err) || err != nil {
				return
			}
		}
	}
}

// Do implements [method.Stage]: the chunk's tokens, and its vector in the base
// graph.
func (st *leafStage) Do(ctx context.Context, s *engine.Snapshot, _ *method.Models, w method.WorkItem) ([]byte, error) {
	base := s.Graph(st.s.c.Base()).WithContext(ctx)
	ch, err := st.s.c.ChunkByKey(base, st.s.ChunkSet(), w.Key)
	if err != nil {
		return nil, err
	}
	vec, err := graph.ChunkVector(ctx, base, st.s.ChunkSet(), st.model.Model, ch.ID)
	if err != nil {
		return nil, err
	}
	return encoded.AppendVector(binary.BigEndian.AppendUint64(nil, uint64(ch.Tokens)), vec), nil
}

// Apply implements [method.Stage].
func (st *leafStage) Apply(_ context.Context, tx *engine.Tx, w method.WorkItem, result []byte) error {
	if len(result) < 8 {
		return errors.New("malformed leaf")
	}
	v := tx.Graph(st.s.g)
	t, err := v.MakeNodeType(method.ChunkNodeType)
	if err != nil {
		return err
	}
	tokens := int64(binary.BigEndian.Uint64(result))
	id, _, err := v.PutNode(t, w.Key, engine.Props{propTokens: engine.Int(tokens)})
	if err != nil {
		return err
	}
	return putTreeVector(v, st.model, id, encoded.ReadVector(result[8:]))
}

func putTreeVector(v *engine.TxView, model llm.SpaceInfo, id engine.NodeID, vec []float32) error {
	if vec == nil {
		return nil
	}
	space := spaceOf(spaceTree, model.Model)
	if err := method.MakeSpace(v, space, model, vecindex.Cosine); err != nil {
		return err
	}
	return v.PutVector(space, id, vec)
}

// summaryStage makes the summaries of the clusters of the layer below.
type summaryStage struct {
	graph.Stage
	s     *raptor
	layer int
	model llm.SpaceInfo
	// listed are the clusters that Items has yielded.
	listed map[string]cluster
}

// Items implements [method.Stage]: an item a cluster.
func (st *summaryStage) Items(ctx context.Context, s *engine.Snapshot) iter.Seq2[method.WorkItem, error] {
	return func(yield func(method.WorkItem, error) bool) {
		all, err := readClusters(s.Graph(st.s.g).WithContext(ctx), st.layer-1)
		if err != nil {
			yield(method.WorkItem{}, err)
			return
		}
		st.listed = map[string]cluster{}
		for _, c := range all {
			st.listed[summaryItem(c.Key)] = c
		}
		for _, c := range all {
			w := method.WorkItem{Key: summaryItem(c.Key), Digest: method.Digest("summary", st.model.Model, fmt.Sprint(c.Members))}
			if !yield(w, nil) {
				return
			}
		}
	}
}

// summed is a summary with its vector.
type summed struct {
	Text   string    `json:"text"`
	Vector []float32 `json:"vector"`
}

// Do implements [method.Stage].
func (st *summaryStage) Do(ctx context.Context, s *engine.Snapshot, m *method.Models, w method.WorkItem) ([]byte, error) {
	v := s.Graph(st.s.g).WithContext(ctx)
	var texts, from []string
	for _, id := range st.listed[w.Key].Members {
		n, err := v.Node(id)
		if err != nil {
			return nil, err
		}
		says, source, err := st.s.textOf(ctx, s, n)
		if err != nil {
			return nil, err
		}
		texts = append(texts, says)
		if !slices.Contains(from, source) {
			from = append(from, source)
		}
	}
	t := llm.Task{Kind: llm.Summarise, Input: llm.SummariseInput{Texts: texts, MaxTokens: st.s.tokens}}
	reply, err := m.Do(ctx, st.s.Instance()+"/"+w.Key, from, t)
	if err != nil {
		return nil, err
	}
	out := summed{Text: strings.TrimSpace(reply.Text)}
	if out.Text == "" {
		return nil, errors.New("the summary is empty")
	}
	vecs, err := m.Embed(ctx, from, []string{out.Text})
	if err != nil {
		return nil, err
	}
	out.Vector = vecs[0]
	return json.Marshal(out)
}

// Apply implements [method.Stage].
func (st *summaryStage) Apply(_ context.Context, tx *engine.Tx, w method.WorkItem, result []byte) error {
	var made summed
	if err := json.Unmarshal(result, &made); err != nil {
		return err
	}
	v, c := tx.Graph(st.s.g), st.listed[w.Key]
	t, err := v.MakeNodeType(typeSummary)
	if err != nil {
		return err
	}
	id, _, err := v.DeriveNode(t, c.Key)
	if err != nil {
		return err
	}
	for _, member := range c.Members {
		if err := v.Contribute(member, engine.NodeTarget(id), engine.Contribution{Count: 1}); err != nil {
			return err
		}
	}
	err = v.SetProps(id, engine.Props{
		propText: engine.String(made.Text), propLayer: engine.Int(int64(st.layer)),
		propTokens: engine.Int(int64(st.s.c.Tokens().Count(made.Text))),
	})
	if err != nil {
		return err
	}
	return putTreeVector(v, st.model, id, made.Vector)
}
