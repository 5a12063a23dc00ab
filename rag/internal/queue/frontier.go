package queue

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/rag/internal/corpus"
	"github.com/ragdb/ragdb/rag/internal/varint"
)

// bucketFrontiers holds the frontiers of stages, in their graph: stage -> frontier.
const bucketFrontiers = "frontiers"

// frontier is how far a stage has come, see [Growth] and [Local].
type frontier struct {
	// digest is that of what the stage's results depend on, and of the graph: nodes
	// that were imported into another one have other ids.
	digest [32]byte
	upto   uint64          // a node; the version of the graph for a step with Local
	open   *roaring.Bitmap // the nodes up to there with items that are not done
	edges  []engine.Target // of a step with Local, the edges
	// of has the targets of the items that are to be done, by key, for a step with Local.
	of map[string]engine.Target
	// later has the nodes with an item that is to be done after those that are in memory,
	// for a step with Growth.
	later *roaring.Bitmap
}

// growthGraph returns the graph whose nodes the items of a step with Growth are about.
func (st Step) growthGraph() *engine.Graph {
	if g := st.Growth.Graph; g != nil {
		return g
	}
	return st.Graph()
}

// frontierDigest returns the digest that the stage's frontier must have.
func (st Step) frontierDigest(ctx context.Context, s *engine.Snapshot) ([32]byte, error) {
	id, err := s.UUID(ctx)
	graph := binary.BigEndian.AppendUint32(nil, uint32(st.growthGraph().ID()))
	beside := ""
	if st.Growth.Beside != nil && err == nil {
		beside, err = st.Growth.Beside(s.Graph(st.growthGraph()).WithContext(ctx))
	}
	parts := []string{"frontier", string(id[:]), string(graph), st.Growth.Type, string(st.Growth.Digest[:])}
	if beside != "" {
		parts = append(parts, beside)
	}
	return corpus.Digest(parts...), err
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
	b := binary.BigEndian.AppendUint64(slices.Clone(f.digest[:]), f.upto)
	last := uint32(0)
	for it := f.open.Iterator(); it.HasNext(); {
		id := it.Next()
		b = binary.AppendUvarint(b, uint64(id-last))
		last = id
	}
	if len(f.edges) > 0 {
		b = binary.AppendUvarint(b, 0)
	}
	for _, e := range f.edges {
		for _, n := range []uint64{uint64(e.From), uint64(e.Type), uint64(e.To)} {
			b = binary.AppendUvarint(b, n)
		}
	}
	return b
}

// leave notes that an item about a target is not done.
func (f *frontier) leave(t engine.Target) {
	if t.Type == 0 {
		f.open.Add(uint32(t.Node))
		return
	}
	at, has := slices.BinarySearchFunc(f.edges, t, compareTargets)
	if !has {
		f.edges = slices.Insert(f.edges, at, t)
	}
}

// compareTargets orders edges.
func compareTargets(a, b engine.Target) int {
	return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.Type, b.Type), cmp.Compare(a.To, b.To))
}

var errFrontier = errors.New("not the frontier of a stage")

func decodeFrontier(b []byte) (f frontier, err error) {
	if len(b) < 40 {
		return f, errFrontier
	}
	f = frontier{digest: [32]byte(b), upto: binary.BigEndian.Uint64(b[32:]), open: roaring.New()}
	rest, ok := b[40:], true
	next := func() (n uint64) {
		var fine bool
		n, rest, fine = varint.Uvarint(rest)
		if ok = ok && fine && n < 1<<32; !ok {
			rest = nil
		}
		return n
	}
	for last := uint64(0); len(rest) > 0; {
		d := next()
		if last += d; !ok || last >= 1<<32 {
			return f, errFrontier
		}
		if d == 0 {
			break
		}
		f.open.Add(uint32(last))
	}
	for len(rest) > 0 {
		e := engine.Target{From: engine.NodeID(next()), Type: engine.EdgeType(next()), To: engine.NodeID(next())}
		if n := len(f.edges); !ok || e.Type == 0 || n > 0 && compareTargets(f.edges[n-1], e) >= 0 {
			return f, errFrontier
		}
		f.edges = append(f.edges, e)
	}
	return f, nil
}

// ahead returns the frontier of the step and the nodes that are to be looked at: those
// above it, and the open ones.
func (st Step) ahead(ctx context.Context, s *engine.Snapshot) (f frontier, all, look *roaring.Bitmap, err error) {
	digest, err := st.frontierDigest(ctx, s)
	if err != nil {
		return f, nil, nil, err
	}
	if f, err = readFrontier(s.Graph(st.Graph()).WithContext(ctx).Bucket(bucketFrontiers), st.Name(), digest); err != nil {
		return f, nil, nil, err
	}
	if all, err = st.Growth.nodes(s.Graph(st.growthGraph()).WithContext(ctx)); err != nil {
		return f, nil, nil, err
	}
	look = all.Clone()
	if f.upto >= 1<<32 {
		return f, nil, nil, errFrontier
	}
	look.RemoveRange(0, f.upto+1)
	open := roaring.And(all, f.open)
	look.Or(open)
	f.open = open
	return f, all, look, nil
}

// pendingGrowth is what pending is for a step with [Growth]. next is the frontier when
// the items are done: those that fail are to be added to it. Of many items, no two about
// the same node, it returns the first, and notes in next the nodes of the others.
func (r *Runner) pendingGrowth(ctx context.Context, s *engine.Snapshot, st Step) (items []WorkItem, failed int, next *frontier, err error) {
	f, all, look, err := st.ahead(ctx, s)
	if err != nil {
		return nil, 0, nil, err
	}
	next = &frontier{digest: f.digest, upto: f.upto, open: roaring.New(), later: roaring.New()}
	if !all.IsEmpty() {
		next.upto = max(next.upto, uint64(all.Maximum()))
	}
	jobs := s.Graph(st.Graph()).WithContext(ctx).Bucket(bucketJobs)
	v := s.Graph(st.growthGraph()).WithContext(ctx)
	err = st.Growth.each(v, look, func(_ []engine.NodeID, some []WorkItem) error {
		states, err := statesOf(jobs, st.Name(), some)
		if err != nil {
			return err
		}
		full := len(items) >= portionItems && st.Growth.Graph == nil
		for i, w := range some {
			switch {
			case states[i] == markFailed && !r.Retry:
				failed++
				if w.Node != 0 {
					next.open.Add(uint32(w.Node))
				}
			case states[i] == markDone:
			case full && w.Node != 0:
				next.later.Add(uint32(w.Node))
			default:
				items = append(items, w)
			}
		}
		return nil
	})
	return items, failed, next, err
}

// portionItems is how many items of a step with [Growth] are in memory at once, to
// within a batch.
const portionItems = 16 << 10

// portion returns the next items about the nodes that were noted for later, none if there
// are no more. It reads no marks: in a snapshot from before the run each would be looked
// for among all that the run has written since.
func (st Step) portion(ctx context.Context, s *engine.Snapshot, later *roaring.Bitmap) (items []WorkItem, err error) {
	defer func() {
		if p := recover(); p != nil {
			items, err = nil, fmt.Errorf("items: panic: %v", p)
		}
	}()
	last := engine.NodeID(0)
	err = st.Growth.each(s.Graph(st.Graph()).WithContext(ctx), later, func(ids []engine.NodeID, some []WorkItem) error {
		items, last = append(items, some...), ids[len(ids)-1]
		if len(items) >= portionItems {
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	later.RemoveRange(0, uint64(last)+1)
	return items, err
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

// Reopen has the next run of a stage with [Growth] look at some nodes again, because of
// a change that is none of theirs.
func Reopen(v *engine.TxView, stage string, nodes []engine.NodeID) error {
	if len(nodes) == 0 {
		return nil
	}
	if err := corpus.Readable(v); err != nil {
		return err
	}
	b, err := v.MakeBucket(bucketFrontiers)
	if err != nil {
		return err
	}
	raw, err := b.Get([]byte(stage), nil)
	if corpus.IsMissing(err) {
		return nil // it looks at all
	}
	if err != nil {
		return err
	}
	f, err := decodeFrontier(raw)
	if err != nil {
		return b.Delete([]byte(stage))
	}
	for _, id := range nodes {
		if uint64(id) <= f.upto {
			f.open.Add(uint32(id))
		}
	}
	return b.Set([]byte(stage), f.encode())
}

// ForgetFrontiers has the next run look at all nodes of all stages of a graph again.
func ForgetFrontiers(v *engine.TxView) error {
	if err := corpus.Readable(v); err != nil {
		return err
	}
	return corpus.EmptyBucket(v, bucketFrontiers)
}
