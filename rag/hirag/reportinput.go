package hirag

import (
	"cmp"
	"slices"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/llm"
)

// entry is a node or relation of a community, as a report is made of it.
type entry struct {
	target   engine.Target
	ends     [2]engine.NodeID // of a relation; of a node the first is it
	rank     int              // degree, or the sum of the ends'
	order    int              // place in the community
	tokens   int
	entity   llm.Entity
	relation llm.Relation
}

// reportInput returns what a model reads of a community: its nodes by degree
// and the relations at them by the degrees of their ends, half of the tokens
// each, of which descriptions alone count. Where that leaves something out the
// reports of its parts come first, and then what those do not cover, in half of
// what is left each.
func (s *System) reportInput(v engine.Reader, p plannedCommunity) (in llm.ReportInput, targets []engine.Target, err error) {
	nodes, relations, err := s.entries(v, p)
	if err != nil {
		return in, nil, err
	}
	some, cut := within(nodes, reportTokens/2)
	edges, cutEdges := within(relations, reportTokens/2)
	var covered map[engine.NodeID]bool
	if cut || cutEdges {
		used := 0
		if in.Reports, covered, used, err = s.partReports(v, p); err != nil {
			return in, nil, err
		}
		if len(in.Reports) > 0 {
			rest := func(all []entry) []entry {
				return slices.DeleteFunc(slices.Clone(all), func(e entry) bool {
					return covered[e.ends[0]] && (e.ends[1] == 0 || covered[e.ends[1]])
				})
			}
			some, _ = within(rest(nodes), (reportTokens-used)/2)
			edges, _ = within(rest(relations), (reportTokens-used)/2)
		}
	}
	for _, e := range some {
		in.Entities = append(in.Entities, e.entity)
	}
	for _, e := range edges {
		in.Relations = append(in.Relations, e.relation)
	}
	for _, e := range append(nodes, relations...) {
		targets = append(targets, e.target)
	}
	return in, targets, nil
}

// within returns the first entries within a number of tokens, and whether any
// is left out.
func within(all []entry, tokens int) (out []entry, cut bool) {
	for i, e := range all {
		if tokens -= e.tokens; tokens < 0 {
			return all[:i], true
		}
	}
	return all, false
}

// entries returns a community's nodes and the relations at them, by rank.
func (s *System) entries(v engine.Reader, p plannedCommunity) (nodes, relations []entry, err error) {
	t, ok := v.EdgeType(edgeRelation)
	if !ok {
		return nil, nil, engine.ErrNotFound
	}
	filter := engine.EdgeFilter{Types: []engine.EdgeType{t}}
	degrees, names := map[engine.NodeID]int{}, map[engine.NodeID]described{}
	about := func(id engine.NodeID) (err error) {
		if _, ok := names[id]; ok {
			return nil
		}
		if names[id], err = describe(v, id); err != nil {
			return err
		}
		degrees[id], err = v.Degree(id, filter)
		return err
	}
	met := map[engine.Target]bool{}
	for i, id := range p.Members {
		if err := about(id); err != nil {
			return nil, nil, err
		}
		d := names[id]
		nodes = append(nodes, entry{
			target: engine.NodeTarget(id), ends: [2]engine.NodeID{id}, rank: degrees[id], order: i,
			tokens: s.c.Tokens.Count(d.text), entity: llm.Entity{Name: d.name, Type: d.kind, Description: d.text},
		})
		for after := engine.NodeID(0); ; {
			page, err := v.Neighbors(id, filter, after, nil)
			if err != nil {
				return nil, nil, err
			}
			if len(page) == 0 {
				break
			}
			for _, e := range page {
				other := e.Other(id)
				after = other
				target := engine.EdgeTarget(min(id, other), max(id, other), t)
				if met[target] || other == id {
					continue
				}
				met[target] = true
				if err := about(other); err != nil {
					return nil, nil, err
				}
				text, err := describeEdge(v, e)
				if err != nil {
					return nil, nil, err
				}
				relations = append(relations, entry{
					target: target, ends: [2]engine.NodeID{id, other}, rank: degrees[id] + degrees[other],
					tokens: s.c.Tokens.Count(text),
					relation: llm.Relation{
						Source: names[id].name, Target: names[other].name, Description: text, Strength: float64(e.Weight),
					},
				})
			}
		}
	}
	slices.SortStableFunc(nodes, func(a, b entry) int {
		return cmp.Or(cmp.Compare(b.rank, a.rank), cmp.Compare(a.order, b.order))
	})
	slices.SortStableFunc(relations, func(a, b entry) int {
		return cmp.Or(cmp.Compare(b.rank, a.rank), cmp.Compare(b.relation.Strength, a.relation.Strength),
			cmp.Compare(a.relation.Source, b.relation.Source), cmp.Compare(a.relation.Target, b.relation.Target))
	})
	return nodes, relations, nil
}

// partReports returns the reports of a community's parts, the largest part
// first, and the nodes that they tell of.
func (s *System) partReports(v engine.Reader, p plannedCommunity) (reports []string, covered map[engine.NodeID]bool, used int, err error) {
	plans, err := communityPlans(v)
	if err != nil {
		return nil, nil, 0, err
	}
	plans = slices.DeleteFunc(plans, func(c plannedCommunity) bool { return c.Parent != p.Key })
	slices.SortStableFunc(plans, func(a, b plannedCommunity) int { return len(b.Members) - len(a.Members) })
	covered = map[engine.NodeID]bool{}
	typ, ok := v.NodeType(typeCommunity)
	for _, c := range plans {
		if !ok {
			break
		}
		id, err := v.Lookup(typ, c.Key)
		if isMissing(err) {
			continue
		}
		if err != nil {
			return nil, nil, 0, err
		}
		text, err := v.Text(id, propReport)
		if isMissing(err) || text == "" {
			continue
		}
		if err != nil {
			return nil, nil, 0, err
		}
		n := s.c.Tokens.Count(text)
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
