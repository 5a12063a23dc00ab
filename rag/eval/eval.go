package eval

import (
	"context"
	"fmt"
	"io"
	"path/filepath"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/unfinished"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/text"
	"github.com/ragdb/ragdb/rag/method"
)

// Options say what to measure.
type Options struct {
	// Data is the folder of the data set.
	Data string
	// Questions is the file of questions; "" is the data set's own.
	Questions string
	// Unanswerable is a file of further questions, which the documents do not
	// answer; "" is none.
	Unanswerable string
	// DB is where the corpus is indexed and kept; "" is a temporary place.
	DB string
	// Specs are the methods, Methods what makes them; naive must be among
	// those, since by it the documents are indexed.
	Specs   []method.Spec
	Methods method.Methods
	// Sweeps give the methods that have a parameter a row for each of its
	// values; of several sweeps, for each combination.
	Sweeps []Sweep
	// Join makes the corpus one document.
	Join bool
	// Extract is what entities and relations are read with: ExtractRecorded,
	// ExtractLocal or ExtractModel. "" is the first if the data set has
	// recordings, else the second.
	Extract string
	// Models opens the models of ExtractModel, to index with or for questions.
	Models func(ctx context.Context, c *rag.Corpus, forIndex bool) (*rag.Models, error)
	// Parts are the models beside those that read and answer: an embedder of
	// documents and questions, nil for the local one, and the reranker of the
	// specs that want one.
	Parts rag.Parts
	// Answers say how answers are made and judged; nil asks for none.
	Answers *AnswerOptions
	// Sample is how many of the questions are asked, evenly spread over them; 0
	// is all.
	Sample int
	// Budget is the context's number of tokens; 0 is [method.DefaultBudget].
	Budget int
	// At are further budgets, each 1 or more, that every question is asked with
	// by every method, for figures at equal tokens ([AtFigure]).
	At []int
	// Seed is that of the bootstrap.
	Seed uint64
	// Growth, if not nil, grows a second index in a temporary place beside the
	// one of everything at once. It needs records apart, and no paid model.
	Growth *GrowthPlan
	// Known are lines that [rag.Corpus.ExportCache] wrote, read before anything
	// is indexed; Replies receives such lines of the run. nil is none.
	Known   io.Reader
	Replies io.Writer
	// Build says which ragdb this is, in the manifest.
	Build Build
	// Engine are the database's options.
	Engine *engine.Options
	// Notify receives progress; it may be nil.
	Notify func(rag.Event)
}

// joinedChunks is the chunk set of joined runs: KET-RAG's.
func joinedChunks() text.ChunkSet {
	return text.ChunkSet{Size: 1200, Overlap: 100, Rule: text.Window, Sub: 150}
}

// Run measures the methods on the data set.
func Run(ctx context.Context, o Options) (*Report, error) {
	r, err := newRunner(o)
	if err != nil {
		return nil, phase.At("", err)
	}
	defer r.close()
	if err := r.open(ctx); err != nil {
		return nil, phase.At("", err)
	}
	rep, err := r.run(ctx)
	if err != nil {
		return nil, phase.At("", err)
	}
	return rep, nil
}

// runner is the state of one run.
type runner struct {
	o         Options
	db        *engine.DB
	temp      *unfinished.Folder // of a database that is not kept
	corpus    *rag.Corpus
	questions []question
	joined    *joined
	source    rag.Input // the records
	input     rag.Input // what is indexed: them, or all joined
	set       text.ChunkSet
	specs     []method.Spec // of the options, swept
	reader    string        // of entities and relations, with its version
	provider  string        // that does the tasks of indexing

	documents, chunks int  // once indexed
	begun             bool // answers are being asked for
	// plain is what plain search retrieved, by question and budget of o.At.
	plain [][]*atRow
	// built are the indexes of this run, by instance.
	built map[string]indexed
}

// newRunner checks options and fills in the defaults. It opens nothing.
func newRunner(o Options) (*runner, error) {
	if len(o.Specs) == 0 {
		return nil, phase.Mark(method.ErrMethod, "name at least one")
	}
	if o.Notify == nil {
		o.Notify = func(rag.Event) {}
	}
	if o.Budget == 0 {
		o.Budget = method.DefaultBudget
	}
	var err error
	if o.At, err = atBudgets(o.At); err != nil {
		return nil, err
	}
	if o.Growth != nil && (o.Join || o.Extract == ExtractModel) {
		return nil, wrong("growth needs records apart and no paid model")
	}
	return &runner{o: o, built: map[string]indexed{}}, nil
}

func (r *runner) run(ctx context.Context) (*Report, error) {
	var err error
	if r.specs, err = r.sweep(ctx, r.o.Specs, r.o.Sweeps); err != nil {
		return nil, err
	}
	systems := make([]*method.System, len(r.specs))
	for i, spec := range r.specs {
		if spec.Rerank && r.o.Parts.Reranker == nil {
			return nil, wrong("%s wants a reranker, and none is named", spec)
		}
		if systems[i], err = r.system(ctx, spec); err != nil {
			return nil, err
		}
		if r.o.Answers == nil {
			continue
		}
		if _, err := systems[i].InParagraphs(method.Question{Style: r.o.Answers.Style}); err != nil {
			return nil, wrong("%s", err)
		}
	}
	if err := r.checkReader(ctx, systems); err != nil {
		return nil, err
	}
	base, known, err := r.indexAll(ctx)
	if err != nil {
		return nil, err
	}
	rep, err := r.report()
	if err != nil {
		return nil, err
	}
	if err := r.askPlain(ctx); err != nil {
		return nil, err
	}
	for i, sys := range systems {
		title := r.specs[i].Title()
		f, err := r.measure(ctx, sys, r.specs[i])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", title, err)
		}
		if known && f.Index != nil {
			f.cost(build{*f.Index, seconds(f.IndexCPU), seconds(f.IndexWall)}.plus(base))
		}
		rep.Methods = append(rep.Methods, *f)
	}
	others, err := r.recorded(ctx)
	if err != nil {
		return nil, err
	}
	rep.Methods = append(rep.Methods, others...)
	r.compare(rep)
	if err := r.judge(ctx, rep); err != nil {
		return nil, err
	}
	if rep.Manifest, err = r.manifest(ctx, systems, rep); err != nil {
		return nil, err
	}
	if rep.SharedBytes, err = r.sizes(ctx, systems, rep.Manifest.Instances); err != nil {
		return nil, err
	}
	if r.o.Growth != nil {
		if rep.Growth, err = r.grow(ctx); err != nil {
			return nil, fmt.Errorf("growth: %w", err)
		}
	}
	if r.o.Replies != nil {
		_, err = r.corpus.Ledger().Export(ctx, r.o.Replies)
	}
	return rep, err
}

// report returns a report without figures.
func (r *runner) report() (*Report, error) {
	data, err := filepath.Abs(r.o.Data) // of "." too, the name tells the set
	if err != nil {
		return nil, err
	}
	rep := &Report{
		V: 1, Data: filepath.Base(data), Join: "no", Extract: r.o.Extract, Sample: r.o.Sample, Budget: r.o.Budget, At: r.o.At, Chunks: r.set.String(), Asked: r.questions,
	}
	if r.o.Join {
		rep.Join = "yes"
	}
	if len(r.o.At) > 0 {
		rep.Questions = questionsOf(r.questions)
	}
	return rep, nil
}

// measure indexes by a method and asks it all questions. The cost is what the
// method added to what all share.
func (r *runner) measure(ctx context.Context, sys *method.System, spec method.Spec) (*Figure, error) {
	own, err := r.indexed(ctx, sys)
	if err != nil {
		return nil, err
	}
	f, err := r.ask(ctx, sys, spec)
	if err != nil {
		return nil, err
	}
	if own.known || sys.Graph() == nil {
		f.cost(own.build)
	}
	return f, nil
}

// cost notes what an index cost.
func (f *Figure) cost(b build) {
	f.Index, f.IndexCPU, f.IndexWall = &b.Cost, float64(b.CPU), float64(b.Wall)
}
