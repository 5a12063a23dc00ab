package ketrag

import (
	"context"
	"maps"
	"slices"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/internal/knowledge"
	"github.com/ragdb/ragdb/rag/method"
)

// changed is [method.System.Changed]: it takes the sentences of chunks that leave
// out of the sums of their keywords. What else the chunks supported goes with
// their nodes.
func (s *system) changed(ctx context.Context, m *method.Models, gone []method.Chunk) (func(context.Context, *engine.Tx) error, error) {
	st := s.keywords(m)
	entered := map[string]bool{}
	err := s.c.DB().View(ctx, func(snap *engine.Snapshot) error {
		for _, ch := range gone {
			ok, err := method.Step{Stage: st}.IsDone(snap, method.WorkItem{Key: ch.Key, Digest: st.digest()})
			if err != nil {
				return err
			}
			entered[ch.Key] = ok
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	sums := map[string]*wordSum{}
	for _, ch := range gone {
		if !entered[ch.Key] {
			continue
		}
		sentences, words := s.words(ch.Text)
		vecs, err := m.Embed(ctx, nil, sentences)
		if err != nil {
			return nil, err
		}
		fixed := allFixed(vecs)
		for _, w := range words {
			addWord(sums, w.Key, w, fixed, -1)
		}
	}
	return func(_ context.Context, tx *engine.Tx) error {
		v := tx.Graph(s.g)
		chunks, err := graph.Chunks(v, gone)
		if err != nil {
			return err
		}
		if err := s.lose(v, chunks); err != nil {
			return err
		}
		skeleton, chosen := v.NodeType(typeSkeleton)
		for _, ch := range gone {
			if err := knowledge.Forget(v, ch); err != nil {
				return err
			}
			if !chosen {
				continue
			}
			id, err := v.Lookup(skeleton, ch.Key)
			if graph.IsMissing(err) {
				continue
			}
			if err != nil {
				return err
			}
			said, err := graph.Contributed(v, id)
			if err != nil {
				return err
			}
			if err := knowledge.Undescribe(v, said); err != nil {
				return err
			}
		}
		keyword, ok := v.NodeType(typeKeyword)
		if !ok {
			return nil
		}
		byID := map[engine.NodeID]*wordSum{}
		for key, sum := range sums {
			id, err := v.Lookup(keyword, key)
			if err != nil {
				return err
			}
			byID[id] = &wordSum{count: sum.count, sum: slices.Clone(sum.sum)}
		}
		if err := s.addSums(v, st.model, byID, nil); err != nil {
			return err
		}
		// At once, so that no vector tells of what has left.
		return s.renew(v, st.model, slices.Sorted(maps.Keys(byID)))
	}, nil
}

// reread is [method.System.Reread]. The chunks keep their nodes, whose order decides
// between chunks that are as central, and so the core stays.
func (s *system) reread(tx *engine.Tx, chunks []method.Chunk) error {
	keys := make([]string, len(chunks))
	for i, ch := range chunks {
		keys[i] = ch.Key
	}
	return s.extract().ForgetTexts(tx, keys)
}
