package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/rag"
)

// tracePrefix begins the ids of stored traces.
const tracePrefix = "t:"

// addTrace adds the stored trace of an answer.
func (r *showResult) addTrace(ctx context.Context, c *rag.Corpus) error {
	t, err := c.Trace(ctx, r.ID)
	if errors.Is(err, engine.ErrNotFound) {
		return notFound("the newest traces are kept, until a document that they name is removed",
			"%s has no trace %s", c.DB.Path(), r.ID)
	}
	r.Kind, r.Trace = "trace", t
	return err
}

func (a *app) printStoredTrace(t *rag.StoredTrace) {
	o := a.out
	o.print("%s %s\n", o.bold(escape(t.ID)), o.dim(fmt.Sprintf("· trace · %s · commit %s", t.Method, number(int(t.Epoch)))))
	a.field("question", t.Question)
	a.list("documents", t.Docs)
	o.print("\n%s\n", o.bold("plan"))
	for _, op := range t.Trace.Ops {
		o.print("%s\n", escape(strings.Repeat("  ", op.Depth)+op.Explanation.String()))
	}
	a.printOps(t.Trace.Ops)
	o.print("\n%s\n", o.bold("evidence"))
	for i := range t.Items {
		it := &t.Items[i]
		a.printWay(i+1, storedName(it), newWhy(storedPath(it.Why)))
	}
}

// storedName is the id of an item of a stored trace.
func storedName(it *rag.TraceItem) string {
	switch {
	case it.Kind == rag.ChunkNodeType && len(it.Chunks) > 0:
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
