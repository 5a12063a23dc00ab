package cypher

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/engine"
)

// OwnGraph is the graph that statements write to in a namespace without
// documents, if neither [Options] nor USE names another. The first such
// statement creates it, and sessions begin in it from then on.
const OwnGraph = "own"

// settle moves a session that has chosen no graph to its own, if that is there.
func (s *Session) settle(ctx context.Context) error {
	if s.chosen || s.use != engine.Base {
		return nil
	}
	has, err := s.opts.Namespace.HasGraph(ctx, OwnGraph)
	if has {
		s.use = OwnGraph
	}
	return err
}

// makesOwn reports whether a statement writes to the base graph only because
// the session has chosen no graph, so that it may create the own graph.
func (s *Session) makesOwn(ctx context.Context, st *statement) bool {
	if s.chosen || s.use != engine.Base || s.changes(ctx) != nil || st.Mode == modeExplain {
		return false
	}
	switch {
	case st.Index != nil:
		return st.Index.Use == nil && !st.Index.Drop
	case st.Copy != nil:
		return st.Copy.Use == nil && !st.Copy.To
	case st.Query == nil || st.Query.Parts[0].Use != nil:
		return false
	}
	return slices.ContainsFunc(st.Query.Parts[0].Clauses, creates)
}

// creates reports whether a clause, or one within it, makes nodes or edges.
func creates(c clause) bool {
	switch c.(type) {
	case *createClause, *mergeClause:
		return true
	}
	return slices.ContainsFunc(within(c), creates)
}

// makeOwn creates the session's own graph in a namespace without documents and
// moves to it. undo reverts this if the statement fails.
func (s *Session) makeOwn(ctx context.Context) (undo func(), err error) {
	undo = func() {}
	g, err := s.open(ctx, engine.Base)
	if err != nil {
		return undo, err
	}
	empty := false
	err = s.opts.DB.View(ctx, func(snap *engine.Snapshot) error {
		v := snap.Graph(g)
		n, err := newStatistics(&graph{g: g, r: v}, 0).count(&graph{g: g, r: v}, nil)
		empty = n == 0
		return err
	})
	if err != nil || !empty {
		return undo, err
	}
	if _, err := s.opts.Namespace.Graph(ctx, OwnGraph); err != nil {
		return undo, err
	}
	s.use = OwnGraph
	return func() {
		s.use = engine.Base
		// It is empty. One that stays does no harm.
		_ = s.opts.Namespace.Drop(context.WithoutCancel(ctx), OwnGraph)
	}, nil
}

// readOnly returns the error of writing to a protected graph. It names the
// graphs that may be written to.
func (s *Session) readOnly(ctx context.Context, reason string) error {
	all, err := s.opts.Namespace.Graphs(ctx)
	if err != nil {
		return err
	}
	var own []string
	for _, name := range all {
		why, err := s.guarded(ctx, name)
		if err != nil {
			return err
		}
		if why == "" {
			own = append(own, name)
		}
	}
	what := "make a graph of your own with CREATE GRAPH mine and write to it after USE mine"
	if len(own) == 1 {
		what = "write to " + own[0] + " after USE " + quoteGraph(own[0])
	} else if len(own) > 1 {
		what = fmt.Sprintf("write to %s after USE of it", strings.Join(own[:min(len(own), 12)], ", "))
	}
	return phase.Errorf("%w: %s; %s", engine.ErrReadOnly, reason, what)
}

// quoteGraph writes the name of a graph as USE takes it.
func quoteGraph(name string) string {
	if toks := lex(name); len(toks) == 2 && toks[0].kind == tokWord && toks[0].word == noKeyword {
		return name
	}
	return quoteString(name)
}
