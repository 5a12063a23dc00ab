package hirag

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/llm"
)

// Communities deeper than maxLevel are made with those of it: so small that
// they never need the reports of their parts.
const maxLevel = 11

// reportTokens is what a model reads of a community (spec B.2.9).
const reportTokens = 32768

// reportStage reports on the communities of a level, and makes their nodes
// (spec B.2.9). The deepest level comes first: a community that is too large
// for one prompt is reported on by the reports of its parts.
type reportStage struct {
	s     *System
	level int
	// met are the communities that Items has yielded.
	met map[string]plannedCommunity
}

// Name implements [rag.Stage].
func (st *reportStage) Name() string { return "reports " + strconv.Itoa(st.level) }

// Graph implements [rag.Stage].
func (st *reportStage) Graph() *engine.Graph { return st.s.g }

// Items implements [rag.Stage].
func (st *reportStage) Items(ctx context.Context, s *engine.Snapshot) iter.Seq2[rag.WorkItem, error] {
	return func(yield func(rag.WorkItem, error) bool) {
		plans, err := communityPlans(s.Graph(st.s.g).WithContext(ctx))
		if err != nil {
			yield(rag.WorkItem{}, err)
			return
		}
		st.met = map[string]plannedCommunity{}
		for _, p := range plans {
			if min(p.Level, maxLevel) == st.level {
				st.met[communityItem(p.Key)] = p
			}
		}
		for _, p := range plans {
			if min(p.Level, maxLevel) != st.level {
				continue
			}
			digest := []string{p.Digest}
			for _, id := range p.Members {
				digest = append(digest, strconv.FormatUint(uint64(id), 36))
			}
			if !yield(rag.WorkItem{Key: communityItem(p.Key), Digest: rag.Digest(digest...)}, nil) {
				return
			}
		}
	}
}

// reported is what a report stage comes to.
type reported struct {
	plannedCommunity
	llm.Report
}

// Do implements [rag.Stage].
func (st *reportStage) Do(ctx context.Context, s *engine.Snapshot, m *rag.Models, w rag.WorkItem) ([]byte, error) {
	v := s.Graph(st.s.g).WithContext(ctx)
	p, ok := st.met[w.Key]
	if !ok {
		return nil, fmt.Errorf("%s: %w", w.Key, engine.ErrNotFound)
	}
	in, targets, err := st.s.reportInput(v, p)
	if err != nil {
		return nil, err
	}
	docs, err := docsOf(v, targets...)
	if err != nil {
		return nil, err
	}
	reply, err := m.Do(ctx, st.s.Item(w), docs, llm.Task{Kind: llm.CommunityReport, Input: in})
	if err != nil {
		return nil, err
	}
	out := reported{plannedCommunity: p}
	if err := json.Unmarshal([]byte(reply.Text), &out.Report); err != nil {
		return nil, &llm.ReplyError{Kind: llm.CommunityReport, Raw: reply.Text, Why: err.Error()}
	}
	return json.Marshal(out)
}

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

// Apply implements [rag.Stage].
func (st *reportStage) Apply(_ context.Context, tx *engine.Tx, _ rag.WorkItem, result []byte) error {
	var c reported
	if err := json.Unmarshal(result, &c); err != nil {
		return err
	}
	v := tx.Graph(st.s.g)
	id, err := st.node(v, c.plannedCommunity)
	if err != nil {
		return err
	}
	text := reportText(c.Report)
	return v.SetProps(id, engine.Props{
		propLevel: engine.Int(int64(c.Level)), propTitle: engine.String(c.Title), propReport: engine.String(text),
		propRating: engine.Float(c.Rating), propTokens: engine.Int(int64(st.s.c.Tokens.Count(text))),
	})
}

// node makes the node of a community with its members, each of which is a
// source of it, and joins it with the communities that it divides and is
// divided into.
func (st *reportStage) node(v *engine.TxView, c plannedCommunity) (engine.NodeID, error) {
	typ, err := v.MakeNodeType(typeCommunity)
	if err != nil {
		return 0, err
	}
	inside, err := v.MakeEdgeType(insideOf(c.Level), true)
	if err != nil {
		return 0, err
	}
	part, err := v.MakeEdgeType(edgePart, true)
	if err != nil {
		return 0, err
	}
	id, created, err := v.DeriveNode(typ, c.Key)
	if err != nil {
		return 0, err
	}
	var have []engine.NodeID
	if !created {
		if have, err = follow(v, id, insideOf(c.Level), engine.In); err != nil {
			return 0, err
		}
	}
	for _, m := range c.Members {
		if _, ok := slices.BinarySearch(have, m); ok {
			continue
		}
		if err := v.Contribute(m, engine.EdgeTarget(m, id, inside), engine.Contribution{Weight: 1, Count: 1}); err != nil {
			return 0, err
		}
	}
	// A part may be made anew after the whole, where it failed at first.
	if c.Parent != "" {
		whole, err := v.Lookup(typ, c.Parent)
		if err == nil {
			err = v.AddEdge(id, whole, part, 1)
		}
		if err != nil && !isMissing(err) {
			return 0, err
		}
	}
	for e, err := range v.Bucket(bucketPlan).Prefix(partsPrefix(c.Key)) {
		if err != nil {
			return 0, err
		}
		child, err := v.Lookup(typ, strings.TrimPrefix(string(e.Key), string(partsPrefix(c.Key))))
		if isMissing(err) {
			continue
		}
		if err != nil {
			return 0, err
		}
		if err := v.AddEdge(child, id, part, 1); err != nil {
			return 0, err
		}
	}
	return id, nil
}

// partsPrefix begins the keys by which a community's parts are found in the
// bucket of plans.
func partsPrefix(key string) []byte { return []byte("parts/" + key + "/") }

// reportText is a report as a model sees it: title, summary and findings.
func reportText(r llm.Report) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s", r.Title, r.Summary)
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "\n\n## %s\n\n%s", f.Summary, f.Explanation)
	}
	return b.String()
}

// staleStage removes the communities that are not wanted any more, once what
// takes their place is there.
type staleStage struct {
	s   *System
	met map[string]engine.NodeID
}

// Name implements [rag.Stage].
func (st *staleStage) Name() string { return "stale communities" }

// Graph implements [rag.Stage].
func (st *staleStage) Graph() *engine.Graph { return st.s.g }

// Items implements [rag.Stage]. The epoch makes each run's items its own.
func (st *staleStage) Items(ctx context.Context, s *engine.Snapshot) iter.Seq2[rag.WorkItem, error] {
	return func(yield func(rag.WorkItem, error) bool) {
		v := s.Graph(st.s.g).WithContext(ctx)
		st.met = map[string]engine.NodeID{}
		have, err := nodesOf(v, typeCommunity)
		if err != nil {
			yield(rag.WorkItem{}, err)
			return
		}
		for _, n := range have {
			wanted, err := v.Bucket(bucketPlan).Has(communityPlanKey(n.key))
			if err == nil && wanted {
				continue
			}
			w := rag.WorkItem{Key: fmt.Sprintf("stale:%d", len(st.met)), Digest: rag.Digest("stale", n.key, fmt.Sprint(s.Epoch()))}
			st.met[w.Key] = n.id
			if !yield(w, err) || err != nil {
				return
			}
		}
	}
}

// Do implements [rag.Stage].
func (st *staleStage) Do(_ context.Context, _ *engine.Snapshot, _ *rag.Models, w rag.WorkItem) ([]byte, error) {
	return json.Marshal(st.met[w.Key])
}

// Apply implements [rag.Stage].
func (st *staleStage) Apply(_ context.Context, tx *engine.Tx, _ rag.WorkItem, result []byte) error {
	var id engine.NodeID
	if err := json.Unmarshal(result, &id); err != nil {
		return err
	}
	v := tx.Graph(st.s.g)
	n, err := v.Node(id)
	if err != nil {
		return err
	}
	if _, err := v.DeleteNode(id); err != nil {
		return err
	}
	return rag.ForgetJobs(v, communityItem(n.Key))
}
