package ragdb

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/kv/stores"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/cost"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/llm/encoder"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/methods"
	"github.com/ragdb/ragdb/rag/prompts"
)

// Memory is the path of a database that is kept in memory and gone when it is
// closed.
const Memory = engine.Memory

// Options tune a database. The zero value and nil work.
type Options struct {
	// Namespace names one of several separate sets of documents in the database.
	// The default is "main".
	Namespace string
	// Methods are the methods that documents are indexed by, such as "ketrag" or
	// "hirag:profile=paper". The first one answers the questions that name none.
	// The default are those that the database is indexed by already, and
	// "ketrag" for a new one.
	Methods []string
	// Chat reads documents and answers questions. If it is nil, rules do, which
	// quote the documents and need no network.
	Chat llm.Provider
	// Embedder turns texts into vectors. If it is nil, vectors of words are
	// learnt from the documents.
	Embedder llm.Embedder
	// QuestionEmbedder turns questions into vectors of the same space, for models
	// that treat questions and documents differently. If it is nil, Embedder does.
	QuestionEmbedder llm.Embedder
	// Reranker orders what is found before it is answered from. If it is nil, the
	// method's order stays.
	Reranker llm.Reranker
	// Style is the form of the answers to questions without a [Style].
	Style string
	// Tagger finds names in documents beside the rules, with their types: an
	// [encoder.Model] for token classification. It cannot be used beside Chat, which
	// reads documents itself. If it is another one than documents were added with, or
	// nil, the next [DB.Add] reads all documents again.
	Tagger encoder.Tagger
	// MaxUSD bounds what one call may spend on models whose price ragdb knows
	// ([cost.BuiltinPrices]), in dollars. A call that would pass it stops with a
	// [cost.BudgetError]. 0 is no bound.
	MaxUSD float64
	// Share lets other processes of the same user use the database through this one, with
	// [Dial], as long as it is open. Without it they find the database locked. A database in
	// memory is not shared by it, and one on a server is shared there.
	Share bool
	// Engine tunes the store: memory, reading only, a logger. The default is
	// right for most.
	Engine *engine.Options
}

// DB is an open database. It is safe for concurrent use.
type DB struct {
	engine  *engine.DB
	corpus  *rag.Corpus
	methods method.Methods
	specs   []method.Spec // of Options.Methods
	chat    llm.Provider
	style   string    // of Options.Style
	parts   rag.Parts // the embedders and the reranker
	prices  cost.Prices
	limits  cost.Limits
	fill    *prompts.Set // nil without a chat model
	// asked and rules answer questions: with the chat model if there is one, and
	// without.
	asked, rules *rag.Models
	shared       *shared // nil without [Options.Share]
}

// Open opens the database in a directory, and makes it if there is none. The
// caller closes it. Errors are those of [engine.Open], an [method.ErrMethod] for a
// method or a parameter that is unknown, and a [rag.ModelError] if the database was embedded with
// another model than the options name.
func Open(ctx context.Context, path string, o *Options) (*DB, error) {
	if path == "" {
		return nil, phase.Errorf("%w: an empty path", rag.ErrArgument)
	}
	var opt Options
	if o != nil {
		opt = *o
	}
	db := &DB{
		methods: methods.All(), chat: opt.Chat, style: opt.Style, parts: rag.Parts{Documents: opt.Embedder, Questions: opt.QuestionEmbedder, Reranker: opt.Reranker, Tagger: opt.Tagger},
		prices: cost.BuiltinPrices(), limits: cost.Limits{USD: opt.MaxUSD},
	}
	if opt.Embedder == nil && opt.QuestionEmbedder != nil {
		return nil, phase.Errorf("%w: an embedder of questions without one of documents", rag.ErrArgument)
	}
	if opt.Chat != nil && opt.Tagger != nil {
		return nil, phase.Errorf("%w: a tagger beside a chat model, which reads documents itself", rag.ErrArgument)
	}
	if db.parts.Questions == nil {
		db.parts.Questions = opt.Embedder
	}
	if opt.Style != "" && !slices.Contains(method.Styles(), opt.Style) {
		return nil, phase.Errorf("%w: style %q: there are %s", rag.ErrArgument, opt.Style, strings.Join(method.Styles(), " and "))
	}
	if opt.Namespace == "" {
		opt.Namespace = "main"
	}
	for _, s := range opt.Methods {
		spec, err := method.ParseSpec(s)
		if err == nil {
			err = db.methods.Known(spec.Name)
		}
		if err != nil {
			return nil, phase.At("", err)
		}
		db.specs = append(db.specs, spec)
	}
	var err error
	if db.chat != nil {
		if db.fill, err = prompts.Default(); err != nil {
			return nil, phase.At("", err)
		}
	}
	below := engine.Options{}
	if opt.Engine != nil {
		below = *opt.Engine
	}
	if below.Encodings == nil {
		below.Encodings = methods.Encodings()
	}
	if db.engine, err = engine.Open(ctx, path, &below); err != nil {
		return nil, phase.At("", err)
	}
	if err := db.open(ctx, opt.Namespace); err != nil {
		return nil, phase.Errorf("open %s: %w", stores.Shown(path), errors.Join(err, db.engine.Close()))
	}
	if opt.Share && path != Memory && !stores.OnServer(path) {
		if db.shared, err = db.share(path); err != nil {
			return nil, phase.Errorf("share %s: %w", path, errors.Join(err, db.engine.Close()))
		}
	}
	return db, nil
}

// open opens what is in the store.
func (db *DB) open(ctx context.Context, namespace string) (err error) {
	if db.corpus, err = rag.OpenCorpus(ctx, db.engine, namespace, nil); err != nil {
		return err
	}
	for _, spec := range db.specs {
		// It need not be indexed yet, but its parameters must be right.
		if _, err := db.methods.OpenIndexed(ctx, db.corpus.Docs(), spec); errors.Is(err, method.ErrMethod) {
			return err
		}
	}
	db.corpus = db.reading(db.corpus)
	if db.asked, err = db.models(ctx, db.corpus, db.chat, false); err != nil {
		return err
	}
	if db.rules, err = db.models(ctx, db.corpus, nil, false); err != nil {
		return err
	}
	return db.corpus.CheckModel(ctx, db.asked)
}

// reading returns a corpus with the models that read its documents.
func (db *DB) reading(c *rag.Corpus) *rag.Corpus {
	return c.With(rag.Options{
		NoWords: db.chat != nil && db.parts.Documents != nil,
		Models: func(ctx context.Context, c *rag.Corpus) (*rag.Models, error) {
			m, err := db.models(ctx, c, db.chat, true)
			if err != nil {
				return nil, err
			}
			return db.metered(m), nil
		},
	})
}

// Close waits for calls that are being served and closes the database. What other
// processes began is ended; it is kept as far as it has come.
func (db *DB) Close() error { return errors.Join(db.shared.close(), db.engine.Close()) }

// Engine returns the graph store that the database is kept in. It is closed with
// db.
func (db *DB) Engine() *engine.DB { return db.engine }

// Corpus returns the documents as package rag sees them.
func (db *DB) Corpus() *rag.Corpus { return db.corpus }

// models opens models of a corpus that answer by chat, or by rules if it is nil.
func (db *DB) models(ctx context.Context, c *rag.Corpus, chat llm.Provider, forIndex bool) (*rag.Models, error) {
	p := db.parts
	p.Provider = chat
	if !forIndex {
		p.Tagger = nil // questions are read by the rules
	}
	if chat != nil {
		p.Fill = db.fill.Fill
		hash := db.fill.Hash()
		p.Prompts = fmt.Sprintf("%x", hash[:])
	}
	if chat != nil || db.parts.Documents != nil {
		p.Workers = remoteWorkers
	}
	return c.OpenLocal(ctx, forIndex, p)
}

// metered returns models for one call, whose spending is bounded.
func (db *DB) metered(m *rag.Models) *rag.Models {
	return m.Metered(cost.NewMeter(db.prices, db.limits))
}

// remoteWorkers is how many work items are done at once if models are waited for.
const remoteWorkers = 256
