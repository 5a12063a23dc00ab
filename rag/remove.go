package rag

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/corpus"
	"github.com/ragdb/ragdb/rag/internal/queue"
	"github.com/ragdb/ragdb/rag/internal/words"
	"github.com/ragdb/ragdb/rag/ledger"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
)

// RemoveResult says what a removal took.
type RemoveResult struct {
	Documents []string `json:"docs"`
	Chunks    int      `json:"chunks"`
	// Derived counts the nodes of methods' graphs that only these documents
	// supported.
	Derived int `json:"derived"`
	// Stale are the instances whose corpus-wide steps are to be run again.
	Stale []string `json:"stale,omitempty"`
}

// RemoveOptions tune a removal.
type RemoveOptions struct {
	// DryRun changes nothing and says what would go.
	DryRun bool
	// KeepCache keeps the models' replies and vectors that were made from the
	// document: if it comes back they are not paid for again.
	KeepCache bool
	// Purge says that a call of [Corpus.Purge] follows: until it has come to its end,
	// [Corpus.Owed] tells that it is owed. Only [Corpus.RemoveAll] looks at it.
	Purge bool
	// Asked is what the documents were asked for by. If it is that of the last call of
	// [Corpus.RemoveAll], a document that is missing is no error: that call has removed
	// it, or one that was killed has. Without it each missing one is. Only
	// [Corpus.RemoveAll] looks at it.
	Asked []string
}

// Remove removes a document with all that only it supported, in every graph of
// the namespace, in one commit. A missing document is [engine.ErrNotFound].
//
// Steps that concern the whole corpus (which chunks are near, which are
// central, which words the word table holds) are run by the next Index. With the
// last document goes all that was computed of the corpus as a whole.
//
// Remove waits for index runs on the namespace and for other removals, or for its own
// context.
func (c *Corpus) Remove(ctx context.Context, methods method.Methods, doc string, o RemoveOptions) (*RemoveResult, error) {
	if err := c.ready(); err != nil {
		return nil, err
	}
	end, err := c.begin(ctx)
	if err != nil {
		return nil, phase.Errorf("remove %s: %w", doc, err)
	}
	defer end()
	return (&removing{c: c, methods: methods, dry: o.DryRun}).remove(ctx, doc, o.KeepCache, nil)
}

// removing removes documents one after the other.
type removing struct {
	c       *Corpus
	methods method.Methods
	dry     bool
	m       *remover // nil before the first, and when other commits made it outdated
}

// remove removes a document and calls also, if it is set, in the same transaction.
func (x *removing) remove(ctx context.Context, doc string, keepCache bool, also func(base *engine.TxView) error) (*RemoveResult, error) {
	var r *removal
	err := again(func() (err error) {
		if x.m == nil {
			if x.m, err = x.c.newRemover(ctx, x.methods); err != nil {
				return err
			}
		}
		if r, err = x.m.prepare(ctx, doc); err == nil {
			r.keepCache = keepCache
			err = x.c.DB().Update(ctx, func(tx *engine.Tx) error {
				if err := r.apply(ctx, tx); err != nil {
					return err
				}
				if err := r.emptied(tx, x.m.all); err != nil {
					return err
				}
				if x.dry {
					return errDry
				}
				if also != nil {
					return also(tx.Graph(x.c.Base()))
				}
				return nil
			})
		}
		if errors.Is(err, engine.ErrConflict) {
			x.m = nil
		}
		return err
	})
	switch {
	case corpus.IsMissing(err):
		return nil, phase.Errorf("remove: %w", err) // which names the document
	case err != nil && err != errDry:
		return nil, phase.Errorf("remove %s: %w", doc, err)
	}
	return r.result(), nil
}

// maxTries is how often work is prepared outside of a transaction, if other commits
// keep changing what it was prepared for.
const maxTries = 8

// again calls fn until it does not conflict with another commit, maxTries times
// at most.
func again(fn func() error) (err error) {
	for range maxTries {
		if err = fn(); !errors.Is(err, engine.ErrConflict) {
			return err
		}
	}
	return err
}

// errDry ends a transaction that was only to see.
var errDry = fmt.Errorf("dry run")

// removal is a document's removal, prepared outside the transaction.
type removal struct {
	c      *Corpus
	doc    corpus.Document
	chunks []corpus.Chunk
	// chunksOf are the same by the name of their set's node type.
	chunksOf map[string][]corpus.Chunk
	change   *words.Change
	systems  []*method.System
	steps    []func(ctx context.Context, tx *engine.Tx) error
	derived  int
	graphs   []*engine.Graph
	// keepCache leaves the document's paid replies and vectors.
	keepCache bool
}

// remover prepares removals: what they need beside the documents is read once.
type remover struct {
	c       *Corpus
	tables  *words.Tables
	models  *Models
	systems []*method.System // all that the corpus is indexed by
	// graphs are those with nodes for chunks that no method builds, such as an
	// imported one.
	graphs []*engine.Graph
	all    []*engine.Graph // of the namespace
}

func (c *Corpus) newRemover(ctx context.Context, methods method.Methods) (*remover, error) {
	m := &remover{c: c, tables: c.words.Tables()}
	var err error
	if m.models, err = c.indexModels(ctx); err != nil {
		return nil, err
	}
	if m.systems, err = c.systems(ctx, methods); err != nil {
		return nil, err
	}
	if m.all, err = c.Graphs(ctx); err != nil {
		return nil, err
	}
	for _, g := range m.all {
		built := func(s *method.System) bool { return s.Graph() != nil && s.Graph().ID() == g.ID() }
		if g.ID() != c.Base().ID() && !slices.ContainsFunc(m.systems, built) {
			m.graphs = append(m.graphs, g)
		}
	}
	return m, nil
}

// wordless embeds texts as if they had no words.
type wordless struct{ llm.Embedder }

// Embed implements [llm.Embedder].
func (wordless) Embed(_ context.Context, texts []string) ([][]float32, llm.Usage, error) {
	return make([][]float32, len(texts)), llm.Usage{}, nil
}

// systems opens all that the corpus is indexed by, also those whose first index
// was interrupted: they are not remembered yet, but have a graph.
func (c *Corpus) systems(ctx context.Context, methods method.Methods) ([]*method.System, error) {
	names, err := c.Namespace().Graphs(ctx)
	if err != nil {
		return nil, err
	}
	names = slices.DeleteFunc(names, func(name string) bool {
		spec, err := method.ParseInstance(name)
		return err != nil || methods[spec.Name] == nil
	})
	err = c.DB().View(ctx, func(s *engine.Snapshot) error {
		for name, err := range c.Instances(s.Graph(c.Base())) {
			if err != nil {
				return err
			}
			names = append(names, name)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	var out []*method.System
	for _, name := range slices.Compact(names) {
		spec, err := method.ParseInstance(name)
		if err != nil {
			return nil, err
		}
		sys, err := methods.Open(ctx, c.documents, spec)
		if err != nil {
			return nil, err
		}
		out = append(out, sys)
	}
	return out, nil
}

// prepare prepares the removal of a document, in place of which there may come texts. A
// panic of a method is an error.
func (m *remover) prepare(ctx context.Context, key string, instead ...string) (r *removal, err error) {
	defer func() {
		if p := recover(); p != nil {
			r, err = nil, fmt.Errorf("panic: %v", p)
		}
	}()
	return m.read(ctx, key, instead)
}

// read reads what belongs to a document and lets each indexed method
// prepare.
func (m *remover) read(ctx context.Context, key string, texts []string) (*removal, error) {
	c, r := m.c, &removal{c: m.c, graphs: m.graphs}
	bySet := map[string][]corpus.Chunk{}
	state := words.WordState{}
	err := c.DB().View(ctx, func(s *engine.Snapshot) error {
		v := s.Graph(c.Base())
		var err error
		if r.doc, err = c.Document(v, key); err != nil {
			return err
		}
		if bySet, err = c.ChunksOf(v, r.doc); err != nil {
			return err
		}
		state, err = words.ReadWordState(v.Bucket(words.BucketWords))
		return err
	})
	if err != nil {
		return nil, err
	}
	r.chunksOf = bySet
	for _, chunks := range bySet {
		for _, ch := range chunks {
			texts = append(texts, ch.Text)
		}
	}
	table, lost, err := m.tables.For(ctx, texts...)
	if err != nil {
		return nil, err
	}
	models := m.models
	if lost && c.o.Models == nil {
		// What is not taken out of sums of vectors goes with them: the next index
		// makes others by the words that it learns again.
		parts := models.Parts()
		parts.Documents = wordless{models.Documents()}
		models = models.With(parts)
	}
	r.change = c.words.NewChange(table, lost)
	for _, name := range sortedKeys(bySet) {
		r.chunks = append(r.chunks, bySet[name]...)
		if r.change == nil || name != "chunk:"+state.Set {
			continue
		}
		for _, ch := range bySet[name] {
			r.change.Remove(ch.Text)
		}
	}
	for _, sys := range m.systems {
		var step func(ctx context.Context, tx *engine.Tx) error
		if sys.Changed != nil {
			if step, err = sys.Changed(ctx, models, bySet[corpus.ChunkType(sys.ChunkSet())]); err != nil {
				return nil, fmt.Errorf("%s: %w", sys.Instance(), err)
			}
		}
		r.systems = append(r.systems, sys)
		r.steps = append(r.steps, step)
	}
	return r, nil
}

func sortedKeys[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// apply removes the document in a transaction.
func (r *removal) apply(ctx context.Context, tx *engine.Tx) error {
	if err := r.clear(ctx, tx); err != nil {
		return err
	}
	return r.c.words.Apply(tx, r.change)
}

// clear removes the document but for what it taught the words.
func (r *removal) clear(ctx context.Context, tx *engine.Tx) error {
	base := tx.Graph(r.c.Base())
	if err := base.ExpectNode(r.doc.ID, r.doc.Epoch); err != nil {
		return err
	}
	if err := r.fromGraphs(ctx, tx); err != nil {
		return err
	}
	for _, ch := range r.chunks {
		if err := queue.ForgetJobs(base, ch.Key); err != nil {
			return err
		}
		if _, err := base.DeleteNode(ch.ID); err != nil {
			return err
		}
	}
	if err := queue.ForgetJobs(base, r.doc.Key); err != nil {
		return err
	}
	if !r.keepCache {
		if err := ledger.Forget(base, r.doc.Key); err != nil {
			return err
		}
	}
	if err := r.c.forgetTraces(base, r.doc.Key); err != nil {
		return err
	}
	_, err := base.DeleteNode(r.doc.ID)
	return err
}

// fromGraphs removes the document from the graphs of methods, and those that no method
// builds.
func (r *removal) fromGraphs(ctx context.Context, tx *engine.Tx) error {
	r.derived = 0
	for i, step := range r.steps {
		if step != nil {
			if err := step(ctx, tx); err != nil {
				return fmt.Errorf("%s: %w", r.systems[i].Instance(), err)
			}
		}
		if r.systems[i].Graph() == nil {
			continue
		}
		n, err := r.fromGraph(tx, r.systems[i].Graph())
		if err != nil {
			return fmt.Errorf("%s: %w", r.systems[i].Instance(), err)
		}
		r.derived += n
	}
	for _, g := range r.graphs {
		n, err := r.fromGraph(tx, g)
		if err != nil {
			return fmt.Errorf("%s: %w", g.Name(), err)
		}
		r.derived += n
	}
	return nil
}

// fromGraph removes the document's chunks from a graph and returns how many
// derived nodes went with them.
func (r *removal) fromGraph(tx *engine.Tx, g *engine.Graph) (derived int, err error) {
	v := tx.Graph(g)
	t, ok := v.NodeType(corpus.ChunkNodeType)
	if !ok {
		return 0, nil
	}
	for _, ch := range r.chunks {
		id, err := v.Lookup(t, ch.Key)
		if corpus.IsMissing(err) {
			continue
		}
		if err != nil {
			return 0, err
		}
		if err := queue.ForgetJobs(v, ch.Key); err != nil {
			return 0, err
		}
		gone, err := v.DeleteNode(id)
		if err != nil {
			return 0, err
		}
		derived += len(gone.Nodes) - 1
	}
	return derived, nil
}

func (r *removal) result() *RemoveResult {
	out := &RemoveResult{Documents: []string{r.doc.Key}, Chunks: len(r.chunks), Derived: r.derived}
	for _, s := range r.systems {
		if s.Graph() != nil {
			out.Stale = append(out.Stale, s.Instance())
		}
	}
	return out
}
