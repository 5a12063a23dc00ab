package models

import (
	"context"
	"encoding/json"

	"github.com/ragdb/ragdb/rag/internal/selection"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/llm/local"
)

// Choose selects sentences that answer: the provider does if it can, else the
// rules do.
func (m *Models) Choose(ctx context.Context, in selection.Input) (sel selection.Output, err error) {
	p := m.Provider()
	if p == nil || !p.Can(llm.Select) {
		p = local.New(local.Options{})
	}
	reply, _, err := p.Do(ctx, llm.Task{Kind: llm.Select, Input: in})
	if err != nil {
		return sel, err
	}
	if err := json.Unmarshal([]byte(reply.Text), &sel); err != nil {
		return sel, &llm.ReplyError{Kind: llm.Select, Raw: reply.Text, Why: err.Error()}
	}
	return sel, nil
}

// CountSelection counts a selection as a call, which is free.
func (m *Models) CountSelection(in, out int) {
	u := llm.Usage{Calls: 1, InTokens: in, OutTokens: out}
	m.meter.Add(m.stage, m.Provider().Name(), u)
	m.tally.Add(u)
}
