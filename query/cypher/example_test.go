package cypher_test

import (
	"context"
	"fmt"
	"log"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query/cypher"
)

func Example() {
	ctx := context.Background()
	db, err := engine.Open(ctx, engine.Memory, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	ns, err := db.Namespace(ctx, "main")
	if err != nil {
		log.Fatal(err)
	}
	if _, err := ns.Graph(ctx, "town"); err != nil {
		log.Fatal(err)
	}
	s, err := cypher.NewSession(cypher.Options{DB: db, Namespace: ns, Graph: "town"})
	if err != nil {
		log.Fatal(err)
	}
	made, err := s.Run(ctx, `CREATE (ann:Person {key: 'ann', age: 36})-[:KNOWS]->(:Person {key: 'bob', age: 30})`, nil)
	if err != nil {
		log.Fatal(err)
	}
	made.Close()
	fmt.Println(made.Counts.NodesCreated, "nodes,", made.Counts.EdgesCreated, "edge")

	res, err := s.Run(ctx, `MATCH (a:Person)-[:KNOWS]->(b) WHERE a.age > $age RETURN a.key, b`,
		map[string]cypher.Value{"age": cypher.Int(31)})
	if err != nil {
		log.Fatal(err)
	}
	for row, err := range res.Rows() {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(row[0], "knows", row[1])
	}
	// Output:
	// 2 nodes, 1 edge
	// ann knows (:Person {key: 'bob', age: 30})
}
