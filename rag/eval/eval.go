package eval

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/text"
)

// Options say what to measure.
type Options struct {
	// Data is the folder of the data set.
	Data string
	// Questions is the file of questions; "" is the data set's own.
	Questions string
	// DB is where the corpus is indexed and kept; "" is a temporary place.
	DB string
	// Specs are the methods, Methods what makes them; naive must be among
	// those, since by it the documents are indexed.
	Specs   []rag.Spec
	Methods rag.Methods
	// Join makes the corpus one document.
	Join bool
	// Extract is what entities and relations are read with: ExtractRecorded,
	// ExtractLocal or ExtractModel. "" is the first where the data set has
	// recordings, else the second.
	Extract string
	// Models opens the models of ExtractModel, to index with or for questions.
	Models func(ctx context.Context, c *rag.Corpus, forIndex bool) (*rag.Models, error)
	// Budget is the context's number of tokens; 0 is [rag.DefaultBudget].
	Budget int
	// Seed is that of the bootstrap.
	Seed uint64
	// Engine are the database's options.
	Engine *engine.Options
	// Notify receives progress; nil is nobody.
	Notify func(rag.Event)
}

// JoinedChunks is the chunk set of joined runs: KET-RAG's.
func JoinedChunks() text.ChunkSet {
	return text.ChunkSet{Size: 1200, Overlap: 100, Rule: text.Window, Sub: 150}
}

// Run measures the methods on the data set.
func Run(ctx context.Context, o Options) (*Report, error) {
	if len(o.Specs) == 0 {
		return nil, fmt.Errorf("eval: %w: name at least one", rag.ErrMethod)
	}
	if o.Notify == nil {
		o.Notify = func(rag.Event) {}
	}
	if o.Budget == 0 {
		o.Budget = rag.DefaultBudget
	}
	r := &runner{o: o}
	defer r.close()
	if err := r.open(ctx); err != nil {
		return nil, fmt.Errorf("eval: %w", err)
	}
	rep, err := r.run(ctx)
	if err != nil {
		return nil, fmt.Errorf("eval: %w", err)
	}
	return rep, nil
}

// runner is the state of one run.
type runner struct {
	o         Options
	db        *engine.DB
	temp      string
	corpus    *rag.Corpus
	questions []Question
	joined    *joined
	input     rag.Input
	set       text.ChunkSet
	reader    string // of entities and relations, with its version
}

func (r *runner) run(ctx context.Context) (*Report, error) {
	data, err := filepath.Abs(r.o.Data) // of "." too, the name tells the set
	if err != nil {
		return nil, err
	}
	rep := &Report{V: 1, Data: filepath.Base(data), Join: "no", Extract: r.o.Extract, Budget: r.o.Budget, Chunks: r.set.String()}
	if r.o.Join {
		rep.Join = "yes"
	}
	systems := make([]rag.System, len(r.o.Specs))
	for i, spec := range r.o.Specs {
		var err error
		if systems[i], err = r.system(ctx, spec); err != nil {
			return nil, err
		}
	}
	if err := r.checkReader(ctx, systems); err != nil {
		return nil, err
	}
	base, err := r.indexAll(ctx)
	if err != nil {
		return nil, err
	}
	for i, sys := range systems {
		_, own, err := r.index(ctx, sys, nil)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.o.Specs[i].Title(), err)
		}
		f, err := r.ask(ctx, sys, r.o.Specs[i].Title())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.o.Specs[i].Title(), err)
		}
		f.IndexCPU = base + own
		rep.Methods = append(rep.Methods, *f)
	}
	r.compare(rep)
	return rep, nil
}
