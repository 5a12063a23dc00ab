package rag

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"slices"
	"time"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/llm/local"
	"github.com/ragdb/ragdb/rag/load"
	"github.com/ragdb/ragdb/rag/text"
)

// Input is where documents come from: a file or folder of a file system.
type Input struct {
	FS   fs.FS
	Root string
	Load load.Options
}

// IndexOptions tunes an Index.
type IndexOptions struct {
	// Workers bounds the work items done at once; 0 is GOMAXPROCS.
	Workers int
	// Retry takes up again what failed in earlier runs.
	Retry bool
	// Reembed allows models of another space than the corpus has: all that is
	// indexed is embedded anew beside what is there, which goes in the commit
	// that ends the run. Else such models are a [*ModelError].
	Reembed bool
	// Recluster makes the communities of the systems that have any anew, in
	// place of those that grew while documents came and went.
	Recluster bool
	// Notify receives progress, never concurrently; nil is nobody.
	Notify func(Event)
}

// IndexResult says what a run of Index did.
type IndexResult struct {
	Added     int           `json:"added"`
	Replaced  int           `json:"replaced"`
	Unchanged int           `json:"unchanged"`
	Removed   int           `json:"removed,omitempty"` // by Sync
	Documents int           `json:"docs"`
	Chunks    int           `json:"chunks"`
	Failed    int           `json:"failed"`
	BadFiles  []string      `json:"bad_files,omitempty"`
	Stages    []StageResult `json:"stages"`
	Usage     llm.Usage     `json:"usage"`
	// Spent is the usage by stage and model, with its price.
	Spent []Spent `json:"spent"`
	// USD is what the run cost, nil where the price of a model is not known.
	USD *float64 `json:"usd,omitempty"`
}

// StageResult says what a stage did in a run.
type StageResult struct {
	Stage  string `json:"stage"`
	Done   int    `json:"done"`
	Failed int    `json:"failed"`
	Ms     int64  `json:"ms"`
}

// Indexer indexes a corpus by some methods.
type Indexer struct {
	Corpus  *Corpus
	Methods Methods
	// Systems are the methods to index by.
	Systems []System
	Options IndexOptions
}

// ErrNoDocuments says that a run met no document.
var ErrNoDocuments = errors.New("no documents found")

// Run reads the documents of the inputs, replaces those that changed, and
// indexes by the systems what is not indexed yet. Whatever it has done is
// kept: an interrupted run goes on where it stopped. Files that cannot be read
// and items that fail are set aside and counted in a [*PartialError], and the
// result is good beside it.
func (x *Indexer) Run(ctx context.Context, inputs []Input) (*IndexResult, error) {
	if x.Options.Notify == nil {
		x.Options.Notify = func(Event) {}
	}
	out := &IndexResult{}
	if err := x.read(ctx, inputs, out); err != nil {
		return out, err
	}
	if err := x.build(ctx, out); err != nil {
		return out, err
	}
	if out.Failed > 0 || len(out.BadFiles) > 0 {
		return out, &PartialError{Failed: out.Failed, Files: len(out.BadFiles)}
	}
	return out, nil
}

// sets returns the chunk sets that the systems want, each once.
func (x *Indexer) sets() ([]*text.Chunker, error) { return x.Corpus.chunkers(x.Systems) }

// chunkers returns what cuts the chunk sets that some systems want, each once.
func (c *Corpus) chunkers(systems []System) ([]*text.Chunker, error) {
	var out []*text.Chunker
	seen := map[string]bool{}
	for _, s := range systems {
		if name := s.ChunkSet().String(); !seen[name] {
			seen[name] = true
			ch, err := text.NewChunker(c.Tokens, s.ChunkSet())
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
	table, err := x.Corpus.loadTable(ctx)
	if err != nil {
		return err
	}
	w := &docWriter{x: x, sets: sets, table: table, out: out}
	keys := &load.Keys{}
	start := time.Now()
	for _, src := range inputs {
		src.Load.Keys = keys
		for d, err := range load.Walk(ctx, src.FS, src.Root, &src.Load) {
			var bad *load.FileError
			switch {
			case errors.As(err, &bad):
				out.BadFiles = append(out.BadFiles, bad.Error())
				x.Options.Notify(Event{Stage: "read", Message: bad.Error()})
				continue
			case err != nil:
				return fmt.Errorf("rag: read: %w", err)
			}
			if err := w.add(ctx, d); err != nil {
				return fmt.Errorf("rag: read %s: %w", d.Key, err)
			}
		}
	}
	if err := w.flush(ctx); err != nil {
		return fmt.Errorf("rag: read: %w", err)
	}
	if n := out.Added + out.Replaced; n > 0 {
		out.Stages = append(out.Stages, StageResult{Stage: "read", Done: n, Ms: time.Since(start).Milliseconds()})
	}
	if len(inputs) > 0 && w.met == 0 && len(out.BadFiles) == 0 {
		return fmt.Errorf("rag: %w", ErrNoDocuments)
	}
	return nil
}

// docWriter writes documents in transactions of several.
type docWriter struct {
	x     *Indexer
	sets  []*text.Chunker
	table *local.Table // nil before the first training
	out   *IndexResult
	batch []*load.Document
	size  int
	met   int
	// remover prepares replacements, from the first on.
	remover *remover
}

func (w *docWriter) add(ctx context.Context, d *load.Document) error {
	w.met++
	w.batch = append(w.batch, d)
	if w.size += len(d.Text); w.size < 1<<20 && len(w.batch) < 500 {
		return nil
	}
	return w.flush(ctx)
}

func (w *docWriter) flush(ctx context.Context) error {
	if len(w.batch) == 0 {
		return nil
	}
	batch := w.batch
	w.batch, w.size = nil, 0
	fresh, changed, err := w.sort(ctx, batch)
	if err != nil {
		return err
	}
	for _, d := range changed {
		// Each replacement is a removal with all that hangs on it.
		if err := w.x.replace(ctx, d, w); err != nil {
			return err
		}
	}
	for len(fresh) > 0 {
		n, err := w.put(ctx, fresh)
		if err != nil {
			return err
		}
		fresh = fresh[n:]
	}
	w.x.Options.Notify(Event{Stage: "read", Done: w.met})
	return nil
}

// sort tells new and changed documents from those that are there already.
func (w *docWriter) sort(ctx context.Context, batch []*load.Document) (fresh, changed []*load.Document, err error) {
	c := w.x.Corpus
	err = c.DB.View(ctx, func(s *engine.Snapshot) error {
		v := s.Graph(c.Base)
		for _, d := range batch {
			old, err := c.Document(v, d.Key)
			switch {
			case isMissing(err):
				fresh = append(fresh, d)
			case err != nil:
				return err
			case sameDigest(old, d):
				w.out.Unchanged++
			default:
				changed = append(changed, d)
			}
		}
		return nil
	})
	return fresh, changed, err
}

// put writes new documents in one transaction, as many as fit.
func (w *docWriter) put(ctx context.Context, docs []*load.Document) (n int, err error) {
	c := w.x.Corpus
	err = c.DB.Update(ctx, func(tx *engine.Tx) error {
		v := tx.Graph(c.Base)
		change := w.change()
		for n = 0; n < len(docs) && (n == 0 || tx.Bytes() < txBytes); n++ {
			if err := w.putOne(ctx, v, docs[n], change); err != nil {
				return err
			}
		}
		return c.changeWords(tx, change)
	})
	if err == nil {
		w.out.Added += n
	}
	return n, err
}

func (w *docWriter) change() *wordChange { return newWordChange(w.table) }

// putOne writes a document with its chunks, and notes what that does to the
// words.
func (w *docWriter) putOne(ctx context.Context, v *engine.TxView, d *load.Document, change *wordChange) error {
	c := w.x.Corpus
	names := make([]string, len(w.sets))
	for i, s := range w.sets {
		names[i] = s.Set().String()
	}
	slices.Sort(names)
	id, err := c.put(v, d, names)
	if err != nil {
		return err
	}
	for _, s := range w.sets {
		n, err := c.cut(ctx, v, d.Key, id, d.Text, s)
		if err != nil {
			return err
		}
		if change == nil || n == 0 {
			continue
		}
		chunks, err := s.Chunks(ctx, d.Text)
		if err != nil {
			return err
		}
		if ok, err := trains(v, s.Set()); err != nil || !ok {
			if err != nil {
				return err
			}
			continue
		}
		for _, ch := range chunks {
			change.add(d.Text[ch.Start:ch.End])
		}
	}
	return nil
}

// trains reports whether a chunk set is the one that words are learnt from.
func trains(v *engine.TxView, set text.ChunkSet) (bool, error) {
	state, err := readWordState(v.Bucket(bucketWords))
	return state.set == set.String(), err
}

// build runs the stages.
func (x *Indexer) build(ctx context.Context, out *IndexResult) (err error) {
	c := x.Corpus
	sets, err := x.sets()
	if err != nil {
		return err
	}
	if len(sets) == 0 {
		return fmt.Errorf("rag: %w: none to index by", ErrMethod)
	}
	r := &runner{corpus: c, workers: x.Options.Workers, retry: x.Options.Retry, notify: x.Options.Notify}
	for _, s := range sets {
		if err := x.stage(ctx, r, &chunkStage{c: c, chunker: s}, out); err != nil {
			return err
		}
	}
	if !c.NoWords {
		if err := c.train(ctx, sets[0].Set(), x.Options.Notify); err != nil {
			return fmt.Errorf("rag: words: %w", err)
		}
	}
	if err := c.tidyWords(ctx); err != nil {
		return fmt.Errorf("rag: words: %w", err)
	}
	if r.models, err = c.models(ctx); err != nil {
		return err
	}
	want := embeddingModelOf(r.models.Documents.Space())
	other, have, err := c.claim(ctx, want)
	if err != nil {
		return err
	}
	if other && !x.Options.Reembed {
		return fmt.Errorf("rag: %w", &ModelError{have, want})
	}
	run := x.beginRecord(r.models)
	defer func() {
		out.tally(r.models)
		outcome := "done"
		if err != nil {
			outcome = err.Error()
		}
		err = errors.Join(err, run.save(ctx, r.models, outcome))
	}()
	all := x
	if other {
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
		if err := x.stage(ctx, r, &chunkStage{c: c, chunker: s}, out); err != nil {
			return err
		}
		if err := x.stage(ctx, r, &embedStage{c: c, set: s.Set(), model: r.models.Documents.Space()}, out); err != nil {
			return err
		}
	}
	for _, sys := range all.Systems {
		if old, ok := sys.(Reclusterer); ok && x.Options.Recluster {
			sys = old.Recluster()
		}
		for _, st := range sys.Stages(r.models) {
			if err := x.stage(ctx, r, st, out); err != nil {
				return err
			}
			if err := run.save(ctx, r.models, ""); err != nil {
				return err
			}
		}
		if err := c.remember(ctx, sys, r.models); err != nil {
			return err
		}
	}
	if err := c.adopt(ctx); err != nil {
		return fmt.Errorf("rag: words: %w", err)
	}
	if other {
		if err := c.changeModel(ctx, have, want); err != nil {
			return fmt.Errorf("rag: change the embedding model: %w", err)
		}
	}
	return c.count(ctx, sets[0].Set(), out)
}

// withOutdated returns the indexer with all systems of the corpus where there
// is a new word table: the vectors of the one before are dropped at the end of
// the run, so every system has to be embedded anew in it.
func (x *Indexer) withOutdated(ctx context.Context) (*Indexer, error) {
	state, err := x.Corpus.words(ctx)
	if err != nil || state.next == 0 || state.current == 0 {
		return x, err
	}
	return x.withAll(ctx)
}

// tally notes what a run's calls cost.
func (r *IndexResult) tally(m *Models) {
	total := m.meter.Total()
	r.Usage, r.USD, r.Spent = total.Usage, total.USD, m.meter.Rows()
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
		mine := func(s System) bool { return s.Instance() == sys.Instance() }
		if !slices.ContainsFunc(all.Systems, mine) {
			all.Systems = append(all.Systems, sys)
		}
	}
	return &all, nil
}

func (x *Indexer) stage(ctx context.Context, r *runner, st Stage, out *IndexResult) error {
	if r.models == nil {
		r.models = NewModels(x.Corpus, nil, nil, nil)
	}
	start := time.Now()
	done, failed, err := r.run(ctx, st)
	if done+failed > 0 {
		out.Stages = append(out.Stages, StageResult{st.Name(), done, failed, time.Since(start).Milliseconds()})
	}
	out.Failed += failed
	return err
}

// count fills in the sizes of the corpus.
func (c *Corpus) count(ctx context.Context, set text.ChunkSet, out *IndexResult) error {
	return c.DB.View(ctx, func(s *engine.Snapshot) (err error) {
		v := s.Graph(c.Base)
		if t, ok := v.NodeType(typeDocument); ok {
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

// manifest is what is kept of an instance's index.
type manifest struct {
	Spec   string            `json:"spec"`
	Params map[string]string `json:"params"`
	Chunks string            `json:"chunks"`
	Model  string            `json:"model"`
}

// remember notes that an instance is indexed.
func (c *Corpus) remember(ctx context.Context, sys System, m *Models) error {
	made := manifest{Spec: sys.Instance(), Params: sys.Params(), Chunks: sys.ChunkSet().String(), Model: m.Documents.Space().Model}
	b, err := json.Marshal(made)
	if err != nil {
		return err
	}
	return c.DB.Update(ctx, func(tx *engine.Tx) error {
		bucket, err := tx.Graph(c.Base).MakeBucket(bucketMethods)
		if err != nil {
			return err
		}
		old, err := bucket.Get([]byte(sys.Instance()), nil)
		if err == nil && string(old) == string(b) {
			return nil
		}
		return bucket.Set([]byte(sys.Instance()), b)
	})
}

func (c *Corpus) words(ctx context.Context) (state wordState, err error) {
	err = c.DB.View(ctx, func(s *engine.Snapshot) error {
		state, err = readWordState(s.Graph(c.Base).Bucket(bucketWords))
		return err
	})
	return state, err
}

// Instances returns the methods that are indexed, by instance.
func (c *Corpus) Instances(v *engine.View) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for e, err := range v.Bucket(bucketMethods).Scan(nil, nil) {
			if !yield(string(e.Key), err) || err != nil {
				return
			}
		}
	}
}
