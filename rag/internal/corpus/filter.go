package corpus

import (
	"context"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/rag/internal/text"
)

// NoSync is the durability of what may be lost in a crash without harm.
const NoSync = kv.NoSync

// MatchNames is the names of a question.
func MatchNames(question string, has func(key string) bool) []string {
	return text.MatchNames(question, has)
}

// filter turns a condition on documents into the nodes that a query may see: a
// chunk whose document passes, and a derived node all of whose sources may be
// seen, or any with any set. The sources of edges are looked at when an edge is
// met; see [query.Env].
type filter struct {
	c     *Corpus
	where engine.Predicate
	any   bool

	keys map[string]bool // chunks that pass
}

// NewFilter returns the filter of a question.
func NewFilter(c *Corpus, where engine.Predicate, any bool) *filter {
	return &filter{c: c, where: where, any: any}
}

// Allow is [query.Env.Allow].
func (f *filter) Allow(ctx context.Context, v *engine.View) (*roaring.Bitmap, error) {
	base := v.Snapshot().Graph(f.c.base).WithContext(ctx)
	if v.Graph().ID() == f.c.base.ID() {
		return f.chunks(base)
	}
	return f.derived(base, v)
}

// chunks returns the chunks of the base graph whose documents pass, and those
// documents.
func (f *filter) chunks(base *engine.View) (*roaring.Bitmap, error) {
	docs, err := f.documents(base)
	if err != nil {
		return nil, err
	}
	out := docs.Clone()
	has, ok := base.EdgeType(edgeHas)
	if !ok {
		return out, nil
	}
	for it := docs.Iterator(); it.HasNext(); {
		set, err := base.NeighborSet(engine.NodeID(it.Next()), engine.EdgeFilter{Types: []engine.EdgeType{has}})
		if err != nil {
			return nil, err
		}
		out.Or(set)
	}
	return out, nil
}

// derived returns the nodes of a method's graph that may be seen.
func (f *filter) derived(base, v *engine.View) (*roaring.Bitmap, error) {
	if f.keys == nil {
		set, err := f.chunks(base)
		if err != nil {
			return nil, err
		}
		f.keys = map[string]bool{}
		for it := set.Iterator(); it.HasNext(); {
			n, err := base.Node(engine.NodeID(it.Next()))
			if err != nil {
				return nil, err
			}
			f.keys[n.Key] = true
		}
	}
	seen := roaring.New()    // may be seen
	decided := roaring.New() // looked at
	var decide func(id engine.NodeID) error
	decide = func(id engine.NodeID) error {
		if !decided.CheckedAdd(uint32(id)) {
			return nil
		}
		sources, err := v.Sources(engine.NodeTarget(id))
		if err != nil {
			return err
		}
		for it := sources.Iterator(); it.HasNext(); {
			if err := decide(engine.NodeID(it.Next())); err != nil {
				return err
			}
		}
		passing := roaring.And(sources, seen).GetCardinality()
		if passing > 0 && (f.any || passing == sources.GetCardinality()) {
			seen.Add(uint32(id))
		}
		return nil
	}
	if t, ok := v.NodeType(ChunkNodeType); ok {
		chunks, err := v.Nodes(t)
		if err != nil {
			return nil, err
		}
		for it := chunks.Iterator(); it.HasNext(); {
			id := it.Next()
			n, err := v.Node(engine.NodeID(id))
			if err != nil {
				return nil, err
			}
			decided.Add(id)
			if f.keys[n.Key] {
				seen.Add(id)
			}
		}
	}
	for _, t := range v.NodeTypes() {
		nodes, err := v.Nodes(t)
		if err != nil {
			return nil, err
		}
		for it := nodes.Iterator(); it.HasNext(); {
			if err := decide(engine.NodeID(it.Next())); err != nil {
				return nil, err
			}
		}
	}
	return seen, nil
}
