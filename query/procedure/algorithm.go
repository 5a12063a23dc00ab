package procedure

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
	"github.com/ragdb/ragdb/query/cypher"
)

// algorithm is a graph algorithm that computes figures for nodes. It becomes
// four procedures.
type algorithm struct {
	name, doc string
	args      []cypher.Arg    // before the options
	columns   []cypher.Column // after node
	stats     []cypher.Column
	// elsewhere is [cypher.Procedure.Elsewhere].
	elsewhere []string
	// both is set if the algorithm ignores the direction of edges, weighted if
	// it uses weights by default.
	both, weighted bool
	// lengths is set if weights are lengths, of which the least of parallel edges counts; else
	// they are added.
	lengths bool
	// ranked is set if nodes come by falling figure, of which the option top takes the first.
	ranked bool
	// filtered is [cypher.Procedure.Filtered] of the procedure and its .stats.
	filtered bool
	// cost is about how many nanoseconds it takes for a projection.
	cost func(nodes, edges float64) float64
	// read reads the arguments and options and returns the computation.
	read func(c *config) runner
}

// runner computes the figures for a part of the graph.
type runner func(ctx context.Context, call *cypher.ProcedureCall, s graphops.Spec) (*outcome, error)

// outcome are nodes with figures.
type outcome struct {
	call         *cypher.ProcedureCall // in the graph of the nodes
	nodes, edges int                   // of the part of the graph
	// each calls fn with the nodes in order; the figures are valid until it
	// returns.
	each  func(fn func(id engine.NodeID, figures []cypher.Value) error) error
	stats []cypher.Value
}

// first leaves the first top nodes of an outcome.
func (o *outcome) first(top int) {
	all := o.each
	enough := errors.New("enough")
	o.each = func(fn func(id engine.NodeID, figures []cypher.Value) error) error {
		n := 0
		err := all(func(id engine.NodeID, figures []cypher.Value) error {
			if err := fn(id, figures); err != nil {
				return err
			}
			if n++; n == top {
				return enough
			}
			return nil
		})
		if err == enough {
			return nil
		}
		return err
	}
}

// prepared is a call that was read and not run.
type prepared struct {
	call     *cypher.ProcedureCall // in the graph that it is about
	spec     graphops.Spec
	run      runner
	property string
	name     string // of the algorithm
	least    string // what weights it takes
	top      int    // how many nodes are wanted; 0 is all
}

// prepare reads a call. If write is set, the call must name a property.
func (a *algorithm) prepare(call *cypher.ProcedureCall, write bool) (*prepared, error) {
	options := call.Args[len(a.args)]
	switch nodes := options.AsMap()["nodes"]; {
	case write: // the transaction is of the current graph
	case len(a.args) > 0:
		call = inGraphOf(call, call.Args[0])
	case !nodes.IsNull():
		call = inGraphOf(call, nodes)
	}
	c := newConfig(call, options)
	out := &prepared{call: call, run: a.read(c), spec: c.selection(a.both, a.weighted), name: a.name, least: "from 0 on"}
	if a.lengths {
		out.spec.Combine, out.least = graphops.Min, "above 0"
	}
	if a.ranked {
		out.top = c.count("top", 0)
	}
	if write {
		if out.property = c.text("property", ""); out.property == "" || out.property[0] == '_' {
			c.failOption("property", "option property names the property to write, which does not begin with an underscore")
		}
	}
	return out, c.done()
}

// compute runs a call.
func (a *algorithm) compute(ctx context.Context, call *cypher.ProcedureCall) (*outcome, error) {
	pr, err := a.prepare(call, false)
	if err != nil {
		return nil, err
	}
	return pr.compute(ctx)
}

func (p *prepared) compute(ctx context.Context) (*outcome, error) {
	out, err := p.run(ctx, p.call, p.spec)
	if err != nil {
		return nil, weightError(p.call, p.name, p.least, p.spec.Edges, err)
	}
	if out.call = p.call; p.top > 0 {
		out.first(p.top)
	}
	return out, nil
}

// procedures returns the algorithm with its .stats, .write and .estimate.
func (a *algorithm) procedures() []*cypher.Procedure {
	args := append(slices.Clone(a.args), cypher.Arg{Name: "options", Type: "map", Optional: true})
	stream := &cypher.Procedure{
		Name: a.name, Doc: a.doc, Args: args, Filtered: a.filtered, Elsewhere: a.elsewhere,
		Columns: append([]cypher.Column{{Name: "node", Type: "node"}}, a.columns...),
		Run: func(ctx context.Context, call *cypher.ProcedureCall, yield func([]cypher.Value) error) error {
			out, err := a.compute(ctx, call)
			if err != nil {
				return err
			}
			row := make([]cypher.Value, 0, 1+len(a.columns))
			return out.each(func(id engine.NodeID, figures []cypher.Value) error {
				return yield(append(append(row[:0], out.call.Node(id)), figures...))
			})
		},
	}
	stats := &cypher.Procedure{
		Name: a.name + ".stats", Doc: "Figures of the whole of " + a.name + ".", Args: args, Filtered: a.filtered,
		Columns: append([]cypher.Column{{Name: "nodes", Type: "integer"}, {Name: "edges", Type: "integer"}, {Name: "ms", Type: "float"}}, a.stats...),
		Run: func(ctx context.Context, call *cypher.ProcedureCall, yield func([]cypher.Value) error) error {
			start := time.Now()
			out, err := a.compute(ctx, call)
			if err != nil {
				return err
			}
			return yield(append([]cypher.Value{cypher.Int(int64(out.nodes)), cypher.Int(int64(out.edges)), since(start)}, out.stats...))
		},
	}
	write := &cypher.Procedure{
		Name: a.name + ".write", Doc: "Writes " + a.columns[0].Name + " of " + a.name + " into the property named by the option property.", Args: args, Writes: true, Annotates: true,
		Columns: []cypher.Column{{Name: "written", Type: "integer"}, {Name: "ms", Type: "float"}},
		Run: func(ctx context.Context, call *cypher.ProcedureCall, yield func([]cypher.Value) error) error {
			return a.write(ctx, call, yield)
		},
	}
	estimate := &cypher.Procedure{
		Name: a.name + ".estimate", Doc: "What " + a.name + " would hold in memory, projection included, and about how long it would take on one thread.", Args: args,
		Columns: []cypher.Column{{Name: "nodes", Type: "integer"}, {Name: "edges", Type: "integer"}, {Name: "bytes", Type: "integer"}, {Name: "ms", Type: "float"}},
		Run: func(ctx context.Context, call *cypher.ProcedureCall, yield func([]cypher.Value) error) error {
			return a.estimate(ctx, call, yield)
		},
	}
	return []*cypher.Procedure{stream, stats, write, estimate}
}

func (a *algorithm) write(ctx context.Context, call *cypher.ProcedureCall, yield func([]cypher.Value) error) error {
	start := time.Now()
	pr, err := a.prepare(call, true)
	if err != nil {
		return err
	}
	out, err := pr.compute(ctx)
	if err != nil {
		return err
	}
	written := int64(0)
	err = out.each(func(id engine.NodeID, figures []cypher.Value) error {
		if written++; written&1023 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		v, err := figures[0].Stored()
		if err != nil {
			return err
		}
		return call.Tx.SetProps(id, engine.Props{pr.property: v})
	})
	if err != nil {
		return err
	}
	return yield([]cypher.Value{cypher.Int(written), since(start)})
}

func (a *algorithm) estimate(ctx context.Context, call *cypher.ProcedureCall, yield func([]cypher.Value) error) error {
	pr, err := a.prepare(call, false)
	if err != nil {
		return err
	}
	size, err := graphops.Estimate(ctx, pr.call.View, pr.spec)
	if err != nil {
		return err
	}
	// Besides the projection the algorithms need a few words a node; building
	// and projecting a graph take about 60 ns an edge.
	const perNode, perEdge = 40, 60
	ns := a.cost(float64(size.Nodes), float64(size.Edges)) + perEdge*float64(size.Edges)
	return yield([]cypher.Value{
		cypher.Int(int64(size.Nodes)), cypher.Int(int64(size.Edges)),
		cypher.Int(max(size.BuildBytes, size.Bytes+perNode*int64(size.Nodes))), cypher.Float(ns / 1e6),
	})
}

func since(start time.Time) cypher.Value {
	return cypher.Float(float64(time.Since(start).Microseconds()) / 1000)
}

// column is a shorthand for a column.
func column(name, kind string) cypher.Column { return cypher.Column{Name: name, Type: kind} }

// linear is the cost of some passes over a graph.
func linear(perNode, perEdge float64) func(n, m float64) float64 {
	return func(n, m float64) float64 { return perNode*n + perEdge*m }
}

// invalid is an error of a call.
func invalid(format string, args ...any) error {
	return phase.Mark(engine.ErrInvalid, format, args...)
}
