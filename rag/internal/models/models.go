package models

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/ragdb/ragdb/rag/cost"
	"github.com/ragdb/ragdb/rag/internal/crew"
	"github.com/ragdb/ragdb/rag/internal/text"
	"github.com/ragdb/ragdb/rag/internal/words"
	"github.com/ragdb/ragdb/rag/ledger"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/llm/encoder"
)

// Parts are what models are made of.
type Parts struct {
	// Provider answers tasks.
	Provider llm.Provider
	// Documents turns documents' texts into vectors, Questions questions. They
	// are of one space; only with the local model do they differ.
	Documents, Questions llm.Embedder
	// Tagger finds names in documents beside the rules, with their types. It is used
	// if the local model reads the documents; nil leaves that to the rules alone. With
	// a tagger of another name than before, or none, [rag.Indexer] reads all documents
	// again.
	Tagger encoder.Tagger
	// Free says that tasks cost nothing: replies are not kept.
	Free bool
	// Fill gives a task the prompt and schema that a model reads; nil leaves
	// tasks as they are, for providers that read their input.
	Fill func(*llm.Task) error
	// Lang is the language of replies to tasks that do not say theirs, "" for
	// that of what they are about.
	Lang string
	// Prompts names the prompts that Fill makes, in the records of runs.
	Prompts string
	// Reranker orders the evidence that a plan has found before it is packed; nil
	// leaves it in the plan's order.
	Reranker llm.Reranker
	// RerankTop is how many items of each section the reranker sees; 0 is 50.
	RerankTop int
	// RerankWithin bounds the reranker's time for one section; if it takes longer, or
	// its server fails for the time being, the plan's order stays. 0 is no bound, and
	// such a failure is an error.
	RerankWithin time.Duration
	// Workers is how many work items are done at once if a run does not say: models
	// that are waited for want many. 0 is GOMAXPROCS.
	Workers int
}

// Models are what a corpus is indexed and asked with. They take the replies that
// are kept from a ledger. They are safe for concurrent use.
type Models struct {
	parts  Parts           // as given, without what local stands in for
	local  *words.Local    // stands in for parts that are nil; may be nil itself
	full   Parts           // parts with the local ones
	ledger *ledger.Ledger  // nil if there is none: then nothing can be paid
	tokens *text.Tokenizer // counts what is paid; nil without a ledger
	Cases  *text.CaseStats // of the corpus; nil if they were not read
	meter  *cost.Meter
	stage  string      // that calls are counted for
	worker bool        // m serves a worker of a run
	tally  *cost.Tally // may be nil
	shared *sharedModels
}

// sharedModels is what the Models of all stages of a run have in common.
type sharedModels struct {
	// mu guards asking: for each task that is being asked, it holds a channel that
	// is closed when it is over.
	mu     sync.Mutex
	asking map[[32]byte]chan struct{}
	// crew are the workers of runs; gathered, which the crew's lock guards, has the texts
	// that are to be embedded in one call.
	crew     *crew.Crew
	gathered *embedBatch
	// unkept says that nothing is stored: replies are estimates.
	unkept bool
	// Of an estimate, under mu: the texts that were embedded, by digest, and how many by
	// stage and model.
	tallied map[[32]byte]bool
	tallies map[[2]string]*embedTally
}

// newShared returns what the Models of a run share.
func newShared() *sharedModels {
	s := &sharedModels{}
	s.crew = crew.New(s.fill)
	return s
}

// New returns models of parts, of which each call of the provider is paid
// unless it is free.
func New(l *ledger.Ledger, tokens *text.Tokenizer, p Parts) *Models {
	return WithLocal(l, tokens, nil, p)
}

// WithLocal returns models of parts in which local ones stand in for those that
// are nil.
func WithLocal(l *ledger.Ledger, tokens *text.Tokenizer, local *words.Local, p Parts) *Models {
	m := &Models{local: local, ledger: l, tokens: tokens, meter: cost.NewMeter(nil, cost.Limits{}), shared: newShared()}
	return m.With(p)
}

// With returns models of other parts that share all else with m. For parts that are
// nil the local ones stand in if they do so in m.
func (m *Models) With(p Parts) *Models {
	out := m.Ensure(nil, nil)
	out.parts = p
	if l := out.local; l != nil {
		if p.Provider == nil {
			p.Provider, p.Free = l.Provider(p.Tagger), true
		}
		if p.Documents == nil {
			p.Documents = l.Documents()
		}
		if p.Questions == nil {
			p.Questions = l.Questions()
		}
	}
	out.full = p
	return out
}

// Parts returns the parts that m was given: those that the local models stand in for
// are nil. See [Models.With].
func (m *Models) Parts() Parts {
	if m == nil {
		return Parts{}
	}
	return m.parts
}

// All returns the parts of m, local ones among them.
func (m *Models) All() Parts {
	if m == nil {
		return Parts{}
	}
	return m.full
}

// Unkept returns models for an estimate: nothing of their calls is stored.
func (m *Models) Unkept() *Models {
	out := m.Ensure(nil, nil)
	out.shared = newShared()
	out.shared.unkept = true
	return out
}

// Spent returns what the calls of m cost so far, nothing if they are estimates.
func (m *Models) Spent() []cost.Spent {
	if m.shared.unkept {
		return nil
	}
	return m.meter.Rows()
}

// Provider returns what answers tasks.
func (m *Models) Provider() llm.Provider { return m.All().Provider }

// Documents returns what turns documents' texts into vectors.
func (m *Models) Documents() llm.Embedder { return m.All().Documents }

// Questions returns what turns questions into vectors.
func (m *Models) Questions() llm.Embedder { return m.All().Questions }

// Free reports whether tasks cost nothing.
func (m *Models) Free() bool { return m.All().Free }

// Prompts names the prompts that tasks are filled with, "" if there are none.
func (m *Models) Prompts() string { return m.All().Prompts }

// Workers returns how many work items are done at once if a run does not say.
func (m *Models) Workers() int { return m.All().Workers }

// Metered returns models whose calls count on a meter, which may bound them.
func (m *Models) Metered(meter *cost.Meter) *Models {
	out := m.Ensure(nil, nil)
	out.meter = meter
	return out
}

// Meter returns what m's calls are counted on.
func (m *Models) Meter() *cost.Meter {
	if m == nil {
		return nil
	}
	return m.meter
}

// ForWorker returns m for a worker of a run.
func (m *Models) ForWorker(stage string) *Models {
	out := m.In(stage)
	out.worker = true
	return out
}

// Crew returns the workers that use m, or models that share requests with it.
func (m *Models) Crew() *crew.Crew { return m.shared.crew }

// In returns m for the work of a stage.
func (m *Models) In(stage string) *Models {
	other := Models{}
	if m != nil {
		other = *m
	}
	other.stage = stage
	return &other
}

// Tallied returns m for the work of a stage, the replies of which count on t
// beside the meter.
func (m *Models) Tallied(stage string, t *cost.Tally) *Models {
	other := m.In(stage)
	other.tally = t
	return other
}

// Usage returns what the model calls cost so far.
func (m *Models) Usage() llm.Usage { return m.Meter().Total().Usage }

// Do answers a task on behalf of a work item: with the reply that is kept for
// it, else by asking the model and keeping the reply at once, before anything
// is made of it. A task that is being asked already is waited for. docs are the
// keys of the documents whose text the task holds: the reply goes with any of
// them. A task that is too large for the model is asked in parts, each of which is
// kept; what cannot be divided is cut, the last of its lists first. A call that would pass a limit of the meter is a [*cost.BudgetError].
func (m *Models) Do(ctx context.Context, item string, docs []string, t llm.Task) (llm.Reply, error) {
	if err := m.usable(); err != nil {
		return llm.Reply{}, err
	}
	return m.fitted(ctx, item, docs, t)
}

// DoJSON is Do for a task whose reply is JSON: it is read into out. One that is
// not is an [*llm.ReplyError].
func (m *Models) DoJSON(ctx context.Context, item string, docs []string, t llm.Task, out any) error {
	reply, err := m.Do(ctx, item, docs, t)
	if err != nil {
		return err
	}
	if err := json.Unmarshal([]byte(reply.Text), out); err != nil {
		return &llm.ReplyError{Kind: t.Kind, Raw: reply.Text, Why: err.Error()}
	}
	return nil
}

// Stream is Do that hands on the reply as it comes, where the provider can; a
// kept reply comes at once and whole.
func (m *Models) Stream(ctx context.Context, item string, docs []string, t llm.Task, on func(text string) error) (llm.Reply, error) {
	if err := m.usable(); err != nil {
		return llm.Reply{}, err
	}
	if on == nil {
		return m.Do(ctx, item, docs, t)
	}
	streamed := false
	t.Stream = func(piece string) error {
		streamed = true
		return on(piece)
	}
	r, err := m.fitted(ctx, item, docs, t)
	if err == nil && !streamed {
		err = on(r.Text)
	}
	return r, err
}

// EmbedQuestion turns a question into a vector; nil is that of a question
// without words, and of a corpus that has taught the local model none yet.
func (m *Models) EmbedQuestion(ctx context.Context, q string) ([]float32, error) {
	if m.Questions() == nil {
		return nil, phase.At("", errNoEmbedder)
	}
	v, err := m.In("question").embed(ctx, m.full.Questions, nil, []string{q})
	if err != nil {
		return nil, err
	}
	return v[0], nil
}

// Embed turns texts of documents into vectors, those of a model that is paid
// once for each text: they are kept before anything is made of them, and go
// with the documents. Calls of several goroutines share requests.
func (m *Models) Embed(ctx context.Context, docs []string, texts []string) ([][]float32, error) {
	if m.Documents() == nil {
		return nil, phase.At("", errNoEmbedder)
	}
	return m.embed(ctx, m.full.Documents, docs, texts)
}
