package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/method"
)

// tracePrefix begins the ids of stored traces.
const tracePrefix = "t:"

// traceView is a stored answer with how it came about.
type traceView struct {
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
	Items     []traceItem   `json:"items"`
	// Texts are those of the first chunk of each item, "" if it is gone.
	Texts []string `json:"texts"`
}

// traceItem is a piece of the evidence of a stored answer.
type traceItem struct {
	Section string       `json:"section"`
	Kind    string       `json:"kind"`
	Keys    []string     `json:"keys,omitempty"`
	Chunks  []string     `json:"chunks,omitempty"`
	Score   float64      `json:"score"`
	Tokens  int          `json:"tokens"`
	Why     []query.Step `json:"why"`
}

// viewOf returns a stored answer without the texts that it leads to.
func viewOf(a *rag.Answer) *traceView {
	v := &traceView{
		ID: a.Trace, Question: a.Question, Answer: a.Text, Sources: a.Sources, Nearest: a.Nearest, Supported: a.Supported,
		Method: a.Method, Epoch: a.Evidence.Epoch, Docs: a.Docs(), Trace: a.Evidence.Trace, Items: []traceItem{}, Texts: []string{},
	}
	for _, s := range a.Evidence.Sections {
		for _, it := range s.Items {
			v.Items = append(v.Items, traceItem{s.Name, it.Kind, it.Keys, it.Chunks, it.Score, it.Tokens, it.Why})
		}
	}
	return v
}

// addTrace adds the stored trace of an answer.
func (r *showResult) addTrace(ctx context.Context, c *rag.Corpus, s *engine.Snapshot) error {
	a, err := c.Trace(ctx, r.ID)
	if errors.Is(err, engine.ErrNotFound) {
		return notFound("the newest traces are kept, until a document that they name is removed",
			"%s has no trace %s", c.DB().Path(), r.ID)
	}
	if err != nil {
		return err
	}
	t := viewOf(a)
	r.Kind, r.Trace = "trace", t
	base := s.Graph(c.Base()).WithContext(ctx)
	for i := range t.Items {
		ch := &method.Chunk{}
		if chunks := t.Items[i].Chunks; len(chunks) > 0 {
			if ch, err = chunkOf(c, base, chunks[0]); err != nil {
				return err
			}
		}
		t.Texts = append(t.Texts, ch.Text)
	}
	return nil
}

// chunkOf returns a chunk by its key, in whichever set it is; one that is gone
// has no text.
func chunkOf(c *rag.Corpus, base *engine.View, key string) (*method.Chunk, error) {
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

func (a *app) printStoredTrace(t *traceView) {
	o := a.out
	o.print("%s %s\n", o.bold(t.ID), o.dim(fmt.Sprintf("· trace · %s · commit %s", t.Method, number(int(t.Epoch)))))
	a.field("question", t.Question)
	a.list("documents", t.Docs)
	o.print("\n%s\n", o.bold("answer"))
	if t.Answer == "" {
		a.printNearest(t.Nearest, len(t.Items))
	} else {
		o.print("%s\n", wrap(escape(t.Answer), o.width, ""))
		a.printSources(t.Sources)
	}
	o.print("\n%s\n", o.bold("plan"))
	for _, op := range t.Trace.Ops {
		o.print("%s\n", escape(strings.Repeat("  ", op.Depth)+op.Explanation.String()))
	}
	a.printOps(t.Trace.Ops)
	o.print("\n%s\n", o.bold("evidence"))
	for i := range t.Items {
		it := &t.Items[i]
		a.printWay(i+1, storedName(it), newWhy(storedPath(it.Why)))
		if t.Texts[i] != "" {
			o.print("%s", o.dim(wrap(escape(t.Texts[i]), o.width, "    ")))
		}
	}
}

// storedName is the id of an item of a stored trace.
func storedName(it *traceItem) string {
	switch {
	case it.Kind == method.ChunkNodeType && len(it.Chunks) > 0:
		return chunkID(it.Chunks[0])
	case len(it.Keys) == 2:
		return it.Kind + ":" + it.Keys[0] + "→" + it.Keys[1]
	case len(it.Keys) == 1:
		return short(it.Kind) + ":" + it.Keys[0]
	}
	return it.Kind
}

// storedPath is the way of an item of a stored trace, which has not kept what
// the steps came from, neighbouring steps of one operator as one.
func storedPath(steps []query.Step) []pathStep {
	var out []pathStep
	for _, st := range steps {
		if n := len(out); n == 0 || out[n-1].Op != st.Op || out[n-1].Note != st.Note {
			out = append(out, pathStep{Op: st.Op, Note: st.Note})
		}
		out[len(out)-1].Score = st.Score
	}
	return out
}
