package procedure

import (
	"context"

	"github.com/ragdb/ragdb/graphops"
	"github.com/ragdb/ragdb/query/cypher"
)

// projections are the procedures that name parts of a graph.
func projections() []*cypher.Procedure {
	columns := []cypher.Column{column("name", "string"), column("graph", "string"), column("nodes", "integer"), column("edges", "integer"), column("bytes", "integer")}
	return []*cypher.Procedure{
		{
			Name: "graph.project", Doc: "Names a part of the current graph, for the option projection of other procedures in this session.",
			Args:    []cypher.Arg{{Name: "name", Type: "string"}, {Name: "options", Type: "map", Optional: true}},
			Columns: columns, Run: projectByName,
		},
		{
			Name: "graph.projections", Doc: "The projections that have names in this session.",
			Columns: columns[:2], Run: listProjections, Filtered: true, Elsewhere: []string{"list"},
		},
		{
			Name: "graph.drop", Doc: "Forgets a projection.",
			Args:    []cypher.Arg{{Name: "name", Type: "string"}},
			Columns: columns[:1], Run: dropProjection, Filtered: true,
		},
	}
}

func projectByName(ctx context.Context, call *cypher.ProcedureCall, yield func([]cypher.Value) error) error {
	name := call.Args[0].AsString()
	if name == "" {
		return invalid("a projection needs a name, not %s", call.Args[0])
	}
	c := newConfig(call, call.Args[1])
	s := c.selection(false, false)
	if err := c.done(); err != nil {
		return err
	}
	size, err := graphops.Estimate(ctx, call.View, s)
	if err != nil {
		return err
	}
	g := call.View.Graph().Name()
	call.Projections.Set(name, cypher.NamedProjection{Graph: g, Spec: s})
	return yield([]cypher.Value{
		cypher.String(name), cypher.String(g), cypher.Int(int64(size.Nodes)), cypher.Int(int64(size.Edges)), cypher.Int(size.Bytes),
	})
}

func listProjections(_ context.Context, call *cypher.ProcedureCall, yield func([]cypher.Value) error) error {
	return each(call.Projections.Names(), yield, func(name string) []cypher.Value {
		p, _ := call.Projections.Get(name)
		return []cypher.Value{cypher.String(name), cypher.String(p.Graph)}
	})
}

func dropProjection(_ context.Context, call *cypher.ProcedureCall, yield func([]cypher.Value) error) error {
	name := call.Args[0].AsString()
	if !call.Projections.Drop(name) {
		return invalid("there is no projection %s", call.Args[0])
	}
	return yield([]cypher.Value{cypher.String(name)})
}
