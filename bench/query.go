package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
	"github.com/ragdb/ragdb/query/cypher"
	"github.com/ragdb/ragdb/query/procedure"
)

// queryBench measures statements of the query language on a layered graph,
// beside the same plans written in Go. Both are asked the same nodes, in turn.
type queryBench struct {
	texts, rounds int
	seed          uint64
	dir           string

	d    *database
	s    *cypher.Session
	keys []uint32 // of the nodes that are asked about
}

func queryFlags(fs *flag.FlagSet) func(ctx context.Context, r *report) error {
	b := &queryBench{}
	fs.IntVar(&b.texts, "texts", 1985, "`number` of texts; 1,985 makes 173,000 nodes")
	fs.IntVar(&b.rounds, "rounds", 1000, "`number` of times that a statement is run")
	fs.Uint64Var(&b.seed, "seed", 1, "of the graph and of the nodes asked about")
	fs.StringVar(&b.dir, "dir", "", "`folder` for the database, removed after; the system's for temporary files if empty")
	return b.run
}

func (b *queryBench) run(ctx context.Context, r *report) (err error) {
	if b.texts < 40 || b.rounds < 1 {
		return inputError{errors.New("-texts must be at least 40, -rounds at least 1")}
	}
	path, err := os.MkdirTemp(b.dir, "ragdb-bench-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(path)) }()
	g := layeredGraph(b.texts, rand.New(rand.NewPCG(b.seed, 1)))
	if b.d, err = openDatabase(ctx, path); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.d.close()) }()
	if err := b.d.loadGraph(ctx, g, false); err != nil {
		return err
	}
	r.Input = fmt.Sprintf("layered graph of %d nodes and %d edges, %d runs of each", len(g.types), len(g.edges), b.rounds)
	if err := b.open(); err != nil {
		return err
	}
	draw := rand.New(rand.NewPCG(b.seed, 2))
	for range b.rounds {
		b.keys = append(b.keys, draw.Uint32N(uint32(len(g.types))))
	}
	return b.measure(ctx, r, g)
}

// open opens a session with the procedures.
func (b *queryBench) open() error {
	ns, err := b.d.db.Namespace(context.Background(), "bench")
	if err != nil {
		return err
	}
	reg := &cypher.Registry{}
	if err := procedure.Add(reg); err != nil {
		return err
	}
	b.s, err = cypher.NewSession(cypher.Options{DB: b.d.db, Namespace: ns, Graph: b.d.graph.Name(), Procedures: reg})
	return err
}

// queryTask is a statement with the plan in Go that it stands for. Both return
// a number that must be the same; what p99 of the statement must stay below is
// in milliseconds.
type queryTask struct {
	name, text string
	most       float64
	byID       bool // the plan needs no key
	plan       func(ctx context.Context, v *engine.View, id engine.NodeID, g *graphFile) (int, error)
}

func queryTasks() []queryTask {
	return []queryTask{
		{
			"point match with one hop", "MATCH (n {key: $key})--(m) RETURN m.key", 1, false,
			func(_ context.Context, v *engine.View, id engine.NodeID, _ *graphFile) (count int, err error) {
				err = eachEdge(v, id, func(e engine.Edge) error {
					n, err := v.Node(e.Other(id))
					if err == nil && n.Key != "" {
						count++
					}
					return err
				})
				return count, err
			},
		},
		{
			"two-hop count", "MATCH (n {key: $key})--()--(m) RETURN count(*) AS count", 20, false,
			func(_ context.Context, v *engine.View, id engine.NodeID, _ *graphFile) (count int, err error) {
				err = eachEdge(v, id, func(e engine.Edge) error {
					mid := e.Other(id)
					return eachEdge(v, mid, func(f engine.Edge) error {
						if f.Other(mid) != id { // an edge is walked once
							count++
						}
						return nil
					})
				})
				return count, err
			},
		},
		{
			"graph.ppr over 20 seeds", "MATCH (n) WHERE id(n) IN $seeds WITH collect(n) AS seeds CALL graph.ppr(seeds, {top: 20}) YIELD node RETURN id(node) AS id", 3, true,
			func(ctx context.Context, v *engine.View, id engine.NodeID, g *graphFile) (int, error) {
				local := graphops.Local(v, engine.EdgeFilter{})
				var seeds []graphops.Scored
				for _, s := range seedsOf(id, g) {
					seeds = append(seeds, graphops.Scored{Node: uint32(s), Score: 1})
				}
				found, err := graphops.PPR(ctx, local, seeds, graphops.PPROptions{TopK: 20})
				if err != nil {
					return 0, err
				}
				return len(found.Scores), local.Err()
			},
		},
	}
}

// seedsOf returns 20 nodes, the same for the same node.
func seedsOf(id engine.NodeID, g *graphFile) []engine.NodeID {
	draw := rand.New(rand.NewPCG(uint64(id), 3))
	out := make([]engine.NodeID, 20)
	for i := range out {
		out[i] = engine.NodeID(draw.IntN(len(g.types))) + 1
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// eachEdge calls fn with every edge of a node.
func eachEdge(v *engine.View, id engine.NodeID, fn func(e engine.Edge) error) error {
	page := make([]engine.Edge, 0, 256)
	for after := engine.NodeID(0); ; after = page[len(page)-1].Other(id) {
		var err error
		if page, err = v.Neighbors(id, engine.EdgeFilter{}, after, page[:0]); err != nil {
			return err
		}
		for _, e := range page {
			if err := fn(e); err != nil {
				return err
			}
		}
		if len(page) < 256 {
			return nil
		}
	}
}

func (b *queryBench) measure(ctx context.Context, r *report, g *graphFile) error {
	for _, t := range queryTasks() {
		if err := b.compare(ctx, r, g, &t); err != nil {
			return fmt.Errorf("%s: %w", t.name, err)
		}
	}
	var parsed latencies
	for _, t := range queryTasks() {
		for range b.rounds {
			start := time.Now()
			res, err := b.s.Run(ctx, "EXPLAIN "+t.text, b.params(b.keys[0], g))
			if err != nil {
				return err
			}
			parsed = append(parsed, time.Since(start))
			if err := res.Close(); err != nil {
				return err
			}
		}
	}
	r.atMost("parse and plan, p50", parsed.at(0.5), "us", 100, "EXPLAIN of the statements, snapshot included")
	return nil
}

func (b *queryBench) params(u uint32, g *graphFile) map[string]cypher.Value {
	id := engine.NodeID(u) + 1
	var seeds []cypher.Value
	for _, s := range seedsOf(id, g) {
		seeds = append(seeds, cypher.Int(int64(s)))
	}
	return map[string]cypher.Value{"key": cypher.String(strconv.Itoa(int(u))), "seeds": cypher.ListOf(seeds)}
}

// compare runs a statement and its plan in Go in turn, and compares what they
// say and cost.
func (b *queryBench) compare(ctx context.Context, r *report, g *graphFile, t *queryTask) error {
	var asked, walked, planned latencies
	for round, u := range b.keys {
		var got, want int
		say := func() (err error) {
			var whole, rows time.Duration
			got, whole, rows, err = b.ask(ctx, t.text, b.params(u, g))
			asked, walked = append(asked, whole), append(walked, rows)
			return err
		}
		plan := func() (err error) {
			start := time.Now()
			want, err = b.plan(ctx, t, u, g)
			planned = append(planned, time.Since(start))
			return err
		}
		// Whoever comes second finds in the caches what the first one read.
		order := []func() error{say, plan}
		if round%2 == 1 {
			order = []func() error{plan, say}
		}
		for _, do := range order {
			if err := do(); err != nil {
				return err
			}
		}
		if got != want {
			return fmt.Errorf("round %d, node %d: the statement says %d, the plan in Go %d", round, u, got, want)
		}
	}
	r.atMost(t.name+", p99", asked.at(0.99)/1e3, "ms", t.most, fmt.Sprintf("p50 %.3f ms; in Go p50 %.3f, p99 %.3f ms", asked.at(0.5)/1e3, planned.at(0.5)/1e3, planned.at(0.99)/1e3))
	r.atMost(t.name+", over the plan in Go", walked.at(0.5)/planned.at(0.5), "x", 1.3, "medians, of walking the rows; parsing and planning are below")
	return nil
}

// ask runs a statement and returns its number: that of its only row where the
// column is a count, else the number of its rows. whole is the time of all of
// it, rows that without parsing and planning.
func (b *queryBench) ask(ctx context.Context, text string, params map[string]cypher.Value) (n int, whole, rows time.Duration, err error) {
	begun := time.Now()
	res, err := b.s.Run(ctx, text, params)
	if err != nil {
		return 0, 0, 0, err
	}
	ready := time.Now()
	counts := res.Columns[0] == "count"
	for row, err := range res.Rows() {
		if err != nil {
			return 0, 0, 0, err
		}
		if n++; counts {
			n = int(row[0].AsInt())
		}
	}
	return n, time.Since(begun), time.Since(ready), nil
}

func (b *queryBench) plan(ctx context.Context, t *queryTask, u uint32, g *graphFile) (n int, err error) {
	err = b.d.db.View(ctx, func(s *engine.Snapshot) error {
		v := s.Graph(b.d.graph).WithContext(ctx)
		if t.byID {
			n, err = t.plan(ctx, v, engine.NodeID(u)+1, g)
			return err
		}
		// A key is of one node of a type: every type is asked, as for a pattern
		// without a label.
		for _, nt := range v.NodeTypes() {
			id, err := v.Lookup(nt, strconv.Itoa(int(u)))
			if errors.Is(err, engine.ErrNotFound) {
				continue
			}
			if err != nil {
				return err
			}
			if n, err = t.plan(ctx, v, id, g); err != nil {
				return err
			}
		}
		return nil
	})
	return n, err
}
