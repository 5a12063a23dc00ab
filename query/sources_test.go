package query_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
)

// restsOn is what an item rests on by o, said plainly, in order.
func (w *world) restsOn(o *query.Sources, it query.Item, allow map[engine.NodeID]bool, any bool) []engine.NodeID {
	var out []engine.NodeID
	if o.Types == nil {
		for _, src := range w.sources[engine.Edge{From: it.Edge.From, To: it.Edge.To, Type: it.Edge.Type}] {
			if allow == nil || allow[src] {
				out = append(out, src)
			}
		}
		slices.Sort(out)
		return out
	}
	if it.ID == 0 {
		return nil
	}
	out, _ = w.aroundSeen(it.ID, o.Types, o.Direction, allow, any)
	if o.Near == nil || len(out) < 2 {
		return out
	}
	near, _ := w.aroundSeen(it.ID, o.Near, engine.Both, allow, any)
	count := map[engine.NodeID]int{}
	for _, id := range out {
		if o.At == nil {
			for _, e := range w.edges {
				key := e
				key.Weight = 0
				if w.follows(e, it.ID, o.Near, engine.Both) && w.mayEdge(e, allow, any) && slices.Contains(w.sources[key], id) {
					count[id]++
				}
			}
			continue
		}
		back := map[engine.Direction]engine.Direction{engine.In: engine.Out, engine.Out: engine.In, engine.Both: engine.Both}[o.Direction]
		found, _ := w.aroundSeen(id, o.At, back, allow, any)
		for _, n := range near {
			if slices.Contains(found, n) {
				count[id]++
			}
		}
	}
	slices.SortStableFunc(out, func(a, b engine.NodeID) int { return cmp.Compare(count[b], count[a]) })
	return out
}

// TestSources compares with a plain telling: by contributions and by edges, in
// order of what is near, shared, each once or again, and up to some tokens.
func TestSources(t *testing.T) {
	t.Parallel()
	found := 0
	for seed := range seeds(200) {
		r := rand.New(rand.NewPCG(seed, 52))
		w := makeWorld(t, seed, 3+r.IntN(15))
		allow := w.someNodes(r)
		e := w.env()
		e.AllowAny = r.IntN(2) == 0
		if allow != nil {
			allowing(e, allow)
		}
		o := &query.Sources{In: w.randomInput(r, "in"), Graph: w.g, Share: r.IntN(3) == 0, Size: func(_ context.Context, _ *query.Env, it query.Item) (int, error) {
			return sizeOf(it.ID), nil
		}}
		if r.IntN(3) > 0 {
			o.Types, o.Direction = []string{"link", "cites"}, engine.Direction(r.IntN(3))
		} else {
			o.In = &query.Incident{In: o.In, Graph: w.g, Types: []string{"said"}}
		}
		if r.IntN(2) == 0 {
			o.Near = [][]string{{"said"}, {"link", "said"}}[r.IntN(2)]
			if r.IntN(2) == 0 {
				o.At = []string{"link", "cites"}
			}
		}
		if o.Again = !o.Share && r.IntN(2) == 0; r.IntN(3) == 0 {
			o.Tokens = 1 + r.IntN(9)
		}
		var order []engine.NodeID
		if r.IntN(3) == 0 {
			in := w.randomInput(r, "order")
			o.Order = in
			for _, it := range in.items {
				if allow == nil || allow[it.ID] {
					order = append(order, it.ID)
				}
			}
		}
		o.Turns = r.IntN(3) == 0
		want, at, left := []row{}, map[engine.NodeID]int{}, o.Tokens
		items := run(t, e, &query.Sections{In: []query.Op{o.In, &query.All{Graph: w.g, Types: []string{}}}}).Items // a plan that names the graph
		for _, x := range inTurn(o, items, order, func(it query.Item) []engine.NodeID { return w.restsOn(o, it, allow, e.AllowAny) }) {
			n, ok := at[x.id]
			if ok && o.Share {
				want[n].score += x.score
			}
			if ok && !o.Again {
				continue
			}
			at[x.id] = len(want)
			want = append(want, x)
			if left -= sizeOf(x.id); o.Tokens > 0 && left < 0 {
				break
			}
		}
		if o.Share {
			slices.SortFunc(want, byScore)
		}
		got := run(t, e, o)
		same(t, seed, got, want)
		found += len(want)
		for _, it := range got.Items {
			if last := it.Why[len(it.Why)-1]; last.Op != "source" || last.Note == "" {
				t.Fatalf("seed %d: node %d because of %+v", seed, it.ID, it.Why)
			}
		}
	}
	if found < 500 {
		t.Errorf("only %d sources were found: the cases are too easy", found)
	}
	w := makeWorld(t, 1, 5)
	o := &query.Sources{In: &input{}, Graph: w.g, Tokens: 1}
	if _, err := query.Run(t.Context(), w.env(), o); err == nil {
		t.Error("a bound of tokens without their number")
	}
}

// inTurn lists the sources of all items in the order in which o takes them: those of an
// item as of returns them, or by their place in order, and one of each item in turn if
// o says so.
func inTurn(o *query.Sources, items []query.Item, order []engine.NodeID, of func(query.Item) []engine.NodeID) []row {
	var out []row
	var rounds [][]row
	for _, it := range items {
		ids := of(it)
		if o.Order != nil {
			sorted := []engine.NodeID{}
			for _, id := range order {
				if slices.Contains(ids, id) && !slices.Contains(sorted, id) {
					sorted = append(sorted, id)
				}
			}
			slices.Sort(ids)
			for _, id := range ids {
				if !slices.Contains(order, id) {
					sorted = append(sorted, id)
				}
			}
			ids = sorted
		}
		for i, id := range ids {
			x := row{graph: it.Graph, id: id, score: it.Score}
			if o.Share {
				x.score = max(0, it.Score) / float64(len(ids))
			}
			if i == len(rounds) {
				rounds = append(rounds, nil)
			}
			rounds[i] = append(rounds[i], x)
			out = append(out, x)
		}
	}
	if o.Turns {
		return slices.Concat(rounds...)
	}
	return out
}

// TestSourcesInTurn takes the sources of two groups by an order, one of each in turn:
// the first group rests on 0, 1, 2 and 3, the second on 2, 3 and 4, and the order is
// 3, 1, 4. Nothing of what the order lacks comes before what it has.
func TestSourcesInTurn(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	ns, err := open(t).Namespace(ctx, "main")
	check(t, err)
	g, err := ns.Graph(ctx, "g")
	check(t, err)
	var nodes []engine.NodeID
	check(t, g.DB().Update(ctx, func(tx *engine.Tx) error {
		v := tx.Graph(g)
		typ, err := v.MakeNodeType("thing")
		check(t, err)
		own, err := v.MakeEdgeType("own", true)
		check(t, err)
		for i := range 7 {
			id, _, err := v.PutNode(typ, fmt.Sprint(i), nil)
			check(t, err)
			nodes = append(nodes, id)
		}
		for i, members := range [][]int{{0, 1, 2, 3}, {2, 3, 4}} {
			for _, m := range members {
				check(t, v.AddEdge(nodes[5+i], nodes[m], own, 1))
			}
		}
		return nil
	}))
	snap, err := g.DB().Snapshot(ctx)
	check(t, err)
	defer snap.Close()
	list := func(of ...int) *query.Given {
		in := &query.Given{Graph: g}
		for _, i := range of {
			in.Nodes = append(in.Nodes, query.Item{Graph: g.ID(), ID: nodes[i], Score: 1})
		}
		return in
	}
	o := &query.Sources{In: list(5, 6), Graph: g, Types: []string{"own"}, Direction: engine.Out, Order: list(3, 1, 4), Turns: true}
	var got []int
	for _, it := range run(t, &query.Env{Snap: snap}, o).Items {
		got = append(got, slices.Index(nodes, it.ID))
	}
	// Turns: 3 of the first, 3 of the second is there; 1, then 4; 0, then 2; 2 is there.
	if want := []int{3, 1, 4, 0, 2}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestSourcesThrough takes the sources of other nodes for those of an item.
func TestSourcesThrough(t *testing.T) {
	t.Parallel()
	w := makeWorld(t, 4, 15)
	link := []string{"link"}
	through := func(_ context.Context, _ *query.Env, it query.Item) ([]engine.NodeID, error) {
		return []engine.NodeID{w.nodes[int(it.ID)%15], w.nodes[int(it.ID+1)%15]}, nil
	}
	for _, id := range w.nodes {
		a, _ := w.around(w.nodes[int(id)%15], link, engine.Out)
		b, _ := w.around(w.nodes[int(id+1)%15], link, engine.Out)
		all := slices.Compact(slices.Sorted(slices.Values(append(a, b...))))
		want := []row{}
		for _, x := range all {
			want = append(want, row{graph: w.g.ID(), id: x, score: 6 / float64(len(all))})
		}
		in := &input{items: []query.Item{w.item(id, 6)}}
		same(t, uint64(id), run(t, w.env(), &query.Sources{In: in, Graph: w.g, Types: link, Through: through, Share: true}), want)
	}
}

// TestTwins finds the nodes of the same key in another graph, and by keys that
// are made.
func TestTwins(t *testing.T) {
	t.Parallel()
	w := makeWorld(t, 2, 12)
	in := w.randomInput(rand.New(rand.NewPCG(2, 3)), "in")
	of := &query.Twins{
		In: in, Graph: w.far, Type: "thing", Of: w.g, Key: func(_ context.Context, _ *query.Env, it query.Item) (string, error) {
			return strings.Replace(w.keys[it.ID], "n", "far", 1), nil
		},
	}
	want := []row{}
	for _, it := range in.items {
		want = append(want, row{graph: w.far.ID(), id: it.ID, score: it.Score}) // the worlds' nodes have the same ids
	}
	got := run(t, w.env(), of)
	same(t, 2, got, want)
	for i, it := range got.Items {
		if last := it.Why[len(it.Why)-1]; last.Op != "twin" || last.From.Graph != w.g.ID() || last.From.ID != in.items[i].ID {
			t.Errorf("node %d because of %+v", it.ID, it.Why)
		}
	}
	// Back again there is none of the key; of itself a node is its twin, if it is
	// of the type.
	same(t, 2, run(t, w.env(), &query.Twins{In: of, Graph: w.g, Type: "thing", Of: w.far}), []row{})
	want = slices.DeleteFunc(rows(query.Set{Items: in.items}), func(x row) bool { return w.kind[x.id] != "place" })
	same(t, 2, run(t, w.env(), &query.Twins{In: in, Graph: w.g, Type: "place", Of: w.g}), want)
	// Of two items with one twin the first has it.
	same1 := func(context.Context, *query.Env, query.Item) (string, error) { return "n1", nil }
	if s := run(t, w.env(), &query.Twins{In: in, Graph: w.g, Type: "thing", Of: w.g, Key: same1}); len(s.Items) != 1 || s.Items[0].Score != in.items[0].Score {
		t.Errorf("%v", rows(s))
	}
}

// TestReweigh gives items what a property says, and leaves out those without it.
func TestReweigh(t *testing.T) {
	t.Parallel()
	w := makeWorld(t, 3, 20)
	in := &query.All{Graph: w.g, Types: []string{"thing", "place"}}
	want := []row{}
	for _, id := range w.nodes {
		if rating, ok := w.rating[id]; ok {
			want = append(want, row{graph: w.g.ID(), id: id, score: float64(rating)})
		}
	}
	same(t, 3, run(t, w.env(), &query.Reweigh{In: in, By: query.Property(w.g, "rating")}), want)
	same(t, 3, run(t, w.env(), &query.Reweigh{In: in, By: query.Property(w.far, "rating")}), []row{})
	for i := range want {
		want[i].score = 2.5
	}
	same(t, 3, run(t, w.env(), &query.Reweigh{In: &query.Reweigh{In: in, By: query.Property(w.g, "rating")}, By: constant(2.5)}), want)
}

// TestTables packs rows of nodes and of the edges at as many of them as have all
// of theirs in the budget; rows are numbered as they are made.
func TestTables(t *testing.T) {
	t.Parallel()
	reverted := 0
	for seed := range seeds(150) {
		r := rand.New(rand.NewPCG(seed, 53))
		w := makeWorld(t, seed, 2+r.IntN(12))
		in := w.randomInput(r, "in")
		edges := &query.Incident{In: in, Graph: w.g, PerNode: 1 + r.IntN(3)}
		calls := map[query.Ref]int{}
		o := &query.Tables{
			In: in, Edges: edges, Budget: r.IntN(120), Share: []float64{0, 0.5}[r.IntN(2)], Header: "the nodes", EdgeHeader: "edges",
			Render: func(_ context.Context, _ *query.Env, it query.Item, n int) (string, error) {
				if n != len(calls) {
					t.Errorf("seed %d: row %d is called %d", seed, len(calls), n)
				}
				calls[it.Ref()]++
				return strings.TrimSpace(strings.Repeat(fmt.Sprint("x", n, " "), 1+int(it.ID+it.Edge.From)%4)), nil
			},
		}
		got := run(t, w.env(), o)
		budget := o.Budget
		if o.Share > 0 {
			budget = int(float64(budget) * o.Share)
		}
		used, nodes := 0, 0
		for _, it := range got.Items {
			if used += it.Tokens; it.ID != 0 {
				nodes++
			}
			if it.Tokens != countTokens(it.Text+"\n") || calls[it.Ref()] != 1 {
				t.Fatalf("seed %d: %q has %d tokens and was made %d times", seed, it.Text, it.Tokens, calls[it.Ref()])
			}
		}
		if nodes > 0 {
			used += countTokens("the nodes\n")
		}
		if nodes < len(got.Items) {
			used += countTokens("edges\n")
		}
		if got.Used != used || used > max(0, budget) {
			t.Fatalf("seed %d: %d tokens are said, %d are, of %d", seed, got.Used, used, budget)
		}
		same(t, seed, query.Set{Items: got.Items[:nodes]}, rows(query.Set{Items: in.items[:nodes]}))
		// The edges are those at the first n nodes, for some n.
		at := -1
		for n := range nodes + 1 {
			some := run(t, w.env(), &query.Incident{In: &query.Limit{In: in, N: n}, Graph: w.g, PerNode: edges.PerNode})
			if slices.Equal(rows(some), rows(query.Set{Items: got.Items[nodes:]})) {
				at = n
			}
		}
		if at < 0 {
			t.Fatalf("seed %d: %v are not the edges at the first nodes", seed, rows(got))
		}
		if at < nodes {
			reverted++
		}
	}
	if reverted == 0 {
		t.Error("all edges fitted always")
	}
}
