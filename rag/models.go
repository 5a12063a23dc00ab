package rag

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/ragdb/ragdb/rag/cost"
	"github.com/ragdb/ragdb/rag/internal/text"
	"github.com/ragdb/ragdb/rag/llm"
)

// Models are what a corpus is indexed and asked with. It is safe for
// concurrent use.
type Models struct {
	// Provider answers tasks.
	Provider llm.Provider
	// Documents turns documents' texts into vectors, Questions questions. They
	// are of one space; only with the local model do they differ.
	Documents, Questions llm.Embedder
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
	// Workers is how many work items are done at once where nobody says: models
	// that are waited for want many. 0 is GOMAXPROCS.
	Workers int

	corpus *Corpus
	cases  *text.CaseStats // of the corpus; nil if they were not read
	meter  *cost.Meter
	stage  string      // that calls are counted for
	worker bool        // m serves a worker of a run
	tally  *cost.Tally // may be nil
	shared *sharedModels
}

// sharedModels is what the Models of all stages of a run have in common.
type sharedModels struct {
	// mu guards the fields below it.
	mu sync.Mutex
	// asking holds, for each task that is being asked, a channel that is closed
	// when it is over.
	asking map[[32]byte]chan struct{}
	// storing are replies that wait for the writer.
	storing []*storing
	// gathered are texts to be embedded in one call, working counts the workers of a
	// run that do not wait.
	gathered *embedBatch
	working  int
	// unkept says that nothing is stored: replies are estimates.
	unkept bool
}

// NewModels returns models of which each call of the provider is paid: every
// reply is kept in the corpus before anything is made of it, and the same task
// is not asked again. documents and questions are of one space; a space that
// is Recomputable is left out of canonical exports, and its vectors are not
// kept for themselves.
func NewModels(c *Corpus, p llm.Provider, documents, questions llm.Embedder) *Models {
	return &Models{Provider: p, Documents: documents, Questions: questions, corpus: c, meter: cost.NewMeter(nil, cost.Limits{}), shared: &sharedModels{}}
}

// Metered makes the calls of m count on a meter, which may bound them. It is
// called before m is used.
func (m *Models) Metered(meter *cost.Meter) {
	if m != nil {
		m.meter = meter
	}
}

// Meter returns what m's calls are counted on.
func (m *Models) Meter() *cost.Meter {
	if m == nil {
		return nil
	}
	return m.meter
}

// in returns m for the work of a stage.
func (m *Models) in(stage string) *Models {
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
	other := m.in(stage)
	other.tally = t
	return other
}

// Usage returns what the model calls cost so far.
func (m *Models) Usage() llm.Usage { return m.Meter().Total().Usage }

// Do answers a task on behalf of a work item: with the reply that is kept for
// it, else by asking the model and keeping the reply at once, before anything
// is made of it. A task that is being asked already is waited for. docs are the
// keys of the documents whose text the task holds: the reply goes with any of
// them. A call that would pass a limit of the meter is a [*cost.BudgetError].
func (m *Models) Do(ctx context.Context, item string, docs []string, t llm.Task) (llm.Reply, error) {
	if err := m.usable(); err != nil {
		return llm.Reply{}, err
	}
	return m.do(ctx, item, docs, t)
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
	r, err := m.do(ctx, item, docs, t)
	if err == nil && !streamed {
		err = on(r.Text)
	}
	return r, err
}

func (m *Models) do(ctx context.Context, item string, docs []string, t llm.Task) (llm.Reply, error) {
	m = m.with(nil)
	if t.Lang == "" {
		t.Lang = m.Lang
	}
	if m.Fill != nil {
		if err := m.Fill(&t); err != nil {
			return llm.Reply{}, err
		}
	}
	name := m.Provider.Name()
	if m.Free {
		r, u, err := m.Provider.Do(ctx, t)
		m.meter.Add(m.stage, name, u)
		m.tally.Add(u)
		return r, err
	}
	digest, err := t.Digest(name)
	if err != nil {
		return llm.Reply{}, err
	}
	over, err := m.begin(ctx, digest)
	if err != nil {
		return llm.Reply{}, err
	}
	defer over()
	kept, ok, err := m.kept(ctx, digest)
	if err != nil {
		return llm.Reply{}, err
	}
	if ok {
		m.meter.Cached(m.stage, name)
		m.tally.Add(kept.Usage)
		return llm.Reply{Text: kept.Text}, m.keep(ctx, reply{digest: digest, item: item, docs: docs})
	}
	call, err := m.meter.Reserve(ctx, m.stage, name, m.corpus.promptTokens(t), t.MaxTokens)
	if err != nil {
		return llm.Reply{}, err
	}
	goOn := func() {}
	if !m.shared.unkept { // else the reply is an estimate, and made at once
		goOn = m.pause()
	}
	r, u, err := m.Provider.Do(ctx, t)
	goOn()
	call.Settle(u)
	m.tally.Add(u)
	if err != nil {
		return llm.Reply{}, err
	}
	return r, m.keep(ctx, reply{digest: digest, item: item, docs: docs, reply: &storedReply{Kind: t.Kind, Text: r.Text, Usage: u}})
}

// promptTokens counts what a model reads of a task.
func (c *Corpus) promptTokens(t llm.Task) int {
	n := c.tokens.Count(string(t.Schema))
	for _, msg := range t.Prompt {
		n += c.tokens.Count(msg.Content) + messageTokens
	}
	return n
}

// messageTokens is about what a message costs beside its text.
const messageTokens = 4

// begin waits until nobody else asks the task and returns what says that the
// caller is over with it.
func (m *Models) begin(ctx context.Context, digest [32]byte) (over func(), err error) {
	s := m.shared
	for {
		s.mu.Lock()
		other := s.asking[digest]
		if other == nil {
			if s.asking == nil {
				s.asking = map[[32]byte]chan struct{}{}
			}
			mine := make(chan struct{})
			s.asking[digest] = mine
			s.mu.Unlock()
			return func() {
				s.mu.Lock()
				delete(s.asking, digest)
				s.mu.Unlock()
				close(mine)
			}, nil
		}
		s.mu.Unlock()
		select {
		case <-other:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// EmbedQuestion turns a question into a vector; nil is that of a question
// without words, and of a corpus that has taught the local model none yet.
func (m *Models) EmbedQuestion(ctx context.Context, q string) ([]float32, error) {
	if m == nil || m.Questions == nil {
		return nil, phase.At("", errNoEmbedder)
	}
	v, err := m.in("question").embed(ctx, m.Questions, nil, []string{q})
	if err != nil {
		return nil, err
	}
	return v[0], nil
}

// Embed turns texts of documents into vectors, those of a model that is paid
// once for each text: they are kept before anything is made of them, and go
// with the documents. Calls of several goroutines share requests.
func (m *Models) Embed(ctx context.Context, docs []string, texts []string) ([][]float32, error) {
	if m == nil || m.Documents == nil {
		return nil, phase.At("", errNoEmbedder)
	}
	return m.embed(ctx, m.Documents, docs, texts)
}
