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

// Procedure is a procedure that CALL can run.
type Procedure struct {
	// Name is the name with its namespace, such as graph.ppr.
	Name string
	// Doc is a sentence that describes the procedure.
	Doc string
	// Args are the arguments in order; those with a default may be left out.
	Args []Arg
	// Columns are the columns of the rows that it yields.
	Columns []Column
	// Writes marks a procedure that changes the graph. It is refused if the
	// database is read-only, and Call.Tx is set.
	Writes bool
	// Annotates marks a procedure that writes only properties of nodes. It may
	// do so in graphs that the session guards.
	Annotates bool
	// Filtered marks a procedure that yields no node, edge or key that the Allow
	// of Call.Query does not let it see. A session with such a filter refuses the
	// others.
	Filtered bool
	// Elsewhere are names that other systems have for it, in lower case and without
	// underscores or namespace: a call of one names this procedure in its error.
	Elsewhere []string
	// Run yields the rows. The procedure may reuse a row after yield returns.
	// An error of yield ends the run and is returned unchanged. If an error has a method
	// Option() string, that is a key of a map among the arguments, and the statement's error
	// is a [*SyntaxError] with the place where it stands, if it does.
	Run func(ctx context.Context, c *ProcedureCall, yield func(row []Value) error) error
	// Plan, if not nil, returns the plan of a call with these arguments, for
	// EXPLAIN.
	Plan func(ctx context.Context, c *ProcedureCall) (query.Op, error)
}

// Signature returns the procedure's signature for people: name(a :: type, b? ::
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
	// Type is for people: list of nodes, integer, map. Arguments of the types
	// integer, float, number, string, boolean, map and node are checked; with a
	// question mark behind it (INTEGER?) the argument may be null.
	Type string
	// Optional marks an argument that may be left out; it is then null.
	Optional bool
}

// Column is a column that a procedure yields.
type Column struct {
	Name string
	Type string // for people: node, float
}

// ProcedureCall is one call.
type ProcedureCall struct {
	// Args has a value for each argument of the procedure, null for those left
	// out.
	Args []Value
	// DB is the database, and Namespace the session's part of it.
	DB        *engine.DB
	Namespace *engine.Namespace
	// View is the current graph at the statement's snapshot, all of it: a
	// [Procedure.Filtered] one leaves out what Query.Allow hides.
	View *engine.View
	// Tx is the statement's transaction if the procedure writes, else nil.
	Tx *engine.TxView
	// Graphs caches projections.
	Graphs *graphops.Cache
	// Projections are the named projections of the session; see graph.project.
	Projections *Projections
	// Query is the environment of query operators.
	Query *query.Env

	graph *graph
	x     *exec
}

// In returns the call in another graph of the namespace, for reading. The
// error is [engine.ErrNotFound] if no graph has the name.
func (c *ProcedureCall) In(ctx context.Context, name string) (*ProcedureCall, error) {
	if name == c.graph.g.Name() {
		return c, nil
	}
	g, err := c.x.session.open(ctx, name)
	if err != nil {
		return nil, err
	}
	home, err := c.x.graphAt(g)
	if err != nil {
		return nil, err
	}
	return c.at(home), nil
}

// Of returns the call in the graph of a node, edge or path, for reading. It
// returns the call itself for those of the current graph and for other values.
func (c *ProcedureCall) Of(v Value) *ProcedureCall {
	var home *graph
	switch v.kind {
	case KindNode:
		home = v.ref.(*graph)
	case KindEdge:
		home = v.AsEdge().graph
	case KindPath:
		home = v.AsPath().graph
	}
	if home == nil || home.g.ID() == c.graph.g.ID() {
		return c
	}
	return c.at(home)
}

// MakeGraph creates a graph of the user's own in the namespace. If the name is
// taken, the error is [engine.ErrInvalid].
func (c *ProcedureCall) MakeGraph(ctx context.Context, name string) error {
	return c.x.session.makeGraph(ctx, name)
}

// DropGraph removes a graph of the user's own with all its data.
func (c *ProcedureCall) DropGraph(ctx context.Context, name string) error {
	return c.x.session.dropGraph(ctx, name)
}

func (c *ProcedureCall) at(g *graph) *ProcedureCall {
	other := *c
	other.graph, other.View, other.Tx = g, c.View.Snapshot().Graph(g.g), nil
	return &other
}

// NodeTypes returns the node types of a label in the current graph.
func (c *ProcedureCall) NodeTypes(label string) []engine.TypeID { return typesOf(c.View, label) }

// EdgeTypes returns the edge types of a name in the current graph.
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

// Registry holds procedures by name. After the last call of Add it is safe for
// concurrent use.
type Registry struct {
	byName map[string]*Procedure
}

// Add adds procedures. A procedure without a name or without Run is an error,
// and so is a name that is taken.
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

// Get returns the procedure of a name, or nil.
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

// near returns the procedure that an unknown name may mean: one that is spelt nearly so,
// or else does what another system has under a word of the name. "" is none.
func (r *Registry) near(name string) string {
	names := r.Names()
	if near := nearest(name, names); near != "" {
		return near
	}
	var words []string
	of := map[string]string{}
	for _, full := range names {
		space, last := cutLast(full)
		if r.byName[space] != nil {
			continue // graph.wcc.stats and so on
		}
		for _, w := range append(slices.Clip(r.byName[full].Elsewhere), last) {
			if w = oneWord(w); of[w] == "" {
				words, of[w] = append(words, w), full
			}
		}
	}
	for rest, last := cutLast(name); last != ""; rest, last = cutLast(rest) {
		w := oneWord(last)
		if slices.Contains([]string{"estimate", "mutate", "stats", "stream", "write"}, w) {
			continue // how others end the name of an algorithm
		}
		if full := of[w]; full != "" {
			return full
		}
		if len(w) < 6 {
			continue // too short to be taken for another
		}
		if near := nearest(w, words); near != "" {
			return of[near]
		}
	}
	return ""
}

// cutLast splits a name at its last dot.
func cutLast(name string) (space, last string) {
	i := strings.LastIndexByte(name, '.')
	return name[:max(i, 0)], name[i+1:]
}

// oneWord returns a name in lower case and without underscores.
func oneWord(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }
