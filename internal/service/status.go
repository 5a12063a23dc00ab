package service

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/cost"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/methods"
)

// Status is what status prints.
type Status struct {
	V          int               `json:"v"`
	DB         string            `json:"db"`
	Format     uint32            `json:"format"`
	NS         string            `json:"ns"`
	Namespaces []string          `json:"namespaces"`
	Epoch      uint64            `json:"epoch"`
	Docs       int               `json:"docs"`
	Chunks     []engine.Count    `json:"chunks"` // by chunk set
	Base       []StageStatus     `json:"base"`   // what the methods share
	Methods    []MethodStatus    `json:"methods"`
	Failed     []FailedItem      `json:"failed"`
	Settings   map[string]string `json:"settings"`
	Memory     Memory            `json:"memory"`
	// Owed is what removals and merges that were interrupted have left to do.
	Owed *Owed `json:"owed,omitempty"`
	// Latest is the number of the last commit in the store. It is above Epoch if others
	// wrote meanwhile.
	Latest uint64 `json:"latest"`
}

type MethodStatus struct {
	Instance string `json:"instance"`
	// Indexed says that its steps have once been run to the end.
	Indexed bool          `json:"indexed"`
	Stages  []StageStatus `json:"stages"`
	// Advice is what would be good for the index.
	Advice []method.Advice `json:"advice,omitempty"`
}

type StageStatus struct {
	Method  string `json:"method"` // base for what the methods share
	Stage   string `json:"stage"`
	Done    int    `json:"done"`
	Pending int    `json:"pending"`
	Failed  int    `json:"failed"`
	// Whole is set if the step looks at a whole graph, once it has.
	Whole *cost.Whole `json:"whole,omitempty"`
}

type FailedItem struct {
	Graph string `json:"graph"`
	rag.Failure
}

// Status tells what is indexed, what is left to do and what failed.
func (c *Corpus) Status(ctx context.Context) (*Status, error) {
	r := &Status{V: 1, DB: c.Path(), Format: engine.Format, NS: c.Namespace().Name(),
		Chunks: []engine.Count{}, Methods: []MethodStatus{}, Failed: []FailedItem{}}
	var err error
	if r.Settings, err = c.Settings(ctx); err != nil {
		return nil, err
	}
	if r.Namespaces, err = c.DB().Namespaces(ctx); err != nil {
		return nil, err
	}
	done, err := Instances(ctx, c.Corpus)
	if err != nil {
		return nil, err
	}
	want := slices.Clone(done)
	if len(done) == 0 {
		want = append(want, cmp.Or(r.Settings["method"], methods.Default)) // begun, perhaps
	}
	if r.Owed, err = OwedBy(ctx, c.Corpus); err != nil {
		return nil, err
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
		sys, err := c.begun(ctx, name)
		if err != nil {
			return nil, err
		}
		m := MethodStatus{Instance: name, Indexed: slices.Contains(done, name), Stages: []StageStatus{}}
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
	if err != nil {
		return nil, err
	}
	r.Memory = BeyondMemory(&stats)
	r.Latest, err = c.DB().LatestEpoch(ctx)
	return r, err
}

// base counts documents, chunks and the failed items of all graphs.
func (r *Status) base(ctx context.Context, c *Corpus, snap *engine.Snapshot) error {
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
			r.Failed = append(r.Failed, FailedItem{name, f})
		}
	}
	return nil
}

// begun opens the method of an instance, nil if nothing of it is there.
func (c *Corpus) begun(ctx context.Context, instance string) (*method.System, error) {
	spec, err := method.ParseInstance(instance)
	if err != nil {
		return nil, err
	}
	sys, err := c.Methods.Open(ctx, c.Docs(), spec)
	if errors.Is(err, engine.ErrNotFound) {
		return nil, nil // the database is open for reading
	}
	return sys, err
}

// count counts the work items of steps.
func count(ctx context.Context, snap *engine.Snapshot, method string, stages []method.Step) ([]StageStatus, error) {
	out := []StageStatus{}
	for _, st := range stages {
		n, err := st.Count(ctx, snap)
		if err != nil {
			return nil, err
		}
		whole, err := st.LastWhole(snap.Graph(st.Graph()).WithContext(ctx))
		if err != nil {
			return nil, err
		}
		out = append(out, StageStatus{method, st.Name(), n.Done, n.Pending, n.Failed, whole})
	}
	return out, nil
}
