package ketrag

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/ragdb/ragdb/engine"
	etext "github.com/ragdb/ragdb/engine/text"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/text"
	"github.com/ragdb/ragdb/vecindex"
)

// keywordStage enters chunks into the method's graph with their keywords
// (spec B2.6, Alg. 3).
type keywordStage struct {
	s     *System
	model llm.SpaceInfo

	// What Apply gathers for Flush.
	sums map[engine.NodeID]*wordSum
	// What the stage knows of the store, being the one that writes it: the
	// nodes of keywords, and stored sums up to keptSums.
	ids  map[string]engine.NodeID
	kept map[engine.NodeID]*wordSum
}

// keptSums bounds the stored sums that are kept in memory while keywords are
// entered: about 32 MB.
const keptSums = 8_000

func (s *System) keywords(m *rag.Models) *keywordStage {
	return &keywordStage{
		s: s, model: m.Documents.Space(), sums: map[engine.NodeID]*wordSum{},
		ids: map[string]engine.NodeID{}, kept: map[engine.NodeID]*wordSum{},
	}
}

// Name implements [rag.Stage].
func (st *keywordStage) Name() string { return "keywords" }

// Graph implements [rag.Stage].
func (st *keywordStage) Graph() *engine.Graph { return st.s.g }

// digest is what a chunk's keywords depend on beside its text.
func (st *keywordStage) digest() [32]byte {
	return rag.Digest("keywords", st.model.Model, fmt.Sprint(st.s.p.Compat))
}

// Items implements [rag.Stage]: the chunks of the set.
func (st *keywordStage) Items(ctx context.Context, s *engine.Snapshot) iter.Seq2[rag.WorkItem, error] {
	digest := st.digest()
	return func(yield func(rag.WorkItem, error) bool) {
		for ch, err := range st.s.c.Chunks(s.Graph(st.s.c.Base).WithContext(ctx), st.s.p.Chunks) {
			if !yield(rag.WorkItem{Key: ch.Key, Digest: digest}, err) || err != nil {
				return
			}
		}
	}
}

// chunkWords is what the keyword stage learns of one chunk.
type chunkWords struct {
	Tokens int       `json:"tokens"`
	Vector []float32 `json:"-"`
	// Words are the keywords by key, in order of key.
	Words []chunkWord `json:"words"`
}

// chunkWord is one keyword of a chunk.
type chunkWord struct {
	Key     string `json:"k"`
	Surface string `json:"s"`
	// In are the sentences that it stands in, once for each occurrence.
	In []int `json:"i"`
}

// words reads the keywords of a text, sentence by sentence.
func (s *System) words(chunk string) (sentences []string, words []chunkWord) {
	at := map[string]int{}
	for i, sp := range text.Sentences(chunk) {
		sentence := chunk[sp.Start:sp.End]
		sentences = append(sentences, sentence)
		for w := range etext.Words(sentence) {
			key, surface := w.Text, sentence[w.Start:w.End]
			if s.p.Compat {
				// The code keeps the case, and its stop list has none.
				if key = surface; etext.IsStop(surface) {
					continue
				}
			} else if etext.IsStop(key) {
				continue
			}
			n, ok := at[key]
			if !ok {
				n = len(words)
				at[key] = n
				words = append(words, chunkWord{Key: key, Surface: surface})
			}
			words[n].In = append(words[n].In, i)
		}
	}
	slices.SortFunc(words, func(a, b chunkWord) int { return cmpString(a.Key, b.Key) })
	return sentences, words
}

func cmpString(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// Do implements [rag.Stage]: the sentences' vectors, and which words stand in
// which. The result is the words as JSON, then the vectors.
func (st *keywordStage) Do(ctx context.Context, s *engine.Snapshot, m *rag.Models, w rag.WorkItem) ([]byte, error) {
	base := s.Graph(st.s.c.Base).WithContext(ctx)
	ch, err := st.s.c.ChunkByKey(base, st.s.p.Chunks, w.Key)
	if err != nil {
		return nil, err
	}
	vecs, err := base.Vectors(rag.ChunkSpace(st.s.p.Chunks, st.model.Model))
	var own []float32
	if err == nil {
		own, err = vecs.Vector(ctx, uint64(ch.ID), nil)
	}
	if err != nil && !isMissing(err) {
		return nil, err
	}
	sentences, words := st.s.words(ch.Text)
	embedded, err := m.Embed(ctx, []string{ch.Doc}, sentences)
	if err != nil {
		return nil, err
	}
	return encodeWords(chunkWords{Tokens: ch.Tokens, Vector: own, Words: words}, embedded)
}

// encodeWords writes a result: the length of the JSON, the JSON, and the
// chunk's and its sentences' vectors.
func encodeWords(cw chunkWords, sentences [][]float32) ([]byte, error) {
	head, err := json.Marshal(cw)
	if err != nil {
		return nil, err
	}
	out := append(binary.AppendUvarint(nil, uint64(len(head))), head...)
	for _, v := range append([][]float32{cw.Vector}, sentences...) {
		out = binary.AppendUvarint(out, uint64(len(v)))
		out = rag.AppendVector(out, v)
	}
	return out, nil
}

func decodeWords(b []byte) (cw chunkWords, sentences [][]float32, err error) {
	n, k := binary.Uvarint(b)
	if k <= 0 || n > uint64(len(b)-k) {
		return cw, nil, fmt.Errorf("malformed result of the keyword stage")
	}
	if err := json.Unmarshal(b[k:k+int(n)], &cw); err != nil {
		return cw, nil, err
	}
	for b = b[k+int(n):]; len(b) > 0; {
		n, k := binary.Uvarint(b)
		if k <= 0 || 4*n > uint64(len(b)-k) {
			return cw, nil, fmt.Errorf("malformed result of the keyword stage")
		}
		sentences = append(sentences, rag.ReadVector(b[k:k+4*int(n)]))
		b = b[k+4*int(n):]
	}
	if len(sentences) == 0 {
		return cw, nil, fmt.Errorf("malformed result of the keyword stage")
	}
	cw.Vector = sentences[0]
	return cw, sentences[1:], nil
}

// sumsByKey returns each keyword's sum over a chunk, scaled by sign.
func sumsByKey(cw chunkWords, sentences [][]float32, sign int64) map[string]*wordSum {
	fixed := make([][]int64, len(sentences))
	for i, v := range sentences {
		if v != nil {
			fixed[i] = toFixed(v)
		}
	}
	out := make(map[string]*wordSum, len(cw.Words))
	for _, w := range cw.Words {
		sum := &wordSum{}
		for _, i := range w.In {
			if fixed[i] != nil {
				sum.add(fixed[i], sign)
			}
		}
		out[w.Key] = sum
	}
	return out
}

// Apply implements [rag.Stage].
func (st *keywordStage) Apply(_ context.Context, tx *engine.Tx, w rag.WorkItem, result []byte) error {
	cw, sentences, err := decodeWords(result)
	if err != nil {
		return err
	}
	v := tx.Graph(st.s.g)
	chunkType, err := v.MakeNodeType(rag.ChunkNodeType)
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
		space := spaceOf(rag.ChunkNodeType, st.model.Model)
		if err := rag.MakeSpace(v, space, st.model, vecindex.Cosine); err != nil {
			return err
		}
		if err := v.PutVector(space, id, cw.Vector); err != nil {
			return err
		}
	}
	sums := sumsByKey(cw, sentences, 1)
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
		if sums[word.Key].count == 0 {
			continue // its sentences have no vectors
		}
		if st.sums[k] == nil {
			st.sums[k] = &wordSum{}
		}
		st.sums[k].addSum(sums[word.Key])
	}
	return nil
}

// Pending implements [rag.Batcher]: a sum a keyword.
func (st *keywordStage) Pending() int { return len(st.sums) * st.model.Dim * 6 }

// Flush implements [rag.Batcher].
func (st *keywordStage) Flush(_ context.Context, tx *engine.Tx) error {
	err := st.s.addSums(tx.Graph(st.s.g), st.model, st.sums, st.kept)
	clear(st.sums)
	if len(st.kept) > keptSums {
		clear(st.kept)
	}
	return err
}

// addSums adds to the stored sums of keywords and notes that their vectors are
// to be made anew. A keyword whose sum comes to nothing loses both. kept are
// stored sums in memory, which it keeps current; nil for none.
func (s *System) addSums(v *engine.TxView, model llm.SpaceInfo, sums, kept map[engine.NodeID]*wordSum) error {
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
	var raw, key []byte
	for _, id := range ids {
		key = binary.BigEndian.AppendUint64(key[:0], uint64(id))
		sum := kept[id]
		if sum == nil {
			sum = &wordSum{}
			raw, err = bucket.Get(key, raw[:0])
			if err != nil && !isMissing(err) {
				return err
			}
			if err == nil {
				if sum, err = readSum(raw, model.Dim); err != nil {
					return err
				}
			}
		}
		sum.addSum(sums[id])
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
	return nil
}

// renew makes the vectors of keywords from their sums. A keyword without a sum,
// or whose sum is of vectors that cancel out, loses its vector.
func (s *System) renew(v *engine.TxView, model llm.SpaceInfo, ids []engine.NodeID) error {
	bucket, err := v.MakeBucket(sumsOf(model.Model))
	if err != nil {
		return err
	}
	stale, err := v.MakeBucket(staleOf(model.Model))
	if err != nil {
		return err
	}
	space := spaceOf(typeKeyword, model.Model)
	if err := rag.MakeSpace(v, space, model, vecindex.InnerProduct); err != nil {
		return err
	}
	var raw, key []byte
	for _, id := range ids {
		key = binary.BigEndian.AppendUint64(key[:0], uint64(id))
		if err := stale.Delete(key); err != nil {
			return err
		}
		raw, err = bucket.Get(key, raw[:0])
		if isMissing(err) {
			if err := v.DeleteVector(space, id); err != nil {
				return err
			}
			continue
		}
		if err != nil {
			return err
		}
		sum, err := readSum(raw, model.Dim)
		if err != nil {
			return err
		}
		if sum.zero() {
			err = v.DeleteVector(space, id)
		} else {
			err = v.PutVector(space, id, sum.mean())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Changed implements [rag.System]: it takes the sentences of chunks that leave
// out of the sums of their keywords. What else the chunks supported goes with
// their nodes.
func (s *System) Changed(ctx context.Context, m *rag.Models, gone []rag.Chunk) (func(context.Context, *engine.Tx) error, error) {
	st := s.keywords(m)
	entered := map[string]bool{}
	err := s.c.DB.View(ctx, func(snap *engine.Snapshot) error {
		for _, ch := range gone {
			ok, err := rag.IsDone(snap, st, rag.WorkItem{Key: ch.Key, Digest: st.digest()})
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
		for key, sum := range sumsByKey(chunkWords{Words: words}, vecs, -1) {
			if sum.count == 0 {
				continue
			}
			if sums[key] == nil {
				sums[key] = &wordSum{}
			}
			sums[key].addSum(sum)
		}
	}
	return func(_ context.Context, tx *engine.Tx) error {
		v := tx.Graph(s.g)
		skeleton, chosen := v.NodeType(typeSkeleton)
		for _, ch := range gone {
			if err := rag.ForgetJobs(v, unitKey(ch.Key)); err != nil {
				return err
			}
			if !chosen {
				continue
			}
			id, err := v.Lookup(skeleton, ch.Key)
			if isMissing(err) {
				continue
			}
			if err != nil {
				return err
			}
			said, err := contributed(v, id)
			if err != nil {
				return err
			}
			if err := s.undescribe(v, said); err != nil {
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
