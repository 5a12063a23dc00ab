package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// statement is a statement that is measured, with the parameters of each time that it
// runs. Peer is how LadybugDB writes it, if otherwise.
type statement struct {
	Name   string              `json:"name"`
	Text   string              `json:"text"`
	Peer   string              `json:"peer,omitempty"`
	Params []map[string]string `json:"params"`
}

// statements returns what is measured on a graph of so many persons.
func (b *languageBench) statements() []statement {
	r := rand.New(rand.NewPCG(b.seed, 2))
	one := make([]map[string]string, 1)
	of := func(n int) []map[string]string {
		out := make([]map[string]string, n)
		for i := range out {
			out[i] = map[string]string{"id": person(r.IntN(b.nodes))}
		}
		return out
	}
	pairs := of(20)
	for _, p := range pairs {
		p["to"] = person(r.IntN(b.nodes))
	}
	return []statement{
		{"point read", "MATCH (p:Person {key: $id}) RETURN p.age, p.name, p.city", "", of(300)},
		{"friends, ORDER BY, LIMIT", "MATCH (p:Person {key: $id})-[r:KNOWS]->(f:Person) RETURN f.key, f.name, r.since ORDER BY r.since DESC, f.key LIMIT 20", "", of(100)},
		{"2 hops of a person", "MATCH (p:Person {key: $id})-[:KNOWS]->()-[:KNOWS]->(x) RETURN count(*)", "", of(30)},
		{
			"2 hops, distinct", "MATCH (p:Person {key: $id})-[:KNOWS]->()-[:KNOWS]->(x) RETURN count(DISTINCT x)",
			"MATCH (p:Person {key: $id})-[:KNOWS]->()-[:KNOWS]->(x) RETURN count(DISTINCT x.key)", of(30),
		},
		{"3 hops of a person", "MATCH (p:Person {key: $id})-[:KNOWS]->()-[:KNOWS]->()-[:KNOWS]->(x) RETURN count(*)", "", of(5)},
		{
			"shortest path", "MATCH (a:Person {key: $id}), (b:Person {key: $to}) MATCH p = shortestPath((a)-[:KNOWS*..8]->(b)) RETURN length(p)",
			"MATCH p = (a:Person {key: $id})-[e:KNOWS* SHORTEST 1..8]->(b:Person {key: $to}) RETURN length(e)", pairs,
		},
		{"GROUP BY of all nodes", "MATCH (p:Person) WHERE p.age > 30 RETURN count(*) AS n, p.city AS city, avg(p.age) ORDER BY n DESC, city LIMIT 3", "", one},
		{"join with filters", "MATCH (a:Person)-[:KNOWS]->(b:Person) WHERE a.city = 'city1' AND b.age < 30 RETURN count(*)", "", one},
		{"2 hops of a city", "MATCH (a:Person {city: 'city1'})-[:KNOWS]->()-[:KNOWS]->(x) RETURN count(*)", "", one},
		{"triangles of a city", "MATCH (a:Person {city: 'city1'})-[:KNOWS]->(b:Person)-[:KNOWS]->(c:Person)-[:KNOWS]->(a) RETURN count(*)", "", one},
		{"all edges counted", "MATCH (:Person)-[r:KNOWS]->(:Person) RETURN count(*)", "", one},
		{"all paths of 2 edges counted", "MATCH (:Person)-[:KNOWS]->(:Person)-[:KNOWS]->(:Person) RETURN count(*)", "", one},
		{"scan of an edge property", "MATCH ()-[r:KNOWS]->() WHERE r.since > 2020 RETURN count(*)", "", one},
		{"mean of an edge property", "MATCH ()-[r:KNOWS]->() WHERE r.since > 2020 RETURN avg(r.since)", "", one},
	}
}

func person(i int) string { return fmt.Sprintf("p%d", i) }

// draw writes the graph and the statements into the folder.
func (b *languageBench) draw() error {
	r := rand.New(rand.NewPCG(b.seed, 1))
	nodes := func(w *bufio.Writer) {
		fmt.Fprintln(w, "key,name,age:int,city")
		for i := range b.nodes {
			fmt.Fprintf(w, "p%d,name %d,%d,city%d\n", i, i, 10+r.IntN(71), r.IntN(100))
		}
	}
	edges := func(w *bufio.Writer) {
		fmt.Fprintln(w, "from,to,since:int")
		seen := map[[2]int]bool{}
		for len(seen) < b.edges {
			e := [2]int{int(float64(b.nodes) * math.Pow(r.Float64(), 1.5)), int(float64(b.nodes) * math.Pow(r.Float64(), 2))}
			if e[0] == e[1] || seen[e] {
				continue
			}
			seen[e] = true
			fmt.Fprintf(w, "p%d,p%d,%d\n", e[0], e[1], 2000+r.IntN(26))
		}
	}
	text, err := json.Marshal(b.statements())
	if err != nil {
		return err
	}
	return errors.Join(
		writeWith(filepath.Join(b.dir, "nodes.csv"), nodes), writeWith(filepath.Join(b.dir, "edges.csv"), edges),
		os.WriteFile(filepath.Join(b.dir, "statements.json"), text, 0o644),
	)
}

func writeWith(name string, write func(w *bufio.Writer)) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	write(w)
	return errors.Join(w.Flush(), f.Close())
}
