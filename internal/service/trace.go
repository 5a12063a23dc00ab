package service

import (
	"context"
	"errors"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/method"
)

// TracePrefix begins the ids of stored traces.
const TracePrefix = "t:"

// Trace is a stored answer with how it came about.
type Trace struct {
	ID        string        `json:"id"`
	Question  string        `json:"question"`
	Answer    string        `json:"answer,omitempty"`
	Sources   []rag.Source  `json:"sources,omitempty"`
	Nearest   []rag.Passage `json:"nearest,omitempty"`
	Supported *bool         `json:"supported,omitempty"`
	Method    string        `json:"method"`
	Epoch     uint64        `json:"epoch"`
	Docs      []string      `json:"docs"`
	Trace     *query.Trace  `json:"trace"`
	Items     []TraceItem   `json:"items"`
	// Texts are those of the first chunk of each item, "" if it is gone.
	Texts []string `json:"texts"`
}

// TraceItem is a piece of the evidence of a stored answer.
type TraceItem struct {
	Section string       `json:"section"`
	Kind    string       `json:"kind"`
	Keys    []string     `json:"keys,omitempty"`
	Chunks  []string     `json:"chunks,omitempty"`
	Score   float64      `json:"score"`
	Tokens  int          `json:"tokens"`
	Why     []query.Step `json:"why"`
}

// ViewOf returns a stored answer without the texts that it leads to.
func ViewOf(a *rag.Answer) *Trace {
	v := &Trace{
		ID: a.Trace, Question: a.Question, Answer: a.Text, Sources: a.Sources, Nearest: a.Nearest, Supported: a.Supported,
		Method: a.Method, Epoch: a.Evidence.Epoch, Docs: a.Docs(), Trace: a.Evidence.Trace, Items: []TraceItem{}, Texts: []string{},
	}
	for _, s := range a.Evidence.Sections {
		for _, it := range s.Items {
			v.Items = append(v.Items, TraceItem{s.Name, it.Kind, it.Keys, it.Chunks, it.Score, it.Tokens, it.Why})
		}
	}
	return v
}

// addTrace adds the stored trace of an answer.
func (r *Shown) addTrace(ctx context.Context, c *Corpus, s *engine.Snapshot) error {
	a, err := c.Trace(ctx, r.ID)
	if errors.Is(err, engine.ErrNotFound) {
		return NotFound("the newest traces are kept, until a document that they name is removed",
			"%s has no trace %s", c.Path(), r.ID)
	}
	if err != nil {
		return err
	}
	t := ViewOf(a)
	r.Kind, r.Trace = "trace", t
	base := s.Graph(c.Base()).WithContext(ctx)
	for i := range t.Items {
		ch := &method.Chunk{}
		if chunks := t.Items[i].Chunks; len(chunks) > 0 {
			if ch, err = ChunkOf(c.Corpus, base, chunks[0]); err != nil {
				return err
			}
		}
		t.Texts = append(t.Texts, ch.Text)
	}
	return nil
}

// ChunkOf returns a chunk by its key, in whichever set it is; one that is gone
// has no text.
func ChunkOf(c *rag.Corpus, base *engine.View, key string) (*method.Chunk, error) {
	for _, t := range base.NodeTypes() {
		if kind, _, _ := strings.Cut(base.NodeTypeName(t), ":"); kind != method.ChunkNodeType {
			continue
		}
		id, err := base.Lookup(t, key)
		if errors.Is(err, engine.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		ch, err := c.Chunk(base, id)
		return &ch, err
	}
	return &method.Chunk{}, nil
}

// StoredName is the id of an item of a stored trace.
func StoredName(it *TraceItem) string {
	switch {
	case it.Kind == method.ChunkNodeType && len(it.Chunks) > 0:
		return ChunkID(it.Chunks[0])
	case len(it.Keys) == 2:
		return it.Kind + ":" + it.Keys[0] + "→" + it.Keys[1]
	case len(it.Keys) == 1:
		return short(it.Kind) + ":" + it.Keys[0]
	}
	return it.Kind
}

// StoredPath is the way of an item of a stored trace, which has not kept what
// the steps came from, neighbouring steps of one operator as one.
func StoredPath(steps []query.Step) []PathStep {
	var out []PathStep
	for _, st := range steps {
		if n := len(out); n == 0 || out[n-1].Op != st.Op || out[n-1].Note != st.Note {
			out = append(out, PathStep{Op: st.Op, Note: st.Note})
		}
		out[len(out)-1].Score = st.Score
	}
	return out
}

// TraceRow is an answer in the list of traces.
type TraceRow struct {
	ID       string `json:"id"`
	Question string `json:"question"`
	Answer   string `json:"answer,omitempty"`
	Answered bool   `json:"answered"`
	Method   string `json:"method"`
	Epoch    uint64 `json:"epoch"`
	Items    int    `json:"items"`
}

// TraceList lists traces, the newest first.
type TraceList struct {
	V      int        `json:"v"`
	Traces []TraceRow `json:"traces"`
}

// ListTraces lists the answers that are kept, the newest first, at most so many.
func (c *Corpus) ListTraces(ctx context.Context, most int) (*TraceList, error) {
	all, err := c.Traces(ctx, most)
	if err != nil {
		return nil, err
	}
	out := &TraceList{V: 1, Traces: []TraceRow{}}
	for _, a := range all {
		out.Traces = append(out.Traces, TraceRow{ID: a.Trace, Question: a.Question, Answer: a.Text, Answered: a.Answered,
			Method: a.Method, Epoch: a.Evidence.Epoch, Items: len(a.Evidence.Items())})
	}
	return out, nil
}
