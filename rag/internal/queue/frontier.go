package queue

import (
	"context"
	"encoding/binary"
	"errors"
	"iter"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/rag/internal/corpus"
	"github.com/ragdb/ragdb/rag/internal/varint"
)

// Growth says of a [Step] that each of its items is about a node of one type, that no
// node has two, and that an item's digest is the same for all nodes. What a node holds
// does not change: another document is another node, with a greater id.
//
// So a [Runner] need not ask every node's mark. It keeps a frontier: the id up to which
// all nodes have been looked at, and which of these have an item that is not done. The
// next run looks at the nodes above it, and at those. A mark must not be taken from a
// node below the frontier that stays; a node that is removed may lose its marks.
type Growth struct {
	// Type is the name of the node type.
	Type string
	// Digest identifies what the results depend on beside the nodes. With another one
	// the frontier does not hold, and all nodes are looked at.
	Digest [32]byte
	// Items returns the items about some nodes, which are given by ascending id and
	// exist, in the same order and with [WorkItem.Node]. A node that needs no work has
	// none.
	Items func(v *engine.View, ids []engine.NodeID) ([]WorkItem, error)
}

// growthBatch is how many nodes are looked at together.
const growthBatch = 256

// All yields the items about all nodes of a view.
func (g *Growth) All(v *engine.View) iter.Seq2[WorkItem, error] {
	return func(yield func(WorkItem, error) bool) {
		nodes, err := g.nodes(v)
		if err == nil {
			err = g.each(v, nodes, func(_ []engine.NodeID, items []WorkItem) error {
				for _, w := range items {
					if !yield(w, nil) {
						return errEnough
					}
				}
				return nil
			})
		}
		if err != nil && !errors.Is(err, errEnough) {
			yield(WorkItem{}, err)
		}
	}
}

// errEnough ends a walk over items that nobody wants more of.
var errEnough = errors.New("enough")

// nodes returns the nodes of the type.
func (g *Growth) nodes(v *engine.View) (*roaring.Bitmap, error) {
	if err := corpus.Readable(v); err != nil {
		return nil, err
	}
	t, ok := v.NodeType(g.Type)
	if !ok {
		return roaring.New(), nil
	}
	return v.Nodes(t)
}

// each calls fn with nodes and their items, batch by batch.
func (g *Growth) each(v *engine.View, nodes *roaring.Bitmap, fn func(ids []engine.NodeID, items []WorkItem) error) error {
	it := nodes.ManyIterator()
	some := make([]uint32, growthBatch)
	for n := it.NextMany(some); n > 0; n = it.NextMany(some) {
		ids := make([]engine.NodeID, n)
		for i, id := range some[:n] {
			ids[i] = engine.NodeID(id)
		}
		items, err := g.Items(v, ids)
		if err == nil {
			err = fn(ids, items)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// bucketFrontiers holds the frontiers of stages, in their graph: stage -> frontier.
const bucketFrontiers = "frontiers"

// frontier is how far a stage has come, see [Growth].
type frontier struct {
	// digest is that of what the stage's results depend on, and of the graph: nodes
	// that were imported into another one have other ids.
	digest [32]byte
	upto   engine.NodeID
	open   *roaring.Bitmap // the nodes up to there with items that are not done
}

// frontierDigest returns the digest that the stage's frontier must have.
func (st Step) frontierDigest(ctx context.Context, s *engine.Snapshot) ([32]byte, error) {
	id, err := s.UUID(ctx)
	graph := binary.BigEndian.AppendUint32(nil, uint32(st.Graph().ID()))
	return corpus.Digest("frontier", string(id[:]), string(graph), st.Growth.Type, string(st.Growth.Digest[:])), err
}

// readFrontier returns the frontier of a stage if there is one with the digest, else one
// before all nodes.
func readFrontier(b engine.Bucket, stage string, digest [32]byte) (frontier, error) {
	none := frontier{digest: digest, open: roaring.New()}
	raw, err := b.Get([]byte(stage), nil)
	if corpus.IsMissing(err) {
		return none, nil
	}
	if err != nil {
		return none, err
	}
	f, err := decodeFrontier(raw)
	if err != nil || f.digest != digest {
		return none, nil // what cannot be read says nothing
	}
	return f, nil
}

func (f *frontier) encode() []byte {
	b := binary.BigEndian.AppendUint64(slices.Clone(f.digest[:]), uint64(f.upto))
	last := uint32(0)
	for it := f.open.Iterator(); it.HasNext(); {
		id := it.Next()
		b = binary.AppendUvarint(b, uint64(id-last))
		last = id
	}
	return b
}

var errFrontier = errors.New("not the frontier of a stage")

func decodeFrontier(b []byte) (f frontier, err error) {
	if len(b) < 40 {
		return f, errFrontier
	}
	f = frontier{digest: [32]byte(b), upto: engine.NodeID(binary.BigEndian.Uint64(b[32:])), open: roaring.New()}
	last := uint64(0)
	for rest := b[40:]; len(rest) > 0; {
		d, after, ok := varint.Uvarint(rest)
		if last += d; !ok || d == 0 || d > 1<<32 || last > uint64(f.upto) || last >= 1<<32 {
			return f, errFrontier
		}
		f.open.Add(uint32(last))
		rest = after
	}
	return f, nil
}

// ahead returns the frontier of the step and the nodes that are to be looked at: those
// above it, and the open ones.
func (st Step) ahead(ctx context.Context, s *engine.Snapshot, v *engine.View) (f frontier, all, look *roaring.Bitmap, err error) {
	digest, err := st.frontierDigest(ctx, s)
	if err != nil {
		return f, nil, nil, err
	}
	if f, err = readFrontier(v.Bucket(bucketFrontiers), st.Name(), digest); err != nil {
		return f, nil, nil, err
	}
	if all, err = st.Growth.nodes(v); err != nil {
		return f, nil, nil, err
	}
	look = all.Clone()
	look.RemoveRange(0, uint64(f.upto)+1)
	open := roaring.And(all, f.open)
	look.Or(open)
	f.open = open
	return f, all, look, nil
}

// pendingGrowth is what pending is for a step with [Growth]. next is the frontier when
// the items are done: those that fail are to be added to it.
func (r *Runner) pendingGrowth(ctx context.Context, s *engine.Snapshot, st Step) (items []WorkItem, failed int, next *frontier, err error) {
	v := s.Graph(st.Graph()).WithContext(ctx)
	f, all, look, err := st.ahead(ctx, s, v)
	if err != nil {
		return nil, 0, nil, err
	}
	next = &frontier{digest: f.digest, upto: f.upto, open: roaring.New()}
	if !all.IsEmpty() {
		next.upto = max(next.upto, engine.NodeID(all.Maximum()))
	}
	jobs := v.Bucket(bucketJobs)
	err = st.Growth.each(v, look, func(_ []engine.NodeID, some []WorkItem) error {
		for _, w := range some {
			state, err := stateOf(jobs, st.Name(), w)
			switch {
			case err != nil:
				return err
			case state == markFailed && !r.Retry:
				failed++
				next.open.Add(uint32(w.Node))
			case state != markDone:
				items = append(items, w)
			}
		}
		return nil
	})
	return items, failed, next, err
}

// advance stores a frontier that a run has come to. If the commit is lost, the next
// run looks at some nodes again and finds their marks; so it is not waited for.
func (r *Runner) advance(ctx context.Context, s *engine.Snapshot, st Step, next *frontier) error {
	now, err := s.Graph(st.Graph()).Bucket(bucketFrontiers).Get([]byte(st.Name()), nil)
	if err != nil && !corpus.IsMissing(err) {
		return err
	}
	value := next.encode()
	if string(now) == string(value) || now == nil && next.upto == 0 {
		return nil
	}
	return r.DB.UpdateWith(ctx, kv.NoSync, func(tx *engine.Tx) error {
		b, err := tx.Graph(st.Graph()).MakeBucket(bucketFrontiers)
		if err != nil {
			return err
		}
		return b.Set([]byte(st.Name()), value)
	})
}

// withdraw removes the stage's frontier if it has another digest than the step: the
// transaction writes over some of the marks that it stands for.
func (st Step) withdraw(v *engine.TxView) error {
	raw, err := v.Bucket(bucketFrontiers).Get([]byte(st.Name()), nil)
	if corpus.IsMissing(err) {
		return nil
	}
	if err != nil {
		return err
	}
	if f, err := decodeFrontier(raw); err == nil && f.digest == st.frontier {
		return nil
	}
	return forgetFrontier(v, st.Name())
}

// forgetFrontier has the next run look at all nodes of a stage again.
func forgetFrontier(v *engine.TxView, stage string) error {
	b, err := v.MakeBucket(bucketFrontiers)
	if err != nil {
		return err
	}
	return b.Delete([]byte(stage))
}

// ForgetFrontiers has the next run look at all nodes of all stages of a graph again.
func ForgetFrontiers(v *engine.TxView) error {
	if err := corpus.Readable(v); err != nil {
		return err
	}
	return corpus.EmptyBucket(v, bucketFrontiers)
}
