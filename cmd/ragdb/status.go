package main

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/cost"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/methods"
)

// statusResult is what status prints.
type statusResult struct {
	V          int               `json:"v"`
	DB         string            `json:"db"`
	Format     uint32            `json:"format"`
	NS         string            `json:"ns"`
	Namespaces []string          `json:"namespaces"`
	Epoch      uint64            `json:"epoch"`
	Docs       int               `json:"docs"`
	Chunks     []engine.Count    `json:"chunks"` // by chunk set
	Base       []stageStatus     `json:"base"`   // what the methods share
	Methods    []methodStatus    `json:"methods"`
	Failed     []failedItem      `json:"failed"`
	Settings   map[string]string `json:"settings"`
	Memory     memoryResult      `json:"memory"`
}

type methodStatus struct {
	Instance string `json:"instance"`
	// Indexed says that its steps have once been run to the end.
	Indexed bool          `json:"indexed"`
	Stages  []stageStatus `json:"stages"`
	// Advice is what would be good for the index.
	Advice []method.Advice `json:"advice,omitempty"`
}

type stageStatus struct {
	Method  string `json:"method"` // base for what the methods share
	Stage   string `json:"stage"`
	Done    int    `json:"done"`
	Pending int    `json:"pending"`
	Failed  int    `json:"failed"`
	// Whole is set if the step looks at a whole graph, once it has.
	Whole *cost.Whole `json:"whole,omitempty"`
}

type failedItem struct {
	Graph string `json:"graph"`
	rag.Failure
}

func (a *app) statusCommand() *cobra.Command {
	return &cobra.Command{
		Use:         "status DB",
		Short:       "Show what is indexed, what is left to do and what failed",
		Example:     `  ragdb status acme.ragdb`,
		Annotations: map[string]string{printsRows: "yes"},
		RunE: a.onDB(0, false, func(ctx context.Context, cmd *cobra.Command, path string, _ []string) error {
			return a.use(ctx, cmd, path, toRead, func(c *rag.Corpus) error {
				r, err := a.status(ctx, c)
				if err == nil {
					a.printStatus(r)
				}
				return err
			})
		}),
	}
}

func (a *app) status(ctx context.Context, c *rag.Corpus) (*statusResult, error) {
	r := &statusResult{V: 1, DB: c.DB().Path(), Format: engine.Format, NS: c.Namespace().Name(),
		Chunks: []engine.Count{}, Methods: []methodStatus{}, Failed: []failedItem{}, Settings: a.sources[fromDatabase].values}
	var err error
	if r.Namespaces, err = c.DB().Namespaces(ctx); err != nil {
		return nil, err
	}
	done, err := instances(ctx, c)
	if err != nil {
		return nil, err
	}
	want := slices.Clone(done)
	if len(done) == 0 {
		want = append(want, cmp.Or(r.Settings["method"], methods.Default)) // begun, perhaps
	}
	snap, err := c.DB().Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	defer snap.Close()
	r.Epoch = snap.Epoch()
	if err := r.base(ctx, c, snap); err != nil {
		return nil, err
	}
	models, err := c.IndexedModels(ctx)
	if err != nil {
		return nil, err
	}
	var begun []*method.System
	for _, name := range want {
		sys, err := a.begun(ctx, c, name)
		if err != nil {
			return nil, err
		}
		m := methodStatus{Instance: name, Indexed: slices.Contains(done, name), Stages: []stageStatus{}}
		if sys != nil {
			begun = append(begun, sys)
			if m.Stages, err = count(ctx, snap, name, sys.Stages(models)); err != nil {
				return nil, err
			}
			if sys.Advice != nil && m.Indexed {
				if m.Advice, err = sys.Advice(ctx, snap.Graph(sys.Graph()).WithContext(ctx)); err != nil {
					return nil, err
				}
			}
		}
		r.Methods = append(r.Methods, m)
	}
	stages, err := c.BaseStages(begun, models)
	if err != nil {
		return nil, err
	}
	if r.Base, err = count(ctx, snap, engine.Base, stages); err != nil {
		return nil, err
	}
	stats, err := snap.MemoryStats(ctx)
	r.Memory = beyondMemory(&stats)
	return r, err
}

// base counts documents, chunks and the failed items of all graphs.
func (r *statusResult) base(ctx context.Context, c *rag.Corpus, snap *engine.Snapshot) error {
	v := snap.Graph(c.Base()).WithContext(ctx)
	for _, t := range v.NodeTypes() {
		set, err := v.Nodes(t)
		if err != nil {
			return err
		}
		n := int(set.GetCardinality())
		name := v.NodeTypeName(t)
		if chunks, ok := strings.CutPrefix(name, method.ChunkNodeType+":"); ok {
			r.Chunks = append(r.Chunks, engine.Count{Name: chunks, Count: int64(n)})
		} else if name == "document" {
			r.Docs = n
		}
	}
	names, err := c.Namespace().Graphs(ctx)
	if err != nil {
		return err
	}
	for _, name := range names {
		g, err := c.Graph(ctx, name)
		if err != nil {
			return err
		}
		for f, err := range c.Failures(snap.Graph(g).WithContext(ctx)) {
			if err != nil {
				return err
			}
			r.Failed = append(r.Failed, failedItem{name, f})
		}
	}
	return nil
}

// begun opens the method of an instance, nil if nothing of it is there.
func (a *app) begun(ctx context.Context, c *rag.Corpus, instance string) (*method.System, error) {
	spec, err := method.ParseInstance(instance)
	if err != nil {
		return nil, err
	}
	sys, err := a.methods.Open(ctx, c.Docs(), spec)
	if errors.Is(err, engine.ErrNotFound) {
		return nil, nil // the database is open for reading
	}
	return sys, err
}

// count counts the work items of steps.
func count(ctx context.Context, snap *engine.Snapshot, method string, stages []method.Step) ([]stageStatus, error) {
	out := []stageStatus{}
	for _, st := range stages {
		n, err := st.Count(ctx, snap)
		if err != nil {
			return nil, err
		}
		whole, err := st.LastWhole(snap.Graph(st.Graph()).WithContext(ctx))
		if err != nil {
			return nil, err
		}
		out = append(out, stageStatus{method, st.Name(), n.Done, n.Pending, n.Failed, whole})
	}
	return out, nil
}

func (a *app) printStatus(r *statusResult) {
	o := a.out
	if o.format == asJSON {
		o.json(r)
		return
	}
	if o.text() {
		o.print("%s %s\n", o.bold(r.DB), o.dim("· format "+number(int(r.Format))+" · namespace "+r.NS))
		line := "  " + plural(r.Docs, "document")
		for _, c := range r.Chunks {
			line += " · " + plural(c.Count, "chunk") + " (" + c.Name + ")"
		}
		o.print("%s\n", line)
		for _, k := range storedKeys() {
			if v := r.Settings[k]; v != "" {
				o.print("  default %s: %s\n", k, v)
			}
		}
		if len(r.Namespaces) > 1 {
			o.print("  namespaces: %s\n", strings.Join(r.Namespaces, ", "))
		}
		o.print("\n")
	}
	t := &table{head: []string{"method", "step", "done", "pending", "failed"}, right: []bool{false, false, true, true, true}}
	left := false
	add := func(stages []stageStatus) {
		for _, s := range stages {
			t.add(s, s.Method, s.Stage, number(s.Done), number(s.Pending), number(s.Failed))
			left = left || s.Pending > 0
		}
	}
	add(r.Base)
	for _, m := range r.Methods {
		left = left || !m.Indexed
		if len(m.Stages) == 0 {
			step := "ready"
			if !m.Indexed {
				step = "not indexed"
			}
			t.add(stageStatus{Method: m.Instance, Stage: step}, m.Instance, step, "", "", "")
		}
		if o.text() && !m.Indexed {
			m.Stages = begunStages(m.Stages)
		}
		add(m.Stages)
	}
	o.rows(t)
	if !o.text() {
		return
	}
	for _, f := range r.Failed {
		o.print("failed: %s\n", escape(oneLine(f.Graph+" · "+f.Stage+" · "+f.Item+": "+f.Reason)))
	}
	for _, m := range r.Methods {
		for _, advice := range m.Advice {
			o.print("%s: %s\n", m.Instance, escape(advice.Reason))
			o.note("advised: ragdb index %s --%s", quote(r.DB), advice.Action)
		}
	}
	for _, m := range r.Methods {
		var all wholeStages
		for _, s := range m.Stages {
			all.add(s.Stage, s.Whole)
		}
		if line := all.line(); line != "" {
			o.print("%s: %s\n", m.Instance, line)
		}
	}
	a.printBeyondMemory(&r.Memory)
	switch {
	case r.Docs == 0:
		o.note("next: ragdb index %s PATH", quote(r.DB))
	case left:
		o.note("next: ragdb index %s does what is left", quote(r.DB))
	}
}

// begunStages returns the stages that have work or have done some, and the one that
// comes after them: of a method in progress, most have nothing to show yet.
func begunStages(all []stageStatus) []stageStatus {
	var out []stageStatus
	next := 0
	for i, s := range all {
		if s.Done+s.Pending+s.Failed > 0 {
			out, next = append(out, s), i+1
		}
	}
	if next < len(all) {
		out = append(out, all[next])
	}
	return out
}
