package ketrag

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/internal/queue"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/vecindex"
)

// keywordStage enters chunks into the method's graph with their keywords
// (spec B2.6, Alg. 3).
type keywordStage struct {
	graph.Stage
	s     *system
	model llm.SpaceInfo

	// What Apply gathers for Flush.
	sums map[engine.NodeID]*wordSum
	// What the stage knows of the store, being the one that writes it: the
	// nodes of keywords, and stored sums up to keptShare.
	ids  map[string]engine.NodeID
	kept map[engine.NodeID]*wordSum
}

// keptShare is the part of the memory budget, one in so many, up to which stored sums are
// kept in memory while keywords are entered, each of about keptBytes.
const (
	keptShare = 16
	keptBytes = 4 << 10
)

func (s *system) keywords(m *method.Models) *keywordStage {
	return &keywordStage{
		Stage: graph.NewStage("keywords", s.g), s: s, model: m.DocumentSpace(), sums: map[engine.NodeID]*wordSum{},
		ids: map[string]engine.NodeID{}, kept: map[engine.NodeID]*wordSum{},
	}
}

// digest is what a chunk's keywords depend on beside its text.
func (st *keywordStage) digest() [32]byte {
	return method.Digest("keywords", st.model.Model, fmt.Sprint(st.s.p.Compat))
}

// Items implements [method.Stage]: the chunks of the set.
func (st *keywordStage) Items(ctx context.Context, s *engine.Snapshot) iter.Seq2[method.WorkItem, error] {
	return st.growth().All(s.Graph(st.s.c.Base()).WithContext(ctx))
}

// growth says that the words of a chunk depend on it alone.
func (st *keywordStage) growth() *queue.Growth {
	digest := st.digest()
	return &queue.Growth{
		Graph: st.s.c.Base(), Type: method.ChunkType(st.s.p.Chunks), Digest: digest,
		Items: func(v *engine.View, ids []engine.NodeID) ([]method.WorkItem, error) {
			out := make([]method.WorkItem, len(ids))
			return out, v.EachNode(ids, func(i int, n engine.Node) error {
				out[i] = method.WorkItem{Key: n.Key, Digest: digest, Node: n.ID}
				return nil
			})
		},
	}
}

// Do implements [method.Stage]: the sentences' vectors, and which words stand in
// which. The result is the words as JSON, then the vectors.
func (st *keywordStage) Do(ctx context.Context, s *engine.Snapshot, m *method.Models, w method.WorkItem) ([]byte, error) {
	base := s.Graph(st.s.c.Base()).WithContext(ctx)
	ch, err := st.s.c.ChunkByKey(base, st.s.p.Chunks, w.Key)
	if err != nil {
		return nil, err
	}
	own, err := graph.ChunkVector(ctx, base, st.s.p.Chunks, st.model.Model, ch.ID)
	if err != nil {
		return nil, err
	}
	sentences, words := st.s.words(ch.Text)
	embedded, err := m.Embed(ctx, []string{ch.Doc}, sentences)
	if err != nil {
		return nil, err
	}
	return encodeWords(chunkWords{Tokens: ch.Tokens, Vector: own, Words: words}, embedded)
}

// addWord adds to the sum of a key the sentences that a word stands in, n times
// each; those without a vector do not count, and a word of none has no sum.
func addWord[K comparable](sums map[K]*wordSum, key K, w chunkWord, sentences [][]int64, n int64) {
	for _, i := range w.In {
		if sentences[i] == nil {
			continue
		}
		if sums[key] == nil {
			sums[key] = &wordSum{}
		}
		sums[key].add(sentences[i], n)
	}
}

// Apply implements [method.Stage].
func (st *keywordStage) Apply(_ context.Context, tx *engine.Tx, w method.WorkItem, result []byte) error {
	cw, sentences, err := decodeWords(result)
	if err != nil {
		return err
	}
	v := tx.Graph(st.s.g)
	chunkType, err := v.MakeNodeType(method.ChunkNodeType)
	if err != nil {
		return err
	}
	keyword, err := v.MakeNodeType(typeKeyword)
	if err != nil {
		return err
	}
	contains, err := v.MakeEdgeType(edgeContains, false)
	if err != nil {
		return err
	}
	id, _, err := v.PutNode(chunkType, w.Key, engine.Props{propTokens: engine.Int(int64(cw.Tokens))})
	if err != nil {
		return err
	}
	if cw.Vector != nil {
		space := spaceOf(method.ChunkNodeType, st.model.Model)
		if err := method.MakeSpace(v, space, st.model, vecindex.Cosine); err != nil {
			return err
		}
		if err := v.PutVector(space, id, cw.Vector); err != nil {
			return err
		}
	}
	fixed := allFixed(sentences)
	var unknown []string
	for _, word := range cw.Words {
		if st.ids[word.Key] == 0 {
			unknown = append(unknown, word.Key)
		}
	}
	if err := v.ReadAhead(keyword, unknown); err != nil {
		return err
	}
	for _, word := range cw.Words {
		k, ok := st.ids[word.Key]
		if !ok {
			if k, _, err = v.DeriveNode(keyword, word.Key); err != nil {
				return err
			}
			st.ids[word.Key] = k
		}
		said := engine.Contribution{Count: uint32(len(word.In)), Label: word.Surface}
		if err := v.Contribute(id, engine.NodeTarget(k), said); err != nil {
			return err
		}
		if err := v.AddEdge(k, id, contains, 1); err != nil {
			return err
		}
		addWord(st.sums, k, word, fixed, 1)
	}
	return nil
}

// pending is that of [method.Batch]: a sum for each keyword.
func (st *keywordStage) pending() int { return len(st.sums) * st.model.Dim * 6 }

// flush is that of [method.Batch].
func (st *keywordStage) flush(_ context.Context, tx *engine.Tx) error {
	err := st.s.addSums(tx.Graph(st.s.g), st.model, st.sums, st.kept)
	clear(st.sums)
	if int64(len(st.kept))*keptBytes > st.s.g.DB().MemoryBudget()/keptShare {
		clear(st.kept)
	}
	return err
}

// reset is that of [method.Batch].
func (st *keywordStage) reset() {
	clear(st.sums)
	clear(st.ids)
	clear(st.kept)
}

// addSums adds to the stored sums of keywords and notes that their vectors are
// to be made again. A keyword whose sum comes to nothing loses both. kept are
// stored sums in memory, which it keeps current; nil for none.
func (s *system) addSums(v *engine.TxView, model llm.SpaceInfo, sums, kept map[engine.NodeID]*wordSum) error {
	if len(sums) == 0 {
		return nil
	}
	bucket, err := v.MakeBucket(sumsOf(model.Model))
	if err != nil {
		return err
	}
	stale, err := v.MakeBucket(staleOf(model.Model))
	if err != nil {
		return err
	}
	ids := make([]engine.NodeID, 0, len(sums))
	for id := range sums {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for some := range slices.Chunk(ids, sumsAtOnce) {
		stored, err := storedSums(bucket.Bucket, some, kept, model.Dim)
		if err != nil {
			return err
		}
		for _, id := range some {
			sum := stored[id]
			if sum == nil {
				sum = &wordSum{}
			}
			sum.addSum(sums[id])
			key := binary.BigEndian.AppendUint64(nil, uint64(id))
			if sum.count > 0 {
				err = errors.Join(bucket.Set(key, sum.append(nil)), stale.Set(key, nil))
			} else {
				err = errors.Join(bucket.Delete(key), stale.Set(key, nil))
			}
			if err != nil {
				return err
			}
			if kept != nil {
				kept[id] = sum
			}
		}
	}
	return nil
}

// sumsAtOnce is how many sums are read together.
const sumsAtOnce = 1024

// storedSums returns the sums of keywords that have one: those in kept, and the others as
// they are stored.
func storedSums(b engine.Bucket, ids []engine.NodeID, kept map[engine.NodeID]*wordSum, dim int) (map[engine.NodeID]*wordSum, error) {
	out := map[engine.NodeID]*wordSum{}
	var keys [][]byte
	var of []engine.NodeID
	for _, id := range ids {
		if sum := kept[id]; sum != nil {
			out[id] = sum
			continue
		}
		keys, of = append(keys, binary.BigEndian.AppendUint64(nil, uint64(id))), append(of, id)
	}
	return out, b.MultiGet(keys, func(i int, raw []byte) (err error) {
		out[of[i]], err = readSum(raw, dim)
		return err
	})
}
