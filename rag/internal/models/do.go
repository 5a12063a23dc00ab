package models

import (
	"context"
	"errors"

	"github.com/ragdb/ragdb/rag/internal/text"
	"github.com/ragdb/ragdb/rag/ledger"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/llm/replay"
)

// errDivided says that a task was divided before: the parts of the same division are
// likely to be kept.
var errDivided = errors.New("it was divided before")

// filled returns a task with its language and what a model reads of it.
func (m *Models) filled(t llm.Task) (llm.Task, error) {
	if t.Lang == "" {
		t.Lang = m.full.Lang
	}
	if m.full.Fill == nil {
		return t, nil
	}
	return t, m.full.Fill(&t)
}

// kept returns the reply or the division that is kept for a task, nil if there is
// neither, and notes that the item uses it.
func (m *Models) kept(ctx context.Context, digest [32]byte, item string, docs []string) (*ledger.StoredReply, error) {
	r, ok, err := m.ledger.Reply(ctx, digest)
	if err != nil || !ok {
		return nil, err
	}
	if r.Divided == nil {
		m.meter.Cached(m.stage, m.full.Provider.Name())
		m.tally.Add(r.Usage)
	}
	return &r, m.keep(ctx, ledger.Reply{Digest: digest, Item: item, Docs: docs})
}

// do answers a task whole. An [llm.TooLongError] that is [errDivided] says how it was
// divided before.
func (m *Models) do(ctx context.Context, item string, docs []string, t llm.Task) (llm.Reply, error) {
	t, err := m.filled(t)
	if err != nil {
		return llm.Reply{}, err
	}
	name := m.full.Provider.Name()
	if m.full.Free {
		r, u, err := m.full.Provider.Do(ctx, t)
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
	kept, err := m.kept(ctx, digest, item, docs)
	if err != nil {
		return llm.Reply{}, err
	}
	var before *llm.TooLongError
	switch {
	case kept == nil:
	case kept.Divided == nil:
		return llm.Reply{Text: kept.Text}, nil
	default:
		before = &llm.TooLongError{Tokens: kept.Divided.Tokens, Context: kept.Divided.Context, Err: errDivided}
		if !cuts(t) {
			return llm.Reply{}, before
		}
	}
	call, err := m.meter.Reserve(ctx, m.stage, name, PromptTokens(m.tokens, t), t.MaxTokens)
	if err != nil {
		return llm.Reply{}, err
	}
	goOn := func() {}
	if !m.shared.unkept { // else the reply is an estimate, and made at once
		goOn = m.pause()
	}
	r, u, err := m.full.Provider.Do(ctx, t)
	goOn()
	call.Settle(u)
	m.tally.Add(u)
	if before != nil && (errors.Is(err, replay.ErrNotRecorded) || errors.As(err, new(*llm.TooLongError))) {
		return llm.Reply{}, before
	}
	if err != nil {
		return llm.Reply{}, err
	}
	return r, m.keep(ctx, ledger.Reply{Digest: digest, Item: item, Docs: docs, Reply: &ledger.StoredReply{Kind: t.Kind, Model: name, Text: r.Text, Usage: u}})
}

// keepDivision notes that a task is divided, so that another run divides it in the same
// way whatever it knows of the model's context.
func (m *Models) keepDivision(ctx context.Context, item string, docs []string, t llm.Task, long *llm.TooLongError) error {
	name := m.full.Provider.Name()
	m.meter.Add(m.stage, name, llm.Usage{Mending: llm.Mending{Fitted: 1}})
	if m.full.Free {
		return nil
	}
	t, err := m.filled(t)
	if err != nil {
		return err
	}
	digest, err := t.Digest(name)
	if err != nil {
		return err
	}
	how := &replay.Division{Tokens: long.Tokens, Context: long.Context}
	return m.keep(ctx, ledger.Reply{Digest: digest, Item: item, Docs: docs, Reply: &ledger.StoredReply{Kind: t.Kind, Model: name, Divided: how}})
}

// keptWhole returns the reply that is kept for a task as it is, nil if there is none.
func (m *Models) keptWhole(ctx context.Context, item string, docs []string, t llm.Task) (*llm.Reply, error) {
	t, err := m.filled(t)
	if err != nil {
		return nil, err
	}
	digest, err := t.Digest(m.full.Provider.Name())
	if err != nil {
		return nil, err
	}
	kept, err := m.kept(ctx, digest, item, docs)
	if err != nil || kept == nil || kept.Divided != nil {
		return nil, err
	}
	return &llm.Reply{Text: kept.Text}, nil
}

// keep keeps a reply, unless it is an estimate.
func (m *Models) keep(ctx context.Context, r ledger.Reply) error {
	if m.shared.unkept {
		return nil
	}
	return m.ledger.Keep(ctx, r)
}

// PromptTokens counts what a model reads of a task.
func PromptTokens(tokens *text.Tokenizer, t llm.Task) int {
	n := tokens.Count(string(t.Schema))
	for _, msg := range t.Prompt {
		n += tokens.Count(msg.Content) + messageTokens
	}
	return n
}

// messageTokens is about what a message costs beside its text.
const messageTokens = 4

// begin waits until no other call asks the task. The caller calls over when it has
// asked.
func (m *Models) begin(ctx context.Context, digest [32]byte) (over func(), err error) {
	s := m.shared
	for {
		s.mu.Lock()
		other := s.asking[digest]
		if other == nil {
			if s.asking == nil {
				s.asking = map[[32]byte]chan struct{}{}
			}
			over := make(chan struct{})
			s.asking[digest] = over
			s.mu.Unlock()
			return func() {
				s.mu.Lock()
				delete(s.asking, digest)
				s.mu.Unlock()
				close(over)
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
