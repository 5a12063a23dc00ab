package query_test

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/engine/text"
	"github.com/ragdb/ragdb/query"
)

// told is a node of a corpus for Bridge: its words, and its names with their
// frequencies.
type told struct {
	words string
	names map[string]int
}

const (
	namesField = "names"
	wordsField = "words"
)

// makeTold makes a graph of nodes with ids from 1 on.
func makeTold(t testing.TB, nodes []told) *world {
	t.Helper()
	db := open(t)
	ns, err := db.Namespace(t.Context(), "main")
	check(t, err)
	w := &world{}
	w.g, err = ns.Graph(t.Context(), "g")
	check(t, err)
	check(t, db.Update(t.Context(), func(tx *engine.Tx) error {
		v := tx.Graph(w.g)
		nt, err := v.MakeNodeType("thing")
		check(t, err)
		check(t, v.MakeField(wordsField, engine.FieldOptions{}))
		check(t, v.MakeField(namesField, engine.FieldOptions{Analyzer: "names"}))
		for i, n := range nodes {
			id, _, err := v.PutNode(nt, fmt.Sprint("n", i), nil)
			check(t, err)
			w.nodes = append(w.nodes, id)
			var terms, names []text.Term
			for _, word := range strings.Fields(n.words) {
				terms = append(terms, text.Term{Text: word})
			}
			for name, freq := range n.names {
				for range freq {
					names = append(names, text.Term{Text: name})
				}
			}
			check(t, v.PutTerms(wordsField, id, terms))
			check(t, v.PutTerms(namesField, id, names))
		}
		return nil
	}))
	w.snap, err = db.Snapshot(t.Context())
	check(t, err)
	t.Cleanup(func() { check(t, w.snap.Close()) })
	return w
}

func (w *world) bridge(in query.Op, asked string) *query.Bridge {
	return &query.Bridge{In: in, Graph: w.g, Names: namesField, Words: wordsField, Text: asked, Floor: 0.3, Anchor: 0.5}
}

// The numbers were computed by hand from the formula of [query.Bridge]. N is 4,
// and so idf(1) = ln(10/3) = 1.204, idf(2) = ln 2 = 0.693, idf(3) = ln(10/7) =
// 0.357; the text's words have 1.204 + 1.204 + 0.693 = 3.101.
func TestBridgeByHand(t *testing.T) {
	t.Parallel()
	w := makeTold(t, []told{
		{"alpha director beta gamma", map[string]int{"alpha": 4, "beta gamma": 1}},
		{"beta gamma born town x", map[string]int{"beta gamma": 4, "town x": 1}},
		{"beta gamma born", map[string]int{"beta gamma": 1}},
		{"cedar", nil},
	})
	film, director, other := w.nodes[0], w.nodes[1], w.nodes[2]
	const asked = "where was alpha director born"
	// The film leads to the director, who is born, with 0.222 * (0.3 +
	// 0.224) = 0.1160, and to the other, who is a fourth about it.
	in := &input{items: []query.Item{w.item(film, 1)}}
	for _, c := range []struct {
		name string
		op   query.Bridge
		want map[engine.NodeID]float64
	}{
		{"open", *w.bridge(in, asked), map[engine.NodeID]float64{director: 1, other: 0.25}},
		// alpha is 1.204/3.101 = 0.388 of the text.
		{"half open", query.Bridge{In: in, Text: asked, Floor: 0.3, Gate: 2}, map[engine.NodeID]float64{director: 0.77650, other: 0.19412}},
		{"wide open", query.Bridge{In: in, Text: asked, Floor: 0.3, Gate: 3}, map[engine.NodeID]float64{director: 1, other: 0.25}},
		{"no names, gate", query.Bridge{In: in, Text: "where was the director born", Floor: 0.3, Gate: 2}, map[engine.NodeID]float64{}},
		{"no names, no gate", query.Bridge{In: in, Text: "where was the director born", Floor: 0.3, Anchor: 1}, map[engine.NodeID]float64{director: 1, other: 0.25}},
		{"the name is in the text", query.Bridge{In: in, Text: "was beta gamma of alpha born", Floor: 0.3}, map[engine.NodeID]float64{}},
		// From the director, who has none of the text's names, back to the
		// film: 0.8 * 0.5 * 0.25 * 0.222 * (0.3 + 2.408/3.101) = 0.02386; to
		// the other, who gains nothing: 0.8 * 0.5 * 0.25 * 0.222 * 0.3.
		{"two hits", *w.bridge(&input{items: []query.Item{w.item(film, 1), w.item(director, 0.8)}}, asked),
			map[engine.NodeID]float64{director: 1, other: 0.25, film: 0.20563}},
		{"a hit alone, no anchor", query.Bridge{In: &input{items: []query.Item{w.item(director, 0.8)}}, Text: asked, Floor: 0.3}, map[engine.NodeID]float64{}},
		// Without a floor what gains nothing is not led to.
		{"no floor", query.Bridge{In: &input{items: []query.Item{w.item(director, 0.8)}}, Text: asked, Anchor: 0.5}, map[engine.NodeID]float64{film: 1}},
		{"a hit of nothing", *w.bridge(&input{items: []query.Item{w.item(film, 0)}}, asked), map[engine.NodeID]float64{}},
		{"nothing", *w.bridge(&input{}, asked), map[engine.NodeID]float64{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			op := c.op
			op.Graph, op.Names, op.Words = w.g, namesField, wordsField
			got := run(t, w.env(), &op)
			if len(got.Items) != len(c.want) {
				t.Fatalf("got %v, want %v", rows(got), c.want)
			}
			for i, it := range got.Items {
				if math.Abs(it.Score-c.want[it.ID]) > 5e-5 {
					t.Errorf("node %d scores %.5f, want %.5f", it.ID, it.Score, c.want[it.ID])
				}
				if i > 0 && got.Items[i-1].Score < it.Score {
					t.Error("not in order of score")
				}
			}
		})
	}
	e := w.env()
	e.Trace = &query.Trace{}
	op := w.bridge(in, asked)
	op.Gate = 2
	got := run(t, e, op)
	if why := fmt.Sprint(got.Items[0].Why); why != fmt.Sprintf(`[{bridge {%d %d {0 0 0 0}} "beta gamma" %v}]`, w.g.ID(), film, got.Items[0].Score) {
		t.Errorf("why is %s", why)
	}
	if notes := fmt.Sprint(e.Trace.Ops[0].Notes); notes != `[the text names "alpha"; gate 0.776]` {
		t.Errorf("notes are %s", notes)
	}
	if x := op.Explain().String(); x != "Bridge(graph=g, names=names, floor=0.3, anchor=0.5, gate=2)" {
		t.Errorf("explained as %s", x)
	}
}

// A name that many nodes have is no bridge, nor a single word that mostly
// stands for no name.
func TestBridgeCommonNames(t *testing.T) {
	t.Parallel()
	nodes := []told{
		{"alpha", map[string]int{"alpha": 4, "the hub": 1, "often": 1, "rare": 1}},
		{"often", map[string]int{"often": 1}},
		{"rare", map[string]int{"rare": 1}},
	}
	for i := range 20 { // 21 nodes have the hub's name, and 8 the word often
		words := "elm"
		if i < 6 {
			words = "elm often"
		}
		nodes = append(nodes, told{words, map[string]int{"the hub": 1}})
	}
	w := makeTold(t, nodes)
	got := run(t, w.env(), w.bridge(&input{items: []query.Item{w.item(w.nodes[0], 1)}}, "alpha"))
	if len(got.Items) != 1 || got.Items[0].ID != w.nodes[2] {
		t.Errorf("got %v, want node %d alone", rows(got), w.nodes[2])
	}
}

func TestBridgeMissingField(t *testing.T) {
	t.Parallel()
	w := makeWorld(t, 1, 5)
	for _, op := range []*query.Bridge{
		{In: w.randomInput(rand.New(rand.NewPCG(1, 1)), "in"), Graph: w.g, Names: "none", Words: field},
		{In: w.randomInput(rand.New(rand.NewPCG(1, 1)), "in"), Graph: w.g, Names: "name", Words: "none"},
	} {
		e := w.env()
		e.Trace = &query.Trace{}
		if got := run(t, e, op); len(got.Items) > 0 || fmt.Sprint(e.Trace.Ops[0].Notes) != "[the graph has no names]" {
			t.Errorf("got %v, noted %v", rows(got), e.Trace.Ops[0].Notes)
		}
	}
}

// bridged is what the formula says of every pair of nodes and every name.
func bridged(nodes []told, ids []engine.NodeID, in []query.Item, allow map[engine.NodeID]bool, o *query.Bridge, asked []string) map[engine.NodeID]float64 {
	n := float64(0)
	for _, x := range nodes {
		if x.words != "" {
			n++
		}
	}
	idf := func(df int) float64 { return math.Log(1 + max(0, n-float64(df)+0.5)/(float64(df)+0.5)) }
	has := func(i int, word string) bool { return slices.Contains(strings.Fields(nodes[i].words), word) }
	df := func(word string) (k int) {
		for i := range nodes {
			if has(i, word) {
				k++
			}
		}
		return k
	}
	named := func(name string) (k int) {
		for i := range nodes {
			if nodes[i].names[name] > 0 {
				k++
			}
		}
		return k
	}
	isName := func(name string) bool {
		k := named(name)
		return k > 0 && float64(k) <= max(20, n/50) && (strings.Contains(name, " ") || df(name) <= 3*k)
	}
	mass, inNames := 0.0, 0.0
	askedWords := slices.Compact(slices.Sorted(slices.Values(strings.Fields(o.Text))))
	for _, word := range askedWords {
		if k := df(word); k > 0 {
			mass += idf(k)
			if slices.ContainsFunc(asked, func(a string) bool { return isName(a) && slices.Contains(strings.Fields(a), word) }) {
				inNames += idf(k)
			}
		}
	}
	open := 1.0
	if o.Gate > 0 {
		if open = 0; mass > 0 {
			open = min(1, o.Gate*inNames/mass)
		}
	}
	best := map[engine.NodeID]float64{}
	most := 0.0
	for _, it := range in {
		c := slices.Index(ids, it.ID)
		if allow != nil && !allow[it.ID] || it.Score <= 0 {
			continue
		}
		score := it.Score
		if !slices.ContainsFunc(asked, func(a string) bool { return isName(a) && nodes[c].names[a] > 0 }) {
			score *= o.Anchor
		}
		for name := range nodes[c].names {
			if !isName(name) || strings.Contains(" "+o.Text+" ", " "+name+" ") {
				continue
			}
			for d := range nodes {
				if d == c || nodes[d].names[name] == 0 || allow != nil && !allow[ids[d]] {
					continue
				}
				gain := 0.0
				for _, word := range askedWords {
					if has(d, word) && !has(c, word) {
						gain += idf(df(word)) / mass
					}
				}
				v := score * float64(nodes[d].names[name]) / 4 * idf(named(name)) / math.Log(1+n) * (o.Floor + gain)
				if v > 0 {
					best[ids[d]] = max(best[ids[d]], v)
					most = max(most, v)
				}
			}
		}
	}
	for id := range best {
		if best[id] *= open / most; open == 0 {
			delete(best, id)
		}
	}
	return best
}

func TestBridgeAgainstBruteForce(t *testing.T) {
	t.Parallel()
	some := []string{"ash", "birch elm", "cedar", "elm", "fir fir", "oak", "pine tree"}
	found := 0
	for seed := range seeds(150) {
		r := rand.New(rand.NewPCG(seed, 77))
		nodes := make([]told, 1+r.IntN(30))
		for i := range nodes {
			nodes[i].names = map[string]int{}
			for range r.IntN(6) {
				nodes[i].names[some[r.IntN(len(some))]] = 1 + r.IntN(4)
			}
			var ws []string
			for range r.IntN(5) {
				ws = append(ws, words[r.IntN(len(words))])
			}
			nodes[i].words = strings.Join(ws, " ")
		}
		w := makeTold(t, nodes)
		in, allow := w.randomInput(r, "in"), w.someNodes(r)
		asked := strings.Fields("ash birch cedar elm fir oak zelkova")
		r.Shuffle(len(asked), func(i, j int) { asked[i], asked[j] = asked[j], asked[i] })
		asked = asked[:r.IntN(5)]
		op := w.bridge(in, strings.Join(asked, " "))
		op.Floor, op.Anchor, op.Gate = float64(r.IntN(3))/2, float64(r.IntN(3))/2, float64(r.IntN(3))
		e := w.env()
		if allow != nil {
			e = allowing(e, allow)
		}
		got := run(t, e, op)
		want := bridged(nodes, w.nodes, in.items, allow, op, asked)
		have := map[engine.NodeID]float64{}
		for _, it := range got.Items {
			have[it.ID] = it.Score
		}
		same := maps.EqualFunc(have, want, func(a, b float64) bool { return math.Abs(a-b) < 1e-12 })
		if !same || len(have) != len(got.Items) || !slices.IsSortedFunc(rows(got), byScore) {
			t.Fatalf("seed %d: %q\n got %v\nwant %v", seed, op.Text, rows(got), want)
		}
		found += len(want)
	}
	if found < 500 {
		t.Errorf("only %d nodes were led to: the cases are too easy", found)
	}
}

func TestRescale(t *testing.T) {
	t.Parallel()
	w := makeWorld(t, 1, 5)
	for _, c := range []struct {
		in   []float64
		to   float64
		want []float64
	}{
		{nil, 0, nil},
		{[]float64{7}, 0, []float64{1}},
		{[]float64{-2, -2}, 0, []float64{1, 1}},
		{[]float64{3, -1, 1, 3}, 0, []float64{1, 0, 0.5, 1}},
		{[]float64{3, -1, 1, 3}, 4, []float64{4, 0, 2, 4}},
		{[]float64{5, 5}, 0.25, []float64{0.25, 0.25}},
	} {
		in := &input{}
		for i, score := range c.in {
			in.items = append(in.items, w.item(w.nodes[i], score))
		}
		got := run(t, w.env(), &query.Rescale{In: in, To: c.to})
		var scores []float64
		for i, it := range got.Items {
			if it.ID != in.items[i].ID {
				t.Errorf("%v: the order changed", c.in)
			}
			scores = append(scores, it.Score)
		}
		if !slices.Equal(scores, c.want) {
			t.Errorf("%v became %v, want %v", c.in, scores, c.want)
		}
	}
}
