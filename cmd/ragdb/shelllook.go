package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/ragdb/ragdb/query/cypher"
)

// query runs a statement of the shell itself and prints its rows.
func (sh *shell) query(ctx context.Context, text string, params map[string]cypher.Value) error {
	before := sh.params
	sh.params = params
	defer func() { sh.params = before }()
	return sh.statement(ctx, entry{kind: entryCommand, text: text, line: 1})
}

// rows prints a table in the shell's mode.
func (sh *shell) rows(t *table) error {
	o := *sh.a.out
	o.format = sh.display.format
	if o.format == asJSON {
		o.json(struct {
			V    int   `json:"v"`
			Rows []any `json:"rows"`
		}{1, append([]any{}, t.objects...)})
	} else {
		o.rows(t)
	}
	sh.keep(&o)
	return nil
}

// each calls fn with each row of a statement of the shell itself.
func (sh *shell) each(ctx context.Context, text string, params map[string]cypher.Value, fn func(row []cypher.Value)) error {
	res, err := sh.session.Run(ctx, text, params)
	if err != nil {
		return err
	}
	defer res.Close()
	for row, err := range res.Rows() {
		if err != nil {
			return err
		}
		fn(row)
	}
	return nil
}

func (sh *shell) showLabels(ctx context.Context, _ []string) error {
	return sh.query(ctx, "CALL db.labels() YIELD label, nodes RETURN label, nodes", nil)
}

func (sh *shell) showProcedures(ctx context.Context, args []string) error {
	prefix := strings.TrimSuffix(append(args, "")[0], "*")
	text := "CALL db.procedures($prefix) YIELD signature, description RETURN signature, description"
	params := map[string]cypher.Value{"prefix": cypher.String(prefix)}
	if sh.display.format != asTable {
		return sh.query(ctx, text, params)
	}
	// A signature is long, and no good when cut.
	o, found := sh.a.out, false
	err := sh.each(ctx, text, params, func(row []cypher.Value) {
		found = true
		o.print("%s\n%s", o.bold(row[0].AsString()), o.dim(wrap(row[1].AsString(), o.width, "    ")))
	})
	if err == nil && !found {
		err = notFound(".procs lists them all", "no procedure begins with %q", prefix)
	}
	return err
}

func (sh *shell) showDocs(ctx context.Context, _ []string) error {
	return sh.query(ctx, "USE base MATCH (d:document) RETURN d.key AS document, d.title AS title ORDER BY document", nil)
}

func (sh *shell) showGraphs(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return sh.query(ctx, "CALL db.graphs() YIELD name, current RETURN name AS graph, current", nil)
	}
	return sh.session.Use(ctx, args[0])
}

func (sh *shell) showNamespaces(ctx context.Context, args []string) error {
	if len(args) == 1 {
		return sh.enter(ctx, args[0])
	}
	names, err := sh.db.Namespaces(ctx)
	if err != nil {
		return err
	}
	t := &table{head: []string{"namespace", "current"}}
	for _, name := range names {
		current := name == sh.a.global.ns
		t.add(struct {
			NS      string `json:"namespace"`
			Current bool   `json:"current"`
		}{name, current}, name, fmt.Sprint(current))
	}
	return sh.rows(t)
}

// schemaSample is how many nodes or edges of a kind .schema looks at.
const schemaSample = 200

// schemaRow is a row of .schema.
type schemaRow struct {
	Kind  string `json:"kind"`
	Name  string `json:"name"`
	Count *int64 `json:"count,omitempty"`
	// Detail are the properties of a label, the ends of an edge type.
	Detail []string `json:"detail"`
}

// showSchema prints the labels and edge types of the graph with the properties
// and ends of some of their nodes and edges.
func (sh *shell) showSchema(ctx context.Context, args []string) error {
	var rows []schemaRow
	err := sh.each(ctx, "CALL db.labels() YIELD label, nodes", nil, func(row []cypher.Value) {
		n := row[1].AsInt()
		rows = append(rows, schemaRow{Kind: "label", Name: row[0].AsString(), Count: &n})
	})
	if err != nil {
		return err
	}
	if len(args) == 1 {
		return sh.showLabel(ctx, rows, args[0])
	}
	for i := range rows {
		if rows[i].Detail, err = sh.list(ctx, "MATCH (n:%s) WITH n LIMIT %d UNWIND keys(n) AS k RETURN DISTINCT k ORDER BY k", rows[i].Name); err != nil {
			return err
		}
	}
	labels := len(rows)
	err = sh.each(ctx, "CALL db.relationshipTypes() YIELD relationshipType, directed", nil, func(row []cypher.Value) {
		rows = append(rows, schemaRow{Kind: "edge type", Name: row[0].AsString()})
	})
	if err != nil {
		return err
	}
	for i := range rows[labels:] {
		r := &rows[labels+i]
		if r.Detail, err = sh.list(ctx, "MATCH (a)-[e:%s]->(b) WITH a, b LIMIT %d RETURN DISTINCT labels(a)[0] + ' → ' + labels(b)[0] AS pair ORDER BY pair", r.Name); err != nil {
			return err
		}
	}
	err = sh.each(ctx, "CALL db.indexes() YIELD name, type", nil, func(row []cypher.Value) {
		rows = append(rows, schemaRow{Kind: row[1].AsString() + " index", Name: row[0].AsString()})
	})
	if err != nil {
		return err
	}
	return sh.printSchema(rows)
}

// showLabel prints the properties of a label, with an example of each.
func (sh *shell) showLabel(ctx context.Context, labels []schemaRow, name string) error {
	for _, l := range labels {
		if strings.EqualFold(l.Name, name) {
			return sh.query(ctx, fmt.Sprintf("MATCH (n:%s) WITH n LIMIT %d UNWIND keys(n) AS property RETURN property, count(*) AS nodes, min(toString(n[property])) AS example ORDER BY property",
				quoteLabel(l.Name), schemaSample), nil)
		}
	}
	return notFound(".labels lists them", "graph %s has no label %q", sh.session.Graph(), name)
}

// list returns the strings of a statement about a label or an edge type.
func (sh *shell) list(ctx context.Context, text, name string) ([]string, error) {
	out := []string{}
	err := sh.each(ctx, fmt.Sprintf(text, quoteLabel(name), schemaSample), nil, func(row []cypher.Value) {
		out = append(out, row[0].AsString())
	})
	return out, err
}

func (sh *shell) printSchema(rows []schemaRow) error {
	t := &table{head: []string{"kind", "name", "nodes", "properties or ends"}, right: []bool{false, false, true}}
	for _, r := range rows {
		count := ""
		if r.Count != nil {
			count = number(*r.Count)
		}
		if r.Detail == nil {
			r.Detail = []string{}
		}
		t.add(r, r.Kind, r.Name, count, strings.Join(r.Detail, ", "))
	}
	return sh.rows(t)
}

// quoteLabel writes a label or an edge type as a statement takes any.
func quoteLabel(s string) string { return "`" + strings.ReplaceAll(s, "`", "``") + "`" }
