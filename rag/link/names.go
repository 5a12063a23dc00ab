package link

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/corpus"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/internal/knowledge"
	"github.com/ragdb/ragdb/rag/internal/text"
)

// name is an entity as one graph has it.
type name struct {
	key, label string
	graph      int // place in collection.graphs
	id         engine.NodeID
	chunks     []string // that mention it, ascending
	docs       []string // of the chunks, ascending
	mentions   int
	words      []string // of the key
	marks      []string // see marksOf
}

// entityGraph is the graph of a method that reads entities.
type entityGraph struct {
	view *engine.View
	set  text.ChunkSet
	size int
}

// collection is the names of a corpus.
type collection struct {
	graphs []entityGraph
	names  []*name // in order of key
	byWord map[string][]*name
}

// collect reads the names of all indexed methods. A name that several have is taken
// from the one that has most names.
func collect(ctx context.Context, s *engine.Snapshot, c *corpus.Corpus) (*collection, error) {
	out := &collection{byWord: map[string][]*name{}}
	graphs, err := entityGraphs(ctx, s, c)
	if err != nil {
		return nil, err
	}
	out.graphs = graphs
	seen := map[string]bool{}
	for at, g := range graphs {
		if err := out.add(at, g.view, seen); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(out.names, func(a, b *name) int { return cmp.Compare(a.key, b.key) })
	for _, n := range out.names {
		for _, w := range n.words {
			if l := out.byWord[w]; len(l) == 0 || l[len(l)-1] != n {
				out.byWord[w] = append(l, n)
			}
		}
	}
	return out, nil
}

// entityGraphs returns the graphs of methods that have entities, the largest first.
func entityGraphs(ctx context.Context, s *engine.Snapshot, c *corpus.Corpus) ([]entityGraph, error) {
	existing, err := c.Namespace().Graphs(ctx)
	if err != nil {
		return nil, err
	}
	var out []entityGraph
	base := s.Graph(c.Base()).WithContext(ctx)
	for m, err := range c.Manifests(base) {
		if err != nil {
			return nil, err
		}
		if !slices.Contains(existing, m.Spec) {
			continue
		}
		g, err := c.Graph(ctx, m.Spec)
		if err != nil {
			return nil, err
		}
		set, err := text.ParseChunkSet(m.Chunks)
		if err != nil {
			return nil, err
		}
		v := s.Graph(g).WithContext(ctx)
		ids, err := graph.Of(v, knowledge.TypeEntity)
		if err != nil {
			return nil, err
		}
		if len(ids) > 0 {
			out = append(out, entityGraph{v, set, len(ids)})
		}
	}
	slices.SortStableFunc(out, func(a, b entityGraph) int { return cmp.Compare(b.size, a.size) })
	return out, nil
}

// add adds the names of a graph that are not known yet. A node whose key is not a
// that of a name, such as a summary, is left out.
func (c *collection) add(at int, v *engine.View, seen map[string]bool) error {
	keys := map[engine.NodeID]string{} // of chunks
	for n, err := range graph.ReadAll(v, knowledge.TypeEntity) {
		if err != nil {
			return err
		}
		if seen[n.Key] || text.Key(n.Key) != n.Key {
			continue
		}
		seen[n.Key] = true
		x := &name{key: n.Key, graph: at, id: n.ID, words: strings.Fields(n.Key), marks: marksOf(n.Key)}
		for said, err := range v.Contributions(engine.NodeTarget(n.ID)) {
			if err != nil {
				return err
			}
			key, ok := keys[said.Source]
			if !ok {
				source, err := v.Node(said.Source)
				if err != nil {
					return err
				}
				key = source.Key
				keys[said.Source] = key
			}
			x.chunks = append(x.chunks, key)
			x.docs = append(x.docs, corpus.DocOf(key))
			x.mentions += max(1, int(said.Count))
		}
		said, err := knowledge.Read(v, engine.NodeTarget(n.ID))
		if err != nil {
			return err
		}
		x.label = cmp.Or(said.Name, x.key)
		slices.Sort(x.chunks)
		slices.Sort(x.docs)
		x.chunks, x.docs = slices.Compact(x.chunks), slices.Compact(x.docs)
		c.names = append(c.names, x)
	}
	return nil
}

// shared counts the entities that two of one graph are both related to.
func (c *collection) shared(a, b *name) (int, error) {
	if a.graph != b.graph {
		return 0, nil
	}
	v := c.graphs[a.graph].view
	x, err := graph.Neighbors(v, a.id, knowledge.EdgeRelation, engine.Both)
	if err != nil {
		return 0, err
	}
	y, err := graph.Neighbors(v, b.id, knowledge.EdgeRelation, engine.Both)
	if err != nil {
		return 0, err
	}
	n := 0
	for _, id := range x {
		if slices.Contains(y, id) {
			n++
		}
	}
	return n, nil
}
