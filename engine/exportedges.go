package engine

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/ragdb/ragdb/internal/layout"
)

// orderedEdge is an edge of the node at hand, as an export orders it.
type orderedEdge struct {
	other  NodeID
	place  uint32 // of other
	typ    int    // place of the type
	weight float32
}

// edgeLines writes every edge at its From, an undirected one at the end that
// comes first in the order of nodes, by type and the other end.
func (x *exporter) edgeLines() error {
	noRecords, err := x.emptyFamily(layout.TagEdge)
	if err != nil {
		return err
	}
	noBlocks, err := x.emptyFamily(layout.TagEdgeBlock)
	if err != nil {
		return err
	}
	var edges []orderedEdge
	return x.eachNode(func(t named, key string, id NodeID) error {
		if edges, err = x.edgesAt(id, edges[:0]); err != nil {
			return err
		}
		from := newRef(t.name, key)
		for page := range slices.Chunk(edges, refPage) {
			if err := x.edgePage(from, id, page, !noRecords || !noBlocks); err != nil {
				return err
			}
		}
		return nil
	})
}

// edgesAt appends the edges that are written at id, in order.
func (x *exporter) edgesAt(id NodeID, dst []orderedEdge) ([]orderedEdge, error) {
	self := x.place(id)
	for _, dir := range []layout.Direction{layout.Out, layout.In} {
		err := x.eachList(dir, id, &EdgeFilter{}, func(t EdgeType, l *listIter) error {
			rank, ok := x.edgeRank[uint32(t)]
			if !ok {
				return corrupt(l.kv.Key(), errNoSuchType)
			}
			dangling := uint64(0)
			err := l.from(0, func(other uint64, w float32) bool {
				e := orderedEdge{other: NodeID(other), place: x.place(NodeID(other)), typ: rank, weight: w}
				if e.place == 0 {
					dangling = other
					return false
				}
				// The loop of an undirected type stands in both directions.
				if t.Directed() || e.place > self || e.place == self && dir == layout.Out {
					dst = append(dst, e)
				}
				return true
			})
			if dangling != 0 {
				err = corrupt(layout.Node(x.g, dangling), fmt.Errorf("%w: it has an edge to %d", errNoSuchNode, id))
			}
			return err
		})
		if err != nil {
			return dst, err
		}
	}
	slices.SortFunc(dst, func(a, b orderedEdge) int {
		return cmp.Or(cmp.Compare(a.typ, b.typ), cmp.Compare(a.place, b.place))
	})
	return dst, nil
}

// edgePage writes some edges at id, with their properties if the graph has
// edges with any.
func (x *exporter) edgePage(from exportRef, id NodeID, page []orderedEdge, withProps bool) error {
	ids := make([]NodeID, len(page))
	edges := make([]Edge, len(page))
	for i, e := range page {
		ids[i] = e.other
		edges[i] = Edge{From: id, To: e.other, Type: EdgeType(x.edgeTypes[e.typ].id), Weight: e.weight}
	}
	refs, err := x.refs(ids)
	if err != nil {
		return err
	}
	all, err := x.Parallel(id, edges)
	if err != nil {
		return err
	}
	props := make([]Props, len(all))
	if withProps {
		keys := make([][]byte, len(all))
		for i := range all {
			keys[i] = x.recordKey(all[i])
		}
		err := x.kv.MultiGet(x.ctx, keys, func(i int, v []byte) error {
			if v == nil {
				list, _, err := x.blockProps(all[i].identity())
				props[i] = x.named(list)
				return err
			}
			list, err := decodeEdge(v)
			if err != nil {
				return corrupt(keys[i], err)
			}
			props[i] = x.named(list)
			return nil
		})
		if err != nil {
			return err
		}
	}
	i := 0
	for at, e := range edges {
		lines := []exportEdge{}
		for ; i < len(all) && all[i].To == e.To && all[i].Type == e.Type; i++ {
			lines = append(lines, exportEdge{
				From: from, To: refs[at], Type: x.edgeTypes[page[at].typ].name, Weight: all[i].Weight, Props: props[i],
			})
		}
		if err := x.writeParallel(lines); err != nil {
			return err
		}
	}
	return nil
}

// writeParallel writes the edges of a pair, numbered in order of weight and properties:
// their numbers hang on the order in which they were made.
func (x *exporter) writeParallel(lines []exportEdge) error {
	if len(lines) > 1 {
		text := make(map[*exportEdge]string, len(lines))
		order := make([]*exportEdge, len(lines))
		for i := range lines {
			b, err := json.Marshal(lines[i].Props)
			if err != nil {
				return err
			}
			order[i], text[&lines[i]] = &lines[i], string(b)
		}
		slices.SortStableFunc(order, func(a, b *exportEdge) int {
			return cmp.Or(cmp.Compare(a.Weight, b.Weight), cmp.Compare(text[a], text[b]))
		})
		for i, e := range order {
			e.N = uint32(i)
			if err := x.out.write(&exportLine{Edge: e}); err != nil {
				return err
			}
		}
		return nil
	}
	for i := range lines {
		if err := x.out.write(&exportLine{Edge: &lines[i]}); err != nil {
			return err
		}
	}
	return nil
}

// contributed is a contribution of the source at hand, as an export orders
// it.
type contributed struct {
	a, b           NodeID // b is 0 for a node
	placeA, placeB uint32
	typ            int // place of the edge type, -1 for a node
	Contribution
}

// contributionLines writes what each source contributed: to nodes, then to
// edges, in order of their ends and types.
func (x *exporter) contributionLines() error {
	none, err := x.emptyFamily(layout.TagContribution)
	if err != nil || none {
		return err
	}
	var list []contributed
	return x.eachNode(func(t named, key string, id NodeID) error {
		if list, err = x.contributedBy(id, list[:0]); err != nil {
			return err
		}
		source := newRef(t.name, key)
		for page := range slices.Chunk(list, refPage) {
			if err := x.contributionPage(source, page); err != nil {
				return err
			}
		}
		return nil
	})
}

// contributedBy appends the contributions of a source, in order.
func (x *exporter) contributedBy(id NodeID, dst []contributed) ([]contributed, error) {
	for p, err := range scan(x.ctx, x.kv, layout.ContributionPrefix(x.g, uint64(id))) {
		if err != nil {
			return dst, err
		}
		_, t := layout.ContributionOf(p.key)
		c := contributed{a: NodeID(t.A), b: NodeID(t.B), placeA: x.place(NodeID(t.A)), placeB: x.place(NodeID(t.B)), typ: -1}
		if t.Kind == layout.OfEdge {
			rank, ok := x.edgeRank[t.Type]
			if !ok {
				return dst, corrupt(p.key, errNoSuchType)
			}
			c.typ = rank
			if !EdgeType(t.Type).Directed() && c.placeB < c.placeA {
				c.a, c.b, c.placeA, c.placeB = c.b, c.a, c.placeB, c.placeA
			}
		}
		if c.placeA == 0 || c.typ >= 0 && c.placeB == 0 {
			return dst, corrupt(p.key, errNoSuchNode)
		}
		if c.Contribution, err = decodeContribution(p.value); err != nil {
			return dst, corrupt(p.key, err)
		}
		dst = append(dst, c)
	}
	slices.SortFunc(dst, func(a, b contributed) int {
		return cmp.Or(cmp.Compare(min(a.typ, 0), min(b.typ, 0)), cmp.Compare(a.placeA, b.placeA),
			cmp.Compare(a.typ, b.typ), cmp.Compare(a.placeB, b.placeB))
	})
	return dst, nil
}

func (x *exporter) contributionPage(source exportRef, page []contributed) error {
	var ids []NodeID
	for i := range page {
		if ids = append(ids, page[i].a); page[i].typ >= 0 {
			ids = append(ids, page[i].b)
		}
	}
	refs, err := x.refs(ids)
	if err != nil {
		return err
	}
	for i := range page {
		c := &page[i]
		line := exportContribution{Source: source, Of: refs[0], Weight: c.Weight, Count: c.Count, Label: exportText(c.Label)}
		refs = refs[1:]
		if c.typ >= 0 {
			line.To, line.Type = refs[0], x.edgeTypes[c.typ].name
			refs = refs[1:]
		}
		for _, s := range c.Texts {
			line.Texts = append(line.Texts, exportText(s))
		}
		if err := x.out.write(&exportLine{Contribution: &line}); err != nil {
			return err
		}
	}
	return nil
}
