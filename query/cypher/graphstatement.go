package cypher

import (
	"context"

	"github.com/ragdb/ragdb/engine"
)

// graphClause is CREATE GRAPH name [IF NOT EXISTS] or DROP GRAPH name [IF EXISTS].
type graphClause struct {
	Pos
	Name     string
	Drop     bool
	IfExists bool // or IF NOT EXISTS
}

// graphFollows reports whether CREATE GRAPH or DROP GRAPH comes.
func (p *parser) graphFollows() bool {
	return (p.isKeyword(kwCreate) || p.isKeyword(kwDrop)) && p.peek(1).isWord(p.text, "GRAPH")
}

// graphClause parses CREATE GRAPH or DROP GRAPH.
func (p *parser) graphClause() *graphClause {
	c := &graphClause{Pos: p.pos(), Drop: p.isKeyword(kwDrop)}
	p.next()
	p.next()
	c.Name = p.graphName()
	if p.acceptKeyword(kwIf) {
		if !c.Drop {
			p.expectKeyword(kwNot)
		}
		p.expectKeyword(kwExists)
		c.IfExists = true
	}
	return c
}

// runGraph makes or drops a graph.
func (s *Session) runGraph(x *exec, st *statement) error {
	c := st.Graph
	if st.Mode != modeRun {
		return refuse(st.Text, 0, "a plan of making a graph")
	}
	has, err := s.opts.Namespace.HasGraph(x.ctx, c.Name)
	if err != nil || c.IfExists && has != c.Drop {
		return err
	}
	if c.Drop {
		x.result.Counts.GraphsDropped++
		return s.dropGraph(x.ctx, c.Name)
	}
	x.result.Counts.GraphsMade++
	return s.makeGraph(x.ctx, c.Name)
}

// makeGraph creates a graph of the user's own. If the name is taken, the error is
// [engine.ErrInvalid].
func (s *Session) makeGraph(ctx context.Context, name string) error {
	if err := s.changes(ctx); err != nil {
		return err
	}
	has, err := s.opts.Namespace.HasGraph(ctx, name)
	if err == nil && has {
		err = phase.Mark(engine.ErrInvalid, "there is a graph %q already", name)
	}
	if err == nil {
		_, err = s.opts.Namespace.Graph(ctx, name)
	}
	return err
}

// dropGraph removes a graph of the user's own with all its data.
func (s *Session) dropGraph(ctx context.Context, name string) error {
	if err := s.changes(ctx); err != nil {
		return err
	}
	g, err := s.open(ctx, name)
	if err != nil {
		return err
	}
	if err := s.writable(ctx, g, false); err != nil {
		return err
	}
	if name == s.use {
		return phase.Mark(engine.ErrInvalid, "%q is the graph in use: USE another one first", name)
	}
	return s.opts.Namespace.Drop(ctx, name)
}
