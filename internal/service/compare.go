package service

import (
	"context"
	"maps"
	"slices"

	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/method"
)

// Comparison is what ask --compare --json prints.
type Comparison struct {
	V        int               `json:"v"`
	Question string            `json:"question"`
	NS       string            `json:"ns"`
	Methods  []*ComparedMethod `json:"methods"`
}

// ComparedMethod is the evidence of one method beside that of others.
type ComparedMethod struct {
	Method string         `json:"method"`
	Items  []ComparedItem `json:"items"`
	// Answer, Sources and Trace are the answer from the items; nil if only evidence was asked for.
	Answer   *string      `json:"answer,omitempty"`
	Answered *bool        `json:"answered,omitempty"`
	Sources  []rag.Source `json:"sources,omitempty"`
	// Nearest are the passages that come nearest if there is no answer.
	Nearest *[]rag.Passage `json:"nearest,omitempty"`
	// Notes and Cut are as in the answer of one method.
	Notes []string `json:"notes,omitempty"`
	Cut   int      `json:"cut,omitempty"`
	Trace string   `json:"trace,omitempty"`
	// Only are the ids of the items that no other method found, OnlyDocs the
	// documents that no other's evidence rests on.
	Only     []string        `json:"only"`
	OnlyDocs []string        `json:"only_docs"`
	Tokens   int             `json:"tokens"`
	Ms       Timings         `json:"ms"`
	Plan     string          `json:"plan,omitempty"`
	Ops      []query.OpTrace `json:"ops,omitempty"`

	// Asking, Evidence and Reply are what the rest was made of. Reply is nil if only
	// evidence was asked for.
	Asking   *Asking       `json:"-"`
	Evidence *rag.Evidence `json:"-"`
	Reply    *rag.Answer   `json:"-"`
}

// ComparedItem is an evidence item with the methods that found it.
type ComparedItem struct {
	Method string `json:"method"`
	Item
	// Also are the other methods that found it.
	Also []string `json:"also"`
}

// Compare asks by several methods, or retrieves by them, and relates what they found.
// The error is an [*Error] if one of them is there twice.
func (c *Corpus) Compare(ctx context.Context, specs []method.Spec, o ReplyOptions, open func(method.Spec) (*Asking, error)) (*Comparison, error) {
	r := &Comparison{V: 1, NS: c.Namespace().Name(), Methods: []*ComparedMethod{}}
	seen := map[string]string{} // spec by method and parameters
	for _, spec := range specs {
		k, err := open(spec)
		if err != nil {
			return nil, err
		}
		same := method.Spec{Name: k.System.Name(), Params: k.System.Params()}.String()
		if first, ok := seen[same]; ok {
			return nil, Usage("name different ones", "--compare has one method twice: %s and %s", first, spec.Title())
		}
		seen[same] = spec.Title()
		m, err := k.compared(ctx, spec.Title(), o)
		if err != nil {
			return nil, err
		}
		r.Question, r.Methods = k.Question.Text, append(r.Methods, m)
	}
	r.relate()
	return r, nil
}

// compared asks a method, or retrieves by it. If retrieval costs nothing it retrieves
// once before, so that the time is not that of opening what the methods share.
func (k *Asking) compared(ctx context.Context, title string, o ReplyOptions) (*ComparedMethod, error) {
	m := &ComparedMethod{Method: title, Items: []ComparedItem{}, Only: []string{}, OnlyDocs: []string{}, Asking: k}
	var items []Item
	retrieve := func() (err error) {
		m.Evidence, err = k.Corpus.Retrieve(ctx, k.System, k.Models, k.Question, k.evidence(&items))
		return err
	}
	ask := func() (err error) { // evidence and answer are of one commit
		if m.Reply, err = k.Corpus.Ask(ctx, k.System, k.Models, k.Question, k.evidence(&items)); err == nil {
			m.Evidence = m.Reply.Evidence
		}
		return err
	}
	last := ask
	if o.EvidenceOnly {
		last = retrieve
	}
	if k.Models.Free() {
		if err := retrieve(); err != nil {
			return nil, err
		}
	}
	if err := last(); err != nil {
		return nil, err
	}
	for _, it := range items {
		m.Items = append(m.Items, ComparedItem{Method: title, Item: it, Also: []string{}})
	}
	m.Tokens, m.Ms, m.Notes = m.Evidence.Tokens, split(m.Evidence), EvidenceNotes(m.Evidence)
	m.Ms.Total = ms(m.Evidence.Time)
	if o.Explain {
		m.Plan, m.Ops = ExplainPlan(m.Evidence.Plan), m.Evidence.Trace.Ops
	}
	if o.EvidenceOnly {
		return m, nil
	}
	r := newAnswer(k, m.Reply, nil, m.Evidence.Time)
	m.Answer, m.Answered, m.Sources, m.Nearest, m.Trace = r.Answer, r.Answered, r.Sources, r.Nearest, r.Trace
	m.Notes, m.Cut = r.Notes, r.Cut
	return m, nil
}

// docs returns the documents that a method's evidence rests on.
func (m *ComparedMethod) docs() map[string]bool {
	out := map[string]bool{}
	for _, it := range m.Evidence.Items() {
		for _, chunk := range it.Chunks {
			out[method.DocOf(chunk)] = true
		}
	}
	return out
}

// relate says of each method's items and documents which others have them.
func (r *Comparison) relate() {
	items, docs := map[string][]string{}, map[string]int{}
	for _, m := range r.Methods {
		for _, it := range m.Items {
			items[it.ID] = append(items[it.ID], m.Method)
		}
		for doc := range m.docs() {
			docs[doc]++
		}
	}
	for _, m := range r.Methods {
		for i := range m.Items {
			it := &m.Items[i]
			for _, other := range items[it.ID] {
				if other != m.Method && !slices.Contains(it.Also, other) {
					it.Also = append(it.Also, other)
				}
			}
			if len(it.Also) == 0 && !slices.Contains(m.Only, it.ID) {
				m.Only = append(m.Only, it.ID)
			}
		}
		for _, doc := range slices.Sorted(maps.Keys(m.docs())) {
			if docs[doc] == 1 {
				m.OnlyDocs = append(m.OnlyDocs, doc)
			}
		}
	}
}
