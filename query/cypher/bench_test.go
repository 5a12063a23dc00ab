package cypher_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query/cypher"
)

// benchNodes and benchEdges make a graph of the size of a corpus of some ten
// thousand documents, with hubs.
const (
	benchNodes = 173_000
	benchEdges = 800_000
)

// benchGraph is made once for all benchmarks.
var benchGraph = sync.OnceValues(func() (*cypher.Session, error) { return drawnGraph(benchNodes, benchEdges) })

// drawnGraph returns a session on a graph of people that live in cities.
func drawnGraph(nodes, edges int) (*cypher.Session, error) {
	ctx := context.Background()
	db, err := engine.Open(ctx, engine.Memory, &engine.Options{NoBackground: true})
	if err != nil {
		return nil, err
	}
	ns, err := db.Namespace(ctx, "main")
	if err != nil {
		return nil, err
	}
	g, err := ns.Graph(ctx, "bench")
	if err != nil {
		return nil, err
	}
	err = db.Load(ctx, g, func(l *engine.Loader) error {
		person, err := l.MakeNodeType("Person")
		if err != nil {
			return err
		}
		city, err := l.MakeNodeType("City")
		if err != nil {
			return err
		}
		knows, err := l.MakeEdgeType("KNOWS", true)
		if err != nil {
			return err
		}
		lives, err := l.MakeEdgeType("LIVES", true)
		if err != nil {
			return err
		}
		cities := nodes / 100
		r := rand.New(rand.NewPCG(1, 2))
		ids := make([]engine.NodeID, nodes)
		for i := range ids {
			t := person
			if i < cities {
				t = city
			}
			ids[i], err = l.Node(t, fmt.Sprintf("n%d", i), engine.Props{
				"name": engine.String(fmt.Sprintf("Name %d", i)), "age": engine.Int(int64(r.IntN(90)))})
			if err != nil {
				return err
			}
		}
		for i := cities; i < nodes; i++ {
			if err := l.Edge(ids[i], ids[r.IntN(cities)], lives, 1); err != nil {
				return err
			}
		}
		for range edges {
			// The square prefers the first nodes: they are hubs.
			x := r.Float64()
			a, b := cities+r.IntN(nodes-cities), cities+int(x*x*float64(nodes-cities))
			if err := l.Edge(ids[a], ids[b], knows, 1); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return cypher.NewSession(cypher.Options{DB: db, Namespace: ns, Graph: "bench"})
}

// statements are what is measured: with $key the key of a node.
var statements = []struct{ name, text string }{
	{"point", "MATCH (n:Person {key: $key}) RETURN n.name"},
	{"hop", "MATCH (n:Person {key: $key})-[:KNOWS]-(m) RETURN m.name"},
	{"hopIDs", "MATCH (n:Person {key: $key})-[:KNOWS]-(m:Person) RETURN id(m)"},
	{"twoHopCount", "MATCH (n:Person {key: $key})-[:KNOWS]-()-[:KNOWS]-(m) RETURN count(*)"},
	{"twoHopDistinct", "MATCH (n:Person {key: $key})-[:KNOWS]-()-[:KNOWS]-(m) RETURN count(DISTINCT m)"},
	{"twoHopLabel", "MATCH (n:Person {key: $key})-[:KNOWS]-()-[:KNOWS]-(m:Person) RETURN count(*)"},
	{"varLength", "MATCH (n:Person {key: $key})-[:KNOWS*1..2]-(m) RETURN count(*)"},
	{"shortest", "MATCH p = shortestPath((:Person {key: $key})-[:KNOWS*]-(:Person {key: 'n2500'})) RETURN length(p)"},
	{"scanFilter", "MATCH (n:City) WHERE n.age > 80 RETURN count(*)"},
	{"scanCount", "MATCH (n:Person) RETURN count(*)"},
	{"group", "MATCH (n:City)<-[:LIVES]-(p) RETURN n.key, count(*) AS c ORDER BY c DESC LIMIT 10"},
}

// drawnKey returns the key of somebody.
func drawnKey(r *rand.Rand, nodes int) string {
	return fmt.Sprintf("n%d", nodes/100+r.IntN(nodes-nodes/100))
}

func BenchmarkStatements(b *testing.B) {
	s, err := benchGraph()
	if err != nil {
		b.Fatal(err)
	}
	ctx := context.Background()
	for _, st := range statements {
		b.Run(st.name, func(b *testing.B) {
			b.ReportAllocs()
			r := rand.New(rand.NewPCG(3, 4))
			var times []time.Duration
			rows, cpu := 0, cpuTime()
			for b.Loop() {
				params := map[string]cypher.Value{"key": cypher.String(drawnKey(r, benchNodes))}
				start := time.Now()
				res, err := s.Run(ctx, st.text, params)
				if err != nil {
					b.Fatal(err)
				}
				for _, err := range res.Rows() {
					if err != nil {
						b.Fatal(err)
					}
					rows++
				}
				times = append(times, time.Since(start))
			}
			b.ReportMetric(float64((cpuTime()-cpu).Nanoseconds())/float64(b.N), "cpu-ns/op")
			slices.Sort(times)
			b.ReportMetric(float64(times[len(times)*99/100].Microseconds()), "p99-us")
			b.ReportMetric(float64(rows)/float64(b.N), "rows/op")
		})
	}
}

// BenchmarkPlan measures parsing, checking and planning.
func BenchmarkPlan(b *testing.B) {
	s, err := benchGraph()
	if err != nil {
		b.Fatal(err)
	}
	ctx := context.Background()
	params := map[string]cypher.Value{"key": cypher.String("n2500")}
	for _, st := range statements {
		b.Run(st.name, func(b *testing.B) {
			b.ReportAllocs()
			cpu := cpuTime()
			for b.Loop() {
				res, err := s.Run(ctx, "EXPLAIN "+st.text, params)
				if err != nil {
					b.Fatal(err)
				}
				res.Close()
			}
			b.ReportMetric(float64((cpuTime()-cpu).Nanoseconds())/float64(b.N), "cpu-ns/op")
		})
	}
}
