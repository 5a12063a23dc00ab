package archrag

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/method"
)

// level is the graph that the communities of a level are found in: of level 1
// the entities, of a higher one the communities below. Nodes are in order of
// key, so that nothing depends on the order in which they came.
type level struct {
	n       int // of the communities
	ids     []engine.NodeID
	keys    []string
	hashes  []uint64 // of the keys
	digests []uint64 // of what their vectors are of
	at      map[engine.NodeID]int
	// edges are the relations, mapped to the nodes (spec A2.4).
	edges []graphops.WeightedEdge
}

// hashOf shortens a key or digest to what is kept of it.
func hashOf(parts ...string) uint64 {
	d := method.Digest(parts...)
	return binary.BigEndian.Uint64(d[:8])
}

// readLevel reads the graph of level n.
func (s *system) readLevel(ctx context.Context, v *engine.View, n int) (*level, error) {
	lv := &level{n: n}
	var err error
	if n == 1 {
		err = lv.read(v, typeEntity, "")
	} else {
		err = lv.read(v, typeCommunity, communityPrefix(n-1))
	}
	if err != nil || len(lv.ids) == 0 {
		return lv, err
	}
	if n > 1 && s.p.Next == "augmented" {
		b, err := readBase(v, n-1)
		if err == nil && b != nil {
			lv.join(b.Links)
		}
		return lv, err
	}
	t, ok := v.EdgeType(edgeRelation)
	if !ok {
		return lv, nil
	}
	entities := lv
	if n > 1 {
		entities = &level{n: 1}
		if err := entities.read(v, typeEntity, ""); err != nil {
			return nil, err
		}
	}
	var edges []graphops.WeightedEdge
	for e, err := range v.Edges(engine.EdgeFilter{Types: []engine.EdgeType{t}}) {
		if err != nil {
			return nil, err
		}
		from, to := entities.at[e.From], entities.at[e.To]
		edges = append(edges, graphops.WeightedEdge{From: uint32(min(from, to)), To: uint32(max(from, to)), Weight: 1})
	}
	sortEdges(edges)
	if n == 1 {
		lv.edges = edges
		return lv, nil
	}
	p, err := graphops.FromEdges(len(entities.ids), edges, graphops.EdgeOptions{Weighted: true})
	if err != nil {
		return nil, err
	}
	part, err := ancestors(v, entities, lv)
	if err != nil {
		return nil, err
	}
	above, err := graphops.Contract(ctx, p, part, graphops.ContractOptions{Count: true})
	if err != nil {
		return nil, err
	}
	lv.edges = edgesOf(above)
	return lv, nil
}

// join adds the edges of some links between nodes of the level.
func (lv *level) join(links [][2]uint64) {
	at := make(map[uint64]int, len(lv.hashes))
	for i, h := range lv.hashes {
		at[h] = i
	}
	for _, l := range links {
		a, known := at[l[0]]
		b, also := at[l[1]]
		if known && also {
			lv.edges = append(lv.edges, graphops.WeightedEdge{From: uint32(min(a, b)), To: uint32(max(a, b)), Weight: 1})
		}
	}
	sortEdges(lv.edges)
}

// linksOf returns the pairs of communities that edges of their level's graph join, by the
// hashes of their keys, in order, each once.
func linksOf(g *grown) [][2]uint64 {
	hashes := make([]uint64, len(g.names))
	for i, name := range g.names {
		hashes[i] = hashOf(name)
	}
	var out [][2]uint64
	for _, e := range edgesOf(g.graph) {
		a, b := g.part.Of[e.From], g.part.Of[e.To]
		if a == b || a == graphops.None || b == graphops.None {
			continue
		}
		out = append(out, [2]uint64{min(hashes[a], hashes[b]), max(hashes[a], hashes[b])})
	}
	slices.SortFunc(out, func(a, b [2]uint64) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	return slices.Compact(out)
}

// read reads the nodes of a type whose keys begin with a prefix.
func (lv *level) read(v engine.Reader, typeName, prefix string) error {
	type node struct {
		id     engine.NodeID
		key    string
		digest uint64
	}
	var nodes []node
	for n, err := range graph.ReadAll(v, typeName) {
		if err != nil {
			return err
		}
		if strings.HasPrefix(n.Key, prefix) {
			nodes = append(nodes, node{n.ID, n.Key, hashOf(string(n.Prop(propEmbedded).AsBytes()))})
		}
	}
	slices.SortFunc(nodes, func(a, b node) int { return cmp.Compare(a.key, b.key) })
	lv.at = make(map[engine.NodeID]int, len(nodes))
	for i, n := range nodes {
		lv.ids, lv.keys, lv.digests = append(lv.ids, n.id), append(lv.keys, n.key), append(lv.digests, n.digest)
		lv.hashes = append(lv.hashes, hashOf(n.key))
		lv.at[n.id] = i
	}
	return nil
}

// ancestors returns which of lv's communities each entity is in.
func ancestors(v engine.Reader, entities, lv *level) (*graphops.Partition, error) {
	parent := map[engine.NodeID]engine.NodeID{}
	if t, ok := v.EdgeType(edgePart); ok {
		for e, err := range v.Edges(engine.EdgeFilter{Types: []engine.EdgeType{t}}) {
			if err != nil {
				return nil, err
			}
			parent[e.From] = e.To
		}
	}
	out := &graphops.Partition{Of: make([]uint32, len(entities.ids)), Count: len(lv.ids)}
	for i, id := range entities.ids {
		for range lv.n - 1 {
			id = parent[id]
		}
		out.Of[i] = graphops.None
		if c, ok := lv.at[id]; ok {
			out.Of[i] = uint32(c)
		}
	}
	return out, nil
}

// digest identifies all that the clustering of the level depends on beside what
// it was before.
func (lv *level) digest(parts ...string) [32]byte {
	b := []byte{}
	for i, key := range lv.keys {
		b = append(append(b, key...), 0)
		b = binary.BigEndian.AppendUint64(b, lv.digests[i])
	}
	for _, e := range lv.edges {
		b = binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(b, e.From), e.To)
	}
	return method.Digest(append(parts, fmt.Sprint(lv.n), string(b))...)
}

// matrix returns the vectors of the nodes, zeros for one without.
func (lv *level) matrix(ctx context.Context, v *engine.View, space string) (graphops.Matrix, error) {
	vecs, err := v.Vectors(space)
	if graph.IsMissing(err) {
		return graphops.Matrix{}, nil
	}
	if err != nil {
		return graphops.Matrix{}, err
	}
	info, err := v.SpaceInfo(space)
	if err != nil {
		return graphops.Matrix{}, err
	}
	m := graphops.Matrix{Dim: info.Dim, Data: make([]float32, 0, len(lv.ids)*info.Dim)}
	for _, id := range lv.ids {
		n := len(m.Data)
		m.Data, err = vecs.Vector(ctx, uint64(id), m.Data)
		if graph.IsMissing(err) {
			m.Data = append(m.Data[:n], make([]float32, info.Dim)...)
			continue
		}
		if err != nil {
			return m, err
		}
	}
	return m, nil
}

// edgesOf returns the edges of a symmetric projection, each once, in order.
func edgesOf(p *graphops.Projection) []graphops.WeightedEdge {
	var out []graphops.WeightedEdge
	for u := range uint32(p.Len()) {
		to, w := p.Row(u)
		for i, x := range to {
			if x <= u {
				continue
			}
			e := graphops.WeightedEdge{From: u, To: x, Weight: 1}
			if w != nil {
				e.Weight = w[i]
			}
			out = append(out, e)
		}
	}
	return out
}

func sortEdges(e []graphops.WeightedEdge) {
	slices.SortFunc(e, func(a, b graphops.WeightedEdge) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
}
