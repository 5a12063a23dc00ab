package erarag

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
	"github.com/ragdb/ragdb/rag/internal/encoded"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
)

// planeStage draws the hyperplanes of a model's tree, once.
type planeStage struct {
	graph.Stage
	s     *system
	model llm.SpaceInfo
}

// Items implements [method.Stage]: one item if the tree has no planes.
func (st *planeStage) Items(ctx context.Context, s *engine.Snapshot) iter.Seq2[method.WorkItem, error] {
	return func(yield func(method.WorkItem, error) bool) {
		ok, err := st.s.tree(s.Graph(st.s.g).WithContext(ctx), treeName(st.model)).Has([]byte{'h'})
		if err == nil && ok {
			return
		}
		yield(method.WorkItem{Key: "planes", Digest: method.Digest(st.model.Model, fmt.Sprint(s.Epoch()))}, err)
	}
}

// Do implements [method.Stage].
func (st *planeStage) Do(ctx context.Context, s *engine.Snapshot, _ *method.Models, _ method.WorkItem) ([]byte, error) {
	var center []float32
	if st.s.p.Center {
		var err error
		if center, err = st.mean(ctx, s); err != nil {
			return nil, err
		}
	}
	h, err := graphops.NewHyperplanes(st.model.Dim, st.s.p.Planes, st.s.p.Seed, center)
	if err != nil {
		return nil, err
	}
	return h.MarshalBinary()
}

// mean returns the mean of the chunks' vectors, nil if there are none.
func (st *planeStage) mean(ctx context.Context, s *engine.Snapshot) ([]float32, error) {
	vecs, err := s.Graph(st.s.c.Base()).WithContext(ctx).Vectors(method.ChunkSpace(st.s.p.Chunks, st.model.Model))
	if graph.IsMissing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	sum, n := make([]float64, st.model.Dim), 0
	for e, err := range vecs.All(ctx) {
		if err != nil {
			return nil, err
		}
		for i, x := range e.Vector {
			sum[i] += float64(x)
		}
		n++
	}
	if n == 0 {
		return nil, nil
	}
	out := make([]float32, len(sum))
	for i, x := range sum {
		out[i] = float32(x / float64(n))
	}
	return out, nil
}

// Apply implements [method.Stage].
func (st *planeStage) Apply(_ context.Context, tx *engine.Tx, _ method.WorkItem, result []byte) error {
	t, err := st.s.change(tx, treeName(st.model))
	if err != nil {
		return err
	}
	trees, err := t.v.MakeBucket(bucketTrees)
	if err == nil {
		err = trees.Set([]byte(t.name), nil)
	}
	if err != nil {
		return err
	}
	return t.w.Set([]byte{'h'}, result)
}

// planes are a tree's hyperplanes, read once a run. They are safe for
// concurrent use.
type planes struct {
	s    *system
	tree string

	mu sync.Mutex // guards h
	h  *graphops.Hyperplanes
}

// code returns the code of a vector; that of none is 0.
func (p *planes) code(v engine.Reader, vec []float32) (uint64, error) {
	if vec == nil {
		return 0, nil
	}
	h, err := p.load(v)
	if err != nil {
		return 0, err
	}
	return h.Code(vec)
}

func (p *planes) load(v engine.Reader) (*graphops.Hyperplanes, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.h != nil {
		return p.h, nil
	}
	b, err := p.s.tree(v, p.tree).Get([]byte{'h'}, nil)
	if err != nil {
		return nil, fmt.Errorf("hyperplanes: %w", err)
	}
	h := &graphops.Hyperplanes{}
	if err := h.UnmarshalBinary(b); err != nil {
		return nil, err
	}
	p.h = h
	return h, nil
}

// leafStage enters chunks into the method's graph, as the leaves of the tree.
type leafStage struct {
	graph.Stage
	s      *system
	model  llm.SpaceInfo
	planes *planes
}

// Items implements [method.Stage]: the chunks of the set that are not entered, as
// a difference of bitmaps. If the tree has no vectors by the model yet, it is those
// whose leaves have none, too.
func (st *leafStage) Items(ctx context.Context, s *engine.Snapshot) iter.Seq2[method.WorkItem, error] {
	return func(yield func(method.WorkItem, error) bool) {
		base := s.Graph(st.s.c.Base()).WithContext(ctx)
		typ, ok := base.NodeType(method.ChunkType(st.s.p.Chunks))
		if !ok {
			return
		}
		left, err := base.Nodes(typ)
		if err != nil {
			yield(method.WorkItem{}, err)
			return
		}
		v := s.Graph(st.s.g).WithContext(ctx)
		t := st.s.tree(v, treeName(st.model))
		entered, err := t.entered()
		if err != nil {
			yield(method.WorkItem{}, err)
			return
		}
		digest := method.Digest("leaf", st.model.Model)
		embedded, err := t.embedded(v, st.model)
		if err != nil {
			yield(method.WorkItem{}, err)
			return
		}
		if embedded {
			left.AndNot(entered)
		} else {
			digest = method.Digest("leaf", st.model.Model, fmt.Sprint(s.Epoch()))
		}
		for it := left.Iterator(); it.HasNext(); {
			n, err := base.Node(engine.NodeID(it.Next()))
			if !yield(method.WorkItem{Key: n.Key, Digest: digest}, err) || err != nil {
				return
			}
		}
	}
}

// entered returns the base graph's chunks that the tree has.
func (t *tree) entered() (*roaring.Bitmap, error) {
	out := roaring.New()
	for e, err := range t.Prefix([]byte{'e'}) {
		if err != nil {
			return nil, err
		}
		low, err := readBitmap(e.Value)
		if err != nil || len(e.Key) != 3 {
			return nil, errors.Join(fmt.Errorf("entered chunks: %w", engine.ErrCorrupt), err)
		}
		high := uint32(binary.BigEndian.Uint16(e.Key[1:])) << 16
		for it := low.Iterator(); it.HasNext(); {
			out.Add(high | it.Next())
		}
	}
	return out, nil
}

// readBitmap reads a bitmap that may be changed.
func readBitmap(b []byte) (*roaring.Bitmap, error) {
	set := roaring.New()
	return set, set.UnmarshalBinary(slices.Clone(b))
}

// setEntered notes whether the tree has a chunk of the base graph.
func (t *treeTx) setEntered(id engine.NodeID, has bool) error {
	key := binary.BigEndian.AppendUint16([]byte{'e'}, uint16(id>>16))
	set := roaring.New()
	b, err := t.Get(key, nil)
	if err != nil && !graph.IsMissing(err) {
		return err
	}
	if err == nil {
		if set, err = readBitmap(b); err != nil {
			return err
		}
	}
	if low := uint32(id) & 0xFFFF; has {
		set.Add(low)
	} else {
		set.Remove(low)
	}
	if set.IsEmpty() {
		return t.w.Delete(key)
	}
	if b, err = set.MarshalBinary(); err != nil {
		return err
	}
	return t.w.Set(key, b)
}

// leaf is what the leaf stage finds of a chunk.
type leaf struct {
	base   engine.NodeID
	tokens int
	code   uint64
	vec    []float32 // nil if there is nothing to embed
}

// leafHead is the size of what stands before the vector in a result.
const leafHead = 24

func (l *leaf) append(dst []byte) []byte {
	for _, x := range []uint64{uint64(l.base), uint64(l.tokens), l.code} {
		dst = binary.BigEndian.AppendUint64(dst, x)
	}
	return encoded.AppendVector(dst, l.vec)
}

func readLeaf(b []byte) (l leaf, err error) {
	if len(b) < leafHead {
		return l, errors.New("malformed result of the leaf stage")
	}
	return leaf{
		base: engine.NodeID(binary.BigEndian.Uint64(b)), tokens: int(binary.BigEndian.Uint64(b[8:])),
		code: binary.BigEndian.Uint64(b[16:]), vec: encoded.ReadVector(b[leafHead:]),
	}, nil
}

// Do implements [method.Stage]: the chunk's vector and its code.
func (st *leafStage) Do(ctx context.Context, s *engine.Snapshot, _ *method.Models, w method.WorkItem) ([]byte, error) {
	base := s.Graph(st.s.c.Base()).WithContext(ctx)
	ch, err := st.s.c.ChunkByKey(base, st.s.p.Chunks, w.Key)
	if err != nil {
		return nil, err
	}
	l := leaf{base: ch.ID, tokens: ch.Tokens}
	l.vec, err = graph.ChunkVector(ctx, base, st.s.p.Chunks, st.model.Model, ch.ID)
	if err == nil && l.vec == nil {
		err = st.wordless(s, w)
	}
	if err != nil {
		return nil, err
	}
	if l.code, err = st.planes.code(s.Graph(st.s.g).WithContext(ctx), l.vec); err != nil {
		return nil, err
	}
	return l.append(nil), nil
}

// wordless returns an error for a chunk that has no vector yet, and none for
// one that was embedded and has nothing to embed.
func (st *leafStage) wordless(s *engine.Snapshot, w method.WorkItem) error {
	ok, err := method.Embedded(s, st.s.c, st.s.p.Chunks, st.model.Model, w.Key)
	if err == nil && !ok {
		err = errors.New("the chunk is not embedded")
	}
	return err
}

// Apply implements [method.Stage].
func (st *leafStage) Apply(_ context.Context, tx *engine.Tx, w method.WorkItem, result []byte) error {
	l, err := readLeaf(result)
	if err != nil {
		return err
	}
	t, err := st.s.change(tx, treeName(st.model))
	if err != nil {
		return err
	}
	typ, err := t.v.MakeNodeType(method.ChunkNodeType)
	if err != nil {
		return err
	}
	id, _, err := t.v.PutNode(typ, w.Key, engine.Props{propTokens: engine.Int(int64(l.tokens))})
	if err != nil {
		return err
	}
	if err := t.setEntered(l.base, true); err != nil || l.vec == nil {
		return err
	}
	if err := t.putVector(0, id, l.vec, st.model); err != nil {
		return err
	}
	return t.enter(0, id, l.code, 0)
}
