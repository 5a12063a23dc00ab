package ragtest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/llm"
)

// Model is a model whose replies are scripted by kind of task. It is safe for
// concurrent use once it is scripted.
type Model struct {
	rules  llm.Provider
	script map[llm.Kind]func(t llm.Task) (any, error)

	mu    sync.Mutex // guards asked
	asked []llm.Task
}

var _ llm.Provider = (*Model)(nil)

// NewModel returns a model that answers every kind of task by the rules of the
// local provider until [Model.On] says otherwise.
func NewModel(t testing.TB, c *rag.Corpus) *Model {
	t.Helper()
	rules, err := c.Rules(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return &Model{rules: rules, script: map[llm.Kind]func(llm.Task) (any, error){}}
}

// On scripts the replies to a kind of task. What reply returns is the text of
// the reply where it is a string, and is written as JSON otherwise. It may be
// called for several tasks at once.
func (m *Model) On(k llm.Kind, reply func(t llm.Task) (any, error)) *Model {
	m.script[k] = reply
	return m
}

// Do implements [llm.Provider]. Every task counts as one call, with a token for
// four bytes of input and reply.
func (m *Model) Do(ctx context.Context, t llm.Task) (llm.Reply, llm.Usage, error) {
	m.mu.Lock()
	m.asked = append(m.asked, t)
	m.mu.Unlock()
	in, err := json.Marshal(t.Input)
	if err != nil {
		return llm.Reply{}, llm.Usage{}, fmt.Errorf("ragtest: %w", err)
	}
	usage := llm.Usage{Calls: 1, InTokens: len(in) / 4}
	reply := m.script[t.Kind]
	if reply == nil {
		r, _, err := m.rules.Do(ctx, t)
		usage.OutTokens = len(r.Text) / 4
		return r, usage, err
	}
	out, err := reply(t)
	if err != nil {
		return llm.Reply{}, usage, err
	}
	text, ok := out.(string)
	if !ok {
		b, err := json.Marshal(out)
		if err != nil {
			return llm.Reply{}, usage, fmt.Errorf("ragtest: reply to %s: %w", t.Kind, err)
		}
		text = string(b)
	}
	usage.OutTokens = len(text) / 4
	return llm.Reply{Text: text}, usage, nil
}

// Name implements [llm.Provider].
func (m *Model) Name() string { return "ragtest" }

// Can implements [llm.Provider].
func (m *Model) Can(k llm.Kind) bool {
	return m.script[k] != nil || k != llm.Select && m.rules.Can(k)
}

// Asked returns the tasks of a kind that the model was asked so far, in the
// order in which they came.
func (m *Model) Asked(k llm.Kind) []llm.Task {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(m.asked), func(t llm.Task) bool { return t.Kind != k })
}
