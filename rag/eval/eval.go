package eval

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"testing/fstest"
	"time"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/load"
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

// Report is the outcome of a run.
type Report struct {
	V    int    `json:"v"`
	Data string `json:"data"`
	Join string `json:"join"`
	// Extract is what entities and relations were read with, as in Options.
	Extract string   `json:"extract"`
	Budget  int      `json:"budget"`
	Chunks  string   `json:"chunks"`
	Methods []Figure `json:"methods"`
}

// Figure are one method's figures, shares as fractions.
type Figure struct {
	Name          string      `json:"name"`
	Questions     int         `json:"questions"`
	Coverage      *float64    `json:"coverage,omitempty"`
	CoverageRaw   *float64    `json:"coverage_raw,omitempty"`
	CoverageWord  *float64    `json:"coverage_word,omitempty"`
	CI            *[2]float64 `json:"ci,omitempty"`
	Recall2       *float64    `json:"recall@2,omitempty"`
	Recall5       *float64    `json:"recall@5,omitempty"`
	Perfect       *float64    `json:"perfect,omitempty"`
	MRR           *float64    `json:"mrr,omitempty"`
	ContextTokens float64     `json:"context_tokens"`
	// IndexCPU counts what this run did; see the package comment.
	IndexCPU float64 `json:"index_cpu_s"`
	Ms       struct {
		P50 float64 `json:"p50"`
		P99 float64 `json:"p99"`
	} `json:"ms"`

	main []float64 // per question, for the interval
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

func (r *runner) open(ctx context.Context) (err error) {
	corpus, err := find(r.o.Data, "corpus.jsonl")
	if err != nil {
		return err
	}
	qs := r.o.Questions
	if qs == "" {
		if qs, err = find(r.o.Data, "questions.jsonl"); err != nil {
			return err
		}
	}
	if r.questions, err = readQuestions(qs); err != nil {
		return err
	}
	if len(r.questions) == 0 {
		return fmt.Errorf("%s holds no questions", qs)
	}
	r.input = rag.Input{FS: dataFS(r.o.Data), Root: path.Base(filepath.ToSlash(corpus)), Load: load.Options{Format: "jsonl"}}
	if r.o.Join {
		if r.joined, err = readJoined(ctx, r.input, r.o.Notify); err != nil {
			return err
		}
		body := &fstest.MapFile{Data: []byte(r.joined.text.String())}
		r.input = rag.Input{FS: fstest.MapFS{"corpus.txt": body}, Root: "corpus.txt", Load: load.Options{MaxDocBytes: 1 << 30}}
		r.set = JoinedChunks()
	}
	at := r.o.DB
	if at == "" {
		if r.temp, err = os.MkdirTemp("", "ragdb-eval-*"); err != nil {
			return err
		}
		at = filepath.Join(r.temp, "db")
	}
	if r.db, err = engine.Open(ctx, at, r.o.Engine); err != nil {
		return err
	}
	if r.corpus, err = rag.OpenCorpus(ctx, r.db, "main"); err != nil {
		return err
	}
	return r.extraction(ctx)
}

func (r *runner) close() {
	if r.db != nil {
		// The figures are made; what the close says of the files does not
		// change them.
		_ = r.db.Close()
	}
	if r.temp != "" {
		_ = os.RemoveAll(r.temp)
	}
}

// system opens a method with the run's chunk set, unless its spec has its own.
func (r *runner) system(ctx context.Context, spec rag.Spec) (rag.System, error) {
	params := map[string]string{}
	for k, v := range spec.Params {
		params[k] = v
	}
	_, own := params["chunks"]
	if _, profile := params["profile"]; !own && !profile {
		params["chunks"] = r.set.String()
	}
	return r.o.Methods.Open(ctx, r.corpus, rag.Spec{Name: spec.Name, Params: params})
}

// index indexes by a method and returns the CPU seconds that it took.
func (r *runner) index(ctx context.Context, sys rag.System, inputs []rag.Input) (*rag.IndexResult, float64, error) {
	x := &rag.Indexer{
		Corpus: r.corpus, Methods: r.o.Methods, Systems: []rag.System{sys},
		Options: rag.IndexOptions{Notify: r.o.Notify},
	}
	start := cpuSeconds()
	res, err := x.Run(ctx, inputs)
	if errors.Is(err, rag.ErrPartial) {
		err = nil // what failed is missing from the index, as it would be in use
	}
	return res, cpuSeconds() - start, err
}

// indexAll indexes what all methods share, by a method that adds nothing.
func (r *runner) indexAll(ctx context.Context) (float64, error) {
	shared, err := r.system(ctx, rag.Spec{Name: "naive"})
	if err != nil {
		return 0, err
	}
	res, cpu, err := r.index(ctx, shared, []rag.Input{r.input})
	if err != nil {
		return 0, err
	}
	read := res.Added + res.Replaced + res.Unchanged
	if read == 0 {
		return 0, fmt.Errorf("%s: %w", r.o.Data, rag.ErrNoDocuments)
	}
	if other := res.Documents - read; other > 0 {
		return 0, fmt.Errorf("%s holds %d other documents, which would be found too: name a database of this data set and the same join", r.o.DB, other)
	}
	return cpu, nil
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

// ask asks a method all questions.
func (r *runner) ask(ctx context.Context, sys rag.System, title string) (*Figure, error) {
	m, err := r.questionModels(ctx)
	if err != nil {
		return nil, err
	}
	f := &Figure{Name: title, Questions: len(r.questions)}
	var cov, raw, word, at2, at5, perfect, rr, tokens, ms []float64
	for i, q := range r.questions {
		start := time.Now()
		ev, err := r.corpus.Retrieve(ctx, sys, m, rag.Question{Text: q.Text, Budget: r.o.Budget})
		if err != nil {
			return nil, fmt.Errorf("question %s: %w", q.ID, err)
		}
		ms = append(ms, float64(time.Since(start).Microseconds())/1000)
		tokens = append(tokens, float64(ev.Tokens))
		items := ev.Items()
		if len(q.Answers) > 0 {
			c := cover(items, q.Answers)
			cov, raw, word = append(cov, share(c.normal)), append(raw, share(c.raw)), append(word, share(c.word))
		}
		if len(q.Supporting) > 0 {
			g := find5(ranking(items, r.records), q.Supporting)
			at2, at5 = append(at2, g.at2), append(at5, g.at5)
			perfect, rr = append(perfect, g.perfect), append(rr, g.rr)
		}
		r.o.Notify(rag.Event{Stage: "ask " + title, Done: i + 1, Total: len(r.questions)})
	}
	f.Coverage, f.CoverageRaw, f.CoverageWord = share1(cov), share1(raw), share1(word)
	f.Recall2, f.Recall5, f.Perfect, f.MRR = share1(at2), share1(at5), share1(perfect), share1(rr)
	f.ContextTokens = mean(tokens)
	slices.Sort(ms)
	f.Ms.P50, f.Ms.P99 = percentile(ms, 0.5), percentile(ms, 0.99)
	if f.main = cov; len(cov) == 0 {
		f.main = at5
	}
	return f, nil
}

func share(ok bool) float64 {
	if ok {
		return 1
	}
	return 0
}

// share1 returns the mean, nil where nothing was measured.
func share1(x []float64) *float64 {
	if len(x) == 0 {
		return nil
	}
	m := mean(x)
	return &m
}

// records returns the records that an item's text comes from.
func (r *runner) records(it *rag.Cited) []string {
	var out []string
	add := func(id string) {
		if !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	if r.joined == nil {
		for _, ch := range it.Chunks {
			add(rag.DocOf(ch))
		}
		return out
	}
	if len(it.Spans) < len(it.Chunks) {
		return nil // of more chunks than were looked up: not of one record
	}
	for _, s := range it.Spans {
		for _, id := range r.joined.of(s.Bytes) {
			add(id)
		}
	}
	return out
}

// compare adds the intervals against bm25.
func (r *runner) compare(rep *Report) {
	at := slices.IndexFunc(r.o.Specs, func(s rag.Spec) bool { return s.Name == "bm25" })
	if at < 0 || len(rep.Methods[at].main) == 0 {
		return
	}
	for i := range rep.Methods {
		if i == at {
			continue
		}
		ci := interval(rep.Methods[i].main, rep.Methods[at].main, r.o.Seed)
		rep.Methods[i].CI = &ci
	}
}
