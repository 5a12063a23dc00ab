package procedure

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query/cypher"
)

// catalog are the procedures about the database and its graphs. r is the
// registry that db.procedures lists.
func catalog(r *cypher.Registry) []*cypher.Procedure {
	return []*cypher.Procedure{
		{
			Name: "db.graphs", Doc: "The graphs of the namespace.",
			Columns: []cypher.Column{column("name", "string"), column("current", "boolean")}, Run: dbGraphs, Filtered: true,
		},
		{
			Name: "db.createGraph", Doc: "Makes a graph of your own in the namespace; USE moves there.",
			Args:    []cypher.Arg{{Name: "name", Type: "string"}},
			Columns: []cypher.Column{column("name", "string")}, Run: dbCreateGraph,
		},
		{
			Name: "db.dropGraph", Doc: "Removes a graph of your own with all that is in it.",
			Args:    []cypher.Arg{{Name: "name", Type: "string"}},
			Columns: []cypher.Column{column("name", "string")}, Run: dbDropGraph,
		},
		{
			Name: "db.labels", Doc: "The labels of the current graph.",
			Columns: []cypher.Column{column("label", "string"), column("nodes", "integer")}, Run: dbLabels, Filtered: true,
			Elsewhere: []string{"schema", "visualization", "nodetypeproperties"},
		},
		{
			Name: "db.relationshipTypes", Doc: "The types of the edges of the current graph.",
			Columns: []cypher.Column{column("relationshipType", "string"), column("directed", "boolean")}, Run: dbEdgeTypes, Filtered: true,
			Elsewhere: []string{"reltypeproperties"},
		},
		{
			Name: "db.propertyKeys", Doc: "The properties that have an index in the current graph.",
			Columns: []cypher.Column{column("propertyKey", "string")}, Run: dbPropertyKeys, Filtered: true,
		},
		{
			Name: "db.indexes", Doc: "The indexes of the current graph: of properties, of vectors and of words.",
			Columns: []cypher.Column{
				column("name", "string"), column("state", "string"), column("type", "string"), column("entityType", "string"),
				column("labelsOrTypes", "list of strings"), column("properties", "list of strings"), column("owningConstraint", "string"),
			}, Run: dbIndexes, Filtered: true,
		},
		{
			Name: "db.constraints", Doc: "The constraints of the current graph.",
			Columns: []cypher.Column{
				column("name", "string"), column("type", "string"), column("entityType", "string"),
				column("labelsOrTypes", "list of strings"), column("properties", "list of strings"), column("ownedIndex", "string"), column("propertyType", "string"),
			}, Run: dbConstraints, Filtered: true,
		},
		{
			Name: "db.functions", Doc: "The functions of the language.",
			Columns: []cypher.Column{column("name", "string"), column("signature", "string")}, Filtered: true,
			Run: func(_ context.Context, _ *cypher.ProcedureCall, yield func([]cypher.Value) error) error {
				return each(cypher.Functions(), yield, func(usage string) []cypher.Value {
					name, _, _ := strings.Cut(usage, "(")
					return []cypher.Value{cypher.String(name), cypher.String(usage)}
				})
			},
		},
		{
			Name: "db.stats", Doc: "What the graphs of the namespace hold. It reads every key once.",
			Columns: []cypher.Column{column("graph", "string"), column("nodes", "integer"), column("edges", "integer"), column("vectors", "integer"), column("bytes", "integer")}, Run: dbStats,
		},
		{
			Name: "db.check", Doc: "What is wrong with the database: no row where it is sound. The option full compares everything that is stored twice.",
			Args:    []cypher.Arg{{Name: "options", Type: "map", Optional: true}},
			Columns: []cypher.Column{column("graph", "string"), column("key", "string"), column("finding", "string")}, Run: dbCheck,
		},
		{
			Name: "db.procedures", Doc: "The procedures that CALL knows, all or those whose names begin with a text.",
			Args:    []cypher.Arg{{Name: "prefix", Type: "string", Optional: true}},
			Columns: []cypher.Column{column("name", "string"), column("signature", "string"), column("description", "string"), column("writes", "boolean"), column("mode", "string")}, Filtered: true,
			Run: func(_ context.Context, call *cypher.ProcedureCall, yield func([]cypher.Value) error) error {
				return dbProcedures(r, call, yield)
			},
		},
	}
}

func dbGraphs(ctx context.Context, call *cypher.ProcedureCall, yield func([]cypher.Value) error) error {
	names, err := call.Namespace.Graphs(ctx)
	if err != nil {
		return err
	}
	return each(names, yield, func(name string) []cypher.Value {
		return []cypher.Value{cypher.String(name), cypher.Bool(name == call.View.Graph().Name())}
	})
}

func dbCreateGraph(ctx context.Context, call *cypher.ProcedureCall, yield func([]cypher.Value) error) error {
	if err := call.MakeGraph(ctx, call.Args[0].AsString()); err != nil {
		return err
	}
	return yield(call.Args)
}

func dbDropGraph(ctx context.Context, call *cypher.ProcedureCall, yield func([]cypher.Value) error) error {
	if err := call.DropGraph(ctx, call.Args[0].AsString()); err != nil {
		return err
	}
	return yield(call.Args)
}

func dbLabels(ctx context.Context, call *cypher.ProcedureCall, yield func([]cypher.Value) error) error {
	may, err := seen(ctx, call)
	if err != nil {
		return err
	}
	counts := map[string]int64{}
	for _, t := range call.View.NodeTypes() {
		nodes, err := call.View.Nodes(t)
		if err != nil {
			return err
		}
		if may != nil {
			nodes.And(may)
		}
		label, _, _ := strings.Cut(call.View.NodeTypeName(t), ":")
		counts[label] += int64(nodes.GetCardinality())
	}
	return each(slices.Sorted(maps.Keys(counts)), yield, func(label string) []cypher.Value {
		return []cypher.Value{cypher.String(label), cypher.Int(counts[label])}
	})
}

func dbEdgeTypes(_ context.Context, call *cypher.ProcedureCall, yield func([]cypher.Value) error) error {
	return each(call.View.EdgeTypes(), yield, func(t engine.EdgeType) []cypher.Value {
		return []cypher.Value{cypher.String(call.View.EdgeTypeName(t)), cypher.Bool(t.Directed())}
	})
}

func dbPropertyKeys(_ context.Context, call *cypher.ProcedureCall, yield func([]cypher.Value) error) error {
	return each(call.View.Indexes(), yield, func(name string) []cypher.Value { return []cypher.Value{cypher.String(name)} })
}

func dbIndexes(_ context.Context, call *cypher.ProcedureCall, yield func([]cypher.Value) error) error {
	indexes, err := cypher.Indexes(call.View)
	if err != nil {
		return err
	}
	return each(indexes, yield, func(ix cypher.Index) []cypher.Value {
		constraint := cypher.Null
		if ix.Constraint != "" {
			constraint = cypher.String(ix.Constraint)
		}
		return []cypher.Value{
			cypher.String(ix.Name), cypher.String("ONLINE"), cypher.String(ix.Type), entityType(ix.Edges),
			names(ix.Labels), names(ix.Properties), constraint,
		}
	})
}

// entityType returns what an index or a constraint is of.
func entityType(edges bool) cypher.Value {
	if edges {
		return cypher.String("RELATIONSHIP")
	}
	return cypher.String("NODE")
}

// names returns a list of strings, null for none.
func names(list []string) cypher.Value {
	if list == nil {
		return cypher.Null
	}
	out := make([]cypher.Value, len(list))
	for i, s := range list {
		out[i] = cypher.String(s)
	}
	return cypher.ListOf(out)
}

func dbConstraints(_ context.Context, call *cypher.ProcedureCall, yield func([]cypher.Value) error) error {
	rules, err := call.View.Rules()
	if err != nil {
		return err
	}
	kinds := map[engine.RuleKind][2]string{
		engine.Unique: {"UNIQUENESS", "RELATIONSHIP_UNIQUENESS"}, engine.UniqueKey: {"NODE_KEY", "RELATIONSHIP_KEY"},
		engine.NotNull: {"NODE_PROPERTY_EXISTENCE", "RELATIONSHIP_PROPERTY_EXISTENCE"},
		engine.OfType:  {"NODE_PROPERTY_TYPE", "RELATIONSHIP_PROPERTY_TYPE"},
	}
	for _, r := range rules {
		kind, ok := kinds[r.Kind]
		if !ok {
			continue
		}
		what, index, valueType := kind[0], cypher.Null, cypher.Null
		if r.Edges {
			what = kind[1]
		}
		if r.Indexed() {
			index = cypher.String(r.Name)
		}
		if r.ValueType != "" {
			valueType = cypher.String(r.ValueType)
		}
		var labels []string
		for _, t := range r.Types {
			label, _, _ := strings.Cut(t, ":")
			labels = append(labels, label)
		}
		err := yield([]cypher.Value{
			cypher.String(r.Name), cypher.String(what), entityType(r.Edges), names(labels), names(r.Properties), index, valueType,
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func dbStats(ctx context.Context, call *cypher.ProcedureCall, yield func([]cypher.Value) error) error {
	st, err := call.View.Snapshot().Stats(ctx)
	if err != nil {
		return err
	}
	for _, g := range st.Graphs {
		if g.Namespace != call.Namespace.Name() {
			continue
		}
		vectors := int64(0)
		for _, s := range g.Vectors {
			vectors += s.Count
		}
		err := yield([]cypher.Value{
			cypher.String(g.Name), cypher.Int(g.Nodes), cypher.Int(g.Edges), cypher.Int(vectors), cypher.Int(g.KeyBytes + g.ValueBytes),
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func dbCheck(ctx context.Context, call *cypher.ProcedureCall, yield func([]cypher.Value) error) error {
	c := newConfig(call, call.Args[0])
	o := engine.CheckOptions{}
	if c.boolean("full", false) {
		o.Full = true
	}
	if err := c.done(); err != nil {
		return err
	}
	for f, err := range call.DB.Check(ctx, o) {
		if err != nil {
			return err
		}
		if err := yield([]cypher.Value{cypher.String(f.Graph), cypher.String(f.Key), cypher.String(f.What)}); err != nil {
			return err
		}
	}
	return nil
}

func dbProcedures(r *cypher.Registry, call *cypher.ProcedureCall, yield func([]cypher.Value) error) error {
	for _, name := range r.Names() {
		p := r.Get(name)
		if !strings.HasPrefix(name, call.Args[0].AsString()) {
			continue
		}
		mode := "READ"
		if p.Writes {
			mode = "WRITE"
		}
		if err := yield([]cypher.Value{cypher.String(name), cypher.String(p.Signature()), cypher.String(p.Doc), cypher.Bool(p.Writes), cypher.String(mode)}); err != nil {
			return err
		}
	}
	return nil
}
