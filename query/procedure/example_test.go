package procedure_test

import (
	"context"
	"fmt"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query/cypher"
	"github.com/ragdb/ragdb/query/procedure"
)

// A program adds a procedure of its own beside the others, and composes them in
// a statement.
func Example() {
	ctx := context.Background()
	check := func(err error) {
		if err != nil {
			panic(err)
		}
	}
	db, err := engine.Open(ctx, engine.Memory, nil)
	check(err)
	defer db.Close()
	ns, err := db.Namespace(ctx, "main")
	check(err)
	r := &cypher.Registry{}
	check(procedure.Add(r))
	check(r.Add(&cypher.Procedure{
		Name: "my.neighbours", Doc: "How many neighbours a node has.",
		Args:    []cypher.Arg{{Name: "node", Type: "node"}},
		Columns: []cypher.Column{{Name: "n", Type: "integer"}},
		Run: func(ctx context.Context, c *cypher.ProcedureCall, yield func([]cypher.Value) error) error {
			n, err := c.View.WithContext(ctx).Degree(c.Args[0].AsNode(), engine.EdgeFilter{Direction: engine.Both})
			if err != nil {
				return err
			}
			return yield([]cypher.Value{cypher.Int(int64(n))})
		},
	}))
	s, err := cypher.NewSession(cypher.Options{DB: db, Namespace: ns, Procedures: r})
	check(err)
	for _, statement := range []string{
		"CALL db.createGraph('towns')",
		"USE towns",
		"CREATE (a:Town {key: 'karrow'})-[:ROAD]->(b:Town {key: 'skarholm'}), (a)-[:ROAD]->(:Town {key: 'brennick'})",
		"CALL graph.pagerank({direction: 'both'}) YIELD node, score CALL my.neighbours(node) YIELD n RETURN node.key, n, round(score, 2) ORDER BY score DESC LIMIT 1",
	} {
		res, err := s.Run(ctx, statement, nil)
		check(err)
		for row, err := range res.Rows() {
			check(err)
			fmt.Println(row)
		}
	}
	// Output:
	// [towns]
	// [karrow 2 0.49]
}
