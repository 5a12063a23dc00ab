package ketrag

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/vecindex"
)

// describeStage makes one description of the several that an entity or
// relation has (spec B2.5: at most 500 tokens of at most 4000).
type describeStage struct{ s *system }

const (
	maxDescription = 500
	maxDescribed   = 4000
)

// Name implements [method.Stage].
func (st *describeStage) Name() string { return "describe" }

// Graph implements [method.Stage].
func (st *describeStage) Graph() *engine.Graph { return st.s.g }

// The work items of entities and relations are named by ids, which say nothing
// of what they were once they are gone.
func entityItem(id engine.NodeID) string { return "entity:" + strconv.FormatUint(uint64(id), 10) }

func relationItem(e engine.Edge) string {
	return fmt.Sprintf("relation:%d-%d", e.From, e.To)
}

func itemOf(t engine.Target) string {
	if t.Type == 0 {
		return entityItem(t.Node)
	}
	return relationItem(engine.Edge{From: min(t.From, t.To), To: max(t.From, t.To)})
}

// undescribe removes the united descriptions of entities and relations that a
// document leaves, and their marks: what is left is described anew.
func (s *system) undescribe(v *engine.TxView, targets []engine.Target) error {
	for _, t := range targets {
		if err := method.ForgetJobs(v, itemOf(t)); err != nil {
			return err
		}
		var err error
		if t.Type == 0 {
			err = v.SetProps(t.Node, engine.Props{propDescription: {}, propOf: {}})
		} else {
			err = v.SetEdgeProps(t.From, t.To, t.Type, nil)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// targetOf reads a work item's target back.
func (s *system) targetOf(v engine.Reader, item string) (engine.Target, error) {
	kind, rest, _ := strings.Cut(item, ":")
	if kind == "entity" {
		id, err := strconv.ParseUint(rest, 10, 64)
		return engine.NodeTarget(engine.NodeID(id)), err
	}
	var from, to engine.NodeID
	_, err := fmt.Sscanf(rest, "%d-%d", &from, &to)
	t, ok := v.EdgeType(edgeRelation)
	if err == nil && !ok {
		err = engine.ErrNotFound
	}
	return engine.EdgeTarget(from, to, t), err
}

// totalOf returns all that is said of an entity or relation. The texts are
// sorted: the ids of the core chunks that they are from tell when each entered
// the core, and nothing is to depend on that.
func totalOf(v engine.Reader, t engine.Target) (engine.Total, error) {
	total, err := v.Total(t)
	slices.Sort(total.Texts)
	return total, err
}

// describedDigest identifies what a united description is made of.
func describedDigest(t engine.Total) [32]byte {
	return method.Digest(append([]string{"describe", t.Label}, t.Texts...)...)
}

// Items implements [method.Stage]: entities and relations that have several
// descriptions, or had when they were last described.
func (st *describeStage) Items(ctx context.Context, s *engine.Snapshot) iter.Seq2[method.WorkItem, error] {
	return func(yield func(method.WorkItem, error) bool) {
		v := s.Graph(st.s.g).WithContext(ctx)
		visit := func(key string, t engine.Target, props func() (bool, error)) (more bool) {
			total, err := totalOf(v, t)
			if err == nil && len(total.Texts) < 2 {
				described, perr := props()
				if perr == nil && !described {
					return true
				}
				err = perr
			}
			w := method.WorkItem{Key: key, Digest: describedDigest(total)}
			return yield(w, err) && err == nil
		}
		ids, err := st.s.nodes(v, typeEntity)
		if err != nil {
			yield(method.WorkItem{}, err)
			return
		}
		for _, id := range ids {
			if !visit(entityItem(id), engine.NodeTarget(id), func() (bool, error) {
				n, err := v.Node(id)
				return !n.Prop(propDescription).IsNull(), err
			}) {
				return
			}
		}
		t, ok := v.EdgeType(edgeRelation)
		if !ok {
			return
		}
		for e, err := range v.Edges(engine.EdgeFilter{Types: []engine.EdgeType{t}}) {
			if err != nil {
				yield(method.WorkItem{}, err)
				return
			}
			if !visit(relationItem(e), engine.EdgeTarget(e.From, e.To, t), func() (bool, error) {
				p, err := v.EdgeProps(e.From, e.To, t)
				return p != nil, err
			}) {
				return
			}
		}
	}
}

// task is the model call for a target and the documents that its descriptions
// are from, none where replies are not kept; ok is false where there is nothing
// to unite.
func (st *describeStage) task(m *method.Models, v engine.Reader, item string) (t llm.Task, docs []string, ok bool, err error) {
	target, err := st.s.targetOf(v, item)
	if err != nil {
		return t, nil, false, err
	}
	total, err := totalOf(v, target)
	if err != nil || len(total.Texts) < 2 {
		return t, nil, false, err
	}
	in := llm.MergeInput{Name: total.Label, MaxTokens: maxDescription}
	tokens := 0
	for _, d := range total.Texts {
		if tokens += st.s.c.Tokens().Count(d); tokens > maxDescribed {
			break
		}
		in.Descriptions = append(in.Descriptions, d)
	}
	t = llm.Task{Kind: llm.MergeDescriptions, Input: in}
	if m.Free {
		return t, nil, true, nil
	}
	for c, err := range v.Contributions(target) {
		if err != nil {
			return t, nil, false, err
		}
		n, err := v.Node(c.Source)
		if err != nil {
			return t, nil, false, err
		}
		doc := method.DocOf(n.Key)
		used := func(d string) bool { return slices.Contains(in.Descriptions, d) }
		if (c.Label == in.Name || slices.ContainsFunc(c.Texts, used)) && !slices.Contains(docs, doc) {
			docs = append(docs, doc)
		}
	}
	return t, docs, true, nil
}

// Do implements [method.Stage].
func (st *describeStage) Do(ctx context.Context, s *engine.Snapshot, m *method.Models, w method.WorkItem) ([]byte, error) {
	t, docs, ok, err := st.task(m, s.Graph(st.s.g).WithContext(ctx), w.Key)
	if err != nil || !ok {
		return nil, err
	}
	reply, err := m.Do(ctx, st.s.Item(w), docs, t)
	return []byte(reply.Text), err
}

// Apply implements [method.Stage].
func (st *describeStage) Apply(_ context.Context, tx *engine.Tx, w method.WorkItem, result []byte) error {
	v := tx.Graph(st.s.g)
	t, err := st.s.targetOf(v, w.Key)
	if err != nil {
		return err
	}
	props := engine.Props{propDescription: {}, propOf: {}}
	if len(result) > 0 {
		props = engine.Props{propDescription: engine.String(string(result)), propOf: engine.Bytes(w.Digest[:])}
	}
	if t.Type == 0 {
		return v.SetProps(t.Node, props)
	}
	return v.SetEdgeProps(t.From, t.To, t.Type, props)
}

// describe returns what an entity or relation is called and how it is
// described: by the united description where it is of the descriptions that
// there are now, else by those.
func (s *system) describe(v engine.Reader, t engine.Target) (label, description string, err error) {
	total, err := totalOf(v, t)
	if err != nil {
		return "", "", err
	}
	if len(total.Texts) < 2 {
		return total.Label, strings.Join(total.Texts, ""), nil
	}
	var props engine.Props
	if t.Type == 0 {
		n, err := v.Node(t.Node)
		if err != nil {
			return "", "", err
		}
		props = n.Props()
	} else if props, err = v.EdgeProps(t.From, t.To, t.Type); err != nil {
		return "", "", err
	}
	digest := describedDigest(total)
	d := props[propDescription]
	if !engine.Bytes(digest[:]).Equal(props[propOf]) {
		return total.Label, strings.Join(total.Texts, "\n"), nil
	}
	if d.Kind() == engine.KindText && t.Type == 0 {
		description, err = v.Text(t.Node, propDescription)
		return total.Label, description, err
	}
	return total.Label, d.AsString(), nil
}

// entityStage gives entities the vectors by which questions find them: of name
// and description (spec B1).
type entityStage struct {
	s     *system
	model llm.SpaceInfo
}

// Name implements [method.Stage].
func (st *entityStage) Name() string { return "entities" }

// Graph implements [method.Stage].
func (st *entityStage) Graph() *engine.Graph { return st.s.g }

// Items implements [method.Stage].
func (st *entityStage) Items(ctx context.Context, s *engine.Snapshot) iter.Seq2[method.WorkItem, error] {
	return func(yield func(method.WorkItem, error) bool) {
		v := s.Graph(st.s.g).WithContext(ctx)
		ids, err := st.s.nodes(v, typeEntity)
		if err != nil {
			yield(method.WorkItem{}, err)
			return
		}
		for _, id := range ids {
			name, text, err := st.s.describe(v, engine.NodeTarget(id))
			w := method.WorkItem{Key: entityItem(id), Digest: method.Digest("entity", st.model.Model, name, text)}
			if !yield(w, err) || err != nil {
				return
			}
		}
	}
}

// Do implements [method.Stage].
func (st *entityStage) Do(ctx context.Context, s *engine.Snapshot, m *method.Models, w method.WorkItem) ([]byte, error) {
	v := s.Graph(st.s.g).WithContext(ctx)
	t, err := st.s.targetOf(v, w.Key)
	if err != nil {
		return nil, err
	}
	name, text, err := st.s.describe(v, t)
	if err != nil {
		return nil, err
	}
	return graph.Embed(ctx, v, m, t.Node, name+": "+text)
}

// Apply implements [method.Stage].
func (st *entityStage) Apply(_ context.Context, tx *engine.Tx, _ method.WorkItem, result []byte) error {
	id, vec, err := graph.ReadVector(result)
	if err != nil || vec == nil {
		return err
	}
	v := tx.Graph(st.s.g)
	space := spaceOf(typeEntity, st.model.Model)
	if err := method.MakeSpace(v, space, st.model, vecindex.Cosine); err != nil {
		return err
	}
	return v.PutVector(space, id, vec)
}

// stages is [method.System.Build].
func (s *system) stages(m *method.Models) []method.Step {
	model := m.DocumentSpace()
	words := s.keywords(m)
	first := method.Step{Stage: words, Batch: &method.Batch{Pending: words.pending, Flush: words.flush, Reset: words.reset}}
	return append([]method.Step{first}, method.Steps(
		&renewStage{s, model},
		&nearStage{s, model},
		&coreStage{s},
		&extractStage{s: s},
		&describeStage{s},
		&entityStage{s, model},
	)...)
}
