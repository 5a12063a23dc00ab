package hirag

import (
	"cmp"
	"slices"
	"sync"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/llm"
)

// entry is a node or relation of a community, as a report is made of it.
type entry struct {
	ends     [2]engine.NodeID // of a relation; of a node the first is it
	rank     int              // degree, or the sum of the ends'
	entity   llm.Entity
	relation llm.Relation
}

// text is what the entry is described as.
func (e *entry) text() string {
	if e.ends[1] == 0 {
		return e.entity.Description
	}
	return e.relation.Description
}

// input returns what a model reads of a community: its nodes by degree and the
// relations at them by the degrees of their ends, half of the tokens each, of
// which descriptions alone count. If that leaves something out the reports
// of its parts come first, and then what those do not cover, in half of what is
// left each.
func (st *reportStage) input(v engine.Reader, p plannedCommunity) (in llm.ReportInput, err error) {
	nodes, relations, err := st.entries(v, p)
	if err != nil {
		return in, err
	}
	some, cut := st.s.within(nodes, reportTokens/2)
	edges, cutEdges := st.s.within(relations, reportTokens/2)
	if cut || cutEdges {
		reports, covered, used, err := st.partReports(v, p)
		if err != nil {
			return in, err
		}
		if in.Reports = reports; len(reports) > 0 {
			rest := func(all []entry) []entry {
				return slices.DeleteFunc(slices.Clone(all), func(e entry) bool {
					return covered[e.ends[0]] && (e.ends[1] == 0 || covered[e.ends[1]])
				})
			}
			some, _ = st.s.within(rest(nodes), (reportTokens-used)/2)
			edges, _ = st.s.within(rest(relations), (reportTokens-used)/2)
		}
	}
	for _, e := range some {
		in.Entities = append(in.Entities, e.entity)
	}
	for _, e := range edges {
		in.Relations = append(in.Relations, e.relation)
	}
	return in, nil
}

// within returns the first entries within a number of tokens, and whether any
// is left out.
func (s *system) within(all []entry, tokens int) (out []entry, cut bool) {
	texts := make([]string, len(all))
	for i := range all {
		texts[i] = all[i].text()
	}
	n := s.fitting(texts, tokens)
	return all[:n], n < len(all)
}

// entries returns a community's nodes and the relations at them, by rank, the sum of
// the degrees of their ends. If reports may lag, the degree of a node outside counts
// its relations with members alone: nothing else of it is known by what decides
// whether the report is made again.
func (st *reportStage) entries(v engine.Reader, p plannedCommunity) (nodes, relations []entry, err error) {
	t, ok := v.EdgeType(edgeRelation)
	if !ok {
		return nil, nil, engine.ErrNotFound
	}
	filter := engine.EdgeFilter{Types: []engine.EdgeType{t}}
	said, err := describeEach(v, p.Members)
	if err != nil {
		return nil, nil, err
	}
	var edges []engine.Edge // once each, from a member
	members := map[engine.NodeID]bool{}
	for _, id := range p.Members {
		members[id] = true
	}
	seen := map[[2]engine.NodeID]bool{}
	ends := map[engine.NodeID]string{}
	degrees, outer := map[engine.NodeID]int{}, map[engine.NodeID]int{}
	var at []engine.Edge
	for i, id := range p.Members {
		if at, err = graph.EdgesAt(v, id, filter, at[:0]); err != nil {
			return nil, nil, err
		}
		d := said[i]
		ends[id], degrees[id] = d.name, len(at)
		nodes = append(nodes, entry{
			ends: [2]engine.NodeID{id}, rank: len(at),
			entity: llm.Entity{Name: d.name, Type: d.kind, Description: d.text},
		})
		for _, e := range at {
			pair := [2]engine.NodeID{min(e.From, e.To), max(e.From, e.To)}
			if seen[pair] || e.From == e.To {
				continue
			}
			seen[pair] = true
			// A summary tells of documents that those of the members need not be
			// among, if it is no member itself.
			outside, err := st.strange(v, e.Other(id), members)
			if err != nil {
				return nil, nil, err
			}
			if !outside {
				edges = append(edges, e)
			}
		}
	}
	if err := st.ends.fill(v, ends, edges); err != nil {
		return nil, nil, err
	}
	for _, e := range edges {
		for _, id := range [2]engine.NodeID{e.From, e.To} {
			if !members[id] {
				outer[id]++
			}
		}
	}
	if st.s.p.Lag == 0 {
		for id := range outer {
			if outer[id], err = v.Degree(id, filter); err != nil {
				return nil, nil, err
			}
		}
	}
	degree := func(id engine.NodeID) int {
		if members[id] {
			return degrees[id]
		}
		return outer[id]
	}
	for _, e := range edges {
		text, err := describeEdge(v, e)
		if err != nil {
			return nil, nil, err
		}
		relations = append(relations, entry{
			ends: [2]engine.NodeID{e.From, e.To}, rank: degree(e.From) + degree(e.To),
			relation: llm.Relation{Source: ends[e.From], Target: ends[e.To], Description: text, Strength: float64(e.Weight)},
		})
	}
	slices.SortStableFunc(nodes, func(a, b entry) int { return cmp.Compare(b.rank, a.rank) })
	slices.SortStableFunc(relations, func(a, b entry) int {
		return cmp.Or(cmp.Compare(b.rank, a.rank), cmp.Compare(b.relation.Strength, a.relation.Strength),
			cmp.Compare(a.relation.Source, b.relation.Source), cmp.Compare(a.relation.Target, b.relation.Target))
	})
	return nodes, relations, nil
}

// strange reports whether a node is a summary that is none of some members.
func (st *reportStage) strange(v engine.Reader, id engine.NodeID, members map[engine.NodeID]bool) (bool, error) {
	if members[id] {
		return false, nil
	}
	n, err := v.Node(id)
	return err == nil && v.NodeTypeName(n.Type) == typeSummary, err
}

// partReports returns the reports of a community's parts, the largest part
// first, and the nodes that they tell of.
func (st *reportStage) partReports(v engine.Reader, p plannedCommunity) (reports []string, covered map[engine.NodeID]bool, used int, err error) {
	all, err := st.parts()
	if err != nil {
		return nil, nil, 0, err
	}
	parts := slices.Clone(all[p.Key])
	slices.SortStableFunc(parts, func(a, b plannedCommunity) int { return len(b.Members) - len(a.Members) })
	covered = map[engine.NodeID]bool{}
	typ, ok := v.NodeType(typeCommunity)
	for _, c := range parts {
		if !ok {
			break
		}
		id, err := v.Lookup(typ, c.Key)
		if graph.IsMissing(err) {
			continue
		}
		if err != nil {
			return nil, nil, 0, err
		}
		text, err := v.Text(id, propReport)
		if graph.IsMissing(err) || text == "" {
			continue
		}
		if err != nil {
			return nil, nil, 0, err
		}
		n := st.s.c.Tokens().Count(text)
		if used+n > reportTokens {
			break
		}
		used += n
		reports = append(reports, text)
		for _, m := range c.Members {
			covered[m] = true
		}
	}
	return reports, covered, used, nil
}

// endNames are the names of the nodes that the reports of a level have met: a node is
// in one community of the level, and at the end of relations of many. They are of one
// snapshot. It is safe for concurrent use.
type endNames struct {
	mu    sync.Mutex
	known map[engine.NodeID]string
}

func newEndNames() *endNames { return &endNames{known: map[engine.NodeID]string{}} }

// fill adds to ends those of the edges that are not among them. What it gets and
// what it has read are known from then on.
func (h *endNames) fill(v engine.Reader, ends map[engine.NodeID]string, edges []engine.Edge) error {
	nodes, err := graph.Read(v, h.unknown(ends, edges))
	if err != nil {
		return err
	}
	for _, n := range nodes {
		if ends[n.ID], err = nameOf(v, n); err != nil {
			return err
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for id, x := range ends {
		h.known[id] = x
	}
	return nil
}

// unknown adds to ends what is known of those of the edges, and returns the
// others, once each.
func (h *endNames) unknown(ends map[engine.NodeID]string, edges []engine.Edge) (out []engine.NodeID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	missing := map[engine.NodeID]bool{}
	for _, e := range edges {
		for _, id := range [2]engine.NodeID{e.From, e.To} {
			if _, ok := ends[id]; ok || missing[id] {
				continue
			}
			if x, ok := h.known[id]; ok {
				ends[id] = x
				continue
			}
			missing[id] = true
			out = append(out, id)
		}
	}
	return out
}
