package noderag

import (
	"context"
	"encoding/binary"
	"fmt"
	"iter"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/llm"
)

// nearStage stores which of T, S, A and H are linked on the lowest level of the
// vectors' graph (spec A.2.9): an edge of weight 1 for each pair of which one
// has the other, which makes an edge that was there before 1 heavier.
type nearStage struct {
	s     *System
	model llm.SpaceInfo
}

// Name implements [rag.Stage].
func (st *nearStage) Name() string { return "near" }

// Graph implements [rag.Stage].
func (st *nearStage) Graph() *engine.Graph { return st.s.g }

// Items implements [rag.Stage]: one item, pending while the vectors are not
// those that were linked.
func (st *nearStage) Items(ctx context.Context, s *engine.Snapshot) iter.Seq2[rag.WorkItem, error] {
	return func(yield func(rag.WorkItem, error) bool) {
		digest, err := st.digest(s.Graph(st.s.g).WithContext(ctx))
		yield(rag.WorkItem{Key: "all", Digest: digest}, err)
	}
}

// digest identifies the vectors: the text of a node never changes, but the node
// does.
func (st *nearStage) digest(v *engine.View) ([32]byte, error) {
	var ids []byte
	for _, name := range []string{typeText, typeUnit, typeAttribute, typeElement} {
		for id, err := range graph.Nodes(v, name) {
			if err != nil {
				return [32]byte{}, err
			}
			ids = binary.AppendUvarint(ids, uint64(id))
		}
		ids = append(ids, 0)
	}
	return rag.Digest("near", st.model.Model, string(ids)), nil
}

// Do implements [rag.Stage]: it settles the vectors' graph, and returns its
// pairs as u64s.
func (st *nearStage) Do(ctx context.Context, s *engine.Snapshot, _ *rag.Models, _ rag.WorkItem) ([]byte, error) {
	space := spaceOf(st.model.Model)
	if _, err := s.Graph(st.s.g).SpaceInfo(space); isMissing(err) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	db := st.s.c.DB
	if err := db.SettleSpace(ctx, st.s.g, space); err != nil {
		return nil, err
	}
	var out []byte
	err := db.View(ctx, func(now *engine.Snapshot) error {
		vecs, err := now.Graph(st.s.g).WithContext(ctx).Vectors(space)
		if err != nil {
			return err
		}
		for link, err := range vecs.Links(ctx) {
			if err != nil {
				return err
			}
			out = binary.BigEndian.AppendUint64(out, link.A)
			out = binary.BigEndian.AppendUint64(out, link.B)
		}
		return nil
	})
	return out, err
}

// Apply implements [rag.Stage].
func (st *nearStage) Apply(_ context.Context, tx *engine.Tx, _ rag.WorkItem, result []byte) error {
	if len(result)%16 != 0 {
		return fmt.Errorf("malformed pairs")
	}
	pairs := make([][2]engine.NodeID, 0, len(result)/16)
	for ; len(result) > 0; result = result[16:] {
		pairs = append(pairs, [2]engine.NodeID{
			engine.NodeID(binary.BigEndian.Uint64(result)), engine.NodeID(binary.BigEndian.Uint64(result[8:])),
		})
	}
	return replaceEdges(tx.Graph(st.s.g), edgeNear, pairs)
}
