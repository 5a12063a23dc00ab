package baseline

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"sync"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/internal/queue"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/vecindex"
)

// synonymStage joins entities whose names are near by vector (Gutierrez et al.,
// "HippoRAG: Neurobiologically Inspired Long-Term Memory for Large Language
// Models", 2024, section 2.3).
type synonymStage struct {
	graph.Stage
	s     *openIE
	model llm.SpaceInfo

	settling  sync.Once // a run
	unsettled error
	looked    int // entities that Items was asked for last
}

// maxSynonyms bounds the synonyms that one entity is joined to when it comes,
// as the reference does; fewSynonyms are looked for first. exactSynonyms is the
// number of entities up to which they are found exactly, and beyond by the
// index of their vectors: if there are more, an edge may be missing, and
// which one depends on the order in which documents came.
const (
	maxSynonyms   = 100
	fewSynonyms   = 8
	exactSynonyms = 1_000
	// few entities that come to many find theirs exactly too: to link the index would
	// look at all names, for each of them.
	fewNew = 256
)

// settle links the vectors of names: a search among such as are not linked yet
// compares them all.
func (st *synonymStage) settle(ctx context.Context) error {
	st.settling.Do(func() { st.unsettled = st.s.c.DB().SettleSpace(ctx, st.s.g, spaceOf(spaceName, st.model.Model)) })
	return st.unsettled
}

// ofModel is the item that begins with another model's synonyms removed.
const ofModel = "model"

// Items implements [method.Stage]: the model, and each entity. Cosines are of two
// sides, so that an entity that comes finds those before it.
func (st *synonymStage) Items(ctx context.Context, s *engine.Snapshot) iter.Seq2[method.WorkItem, error] {
	return st.growth().All(s.Graph(st.s.g).WithContext(ctx))
}

// growth says that the synonyms of an entity are looked for once.
func (st *synonymStage) growth() *queue.Growth {
	digest := method.Digest("synonyms", st.model.Model)
	return &queue.Growth{Graph: st.s.g, Type: typeEntity, Digest: digest, Together: true, Items: func(_ *engine.View, ids []engine.NodeID) ([]method.WorkItem, error) {
		st.looked = len(ids)
		out := []method.WorkItem{{Key: ofModel, Digest: digest}}
		for _, id := range ids {
			out = append(out, method.WorkItem{Key: graph.NodeItem(id), Digest: digest, Node: id})
		}
		return out, nil
	}}
}

// Do implements [method.Stage].
func (st *synonymStage) Do(ctx context.Context, s *engine.Snapshot, _ *method.Models, w method.WorkItem) ([]byte, error) {
	if w.Key == ofModel {
		return nil, nil
	}
	id, err := graph.ItemNode(w.Key)
	if err != nil {
		return nil, err
	}
	near, err := st.near(ctx, s, id)
	if err != nil {
		return nil, err
	}
	return json.Marshal(near)
}

// near returns the synonyms of an entity.
func (st *synonymStage) near(ctx context.Context, s *engine.Snapshot, id engine.NodeID) ([]engine.Edge, error) {
	vecs, err := s.Graph(st.s.g).WithContext(ctx).Vectors(spaceOf(spaceName, st.model.Model))
	if graph.IsMissing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if vecs.Len() <= exactSynonyms || st.looked <= fewNew {
		return st.search(ctx, vecs, id, true)
	}
	if err := st.settle(ctx); err != nil {
		return nil, err
	}
	// The links are in a later snapshot. Names do not change meanwhile.
	var out []engine.Edge
	err = st.s.c.DB().View(ctx, func(now *engine.Snapshot) error {
		vecs, err := now.Graph(st.s.g).WithContext(ctx).Vectors(spaceOf(spaceName, st.model.Model))
		if err == nil {
			out, err = st.search(ctx, vecs, id, false)
		}
		return err
	})
	return out, err
}

func (st *synonymStage) search(ctx context.Context, vecs *vecindex.View, id engine.NodeID, exact bool) ([]engine.Edge, error) {
	vec, err := vecs.Vector(ctx, uint64(id), nil)
	if graph.IsMissing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var near []vecindex.Hit
	for _, k := range []int{fewSynonyms, maxSynonyms} {
		near, err = vecs.Search(ctx, vecindex.Search{Vector: vec, K: k + 1, Exact: exact}, near[:0])
		if err != nil {
			return nil, err
		}
		if len(near) <= k || float64(near[k].Score) < st.s.threshold {
			break
		}
	}
	var out []engine.Edge
	for _, h := range near {
		if h.ID != uint64(id) && float64(h.Score) >= st.s.threshold {
			out = append(out, engine.Edge{From: id, To: engine.NodeID(h.ID), Weight: h.Score})
		}
	}
	return out, nil
}

// Apply implements [method.Stage].
func (st *synonymStage) Apply(_ context.Context, tx *engine.Tx, w method.WorkItem, result []byte) error {
	v := tx.Graph(st.s.g)
	t, err := v.MakeEdgeType(edgeSynonym, false)
	if err != nil {
		return err
	}
	if w.Key == ofModel {
		return removeAll(v, t)
	}
	var near []engine.Edge
	if len(result) > 0 {
		if err := json.Unmarshal(result, &near); err != nil {
			return fmt.Errorf("synonyms: %w", err)
		}
	}
	for _, e := range near {
		if err := v.AddEdge(e.From, e.To, t, e.Weight); err != nil {
			return err
		}
	}
	return nil
}

// removeAll removes the edges of a type.
func removeAll(v *engine.TxView, t engine.EdgeType) error {
	var all []engine.Edge
	for e, err := range v.Edges(engine.EdgeFilter{Types: []engine.EdgeType{t}}) {
		if err != nil {
			return err
		}
		all = append(all, e)
	}
	for _, e := range all {
		if err := v.RemoveEdge(engine.Edge{From: e.From, To: e.To, Type: t}); err != nil {
			return err
		}
	}
	return nil
}
