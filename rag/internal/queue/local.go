package queue

import (
	"context"
	"encoding/binary"
	"errors"
	"iter"
	"math"
	"slices"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/corpus"
)

// Local says of a [Step] that each of its items is about a node or an edge of its graph,
// and depends on nothing else of the graph than what [engine.View.ChangesSince] tells of: the
// node or edge with its contributions, and for a node the edges of the types in Ends; if
// it depends on more it is [WorkItem.Loose].
// What the step itself writes leaves the digests of its items as they are.
//
// So a [Runner] looks at what changed since the last run, and at what was left open. A
// mark must not be taken away unless its node or edge changes in the same commit.
type Local struct {
	// Nodes and Edges are the names of the types that have items. Edges join Nodes.
	Nodes, Edges []string
	// Ends are the names of types of edges that count as parts of the nodes at their
	// ends.
	Ends []string
	// Digest identifies what the items depend on beside the graph. With another one all
	// are looked at.
	Digest [32]byte
	// Items returns the items about some targets, which exist and are of one type, each
	// in the place of its target. One that needs no work has the zero value.
	Items func(v *engine.View, targets []engine.Target) ([]WorkItem, error)
}

// localBatch is how many targets are looked at together.
const localBatch = 1024

// All yields the items about all nodes and edges of a view: those about nodes first, by
// type and id, then those about edges by type and ends.
func (l *Local) All(v *engine.View) iter.Seq2[WorkItem, error] {
	return func(yield func(WorkItem, error) bool) {
		err := l.all(v, func(_ []engine.Target, items []WorkItem) error {
			for _, w := range items {
				if w.Key != "" && !yield(w, nil) {
					return errEnough
				}
			}
			return nil
		})
		if err != nil && !errors.Is(err, errEnough) {
			yield(WorkItem{}, err)
		}
	}
}

// all calls fn with the items of All, batch by batch.
func (l *Local) all(v *engine.View, fn func(targets []engine.Target, items []WorkItem) error) error {
	if err := corpus.Readable(v); err != nil {
		return err
	}
	for _, name := range l.Nodes {
		nodes, err := (&Growth{Type: name}).nodes(v)
		if err == nil {
			err = l.nodes(v, nodes, fn)
		}
		if err != nil {
			return err
		}
	}
	for _, name := range l.Edges {
		t, ok := v.EdgeType(name)
		if !ok {
			continue
		}
		var some []engine.Target
		for e, err := range v.Edges(engine.EdgeFilter{Types: []engine.EdgeType{t}}) {
			if err != nil {
				return err
			}
			if some = append(some, engine.EdgeTarget(e.From, e.To, e.Type)); len(some) < localBatch {
				continue
			}
			if err := l.items(v, some, fn); err != nil {
				return err
			}
			some = some[:0]
		}
		if err := l.items(v, some, fn); err != nil {
			return err
		}
	}
	return nil
}

func (l *Local) nodes(v *engine.View, nodes *roaring.Bitmap, fn func([]engine.Target, []WorkItem) error) error {
	var all []engine.Target
	for it := nodes.Iterator(); it.HasNext(); {
		all = append(all, engine.NodeTarget(engine.NodeID(it.Next())))
	}
	for some := range slices.Chunk(all, localBatch) {
		if err := l.items(v, some, fn); err != nil {
			return err
		}
	}
	return nil
}

func (l *Local) items(v *engine.View, targets []engine.Target, fn func([]engine.Target, []WorkItem) error) error {
	if len(targets) == 0 {
		return nil
	}
	items, err := l.Items(v, targets)
	if err != nil {
		return err
	}
	return fn(targets, items)
}

// since is All for what changed, and what is open.
func (l *Local) since(v *engine.View, nodes *roaring.Bitmap, edges []engine.Target, open *frontier, fn func([]engine.Target, []WorkItem) error) error {
	changed := roaring.Or(nodes, open.open)
	for _, name := range l.Ends {
		t, ok := v.EdgeType(name)
		for _, e := range edges {
			if ok && e.Type == t {
				changed.Add(uint32(e.From))
				changed.Add(uint32(e.To))
			}
		}
	}
	for _, name := range l.Nodes {
		nodes, err := (&Growth{Type: name}).nodes(v)
		if err != nil {
			return err
		}
		nodes.And(changed)
		if err := l.nodes(v, nodes, fn); err != nil {
			return err
		}
	}
	edges = append(slices.Clone(edges), open.edges...)
	slices.SortFunc(edges, compareTargets)
	edges = slices.Compact(edges)
	for _, name := range l.Edges {
		t, ok := v.EdgeType(name)
		var some []engine.Target
		for _, e := range edges {
			if !ok || e.Type != t {
				continue
			}
			_, has, err := v.HasEdge(e.From, e.To, t)
			if err != nil {
				return err
			}
			if has {
				some = append(some, e)
			}
		}
		for batch := range slices.Chunk(some, localBatch) {
			if err := l.items(v, batch, fn); err != nil {
				return err
			}
		}
	}
	return nil
}

// empty reports whether a view has no node that can have an item, or end an edge that
// can. Then there is nothing to note, as in a graph that never had any.
func (l *Local) empty(v *engine.View) (bool, error) {
	for _, name := range l.Nodes {
		nodes, err := (&Growth{Type: name}).nodes(v)
		if err != nil || !nodes.IsEmpty() {
			return false, err
		}
	}
	return true, nil
}

// localDigest returns the digest that the frontier of a step with Local must have.
func (st Step) localDigest(ctx context.Context, s *engine.Snapshot) ([32]byte, error) {
	id, err := s.UUID(ctx)
	graph := binary.BigEndian.AppendUint32(nil, uint32(st.Graph().ID()))
	l := st.Local
	types := []string{strings.Join(l.Nodes, "\x00"), strings.Join(l.Edges, "\x00"), strings.Join(l.Ends, "\x00")}
	return corpus.Digest(append(types, "local", string(id[:]), string(graph), string(l.Digest[:]))...), err
}

// pendingLocal is what pending is for a step with [Local].
func (r *Runner) pendingLocal(ctx context.Context, s *engine.Snapshot, st Step) (items []WorkItem, failed int, next *frontier, err error) {
	v := s.Graph(st.Graph()).WithContext(ctx)
	if err := corpus.Readable(v); err != nil {
		return nil, 0, nil, err
	}
	digest, err := st.localDigest(ctx, s)
	if err != nil {
		return nil, 0, nil, err
	}
	f, err := readFrontier(v.Bucket(bucketFrontiers), st.Name(), digest)
	if err != nil {
		return nil, 0, nil, err
	}
	next = &frontier{digest: digest, open: roaring.New(), of: map[string]engine.Target{}}
	if next.upto, err = v.Version(); err != nil {
		return nil, 0, nil, err
	}
	var nodes *roaring.Bitmap
	var edges []engine.Target
	known := f.upto > 0
	if known {
		if nodes, edges, known, err = v.ChangesSince(f.upto); err != nil {
			return nil, 0, nil, err
		}
	}
	if empty, err := st.Local.empty(v); empty || err != nil {
		next.upto = 0
		return nil, 0, next, err
	}
	jobs := v.Bucket(bucketJobs)
	look := func(targets []engine.Target, some []WorkItem) error {
		states, err := statesOf(jobs, st.Name(), some)
		if err != nil {
			return err
		}
		for i, w := range some {
			if w.Loose {
				next.leave(targets[i])
			}
			switch {
			case w.Key == "":
			case states[i] == markFailed && !r.Retry:
				failed++
				next.leave(targets[i])
			case states[i] != markDone:
				items = append(items, w)
				next.of[w.Key] = targets[i]
			}
		}
		return nil
	}
	if known {
		err = st.Local.since(v, nodes, edges, &f, look)
	} else {
		err = st.Local.all(v, look)
	}
	return items, failed, next, err
}

// KeepChanges has the graph of some steps keep what changes for those with [Local], and
// forget what they have looked at. Without such a step it does nothing.
func KeepChanges(v *engine.TxView, steps []Step) error {
	if !keep(steps) {
		return nil
	}
	seen := uint64(math.MaxUint64)
	for _, st := range steps {
		if st.Local == nil {
			continue
		}
		upto := uint64(0)
		raw, err := v.Bucket(bucketFrontiers).Get([]byte(st.Name()), nil)
		if err != nil && !corpus.IsMissing(err) {
			return err
		}
		if f, bad := decodeFrontier(raw); err == nil && bad == nil {
			upto = f.upto
		}
		seen = min(seen, upto)
	}
	return v.KeepChanges(seen)
}

// KeepsChanges reports whether the graph of a view keeps what the steps want of it.
func KeepsChanges(v *engine.View, steps []Step) (bool, error) {
	if !keep(steps) {
		return true, nil
	}
	version, err := v.Version()
	if err != nil {
		return false, err
	}
	_, _, ok, err := v.ChangesSince(version)
	return ok, err
}

// keep reports whether some steps want changes to be kept.
func keep(steps []Step) bool {
	return slices.ContainsFunc(steps, func(st Step) bool { return st.Local != nil })
}

// moved are the versions that a step's own commits gave to its graph.
type moved struct {
	seen, next uint64
	versions   map[uint64]bool
}

// note notes, in a transaction before its commit, the version that it will make.
func (m *moved) note(v *engine.TxView) error {
	var err error
	m.seen, err = v.Version()
	m.next = v.NextVersion()
	return err
}

// committed says that the transaction of the last note was committed.
func (m *moved) committed() {
	if m.next > m.seen {
		if m.versions == nil {
			m.versions = map[uint64]bool{}
		}
		m.versions[m.next] = true
	}
	m.next = m.seen
}

// from returns the version up to which all commits after one were the step's own.
func (m *moved) from(version uint64) uint64 {
	for m.versions[version+1] {
		version++
	}
	return version
}
