package cypher_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query/cypher"
)

// smallGraph is a graph that a test draws, and matches patterns in by trying
// everything.
type smallGraph struct {
	labels []string // of the nodes
	values []int    // property v of the nodes, -1 for none
	edges  []smallEdge
}

type smallEdge struct {
	from, to int
	kind     string
	directed bool
}

func drawGraph(r *rand.Rand) *smallGraph {
	g := &smallGraph{}
	for range 3 + r.IntN(4) {
		g.labels = append(g.labels, []string{"A", "B"}[r.IntN(2)])
		g.values = append(g.values, r.IntN(4)-1)
	}
	seen := map[string]bool{}
	for range r.IntN(10) {
		e := smallEdge{r.IntN(len(g.labels)), r.IntN(len(g.labels)), []string{"X", "Y", "U"}[r.IntN(3)], true}
		if e.kind == "U" {
			e.directed = false
			e.from, e.to = min(e.from, e.to), max(e.from, e.to)
		}
		if id := fmt.Sprint(e); !seen[id] {
			seen[id] = true
			g.edges = append(g.edges, e)
		}
	}
	return g
}

// store writes the graph.
func (g *smallGraph) store(t *testing.T, s *cypher.Session, indexed bool) {
	t.Helper()
	ctx := context.Background()
	eg, err := s.Namespace().Graph(ctx, s.Graph())
	if err != nil {
		t.Fatal(err)
	}
	err = eg.DB().Update(ctx, func(tx *engine.Tx) error {
		v := tx.Graph(eg)
		if indexed {
			if err := v.MakeIndex("v"); err != nil {
				return err
			}
		}
		ids := make([]engine.NodeID, len(g.labels))
		for i, label := range g.labels {
			kind, err := v.MakeNodeType(label)
			if err != nil {
				return err
			}
			props := engine.Props{}
			if g.values[i] >= 0 {
				props["v"] = engine.Int(int64(g.values[i]))
			}
			if ids[i], _, err = v.PutNode(kind, fmt.Sprint("n", i), props); err != nil {
				return err
			}
		}
		for i, e := range g.edges {
			kind, err := v.MakeEdgeType(e.kind, e.directed)
			if err != nil {
				return err
			}
			if err := v.AddEdge(ids[e.from], ids[e.to], kind, 1); err != nil {
				return err
			}
			if err := v.SetEdgeProps(engine.Edge{From: ids[e.from], To: ids[e.to], Type: kind}, engine.Props{"i": engine.Int(int64(i))}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// smallPattern is what a MATCH asks for. Nodes are variables a, b and so on.
type smallPattern struct {
	labels []string // of each node, "" for any
	values []int    // that a node's v must equal, -2 for any
	hops   []smallHop
	less   [2]int // a.v < b.v, none if they are equal
}

type smallHop struct {
	from, to int
	kinds    []string
	dir      int // 0 out, 1 in, 2 both
	min, max int // 1, 1 for a single edge
}

func drawPattern(r *rand.Rand) *smallPattern {
	p := &smallPattern{}
	nodes := 1 + r.IntN(4)
	for range nodes {
		p.labels = append(p.labels, []string{"", "", "A", "B"}[r.IntN(4)])
		v := -2
		if r.IntN(4) == 0 {
			v = r.IntN(3)
		}
		p.values = append(p.values, v)
	}
	for range r.IntN(4) {
		h := smallHop{from: r.IntN(nodes), to: r.IntN(nodes), dir: r.IntN(3), min: 1, max: 1}
		for _, kind := range []string{"X", "Y", "U"} {
			if r.IntN(3) == 0 {
				h.kinds = append(h.kinds, kind)
			}
		}
		if r.IntN(4) == 0 {
			h.min = r.IntN(3)
			h.max = h.min + r.IntN(3)
		}
		p.hops = append(p.hops, h)
	}
	if r.IntN(3) == 0 {
		p.less = [2]int{r.IntN(nodes), r.IntN(nodes)}
	}
	return p
}

func variable(i int) string { return string(rune('a' + i)) }

// match writes the MATCH.
func (p *smallPattern) match() string {
	node := func(i int, full bool) string {
		s := variable(i)
		if full && p.labels[i] != "" {
			s += ":" + p.labels[i]
		}
		if full && p.values[i] >= 0 {
			s += fmt.Sprintf(" {v: %d}", p.values[i])
		}
		return "(" + s + ")"
	}
	var parts []string
	for i := range p.labels {
		parts = append(parts, node(i, true))
	}
	for i, h := range p.hops {
		inner := fmt.Sprintf("r%d", i)
		if len(h.kinds) > 0 {
			inner += ":" + strings.Join(h.kinds, "|")
		}
		if h.min != 1 || h.max != 1 {
			inner += fmt.Sprintf("*%d..%d", h.min, h.max)
		}
		left, right := "-", "->"
		switch h.dir {
		case 1:
			left, right = "<-", "-"
		case 2:
			right = "-"
		}
		parts = append(parts, node(h.from, false)+left+"["+inner+"]"+right+node(h.to, false))
	}
	text := "MATCH " + strings.Join(parts, ", ")
	if p.less[0] != p.less[1] {
		text += fmt.Sprintf(" WHERE %s.v < %s.v", variable(p.less[0]), variable(p.less[1]))
	}
	return text
}

// columns writes what the rows are told apart by.
func (p *smallPattern) columns() string {
	var out []string
	for i := range p.labels {
		out = append(out, variable(i)+".key")
	}
	for i, h := range p.hops {
		if h.min == 1 && h.max == 1 {
			out = append(out, fmt.Sprintf("r%d.i", i))
		} else {
			out = append(out, fmt.Sprintf("[e IN r%d | e.i]", i))
		}
	}
	return strings.Join(out, ", ")
}

// try returns the rows of a pattern: every node for every variable, then every
// way of every hop, no edge twice.
func (g *smallGraph) try(p *smallPattern) []string {
	var out []string
	nodes := make([]int, len(p.labels))
	used := make([]bool, len(g.edges))
	cells := make([]string, len(p.hops))
	var hop func(i int)
	hop = func(i int) {
		if i == len(p.hops) {
			var row []string
			for _, n := range nodes {
				row = append(row, fmt.Sprintf("'n%d'", n))
			}
			out = append(out, strings.Join(append(row, cells...), " | "))
			return
		}
		h := p.hops[i]
		var walk func(at int, trail []int)
		walk = func(at int, trail []int) {
			if len(trail) >= h.min && at == nodes[h.to] {
				cells[i] = strings.ReplaceAll(fmt.Sprint(trail), " ", ", ")
				if h.min == 1 && h.max == 1 {
					cells[i] = fmt.Sprint(trail[0])
				}
				hop(i + 1)
			}
			if len(trail) == h.max {
				return
			}
			for j, e := range g.edges {
				if used[j] || len(h.kinds) > 0 && !slices.Contains(h.kinds, e.kind) {
					continue
				}
				var ends []int
				free := h.dir == 2 || !e.directed
				if e.from == at && (free || h.dir == 0) {
					ends = append(ends, e.to)
				}
				if e.to == at && (free || h.dir == 1) && !(free && e.from == e.to) {
					ends = append(ends, e.from)
				}
				for _, end := range ends {
					used[j] = true
					walk(end, append(trail[:len(trail):len(trail)], j))
					used[j] = false
				}
			}
		}
		walk(nodes[h.from], nil)
	}
	var node func(i int)
	node = func(i int) {
		if i == len(nodes) {
			a, b := g.values[nodes[p.less[0]]], g.values[nodes[p.less[1]]]
			if p.less[0] == p.less[1] || a >= 0 && b >= 0 && a < b {
				hop(0)
			}
			return
		}
		for n, label := range g.labels {
			if (p.labels[i] == "" || p.labels[i] == label) && (p.values[i] < 0 || p.values[i] == g.values[n]) {
				nodes[i] = n
				node(i + 1)
			}
		}
	}
	node(0)
	return out
}

// TestPatterns compares what MATCH finds in small random graphs with trying
// everything.
func TestPatterns(t *testing.T) {
	t.Parallel()
	rows := 0
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 7))
		g := drawGraph(r)
		s := newSession(t, stores["pebble"], cypher.Options{})
		g.store(t, s, seed%2 == 0)
		for range 25 {
			p := drawPattern(r)
			want := g.try(p)
			if len(want) > 20_000 {
				continue
			}
			rows += len(want)
			slices.Sort(want)
			text := p.match() + " RETURN " + p.columns()
			got, _, err := outcome(s, text, nil)
			if err != nil {
				t.Fatalf("seed %d: %s: %v", seed, text, err)
			}
			slices.Sort(got[1:])
			if !slices.Equal(got[1:], want) {
				plan, _ := explain(s, text)
				t.Fatalf("seed %d: %s\non %+v\nfound %d rows:\n%s\nnot %d:\n%s\nplan:\n%s", seed, text, *g,
					len(got)-1, strings.Join(got[1:], "\n"), len(want), strings.Join(want, "\n"), plan)
			}
			text = p.match() + " RETURN count(*)"
			got, _, err = outcome(s, text, nil)
			if err != nil || got[1] != fmt.Sprint(len(want)) {
				t.Fatalf("seed %d: %s: %v, not %d: %v", seed, text, got, len(want), err)
			}
			// The pattern as a condition, and optional.
			text = "MATCH (a) WHERE EXISTS { " + p.match() + " } RETURN a.key"
			first := map[string]bool{}
			for _, row := range want {
				key, _, _ := strings.Cut(row, " | ")
				first[key] = true
			}
			got, _, err = outcome(s, text, nil)
			if err != nil || len(got)-1 != len(first) {
				t.Fatalf("seed %d: %s: %v, not %v: %v", seed, text, got, first, err)
			}
			text = "MATCH (a) OPTIONAL " + p.match() + " RETURN count(*)"
			got, _, err = outcome(s, text, nil)
			if n := len(want) + len(g.labels) - len(first); err != nil || got[1] != fmt.Sprint(n) {
				t.Fatalf("seed %d: %s: %v, not %d: %v", seed, text, got, n, err)
			}
		}
	}
	if rows < 1000 {
		t.Errorf("only %d rows were compared", rows)
	}
}

// explain returns the plan of a statement as text.
func explain(s *cypher.Session, text string) (string, error) { return explainWith(s, text, nil) }

func explainWith(s *cypher.Session, text string, params map[string]cypher.Value) (string, error) {
	res, err := s.Run(context.Background(), "EXPLAIN "+text, params)
	if err != nil {
		return "", err
	}
	defer res.Close()
	var b strings.Builder
	var write func(steps []*cypher.PlanStep, indent string)
	write = func(steps []*cypher.PlanStep, indent string) {
		for _, p := range steps {
			fmt.Fprintf(&b, "%s%s\n", indent, p)
			write(p.Inner, indent+"  ")
		}
	}
	for _, part := range res.Plan {
		write(part, "")
	}
	return b.String(), nil
}
