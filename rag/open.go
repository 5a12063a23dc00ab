package rag

import (
	"context"
	"iter"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
	"github.com/ragdb/ragdb/rag/internal/corpus"
	"github.com/ragdb/ragdb/rag/internal/models"
	"github.com/ragdb/ragdb/rag/internal/queue"
	"github.com/ragdb/ragdb/rag/internal/text"
	"github.com/ragdb/ragdb/rag/internal/words"
	"github.com/ragdb/ragdb/rag/ledger"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/llm/local"
)

// Corpus is documents with the models that they are indexed and asked with. It is
// safe for concurrent use. Beside its own methods it has those of [corpus.Corpus], which read
// the documents.
type Corpus struct {
	*documents
	o           Options
	ledger      *ledger.Ledger
	words       *words.Store
	local       *words.Local    // of OpenModels
	projections *graphops.Cache // that plans walk on
}

// documents is what a corpus reads its documents by.
type documents = corpus.Corpus

// Docs returns the documents without the models, as methods are opened with them.
func (c *Corpus) Docs() *corpus.Corpus {
	if c == nil {
		return nil
	}
	return c.documents
}

// Ledger returns what is kept of what models said, and of what runs cost.
func (c *Corpus) Ledger() *ledger.Ledger { return c.ledger }

// Options tune a corpus. The zero value is right for most.
type Options struct {
	// Tokens counts and cuts text. It takes some time to make, so that corpora may
	// share one; nil is one of the corpus's own.
	Tokens *text.Tokenizer
	// Models opens the models that index and remove documents, and that answer
	// questions if the caller gives no others; nil opens the local ones. It is
	// called after the corpus was read and must give models of the same space each
	// time; they may be the same ones.
	Models func(ctx context.Context, c *Corpus) (*Models, error)
	// NoWords says that nothing is to be learnt from the documents' words: none of
	// the models is local.
	NoWords bool
	// Path is what messages call the database; "" is its path.
	Path string
}

// OpenCorpus opens a namespace's corpus. If the namespace has no base graph, it
// makes one. Nil options are the zero ones.
func OpenCorpus(ctx context.Context, db *engine.DB, namespace string, o *Options) (*Corpus, error) {
	if o == nil {
		o = &Options{}
	}
	docs, err := corpus.Open(ctx, db, namespace, o.Tokens)
	if err != nil {
		return nil, err
	}
	return &Corpus{
		documents: docs, o: *o, ledger: ledger.New(docs), words: &words.Store{C: docs}, local: words.NewLocal(docs),
		projections: graphops.NewCache(db.MemoryBudget() / projectionsShare),
	}, nil
}

// Projections returns the cache of the projections that plans walk on, for statements that
// do.
func (c *Corpus) Projections() *graphops.Cache { return c.projections }

// projectionsShare is the part of the database's memory budget, 1 in so many, that
// projections of its graphs may take.
const projectionsShare = 8

// With returns the corpus with other options; their Tokens are not looked at.
// Runs that index either of the two wait for each other.
func (c *Corpus) With(o Options) *Corpus {
	out := &Corpus{}
	if c != nil {
		*out = *c
	}
	out.o.Models, out.o.NoWords = o.Models, o.NoWords
	return out
}

// Path returns what messages call the database: the path of the options, or else that of
// the database, "" of a corpus that [OpenCorpus] did not make.
func (c *Corpus) Path() string {
	switch {
	case c.ready() != nil:
		return ""
	case c.o.Path != "":
		return c.o.Path
	}
	return c.DB().Path()
}

// Options returns the options of the corpus.
func (c *Corpus) Options() Options { return c.o }

// ready refuses a corpus that [OpenCorpus] did not make.
func (c *Corpus) ready() error {
	if c == nil || c.ledger == nil {
		return (*corpus.Corpus)(nil).Ready()
	}
	return c.documents.Ready()
}

// begin waits until no other run or removal changes the documents of the namespace, or
// until ctx ends. The caller calls end when it is done.
func (c *Corpus) begin(ctx context.Context) (end func(), err error) {
	if end, err = c.Namespace().Exclusive(ctx); err != nil {
		return nil, phase.Errorf("another run or removal changes the documents: %w", err)
	}
	return end, nil
}

// NewModels returns models of which each call of the provider is paid: every
// reply is kept in the corpus before anything is made of it, and the same task
// is not asked again. Documents and Questions are of one space; a space that
// is Recomputable is left out of canonical exports, and its vectors are not
// kept for themselves.
func (c *Corpus) NewModels(p Parts) *Models {
	if c.ready() != nil {
		return models.New(nil, nil, p)
	}
	return models.New(c.ledger, c.Tokens(), p)
}

// OpenLocal returns the models that need no network: what the corpus taught
// the local model, and rules. They may be opened and used at any time, before
// the first documents and beside an [Indexer.Run]: each [Corpus.Ask] reads what
// the corpus has taught at the commit that it answers from.
//
// forIndex says that documents are to be embedded, with the newest word table:
// such models keep to the table that was the newest when they were opened.
// Without it questions use the table that all documents are embedded with.
//
// Of its parts those that p has take the place of the local ones. A chat model that
// reads prompts wants [Parts.Fill] beside it.
func (c *Corpus) OpenLocal(ctx context.Context, forIndex bool, p Parts) (*Models, error) {
	if err := c.ready(); err != nil {
		return nil, err
	}
	if p.Provider != nil && p.Documents != nil && p.Questions != nil {
		return c.NewModels(p), nil
	}
	l, err := words.OpenLocal(ctx, c.documents, forIndex)
	if err != nil {
		return nil, phase.Errorf("local model: %w", err)
	}
	return models.WithLocal(c.ledger, c.Tokens(), l, p), nil
}

// OpenModels opens the models that the corpus is asked with: those of
// [Options.Models], else the local ones. They can be opened once, at any time, and
// serve all questions to come, while documents are indexed and afterwards. Models
// that embed in another space than the corpus has are a [*ModelError].
func (c *Corpus) OpenModels(ctx context.Context) (*Models, error) {
	if err := c.ready(); err != nil {
		return nil, err
	}
	if c.o.Models == nil {
		m := models.WithLocal(c.ledger, c.Tokens(), c.local, Parts{})
		return m, c.CheckModel(ctx, m)
	}
	m, err := c.o.Models(ctx, c)
	if err != nil {
		return nil, err
	}
	if m == nil {
		return nil, phase.Errorf("%w: Options.Models gave none", ErrArgument)
	}
	return m, c.CheckModel(ctx, m)
}

// indexModels opens the models that documents are indexed with.
func (c *Corpus) indexModels(ctx context.Context) (*Models, error) {
	if c.o.Models == nil {
		return c.OpenLocal(ctx, true, Parts{})
	}
	m, err := c.o.Models(ctx, c)
	if err != nil {
		return nil, err
	}
	if m == nil {
		return nil, phase.Errorf("%w: Options.Models gave none", ErrArgument)
	}
	// Local ones that were opened before the corpus taught these words keep to none.
	return m.Ensure(c.ledger, c.Tokens()).Reopen(ctx)
}

// IndexedModels returns models of the space that the corpus is embedded with, to
// ask what is left to do ([Corpus.BaseSteps], [method.System.Steps]). They are those
// of [Options.Models] or the local ones if these have that space, and answer
// questions too. Else they only know the space: what wants a vector of them
// gets a [*ModelError]. To ask questions, [Corpus.OpenModels] is the one.
func (c *Corpus) IndexedModels(ctx context.Context) (*Models, error) {
	have, ok, err := c.EmbeddingModel(ctx)
	if err != nil {
		return nil, err
	}
	if !ok || have.Model == local.ModelName {
		return c.OpenLocal(ctx, true, Parts{})
	}
	if c.o.Models != nil {
		m, err := c.o.Models(ctx, c)
		if err != nil {
			return nil, err
		}
		if m != nil && models.EmbeddingModelOf(m.DocumentSpace()) == have {
			return m, nil
		}
	}
	e := models.OnlySpace(llm.SpaceInfo{Model: have.Model, Dim: have.Dim}, &ModelError{Have: have})
	return c.NewModels(Parts{Documents: e, Questions: e}), nil
}

// EmbeddingModel returns the model that the corpus is embedded with; ok is
// false if nothing was embedded yet.
func (c *Corpus) EmbeddingModel(ctx context.Context) (m EmbeddingModel, ok bool, err error) {
	if err := c.ready(); err != nil {
		return m, false, err
	}
	return models.EmbeddedWith(ctx, c.documents)
}

// CheckModel refuses models of another space than the corpus has, with a
// [*ModelError].
func (c *Corpus) CheckModel(ctx context.Context, m *Models) error {
	have, ok, err := c.EmbeddingModel(ctx)
	if err != nil || !ok {
		return err
	}
	if want := models.EmbeddingModelOf(m.QuestionSpace()); have != want {
		return &ModelError{Have: have, Want: want}
	}
	return nil
}

// modelsAt returns m for a question that is answered from a snapshot; nil is the
// corpus's own models.
func (c *Corpus) modelsAt(ctx context.Context, s *engine.Snapshot, m *Models) (_ *Models, err error) {
	if m == nil {
		if m, err = c.OpenModels(ctx); err != nil {
			return nil, err
		}
	}
	return m.Ensure(c.ledger, c.Tokens()).At(s.Graph(c.Base()).WithContext(ctx))
}

// Failures yields the work items of a graph that were set aside, in order of item and
// stage.
func (c *Corpus) Failures(v *engine.View) iter.Seq2[Failure, error] { return queue.Failures(v) }
