package rag

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/corpus"
	"github.com/ragdb/ragdb/rag/internal/models"
	"github.com/ragdb/ragdb/rag/internal/queue"
	"github.com/ragdb/ragdb/rag/internal/text"
	"github.com/ragdb/ragdb/rag/ledger"
	"github.com/ragdb/ragdb/rag/load"
	"github.com/ragdb/ragdb/rag/method"
)

// Indexer indexes a corpus by some methods.
type Indexer struct {
	Corpus  *Corpus
	Methods method.Methods
	// Systems are the methods to index by.
	Systems []*method.System
	Options IndexOptions
}

// ErrNoDocuments says that a run found no document in its inputs.
var ErrNoDocuments = errors.New("no documents found")

// Run reads the documents of the inputs, replaces those that changed, and
// indexes by the systems what is not indexed yet. What it has done is
// kept: an interrupted run goes on where it stopped. Files that cannot be read
// and items that fail are set aside and counted in a [*PartialError], and the
// result is good beside it.
//
// Runs and removals in one namespace of a database come one after the other, whatever
// corpora they are called on: a second one waits for the first to end, or for its own
// context. Notify and MayRemove must not begin another.
func (x *Indexer) Run(ctx context.Context, inputs []Input) (*IndexResult, error) {
	x, err := x.ready(inputs)
	if err != nil {
		return &IndexResult{}, err
	}
	end, err := x.Corpus.begin(ctx)
	if err != nil {
		return &IndexResult{}, err
	}
	defer end()
	return x.run(ctx, inputs)
}

// runShare is the part of the memory budget, one in so many, that a run draws for its
// buffers: it waits for it.
const runShare = 8

// run is Run for a caller whose turn it is.
func (x *Indexer) run(ctx context.Context, inputs []Input) (*IndexResult, error) {
	out := &IndexResult{}
	if len(x.Systems) == 0 {
		return out, phase.Mark(method.ErrMethod, "no system to index by: open one with Methods.Open")
	}
	memory := x.Corpus.DB().Memory()
	share := memory.Begin().Patient()
	defer share.Close()
	if err := share.Grow(ctx, memory.Bytes()/runShare); err != nil {
		return out, err
	}
	removed, err := x.Corpus.settle(ctx, x.Methods)
	out.Removed += removed
	if err != nil {
		return out, err
	}
	if err := x.read(ctx, inputs, out); err != nil {
		return out, err
	}
	if err := x.build(ctx, out); err != nil {
		return out, err
	}
	if err := x.Corpus.indexed(ctx, x.Methods, x.Systems); err != nil {
		return out, err
	}
	if out.Failed > 0 || len(out.BadFiles) > 0 {
		return out, &PartialError{Failed: out.Failed, Files: len(out.BadFiles)}
	}
	return out, nil
}

// ready refuses an indexer or inputs that lack a part, and fills in what may be
// left out, in a copy.
func (x *Indexer) ready(inputs []Input) (*Indexer, error) {
	if x == nil {
		return nil, phase.Errorf("%w: a nil indexer", ErrArgument)
	}
	if err := x.Corpus.ready(); err != nil {
		return nil, err
	}
	if slices.Contains(x.Systems, nil) {
		return nil, phase.Errorf("%w: a nil system", ErrArgument)
	}
	for i, in := range inputs {
		if in.FS == nil && in.Source == nil {
			return nil, phase.Errorf("%w: input %d has neither a file system nor a source to read from", ErrArgument, i)
		}
	}
	other := *x
	if other.Options.Notify == nil {
		other.Options.Notify = func(Event) {}
	}
	if other.Options.Read == nil {
		other.Options.Read = func(map[int]*load.FileError) {}
	}
	return &other, nil
}

// sets returns the chunk sets that the systems want, each once.
func (x *Indexer) sets() ([]*text.Chunker, error) { return x.Corpus.chunkers(x.Systems) }

// chunkers returns what cuts the chunk sets that some systems want, each once.
func (c *Corpus) chunkers(systems []*method.System) ([]*text.Chunker, error) {
	var out []*text.Chunker
	seen := map[string]bool{}
	for _, s := range systems {
		if s == nil {
			return nil, phase.Errorf("%w: a nil system", ErrArgument)
		}
		if name := s.ChunkSet().String(); !seen[name] {
			seen[name] = true
			ch, err := text.NewChunker(c.Tokens(), s.ChunkSet())
			if err != nil {
				return nil, err
			}
			out = append(out, ch)
		}
	}
	return out, nil
}

// read brings the documents into the base graph.
func (x *Indexer) read(ctx context.Context, inputs []Input, out *IndexResult) error {
	sets, err := x.sets()
	if err != nil {
		return err
	}
	lost, err := x.Corpus.words.Lost(ctx)
	if err != nil {
		return err
	}
	if lost {
		if err := x.Corpus.words.Relearn(ctx); err != nil {
			return err
		}
	}
	w := &docWriter{x: x, sets: sets, tables: x.Corpus.words.Tables(), inputs: map[*load.Document]int{}, aside: map[int]*load.FileError{}, out: out}
	keys := &load.Keys{}
	start := time.Now()
	for i, src := range inputs {
		if src.Source != nil { // a program gave it, and is told if nothing is kept of it
			told := src.Load.OnSkip
			src.Load.OnSkip = func(place, why string) {
				w.setAside(i, &load.FileError{Path: place, Reason: "has no text", Err: load.ErrNoText})
				if told != nil {
					told(place, why)
				}
			}
		}
		for d, err := range src.documents(ctx, keys, x.Corpus.DB().Memory()) {
			var bad *load.FileError
			switch {
			case errors.As(err, &bad):
				w.setAside(i, bad)
				continue
			case err != nil:
				return phase.Errorf("read: %w", err)
			}
			if err := w.add(ctx, i, d); err != nil {
				return phase.Errorf("read %s: %w", d.Key, err)
			}
		}
	}
	if err := w.flush(ctx); err != nil {
		return phase.Errorf("read: %w", err)
	}
	x.Options.Read(w.aside)
	if n := out.Added + out.Replaced; n > 0 {
		out.Stages = append(out.Stages, StageResult{Stage: "read", Done: n, Ms: time.Since(start).Milliseconds()})
	}
	if len(inputs) > 0 && w.met == 0 && len(out.BadFiles) == 0 {
		return phase.At("", ErrNoDocuments)
	}
	return nil
}

// build runs the stages.
func (x *Indexer) build(ctx context.Context, out *IndexResult) (err error) {
	c := x.Corpus
	sets, err := x.sets()
	if err != nil {
		return err
	}
	if len(sets) == 0 {
		return phase.Mark(method.ErrMethod, "none to index by")
	}
	r := &queue.Runner{DB: c.DB(), Workers: x.Options.Workers, Retry: x.Options.Retry, Notify: x.Options.Notify}
	cut := map[string]bool{}
	for _, s := range sets {
		if err := x.step(ctx, r, c.cutStep(s), out); err != nil {
			return err
		}
		cut[s.Set().String()] = true
	}
	if !c.o.NoWords {
		if err := c.words.Train(ctx, sets[0].Set(), func(done, total int) {
			x.Options.Notify(Event{Stage: "words", Done: done, Total: total})
		}); err != nil {
			return phase.Errorf("words: %w", err)
		}
	}
	if err := c.words.Tidy(ctx); err != nil {
		return phase.Errorf("words: %w", err)
	}
	if r.Models, err = c.indexModels(ctx); err != nil {
		return err
	}
	want := models.EmbeddingModelOf(r.Models.DocumentSpace())
	other, have, err := models.Claim(ctx, c.documents, want)
	if err != nil {
		return err
	}
	if other && !x.Options.Reembed {
		return phase.Errorf("%w", &ModelError{Have: have, Want: want})
	}
	retag, err := models.ClaimTagger(ctx, c.documents, r.Models)
	if err != nil {
		return phase.Errorf("tagger: %w", err)
	}
	run := c.ledger.Begin(x.record(r.Models))
	defer func() {
		out.tally(r.Models)
		outcome := "done"
		if err != nil {
			outcome = err.Error()
		}
		err = errors.Join(err, run.Save(ctx, r.Models.Spent(), outcome))
	}()
	all := x
	if other || retag {
		all, err = x.withAll(ctx)
	} else {
		all, err = x.withOutdated(ctx)
	}
	if err != nil {
		return err
	}
	if sets, err = all.sets(); err != nil {
		return err
	}
	for _, s := range sets {
		if !cut[s.Set().String()] {
			if err := x.step(ctx, r, c.cutStep(s), out); err != nil {
				return err
			}
		}
		if err := x.step(ctx, r, c.embedStep(s.Set(), r.Models), out); err != nil {
			return err
		}
	}
	for _, sys := range all.Systems {
		if x.Options.Recluster && sys.Recluster != nil {
			sys = sys.Recluster()
		}
		if err := x.system(ctx, r, sys, func() error { return run.Save(ctx, r.Models.Spent(), "") }, out); err != nil {
			return err
		}
		if err := c.Remember(ctx, corpus.Manifest{
			Spec: sys.Instance(), Params: sys.Params(), Chunks: sys.ChunkSet().String(), Model: r.Models.DocumentSpace().Model,
		}); err != nil {
			return err
		}
	}
	if err := c.words.Adopt(ctx); err != nil {
		return phase.Errorf("words: %w", err)
	}
	if err := x.flushVectors(ctx, all.Systems); err != nil {
		return phase.Errorf("vectors: %w", err)
	}
	if other {
		if err := models.ChangeModel(ctx, c.documents, have, want); err != nil {
			return phase.Errorf("change the embedding model: %w", err)
		}
	}
	return c.count(ctx, sets[0].Set(), out)
}

// system runs the stages of a system, unless nothing has changed since it last did.
func (x *Indexer) system(ctx context.Context, r *queue.Runner, sys *method.System, save func() error, out *IndexResult) error {
	s := x.Corpus.idleSystem(sys, r.Models)
	idle, failed, err := s.begin(ctx, x.Options.Retry || x.Options.Recluster)
	if err != nil {
		return err
	}
	if idle {
		for _, f := range failed {
			out.Stages = append(out.Stages, StageResult{Stage: f.Stage, Failed: f.Failed})
			out.Failed += f.Failed
		}
		return nil
	}
	failed = nil
	for _, st := range s.steps {
		before := out.Failed
		if err := x.step(ctx, r, st, out); err != nil {
			return err
		}
		if n := out.Failed - before; n > 0 {
			failed = append(failed, queue.IdleStage{Stage: st.Name(), Failed: n})
		}
		if err := save(); err != nil {
			return err
		}
	}
	return s.end(ctx, failed)
}

// withOutdated returns the indexer with all systems of the corpus if there
// is a new word table: the vectors of the one before are dropped at the end of
// the run, so every system has to be embedded again with it.
func (x *Indexer) withOutdated(ctx context.Context) (*Indexer, error) {
	state, err := x.Corpus.words.State(ctx)
	if err != nil || state.Next == 0 || state.Current == 0 {
		return x, err
	}
	return x.withAll(ctx)
}

// record returns the record of a run with models.
func (x *Indexer) record(m *Models) ledger.Run {
	r := ledger.Run{Embed: m.DocumentSpace().Model, Prompts: m.All().Prompts}
	for _, s := range x.Systems {
		r.Methods = append(r.Methods, s.Instance())
	}
	if p := m.Provider(); p != nil { // models that only embed need none
		r.Model = p.Name()
	}
	return r
}

// tally notes what a run's calls cost.
func (r *IndexResult) tally(m *Models) {
	total := m.Meter().Total()
	r.Usage, r.USD, r.Spent = total.Usage, total.USD, m.Meter().Rows()
}

// withAll returns the indexer with all systems of the corpus.
func (x *Indexer) withAll(ctx context.Context) (*Indexer, error) {
	indexed, err := x.Corpus.systems(ctx, x.Methods)
	if err != nil {
		return nil, err
	}
	all := *x
	all.Systems = slices.Clone(x.Systems)
	for _, sys := range indexed {
		mine := func(s *method.System) bool { return s.Instance() == sys.Instance() }
		if !slices.ContainsFunc(all.Systems, mine) {
			all.Systems = append(all.Systems, sys)
		}
	}
	return &all, nil
}

func (x *Indexer) step(ctx context.Context, r *queue.Runner, st queue.Step, out *IndexResult) error {
	if r.Models == nil {
		r.Models = x.Corpus.NewModels(Parts{})
	}
	start := time.Now()
	done, failed, err := r.Run(ctx, st)
	if done+failed > 0 {
		result := StageResult{Stage: st.Name(), Done: done, Failed: failed, Ms: time.Since(start).Milliseconds()}
		if st.Whole != nil && st.Whole.Nodes > 0 && done > 0 {
			whole := *st.Whole
			result.Whole = &whole
		}
		out.Stages = append(out.Stages, result)
	}
	// An item whose failure is not kept is told as a file is.
	out.Failed += failed - len(r.Unmarked)
	out.BadFiles, r.Unmarked = append(out.BadFiles, r.Unmarked...), nil
	return err
}

// count fills in the sizes of the corpus.
func (c *Corpus) count(ctx context.Context, set text.ChunkSet, out *IndexResult) error {
	return c.DB().View(ctx, func(s *engine.Snapshot) (err error) {
		v := s.Graph(c.Base())
		if t, ok := v.NodeType(corpus.TypeDocument); ok {
			docs, err := v.Nodes(t)
			if err != nil {
				return err
			}
			out.Documents = int(docs.GetCardinality())
		}
		out.Chunks, err = c.CountChunks(v, set)
		return err
	})
}
