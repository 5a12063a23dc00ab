package hirag

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/encoded"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
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
	graph.Stage
	s     *system
	level int
	// listed are the communities that Items has yielded, parts those that they are
	// divided into, by key of the whole: only large ones want them.
	listed map[string]plannedCommunity
	kept   map[string]bool // by work item: the report stays
	parts  func() (map[string][]plannedCommunity, error)
	// ends are the names that Do has read.
	ends *endNames
}

// Items implements [method.Stage].
func (st *reportStage) Items(ctx context.Context, s *engine.Snapshot) iter.Seq2[method.WorkItem, error] {
	return func(yield func(method.WorkItem, error) bool) {
		v := s.Graph(st.s.g).WithContext(ctx)
		deepest := st.level
		if st.level == maxLevel {
			deepest = math.MaxInt
		}
		plans, err := communityPlans(v, st.level, deepest)
		if err != nil {
			yield(method.WorkItem{}, err)
			return
		}
		st.listed, st.ends = map[string]plannedCommunity{}, newEndNames()
		for _, p := range plans {
			st.listed[communityItem(p.Key)] = p
		}
		st.parts = sync.OnceValues(func() (map[string][]plannedCommunity, error) {
			out := map[string][]plannedCommunity{}
			parts, err := communityPlans(v, st.level+1, max(deepest, st.level+1))
			for _, p := range parts {
				out[p.Parent] = append(out[p.Parent], p)
			}
			return out, err
		})
		st.kept = map[string]bool{}
		for _, p := range plans {
			read, kept, err := st.keeps(v, p)
			digest := []string{read.digest()}
			for _, id := range p.Members {
				digest = append(digest, strconv.FormatUint(uint64(id), 36))
			}
			w := method.WorkItem{Key: communityItem(p.Key), Digest: method.Digest(digest...)}
			st.kept[w.Key] = kept
			if !yield(w, err) || err != nil {
				return
			}
		}
	}
}

// keeps reports whether the report on a community stays: there is one, no member
// went to another community, and of what it was made of at most the part Lag has
// changed. It returns what the report is made of then.
func (st *reportStage) keeps(v engine.Reader, p plannedCommunity) (read material, kept bool, err error) {
	now := p.material()
	ok, err := encoded.Get(v.Bucket(bucketPlan), readKey(communityItem(p.Key)), &read)
	if !ok || err != nil || st.s.whole || read.changed(now) > st.s.p.Lag {
		return now, false, err
	}
	typ, ok := v.NodeType(typeCommunity)
	if !ok {
		return now, false, nil
	}
	id, err := v.Lookup(typ, p.Key)
	if graph.IsMissing(err) {
		return now, false, nil
	}
	if err != nil {
		return now, false, err
	}
	lost, err := lostMembers(v, id, insideOf(p.Level), p.Members)
	if lost || err != nil {
		return now, false, err
	}
	return read, true, nil
}

// reported is what a report stage comes to. Kept says that there is a report, which
// stays.
type reported struct {
	plannedCommunity
	Kept bool `json:"kept,omitempty"`
	llm.Report
}

// Do implements [method.Stage].
func (st *reportStage) Do(ctx context.Context, s *engine.Snapshot, m *method.Models, w method.WorkItem) ([]byte, error) {
	v := s.Graph(st.s.g).WithContext(ctx)
	p, ok := st.listed[w.Key]
	if !ok {
		return nil, fmt.Errorf("%s: %w", w.Key, engine.ErrNotFound)
	}
	if st.kept[w.Key] {
		return json.Marshal(reported{plannedCommunity: p, Kept: true})
	}
	in, err := st.input(v, p)
	if err != nil {
		return nil, err
	}
	// What supports a relation supports its ends, too.
	docs, err := graph.DocsFor(m, v, graph.Targets(p.Members)...)
	if err != nil {
		return nil, err
	}
	out := reported{plannedCommunity: p}
	if err := m.DoJSON(ctx, st.s.Item(w), docs, llm.Task{Kind: llm.CommunityReport, Input: in}, &out.Report); err != nil {
		return nil, err
	}
	return json.Marshal(out)
}

// Apply implements [method.Stage].
func (st *reportStage) Apply(_ context.Context, tx *engine.Tx, _ method.WorkItem, result []byte) error {
	var c reported
	if err := json.Unmarshal(result, &c); err != nil {
		return err
	}
	v := tx.Graph(st.s.g)
	id, err := st.node(v, c.plannedCommunity)
	if err != nil || c.Kept {
		return err
	}
	if err := setRead(v, communityItem(c.Key), c.material()); err != nil {
		return err
	}
	text := reportText(c.Report)
	return v.SetProps(id, engine.Props{
		propLevel: engine.Int(int64(c.Level)), propTitle: engine.String(c.Title), propReport: engine.String(text),
		propRating: engine.Float(c.Rating), propTokens: engine.Int(int64(st.s.c.Tokens().Count(text))),
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
	old, err := v.Lookup(typ, c.Key)
	if err == nil {
		var lost bool
		if lost, err = lostMembers(v, old, insideOf(c.Level), c.Members); lost && err == nil {
			_, err = v.DeleteNode(old)
		}
	}
	if err != nil && !graph.IsMissing(err) {
		return 0, err
	}
	id, created, err := v.DeriveNode(typ, c.Key)
	if err != nil {
		return 0, err
	}
	var have []engine.NodeID
	if !created {
		if have, err = graph.Neighbors(v, id, insideOf(c.Level), engine.In); err != nil {
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
	// A part whose report failed at first is made after the whole.
	if c.Parent != "" {
		whole, err := v.Lookup(typ, c.Parent)
		if err == nil {
			err = v.AddEdge(id, whole, part, 1)
		}
		if err != nil && !graph.IsMissing(err) {
			return 0, err
		}
	}
	for e, err := range v.Bucket(bucketPlan).Prefix(partsPrefix(c.Key)) {
		if err != nil {
			return 0, err
		}
		child, err := v.Lookup(typ, strings.TrimPrefix(string(e.Key), string(partsPrefix(c.Key))))
		if graph.IsMissing(err) {
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
	graph.Stage
	s      *system
	listed map[string]engine.NodeID
}

// Items implements [method.Stage]. The epoch makes each run's items its own.
func (st *staleStage) Items(ctx context.Context, s *engine.Snapshot) iter.Seq2[method.WorkItem, error] {
	return func(yield func(method.WorkItem, error) bool) {
		v := s.Graph(st.s.g).WithContext(ctx)
		st.listed = map[string]engine.NodeID{}
		have, err := nodesOf(v, typeCommunity)
		if err != nil {
			yield(method.WorkItem{}, err)
			return
		}
		for _, n := range have {
			wanted, err := v.Bucket(bucketPlan).Has(communityPlanKey(n.key))
			if err == nil && wanted {
				continue
			}
			w := method.WorkItem{Key: fmt.Sprintf("stale:%d", len(st.listed)), Digest: method.Digest("stale", n.key, fmt.Sprint(s.Epoch()))}
			st.listed[w.Key] = n.id
			if !yield(w, err) || err != nil {
				return
			}
		}
	}
}

// Do implements [method.Stage].
func (st *staleStage) Do(_ context.Context, _ *engine.Snapshot, _ *method.Models, w method.WorkItem) ([]byte, error) {
	return json.Marshal(st.listed[w.Key])
}

// Apply implements [method.Stage].
func (st *staleStage) Apply(_ context.Context, tx *engine.Tx, _ method.WorkItem, result []byte) error {
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
	if err := forgetRead(v, communityItem(n.Key)); err != nil {
		return err
	}
	return method.ForgetJobs(v, communityItem(n.Key))
}
