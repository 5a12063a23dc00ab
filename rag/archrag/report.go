package archrag

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/encoded"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
)

// reportTokens is what a model reads of a community (spec A2.5).
const reportTokens = 4000

// reportStage reports on the communities of a level and gives them vectors, of
// title and summary, in the layer of the level (spec A2.5). A community whose
// members and what is said of them are as they were is not reported on again.
type reportStage struct {
	graph.Stage
	s     *system
	n     int
	model llm.SpaceInfo
	// listed are the nodes of the items that Items has yielded, and known is what
	// it has read of them: Do tells of the same.
	listed map[string]engine.NodeID
	known  *memo
}

// Items implements [method.Stage]: the level's communities, in order of key.
func (st *reportStage) Items(ctx context.Context, s *engine.Snapshot) iter.Seq2[method.WorkItem, error] {
	return func(yield func(method.WorkItem, error) bool) {
		v := s.Graph(st.s.g).WithContext(ctx)
		lv := &level{}
		if err := lv.read(v, typeCommunity, communityPrefix(st.n)); err != nil {
			yield(method.WorkItem{}, err)
			return
		}
		st.listed, st.known = map[string]engine.NodeID{}, newMemo()
		items := make([]method.WorkItem, len(lv.ids))
		for i, id := range lv.ids {
			in, err := st.s.reportInput(v, id, st.n, st.known)
			var raw []byte
			if err == nil {
				raw, err = json.Marshal(in)
			}
			if err != nil {
				yield(method.WorkItem{}, err)
				return
			}
			// The node counts: a community that went and came again has no
			// report yet.
			items[i] = method.WorkItem{
				Key: communityItem(lv.keys[i]), Digest: method.Digest("report", st.model.Model, fmt.Sprint(id), string(raw)),
			}
			st.listed[items[i].Key] = id
		}
		for _, w := range items {
			if !yield(w, nil) {
				return
			}
		}
	}
}

// reported is what a report stage comes to.
type reported struct {
	ID     engine.NodeID `json:"id"`
	Vector []byte        `json:"vector"`
	llm.Report
}

// Do implements [method.Stage].
func (st *reportStage) Do(ctx context.Context, s *engine.Snapshot, m *method.Models, w method.WorkItem) ([]byte, error) {
	v := s.Graph(st.s.g).WithContext(ctx)
	id, ok := st.listed[w.Key]
	if !ok {
		return nil, fmt.Errorf("%s: %w", w.Key, engine.ErrNotFound)
	}
	in, err := st.s.reportInput(v, id, st.n, st.known)
	if err != nil {
		return nil, err
	}
	entities, err := descendants(v, id, st.n, 0)
	if err != nil {
		return nil, err
	}
	docs, err := graph.SourceDocs(v, graph.Targets(entities)...)
	if err != nil {
		return nil, err
	}
	out := reported{ID: id}
	if err := m.DoJSON(ctx, st.s.Item(w), docs, llm.Task{Kind: llm.CommunityReport, Input: in}, &out.Report); err != nil {
		return nil, err
	}
	vecs, err := m.Embed(ctx, docs, []string{out.text()})
	if err != nil {
		return nil, err
	}
	out.Vector = encoded.AppendVector(nil, vecs[0])
	return json.Marshal(out)
}

// text is what is embedded of a report.
func (r *reported) text() string { return strings.TrimSpace(r.Title + " " + r.Summary) }

// Apply implements [method.Stage].
func (st *reportStage) Apply(_ context.Context, tx *engine.Tx, _ method.WorkItem, result []byte) error {
	var r reported
	if err := json.Unmarshal(result, &r); err != nil {
		return err
	}
	if len(r.Vector)%4 != 0 {
		return errors.New("malformed vector")
	}
	findings, err := json.Marshal(r.Findings)
	if err != nil {
		return err
	}
	v := tx.Graph(st.s.g)
	err = v.SetProps(r.ID, engine.Props{
		propTitle: engine.String(r.Title), propReport: engine.String(r.Summary),
		propFindings: engine.String(string(findings)), propRating: engine.Float(r.Rating),
	})
	if err != nil {
		return err
	}
	digest := method.Digest("embed", st.model.Model, r.text())
	return st.s.putNode(v, st.model, r.ID, uint8(st.n), digest, encoded.ReadVector(r.Vector))
}

// forgetReport takes a community's report and vectors back.
func forgetReport(v *engine.TxView, id engine.NodeID) error {
	n, err := v.Node(id)
	if err != nil {
		return err
	}
	if err := method.ForgetJobs(v, communityItem(n.Key)); err != nil {
		return err
	}
	for _, space := range v.Spaces() {
		if strings.HasPrefix(space, nodeSpace("")) {
			if err := v.DeleteVector(space, id); err != nil {
				return err
			}
		}
	}
	return v.SetProps(id, engine.Props{propTitle: {}, propReport: {}, propFindings: {}, propRating: {}, propEmbedded: {}})
}

// reportOf returns the title and summary of a community, "" if there is no
// report yet.
func reportOf(v engine.Reader, id engine.NodeID) (title, summary string, rating float64, err error) {
	for _, p := range []struct {
		to   *string
		name string
	}{{&title, propTitle}, {&summary, propReport}} {
		if *p.to, err = v.Text(id, p.name); err != nil && !graph.IsMissing(err) {
			return "", "", 0, err
		}
	}
	n, err := v.Node(id)
	return title, summary, n.Prop(propRating).AsFloat(), err
}

// children returns the members of a community.
func children(v engine.Reader, id engine.NodeID) ([]engine.NodeID, error) {
	return graph.Neighbors(v, id, edgePart, engine.In)
}

// descendants returns the entities of a community of a level: at most some, 0
// for all.
func descendants(v engine.Reader, id engine.NodeID, n, most int) ([]engine.NodeID, error) {
	out := []engine.NodeID{id}
	for range n {
		var next []engine.NodeID
		for _, c := range out {
			if most > 0 && len(next) >= most {
				break
			}
			of, err := children(v, c)
			if err != nil {
				return nil, err
			}
			next = append(next, of...)
		}
		out = next
	}
	if most > 0 {
		out = out[:min(len(out), most)]
	}
	return out, nil
}

// reportInput returns what a model reads of a community: above level 1 the
// reports of its members, the best rated first, and in what that leaves of the
// tokens the tables of entities and relations.
func (s *system) reportInput(v engine.Reader, id engine.NodeID, n int, known *memo) (in llm.ReportInput, err error) {
	left := reportTokens
	if n > 1 {
		of, err := children(v, id)
		if err != nil {
			return in, err
		}
		type child struct {
			text   string
			rating float64
		}
		var all []child
		for _, c := range of {
			title, summary, rating, err := reportOf(v, c)
			if err != nil {
				return in, err
			}
			if summary != "" {
				all = append(all, child{title + ": " + summary, rating})
			}
		}
		slices.SortFunc(all, func(a, b child) int {
			return cmp.Or(cmp.Compare(b.rating, a.rating), cmp.Compare(a.text, b.text))
		})
		for _, c := range all {
			k := s.c.Tokens().Count(c.text)
			if k > left {
				return in, nil
			}
			left -= k
			in.Reports = append(in.Reports, c.text)
		}
	}
	if left < leastTable && len(in.Reports) > 0 {
		return in, nil
	}
	entities, err := descendants(v, id, n, 0)
	if err != nil {
		return in, err
	}
	// A token is a byte at least: if all fits by bytes nothing is counted.
	for _, count := range []func(string) int{func(s string) int { return len(s) }, s.c.Tokens().Count} {
		t := &tables{s: s, v: v, left: left, count: count, memo: known, read: map[engine.NodeID]named{}}
		if in.Entities, in.Relations, err = t.of(entities); err != nil || !t.cut {
			break
		}
	}
	return in, err
}

// leastTable is the number of tokens below which no tables are begun.
const leastTable = 200
