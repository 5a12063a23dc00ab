package cypher

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
	"github.com/ragdb/ragdb/query"
)

// Procedure is what CALL runs.
type Procedure struct {
	// Name is the name with its namespace, such as graph.ppr.
	Name string
	// Doc says in a sentence what it does.
	Doc string
	// Args are the arguments in order; those with a default may be left out.
	Args []Arg
	// Columns are what it yields.
	Columns []Column
	// Writes says that it changes the graph: it is refused where the database
	// is open for reading, and Call.Tx is set.
	Writes bool
	// Annotates says that all it writes are properties of nodes, which any graph
	// may have: those that the session guards are not refused then.
	Annotates bool
	// Run yields the rows. A row belongs to the procedure until yield returns;
	// the error of yield ends the run and is returned as it is.
	Run func(ctx context.Context, c *ProcedureCall, yield func(row []Value) error) error
	// Plan, where set, returns the plan that a call with these arguments would
	// run, for EXPLAIN.
	Plan func(ctx context.Context, c *ProcedureCall) (query.Op, error)
}

// Signature writes the procedure as people read it: name(a :: type, b? ::
// type) :: (column :: type).
func (p *Procedure) Signature() string {
	var b strings.Builder
	b.WriteString(p.Name + "(")
	for i, a := range p.Args {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(a.Name)
		if a.Optional {
			b.WriteByte('?')
		}
		b.WriteString(" :: " + a.Type)
	}
	b.WriteString(") :: (")
	for i, c := range p.Columns {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(c.Name + " :: " + c.Type)
	}
	b.WriteByte(')')
	return b.String()
}

// Arg is an argument of a procedure.
type Arg struct {
	Name string
	Type string // for people: list of nodes, integer, map
	// Optional says that the argument may be left out; it is null then.
	Optional bool
}

// Column is a column that a procedure yields.
type Column struct {
	Name string
	Type string // for people: node, float
}

// ProcedureCall is one call.
type ProcedureCall struct {
	// Args has a value for each argument of the procedure, null for those that
	// were left out.
	Args []Value
	// DB is the database, and Namespace the session's part of it.
	DB        *engine.DB
	Namespace *engine.Namespace
	// View is the current graph at the statement's snapshot.
	View *engine.View
	// Tx is the statement's transaction where the procedure writes.
	Tx *engine.TxView
	// Graphs caches projections.
	Graphs *graphops.Cache
	// Projections are those that were named in the session; see graph.project.
	Projections *Projections
	// Query is the environment of query operators.
	Query *query.Env

	graph   *graph
	session *Session
}

// In returns the call in another graph of the namespace, to read from. The
// error is engine.ErrNotFound where there is none of the name.
func (c *ProcedureCall) In(ctx context.Context, name string) (*ProcedureCall, error) {
	if name == c.graph.g.Name() {
		return c, nil
	}
	g, err := c.session.open(ctx, name)
	if err != nil {
		return nil, err
	}
	v := c.View.Snapshot().Graph(g)
	return c.at(&graph{g: g, r: v, computed: c.graph.computed}, v), nil
}

// Of returns the call in the graph that a node, edge or path is of, to read
// from: the call itself for those of the current graph and for other values.
func (c *ProcedureCall) Of(v Value) *ProcedureCall {
	var of *graph
	switch v.kind {
	case KindNode:
		of = v.ref.(*graph)
	case KindEdge:
		of = v.AsEdge().graph
	case KindPath:
		of = v.AsPath().graph
	}
	if of == nil || of.g.ID() == c.graph.g.ID() {
		return c
	}
	return c.at(of, c.View.Snapshot().Graph(of.g))
}

// MakeGraph makes a graph of the user's own in the namespace. One that is there
// is an error.
func (c *ProcedureCall) MakeGraph(ctx context.Context, name string) error {
	if err := c.session.changes(); err != nil {
		return err
	}
	has, err := c.Namespace.HasGraph(ctx, name)
	if err == nil && has {
		err = phase.Mark(engine.ErrInvalid, "there is a graph %q already", name)
	}
	if err == nil {
		_, err = c.Namespace.Graph(ctx, name)
	}
	return err
}

// DropGraph removes a graph of the user's own with all that is in it.
func (c *ProcedureCall) DropGraph(ctx context.Context, name string) error {
	if err := c.session.changes(); err != nil {
		return err
	}
	g, err := c.session.open(ctx, name)
	if err != nil {
		return err
	}
	if err := c.session.writable(ctx, g, false); err != nil {
		return err
	}
	if name == c.session.use {
		return phase.Mark(engine.ErrInvalid, "%q is the graph in use: USE another one first", name)
	}
	return c.Namespace.Drop(ctx, name)
}

func (c *ProcedureCall) at(g *graph, v *engine.View) *ProcedureCall {
	other := *c
	other.graph, other.View, other.Tx = g, v, nil
	return &other
}

// NodeTypes returns the node types of the current graph that a label means.
func (c *ProcedureCall) NodeTypes(label string) []engine.TypeID { return typesOf(c.View, label) }

// EdgeTypes returns the edge types of the current graph that a name means.
func (c *ProcedureCall) EdgeTypes(name string) []engine.EdgeType { return c.graph.edgeTypesOf(name) }

// Node returns a node of the current graph as a value.
func (c *ProcedureCall) Node(id engine.NodeID) Value { return node(c.graph, id) }

// Edge returns an edge of the current graph as a value.
func (c *ProcedureCall) Edge(e engine.Edge) Value { return edge(&Edge{Edge: e, graph: c.graph}) }

// Path returns a path of the current graph as a value: edges joins nodes.
func (c *ProcedureCall) Path(nodes []engine.NodeID, edges []engine.Edge) Value {
	p := &Path{Nodes: nodes, graph: c.graph}
	for _, e := range edges {
		p.Edges = append(p.Edges, &Edge{Edge: e, graph: c.graph})
	}
	return path(p)
}

// Registry holds procedures by name. It is built before it is used, and then
// safe for concurrent use.
type Registry struct {
	byName map[string]*Procedure
}

// Add adds procedures. One without a name or without Run is an error, and so is a
// name that is there already.
func (r *Registry) Add(ps ...*Procedure) error {
	if r == nil {
		return phase.Mark(engine.ErrInvalid, "there is no registry to add to")
	}
	if r.byName == nil {
		r.byName = map[string]*Procedure{}
	}
	for _, p := range ps {
		if p == nil || p.Name == "" || p.Run == nil {
			return phase.Mark(engine.ErrInvalid, "a procedure without a name or without Run")
		}
		if r.byName[p.Name] != nil {
			return phase.Mark(engine.ErrInvalid, "procedure %s is there already", p.Name)
		}
		r.byName[p.Name] = p
	}
	return nil
}

// Get returns a procedure, nil where there is none of the name.
func (r *Registry) Get(name string) *Procedure {
	if r == nil {
		return nil
	}
	return r.byName[name]
}

// Names returns the names in order.
func (r *Registry) Names() []string {
	if r == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(r.byName))
}
