package archrag

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/encoded"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/internal/models"
	"github.com/ragdb/ragdb/rag/internal/queue"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
)

// record says what the last run left behind that did all there was to do. It
// holds for one state of the graphs: every transaction that changes a node or an edge
// of the documents or of the method moves the version of its graph, so a record from
// before the change does not hold any more. Nothing has to be noted for that, and a
// crash between a change and its work cannot lose the change.
type record struct {
	// State identifies the documents, the method's graph, and the models.
	State string `json:"state"`
	// Done counts the work items of each stage.
	Done map[string]int `json:"done"`
	// Failed are the stages that have items which were set aside. Their items are
	// looked through on each run.
	Failed []string `json:"failed,omitempty"`
}

var settledKey = []byte{0}

// stateOf identifies all that decides whether there is work: the versions of the
// documents' graph and of the method's, the space of the vectors, and the tagger.
func (s *system) stateOf(snap *engine.Snapshot, model llm.SpaceInfo) (string, error) {
	base := snap.Graph(s.c.Base())
	documents, err := base.Version()
	if err != nil {
		return "", err
	}
	own, err := snap.Graph(s.g).Version()
	if err != nil {
		return "", err
	}
	tagger, err := models.TaggerOf(base)
	return fmt.Sprintf("%d %d %q %d %q", documents, own, model.Model, model.Dim, tagger), err
}

// readRecord returns the last record, whether it holds or not; an empty one if there is
// none.
func (s *system) readRecord(snap *engine.Snapshot) (record, error) {
	var r record
	_, err := encoded.Get(snap.Graph(s.g).Bucket(bucketSettled), settledKey, &r)
	return r, err
}

// settled returns the record if it holds.
func (s *system) settled(snap *engine.Snapshot, model llm.SpaceInfo) (r record, ok bool, err error) {
	if s.whole {
		return r, false, nil
	}
	if r, err = s.readRecord(snap); err != nil || r.State == "" {
		return r, false, err
	}
	state, err := s.stateOf(snap, model)
	return r, err == nil && r.State == state, err
}

// gated is a stage that has no items while a record holds that says so.
type gated struct {
	method.Stage
	s     *system
	model llm.SpaceInfo
	// looked says that all items were looked through, of which there are all.
	looked bool
	all    int
}

// Items implements [method.Stage].
func (st *gated) Items(ctx context.Context, snap *engine.Snapshot) iter.Seq2[method.WorkItem, error] {
	return func(yield func(method.WorkItem, error) bool) {
		st.looked = false
		if settled, err := st.settled(snap); err != nil {
			yield(method.WorkItem{}, err)
			return
		} else if settled != nil {
			return
		}
		n := 0
		for w, err := range st.Stage.Items(ctx, snap) {
			if n++; !yield(w, err) || err != nil {
				return
			}
		}
		st.looked, st.all = true, n
	}
}

// settled returns the record by which the stage has nothing to do, nil if it may have.
func (st *gated) settled(snap *engine.Snapshot) (*record, error) {
	r, ok, err := st.s.settled(snap, st.model)
	if !ok || err != nil || slices.Contains(r.Failed, st.Name()) {
		return nil, err
	}
	return &r, nil
}

// steps returns stages as steps that do not look at anything while nothing has changed
// since a run that did all there was to do, and at the end the step that records it.
func (s *system) steps(model llm.SpaceInfo, stages []method.Stage) []method.Step {
	end := &settleStage{Stage: graph.NewStage("settle", s.g), s: s, model: model}
	var out []method.Step
	for _, st := range stages {
		g := &gated{Stage: st, s: s, model: model}
		end.stages = append(end.stages, g)
		step := method.Steps(g)[0]
		step.Settled = func(_ context.Context, snap *engine.Snapshot) (int, error) {
			r, err := g.settled(snap)
			if r == nil || err != nil {
				return 0, err
			}
			return r.Done[g.Name()], nil
		}
		if l, ok := st.(*levelStage); ok {
			step.Whole = l.Whole()
		}
		out = append(out, step)
	}
	return append(out, method.Steps(end)...)
}

// settleStage records that a run did all there was to do.
type settleStage struct {
	graph.Stage
	s      *system
	model  llm.SpaceInfo
	stages []*gated
}

// Items implements [method.Stage]: one item, unless a record holds.
func (st *settleStage) Items(_ context.Context, snap *engine.Snapshot) iter.Seq2[method.WorkItem, error] {
	return func(yield func(method.WorkItem, error) bool) {
		_, ok, err := st.s.settled(snap, st.model)
		if err != nil {
			yield(method.WorkItem{}, err)
			return
		}
		if ok {
			return
		}
		state, err := st.s.stateOf(snap, st.model)
		yield(method.WorkItem{Key: "all", Digest: method.Digest("settled", state, st.s.runOf(snap))}, err)
	}
}

// Do implements [method.Stage].
func (st *settleStage) Do(_ context.Context, snap *engine.Snapshot, _ *method.Models, _ method.WorkItem) ([]byte, error) {
	before, err := st.s.readRecord(snap)
	if err != nil {
		return nil, err
	}
	r := record{Done: map[string]int{}}
	if r.State, err = st.s.stateOf(snap, st.model); err != nil {
		return nil, err
	}
	for _, g := range st.stages {
		if r.Done[g.Name()] = before.Done[g.Name()]; g.looked {
			r.Done[g.Name()] = g.all
		}
	}
	failed := map[string]int{}
	for f, err := range queue.Failures(snap.Graph(st.s.g)) {
		if err != nil {
			return nil, err
		}
		failed[f.Stage]++
	}
	for _, g := range st.stages {
		if failed[g.Name()] > 0 {
			r.Failed = append(r.Failed, g.Name())
		}
	}
	return json.Marshal(r)
}

// Apply implements [method.Stage].
func (st *settleStage) Apply(_ context.Context, tx *engine.Tx, _ method.WorkItem, result []byte) error {
	var r record
	if err := json.Unmarshal(result, &r); err != nil {
		return err
	}
	bucket, err := tx.Graph(st.s.g).MakeBucket(bucketSettled)
	if err != nil {
		return err
	}
	return encoded.Put(bucket, settledKey, r)
}
