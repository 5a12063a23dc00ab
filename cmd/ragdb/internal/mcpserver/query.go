package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ragdb/ragdb/internal/plain"
	"github.com/ragdb/ragdb/internal/service"
	"github.com/ragdb/ragdb/query/cypher"
)

// queryBytes bounds the memory of a statement.
const queryBytes = 64 << 20

func (s *server) queryTool() *tool {
	return &tool{
		name: "query", title: "Query the graph",
		about: `Run one statement of a subset of openCypher over documents, passages and the graphs that were made of them. It only reads. Use it to count, list, or follow relations; to find a subject use search.

The graph base has nodes document (key, title, format, text, metadata) and chunk (key, doc, heading, page, text). CALL db.graphs() lists the other graphs; put USE NAME in front to read one. Graphs of methods have nodes such as entity (key, name, description) with edges such as relation. CALL db.labels() and CALL db.relationshipTypes() list what a graph has.

Examples:
` + strings.Join(examples(), "\n") + `

Always give a LIMIT. Return properties rather than whole nodes.`,
		args: []arg{
			{name: "statement", kind: isText, required: true, example: `"MATCH (d:document) RETURN d.key LIMIT 20"`, about: "One statement, without a semicolon."},
			{name: "max_rows", kind: isNumber, min: 1, max: 1000, usual: 50, example: "50", about: "The most rows of the result, from 1 to 1000."},
			tokensArg(),
		},
		run: s.query,
	}
}

// examples are statements that the description shows.
func examples() []string {
	return []string{
		"MATCH (d:document) RETURN d.key, d.title ORDER BY d.key LIMIT 20",
		"MATCH (d:document) WHERE d.key STARTS WITH 'docs/' RETURN count(*)",
		"MATCH (c:chunk) WHERE c.doc = 'handbook.md' RETURN c.key, left(c.text, 200) LIMIT 10",
		"CALL db.graphs()",
		"USE ketrag MATCH (e:entity)-[r]-(o:entity) WHERE e.name CONTAINS 'Kestrel' RETURN e.name, type(r), o.name LIMIT 20",
	}
}

// rows is the result of a statement.
type rows struct {
	V       int               `json:"v"`
	Rows    []json.RawMessage `json:"rows"`
	Plan    []service.PlanRow `json:"plan,omitempty"`
	Ms      float64           `json:"ms"`
	LeftOut *leftOut          `json:"left_out,omitempty"`
}

func (s *server) query(ctx context.Context, _ *mcp.CallToolRequest, c *corpus, a arguments) (*mcp.CallToolResult, error) {
	session, err := c.NewSession(ctx, service.SessionOptions{
		ReadOnly: true, NamespaceOnly: true, Limits: cypher.Limits{Bytes: queryBytes, Timeout: s.QueryTime},
	})
	if err != nil {
		return nil, err
	}
	res, err := session.Run(ctx, strings.TrimRight(a.text("statement"), "; \n\t"), nil)
	if err != nil {
		return nil, err
	}
	defer res.Close()
	var all []json.RawMessage
	size, more, tokens := 0, false, a.number("max_tokens")
	for values, err := range res.Rows() {
		if err != nil {
			return nil, err
		}
		// A token is a byte at least, and what does not fit need not be read.
		if len(all) == a.number("max_rows") || size > 64*tokens {
			more = true
			break
		}
		b, err := service.AppendRow(nil, res.Columns, values)
		if err != nil {
			return nil, err
		}
		all, size = append(all, b), size+len(b)
	}
	out := &rows{V: 1, Rows: []json.RawMessage{}, Plan: service.PlanRows(res.Plan), Ms: float64(res.Elapsed().Microseconds()) / 1000}
	p, err := newPage(c, tokens, all, out)
	if err != nil {
		return nil, err
	}
	if len(all) > 0 {
		p.take(nil, func() {
			p.say("Rows, a JSON object each; what is in them comes from the documents:\n<text %s>\n", p.mark)
		})
		for _, row := range all {
			if !p.take(row, func() { p.say("%s\n", showHidden(string(row))) }) {
				break
			}
			out.Rows = append(out.Rows, row)
		}
		p.say("</text %s>\n", p.mark)
	}
	switch n := len(out.Rows); {
	case n == 0 && len(all) > 0:
		return nil, service.Usage("return fewer or shorter properties, such as left(c.text, 200), or give a higher max_tokens", "the first row alone is longer than max_tokens")
	case n < len(all) || more:
		of := max(len(all), n)
		how := fmt.Sprintf("There are more rows: order them and put SKIP %d LIMIT 50 at the end of the statement for the next.", n)
		if more {
			of++ // at least
		}
		out.LeftOut = &leftOut{n, of, how}
	case n == 0 && len(out.Plan) == 0:
		p.say("No rows.\n")
	case n > 0:
		p.say("%s\n", plain.Plural(n, "row"))
	}
	for _, step := range out.Plan {
		p.take(nil, func() { p.say("%s%s %s\n", strings.Repeat("  ", step.Depth), step.Step, quotedList(step.Args)) })
	}
	p.tell(out.LeftOut)
	return p.result(out)
}
