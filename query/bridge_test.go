package query_test

import (
	"cmp"
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

// bridge is Bridge with ways alone: no lift, one step, an open gate, no choice.
func (w *world) bridge(in query.Op, asked string) *query.Bridge {
	return &query.Bridge{
		In: in, Graph: w.g, Names: namesField, Words: wordsField, Text: asked, Starts: 10, Lambda: 1, Floor: 0.3, Anchor: 0.5,
	}
}

// ranked fails unless nodes have some scores, in an order that the scores give behind
// the first if there is no other.
func (w *world) ranked(t *testing.T, op query.Op, want map[int]float64, order ...int) query.Set {
	t.Helper()
	e := w.env()
	e.Trace = &query.Trace{}
	got := run(t, e, op)
	have := map[int]float64{}
	var places []int
	for _, it := range got.Items {
		i := slices.Index(w.nodes, it.ID)
		have[i], places = it.Score, append(places, i)
	}
	if !maps.EqualFunc(have, want, func(a, b float64) bool { return math.Abs(a-b) < 5e-5 }) {
		t.Errorf("the scores are %v, want %v", have, want)
	}
	if order == nil && !slices.IsSortedFunc(got.Items[min(1, len(got.Items)):], func(a, b query.Item) int { return cmp.Compare(b.Score, a.Score) }) {
		t.Error("not in order of score")
	}
	if order != nil && !slices.Equal(places, order) {
		t.Errorf("the order is %v, want %v", places, order)
	}
	return got
}

// films is a graph in which a film names its director: N is 4, and so idf(1) =
// ln(10/3) = 1.204, idf(2) = ln 2 = 0.693, idf(3) = ln(10/7) = 0.357. Three nodes have
// the director's name: a way to a node that is wholly about it has 1/sqrt(3) = 0.57735,
// one to a node that is a fourth about it a fourth of that.
func films(t *testing.T) *world {
	return makeTold(t, []told{
		film:     {"alpha director beta gamma", map[string]int{"alpha": 4, "beta gamma": 1}},
		director: {"beta gamma born town x", map[string]int{"beta gamma": 4, "town x": 1}},
		other:    {"beta gamma born", map[string]int{"beta gamma": 1}},
		cedar:    {"cedar", nil},
	})
}

const (
	film = iota
	director
	other
	cedar
)

const whereBorn = "where was alpha director born" // 1.204 + 1.204 + 0.693 = 3.101

// The numbers were computed by hand from the formula of [query.Bridge].
func TestBridgeWays(t *testing.T) {
	t.Parallel()
	w := films(t)
	at := func(node int, score float64) query.Item { return w.item(w.nodes[node], score) }
	// The film lacks born, which the director has, 0.57735 * (0.3 + 1), and the
	// other, who is a fourth about the name.
	in := &input{items: []query.Item{at(film, 1)}}
	for _, c := range []struct {
		name string
		op   *query.Bridge
		want map[int]float64
	}{
		{"open", w.bridge(in, whereBorn), map[int]float64{film: 1, director: 1, other: 0.25}},
		{"the name is in the text", w.bridge(in, "was beta gamma of alpha born"), map[int]float64{film: 1}},
		{"no names", w.bridge(in, "where was the director born"), map[int]float64{film: 1, director: 1, other: 0.25}},
		// From the director, who has none of the text's names and lacks 2.408 of its
		// words, back to the film: 0.8 * 0.5 * 0.25 * 0.57735 * 1.3 = 0.07506, of
		// 0.75056; to the other, who gains nothing, less than from the film.
		{"two hits", w.bridge(&input{items: []query.Item{at(film, 1), at(director, 0.8)}}, whereBorn), map[int]float64{film: 1, director: 1, other: 0.25}},
		{"a hit of nothing", w.bridge(&input{items: []query.Item{at(film, 0)}}, whereBorn), map[int]float64{film: 0}},
		{"nothing", w.bridge(&input{}, whereBorn), map[int]float64{}},
	} {
		t.Run(c.name, func(t *testing.T) { w.ranked(t, c.op, c.want) })
	}
	op := w.bridge(&input{items: []query.Item{at(director, 0.8)}}, whereBorn)
	op.Anchor = 0 // no hit has a name of the text
	w.ranked(t, op, map[int]float64{director: 0.8})
	// Without a floor the other, who gains nothing, is not led to.
	op.Anchor, op.Floor = 0.5, 0
	w.ranked(t, op, map[int]float64{director: 0.8, film: 1})
	op = w.bridge(&input{items: []query.Item{at(film, 0.9), at(director, 0.8)}}, whereBorn)
	op.Starts = 1 // the film alone
	w.ranked(t, op, map[int]float64{film: 0.9, director: 1, other: 0.25})
	op.Lambda = 0.25 // 0.8 + 0.2 * 0.25
	w.ranked(t, op, map[int]float64{film: 0.9, director: 0.85, other: 0.0625})
}

// A node gains the share of what the start of the way lacks, not of the whole text.
func TestBridgeResidualGain(t *testing.T) {
	t.Parallel()
	w := films(t)
	// The film lacks born and town, 0.693 + 1.204 = 1.897. The director has both, the
	// other 0.693/1.897 = 0.36538: 0.25 * 0.66538/1.3. Shares of the whole text would
	// give 0.25 * (0.3 + 0.16101)/(0.3 + 0.44066) = 0.1556.
	op := w.bridge(&input{items: []query.Item{w.item(w.nodes[film], 1)}}, whereBorn+" town")
	w.ranked(t, op, map[int]float64{film: 1, director: 1, other: 0.12796})
}

// The rarer of two names leads on.
func TestBridgeRareNames(t *testing.T) {
	t.Parallel()
	w := makeTold(t, []told{
		{"alpha", map[string]int{"alpha": 4, "beta one": 1, "gamma two": 1}}, {"elm", map[string]int{"beta one": 1}},
		{"elm", map[string]int{"gamma two": 1}}, {"elm", map[string]int{"gamma two": 1}}, {"elm", map[string]int{"gamma two": 4}},
	})
	// Two nodes have beta one, and four gamma two, one of which is wholly about it:
	// 0.25/sqrt(2) = 0.17678, 0.25/2 and 1/2.
	op := w.bridge(&input{items: []query.Item{w.item(w.nodes[0], 1)}}, "alpha")
	w.ranked(t, op, map[int]float64{0: 1, 1: 0.35355, 2: 0.25, 3: 0.25, 4: 1})
	// Nodes that the query may not see are counted.
	e := w.env()
	got := run(t, allowing(e, map[engine.NodeID]bool{w.nodes[0]: true, w.nodes[1]: true, w.nodes[2]: true}), op)
	if len(got.Items) != 3 || got.Items[1].Score != 1 || math.Abs(got.Items[2].Score-0.70711) > 5e-5 {
		t.Errorf("got %v, want the scores 1, 1 and 0.70711", rows(got))
	}
}

// Of ends that tie, that with a score of its own goes before.
func TestBridgeOwnScore(t *testing.T) {
	t.Parallel()
	w := makeTold(t, []told{
		{"alpha", map[string]int{"alpha": 4, "beta one": 1}}, {"elm", map[string]int{"beta one": 1}},
		{"elm", map[string]int{"beta one": 1}}, {"elm", map[string]int{"beta one": 1}},
	})
	op := w.bridge(&input{items: []query.Item{w.item(w.nodes[0], 1), w.item(w.nodes[2], 0.5)}}, "alpha")
	op.Starts, op.Lambda = 1, 0.25
	w.ranked(t, op, map[int]float64{0: 1, 1: 0.25, 2: 0.625, 3: 0.25})
	// The ways to the others have 1/(1 + 0.4 * 0.5) = 0.83333 of the best.
	op.Own = 0.4
	w.ranked(t, op, map[int]float64{0: 1, 1: 0.20833, 2: 0.625, 3: 0.20833})
}

// A second step is divided by its own greatest: however little the first way gained, the
// best second way has Hop2.
func TestBridgeSecondWays(t *testing.T) {
	t.Parallel()
	w := makeTold(t, []told{
		{"alpha", map[string]int{"alpha": 4, "beta one": 1}}, {"beta", map[string]int{"beta one": 4, "gamma two": 1}},
		{"gamma born", map[string]int{"gamma two": 4}}, {"cedar", nil},
	})
	op := w.bridge(&input{items: []query.Item{w.item(w.nodes[0], 0.5)}}, "alpha born")
	w.ranked(t, op, map[int]float64{0: 0.5, 1: 1})
	// From the second node, whose way is the best and has 1, to the third, who has all
	// that is lacking, 1.3/sqrt(2); to the first, who adds nothing to what both have,
	// 0.25 * 0.3/sqrt(2): 0.05769 of the greatest.
	op.Hop2 = 1
	w.ranked(t, op, map[int]float64{0: 0.52885, 1: 1, 2: 1})
	op.Hop2 = 0.5
	got := w.ranked(t, op, map[int]float64{0: 0.51442, 1: 1, 2: 0.5})
	why := fmt.Sprintf(`[{bridge {%d %d {0 0 0 0 0}} "beta one" 1 0} {bridge {%[1]d %[3]d {0 0 0 0 0}} "gamma two" 0.5 0}]`, w.g.ID(), w.nodes[0], w.nodes[1])
	if third := got.Items[2]; third.ID != w.nodes[2] || fmt.Sprint(third.Why) != why {
		t.Errorf("node %d: why is %v, want %s", third.ID, third.Why, why)
	}
}

// The start of the best way to an end has a part of the end's.
func TestBridgeBack(t *testing.T) {
	t.Parallel()
	w := films(t)
	op := w.bridge(&input{items: []query.Item{w.item(w.nodes[film], 0.9)}}, whereBorn)
	op.Back = 0.4
	got := w.ranked(t, op, map[int]float64{film: 0.94, director: 1, other: 0.25})
	if why := fmt.Sprint(got.Items[0].Why); why != fmt.Sprintf(`[{input {0 0 {0 0 0 0 0}}  0.9 0} {bridge {%d %d {0 0 0 0 0}} back, "beta gamma" 0.4 0}]`, w.g.ID(), w.nodes[director]) {
		t.Errorf("why is %s", why)
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
	if len(got.Items) != 2 || got.Items[1].ID != w.nodes[2] {
		t.Errorf("got %v, want node %d alone beside the first", rows(got), w.nodes[2])
	}
}

func TestBridgeMissingField(t *testing.T) {
	t.Parallel()
	w := makeWorld(t, 1, 5)
	for _, op := range []*query.Bridge{
		{In: w.randomInput(rand.New(rand.NewPCG(1, 1)), "in"), Graph: w.g, Names: "none", Words: field, Starts: 10, Lambda: 1},
		{In: w.randomInput(rand.New(rand.NewPCG(1, 1)), "in"), Graph: w.g, Names: "name", Words: "none", Starts: 10, Lambda: 1},
	} {
		e := w.env()
		e.Trace = &query.Trace{}
		if got, want := rows(run(t, e, op)), rows(run(t, w.env(), op.In)); !slices.Equal(got, want) || fmt.Sprint(e.Trace.Ops[0].Notes) != "[the graph has no names]" {
			t.Errorf("got %v, want %v, noted %v", got, want, e.Trace.Ops[0].Notes)
		}
	}
}
