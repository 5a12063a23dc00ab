package cypher

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
	"github.com/ragdb/ragdb/query"
)

// Options configure a session. DB and Namespace are required.
type Options struct {
	// DB is the database.
	DB *engine.DB
	// Namespace is the namespace that statements read and write.
	Namespace *engine.Namespace
	// Graph is the name of the graph to begin with; the default is [OwnGraph] if
	// the namespace has it, else the base graph. USE moves to another.
	Graph string
	// ReadOnly refuses every statement that writes.
	ReadOnly bool
	// Limits bound each statement.
	Limits Limits
	// Procedures are the procedures that CALL finds; nil means none.
	Procedures *Registry
	// Graphs caches the projections of procedures; nil makes a cache of a
	// quarter of the database's memory.
	Graphs *graphops.Cache
	// Query returns the environment in which the procedures of a statement run
	// query operators, with the snapshot at which it reads; nil makes a bare one.
	// If it has an Allow, statements see what that allows: other nodes and edges
	// are not there for MATCH, procedures that read more ([Procedure.Filtered]) are
	// refused, and so is writing.
	Query func(s *engine.Snapshot) *query.Env
	// Computed, if not nil, computes properties that are not stored. It is
	// called for properties that a node lacks; ok reports whether the node has
	// the property.
	Computed func(r engine.Reader, n engine.Node, name string) (v Value, ok bool, err error)
	// ComputedNames are the properties that Computed knows.
	ComputedNames []string
	// Guard, if not nil, returns why statements may not write to a graph, "" if
	// they may. They may never write to the base graph.
	Guard func(ctx context.Context, graph string) (reason string, err error)
	// Clock tells the time for date(), datetime() and their like: a statement asks
	// once. Nil is time.Now.
	Clock func() time.Time
	// Files opens the files of COPY and LOAD CSV; nil refuses them.
	Files Files
	// AnyFile lets LOAD CSV read files outside of the working directory.
	AnyFile bool
	// Seed, if not 0, is where rand() and randomUUID() begin: the same statements in
	// the same order then have the same results. Otherwise each session has its own.
	Seed int64
}

// Files opens the files of COPY. If a statement fails and a file of Create has
// a method Discard() error, Discard is called instead of Close.
type Files interface {
	Open(name string) (io.ReadCloser, error)
	Create(name string) (io.WriteCloser, error)
}

// Session runs statements, one after the other, against the graphs of a
// namespace. It remembers the graph in use and named projections. It is not
// safe for concurrent use; sessions are cheap.
type Session struct {
	opts        Options
	use         string
	chosen      bool // use was named, by the options or by USE
	projections Projections
	stats       map[engine.GraphID]*statistics
	parsed      statements
	pages       [][]engine.Edge // that no statement uses
	source      *rand.ChaCha8   // of rand(), nil until wanted
}

// NewSession returns a session.
func NewSession(o Options) (*Session, error) {
	if o.DB == nil || o.Namespace == nil {
		return nil, phase.Mark(engine.ErrInvalid, "a session without a database and a namespace")
	}
	if o.Graphs == nil {
		o.Graphs = graphops.NewCache(o.DB.MemoryBudget() / 4)
	}
	o.Limits = o.Limits.withDefaults(o.DB)
	s := &Session{opts: o, use: o.Graph, chosen: o.Graph != "", stats: map[engine.GraphID]*statistics{}, parsed: statements{}}
	if s.use == "" {
		s.use = engine.Base
	}
	return s, nil
}

// Graph returns the name of the graph in use.
func (s *Session) Graph() string {
	// A statement would report that the database cannot be read.
	_ = s.settle(context.Background())
	return s.use
}

// Namespace returns the namespace that the session works in.
func (s *Session) Namespace() *engine.Namespace { return s.opts.Namespace }

// Run parses and compiles a statement. If it writes, Run also executes and
// commits it before it returns. A statement that reads runs while [Result.Rows]
// is walked; call [Result.Close] if the rows are not walked.
//
// Parameters are values: their text is never parsed.
//
// An error is a [*SyntaxError] for the text, an [*EvalError] for an expression,
// a [*LimitError] for a limit, or one of the engine.
func (s *Session) Run(ctx context.Context, text string, params map[string]Value) (*Result, error) {
	res := &Result{started: time.Now(), limits: s.opts.Limits, graph: s.use, session: s, share: s.opts.DB.Memory().Begin()}
	ctx, res.cancel = res.limits.context(ctx)
	res.ctx = ctx
	x := &exec{ctx: ctx, params: params, limits: res.limits, session: s, text: text, result: res, share: res.share}
	x.watch = &watch{ctx: ctx}
	st, err := s.statement(text, x.watch)
	undo := func() {}
	if err == nil {
		err = s.settle(ctx)
	}
	if err == nil && s.makesOwn(ctx, st) {
		undo, err = s.makeOwn(ctx)
	}
	res.graph = s.use
	switch {
	case err != nil:
	case st.Use != nil:
		err = s.useGraph(ctx, st)
		res.graph = s.use
	case st.Index != nil:
		err = s.runIndex(x, st)
	case st.Copy != nil:
		err = s.runCopy(x, st)
	case st.Graph != nil:
		err = s.runGraph(x, st)
	default:
		err = s.runQuery(x, st)
	}
	if err != nil {
		res.Close()
		if x.batches == 0 {
			undo()
		}
		return nil, x.stays(violation(x.final(err)))
	}
	return res, nil
}

// context returns a context that ends at the timeout.
func (l Limits) context(ctx context.Context) (context.Context, context.CancelFunc) {
	if l.Timeout <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, l.Timeout, errTimeout)
}

// Use moves the session to another graph of the namespace.
func (s *Session) Use(ctx context.Context, graph string) error {
	if _, err := s.open(ctx, graph); err != nil {
		return err
	}
	s.use, s.chosen = graph, true
	return nil
}

func (s *Session) useGraph(ctx context.Context, st *statement) error {
	err := s.Use(ctx, st.Use.Graph)
	if errors.Is(err, engine.ErrNotFound) {
		return useError(st.Text, st.Use, err)
	}
	return err
}

// openUsed opens the graph that a clause USE names, or if there is none, another.
func (s *Session) openUsed(ctx context.Context, text string, u *useClause, other string) (*engine.Graph, error) {
	if u == nil {
		return s.open(ctx, other)
	}
	g, err := s.open(ctx, u.Graph)
	if errors.Is(err, engine.ErrNotFound) {
		err = useError(text, u, err)
	}
	return g, err
}

// useError places the error of an unknown graph in the text.
func useError(text string, u *useClause, err error) error {
	at := min(int(u.Pos)+len("USE "), len(text))
	return newSyntaxError(text, at, min(at+len(u.Graph), len(text)), "GraphNotFound", err.Error())
}

// open returns a graph of the namespace. Unlike the engine it makes none, but
// the base graph, which every namespace has.
func (s *Session) open(ctx context.Context, name string) (*engine.Graph, error) {
	ns := s.opts.Namespace
	has, err := ns.HasGraph(ctx, name)
	if err != nil {
		return nil, err
	}
	if has || name == engine.Base && !s.opts.DB.ReadOnly(ctx) {
		return ns.Graph(ctx, name)
	}
	all, err := ns.Graphs(ctx)
	if err != nil {
		return nil, err
	}
	msg := fmt.Sprintf("there is no graph %q", name)
	if near := nearest(name, all); near != "" {
		msg += fmt.Sprintf("; did you mean %q?", near)
	} else if len(all) > 0 && len(all) <= 12 {
		msg += "; there are " + strings.Join(all, ", ")
	}
	return nil, phase.Mark(engine.ErrNotFound, "%s", msg)
}

// writable returns the error of writing to a graph that is not the user's own,
// or nil. If annotates is set, only properties are written.
func (s *Session) writable(ctx context.Context, g *engine.Graph, annotates bool) error {
	if err := s.changes(ctx); err != nil || annotates {
		return err
	}
	reason, err := s.guarded(ctx, g.Name())
	if err != nil || reason == "" {
		return err
	}
	return s.readOnly(ctx, reason)
}

// changes returns the error of a session that only reads.
func (s *Session) changes(ctx context.Context) error {
	if s.opts.ReadOnly || s.opts.DB.ReadOnly(ctx) {
		return phase.Errorf("%w: this session only reads", engine.ErrReadOnly)
	}
	return nil
}

// guarded returns why a graph may not be written to.
func (s *Session) guarded(ctx context.Context, graph string) (string, error) {
	if graph == engine.Base {
		return "the base graph holds the documents and is kept by indexing them", nil
	}
	if s.opts.Guard == nil {
		return "", nil
	}
	return s.opts.Guard(ctx, graph)
}

// procedureCall returns a call without arguments.
func (s *Session) procedureCall(x *exec) *ProcedureCall {
	return &ProcedureCall{
		DB: s.opts.DB, Namespace: s.opts.Namespace, View: x.view, Tx: x.tx, Query: x.env,
		Graphs: s.opts.Graphs, Projections: &s.projections, graph: x.graph, x: x,
	}
}

// statisticsOf returns the statistics of a graph at its version. Those of other
// versions stay unchanged, since rows that are still being walked may use them.
func (s *Session) statisticsOf(g *graph) (*statistics, error) {
	version, err := g.r.Version()
	if err != nil {
		return nil, err
	}
	if g.filtered {
		return newStatistics(g, version), nil // what may be seen goes by other graphs, too
	}
	st := s.stats[g.g.ID()]
	if st == nil || st.version != version {
		st = newStatistics(g, version)
		s.stats[g.g.ID()] = st
	}
	return st, nil
}
