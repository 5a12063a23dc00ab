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
// ln(10/3) = 1.204, idf(2) = ln 2 = 0.693, idf(3) = ln(10/7) = 0.357. A name that three
// nodes have weighs 0.357/ln 5 = 0.2216.
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
	// The film lacks born, which the director has, 0.2216 * (0.3 + 1), and the
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
		// words, back to the film: 0.8 * 0.5 * 0.25 * 0.2216 * 1.3 = 0.02881, of
		// 0.28808; to the other, who gains nothing, less than from the film.
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

// The best node about a name of the text is lifted, and ways start from it.
func TestBridgeTitle(t *testing.T) {
	t.Parallel()
	w := films(t)
	in := &input{items: []query.Item{w.item(w.nodes[cedar], 0.9), w.item(w.nodes[film], 0.4)}}
	op := w.bridge(in, whereBorn)
	op.Lambda, op.Title = 0, 0.5
	got := w.ranked(t, op, map[int]float64{cedar: 0.9, film: 0.7})
	if why := fmt.Sprint(got.Items[1].Why); why != `[{input {0 0 {0 0 0 0}}  0.4} {bridge {0 0 {0 0 0 0}} about "alpha", which the text names 0.7}]` {
		t.Errorf("why is %s", why)
	}
	op.Title = 1
	w.ranked(t, op, map[int]float64{cedar: 0.9, film: 1})
	op.Lambda, op.Starts = 1, 1 // the first after the lift
	w.ranked(t, op, map[int]float64{cedar: 0.9, film: 1, director: 1, other: 0.25})
	op.Title = 0
	w.ranked(t, op, map[int]float64{cedar: 0.9, film: 0.4})
	// The director is wholly about beta gamma, the better other a fourth.
	op = w.bridge(&input{items: []query.Item{w.item(w.nodes[other], 0.9), w.item(w.nodes[director], 0.2)}}, "where was beta gamma born")
	op.Lambda, op.Title = 0, 1
	e := w.env()
	e.Names = func(_ string, has func(string) bool) (out []string) {
		if has("beta gamma") {
			out = append(out, "beta gamma")
		}
		return out
	}
	if got := run(t, e, op); got.Items[1].ID != w.nodes[director] || got.Items[1].Score != 1 || got.Items[0].Score != 0.9 {
		t.Errorf("got %v, want the director lifted", rows(got))
	}
}

// A word with a capital is a name of the text if a node is wholly about it, though
// more have it as a word; the first word of a text always has a capital.
func TestBridgeCapitals(t *testing.T) {
	t.Parallel()
	nodes := []told{{"bath city", map[string]int{"bath": 4}}, {"rugby match", map[string]int{"rugby": 2}}}
	for range 5 {
		nodes = append(nodes, told{"bath rugby match", nil})
	}
	w := makeTold(t, nodes)
	in := &input{items: []query.Item{w.item(w.nodes[2], 0.9), w.item(w.nodes[0], 0.5), w.item(w.nodes[1], 0.4)}}
	for text, want := range map[string]float64{"where is Bath": 1, "where is bath": 0.5, "Bath where": 0.5, "where is Rugby": 0.5} {
		e := w.env()
		e.Analyze = func(s string) []string { return strings.Fields(strings.ToLower(s)) }
		names := e.Names
		e.Names = func(q string, has func(string) bool) []string { return names(strings.ToLower(q), has) }
		op := w.bridge(in, text)
		op.Lambda, op.Title = 0, 1
		for _, it := range run(t, e, op).Items {
			if it.ID == w.nodes[0] && it.Score != want || it.ID == w.nodes[1] && it.Score != 0.4 {
				t.Errorf("%s: node %d scores %v", text, it.ID, it.Score)
			}
		}
	}
}

// The ends of ways start ways again, with the words of both nodes held. Here N is 4, a
// name of two nodes weighs ln 2/ln 5 = 0.4307, and the text's words are as rare.
func TestBridgeSecondWays(t *testing.T) {
	t.Parallel()
	w := makeTold(t, []told{
		{"alpha", map[string]int{"alpha": 4, "beta one": 1}}, {"beta", map[string]int{"beta one": 4, "gamma two": 1}},
		{"gamma born", map[string]int{"gamma two": 4}}, {"cedar", nil},
	})
	op := w.bridge(&input{items: []query.Item{w.item(w.nodes[0], 0.5)}}, "alpha born")
	w.ranked(t, op, map[int]float64{0: 0.5, 1: 1})
	// To the second node v = 0.5 * 0.4307 * 0.3 = 0.06460. From there on to the third, who
	// has all that is lacking, 0.06460 * 0.4307 * 1.3, and to the first, who adds
	// nothing to what both have, 0.06460 * 0.25 * 0.4307 * 0.3: 0.03230 of the greatest.
	op.Hop2 = 1
	got := w.ranked(t, op, map[int]float64{0: 0.51615, 1: 1, 2: 0.55988})
	third := got.Items[2]
	why := fmt.Sprintf(`[{bridge {%d %d {0 0 0 0}} "beta one" 1} {bridge {%[1]d %[3]d {0 0 0 0}} "gamma two" %[4]v}]`, w.g.ID(), w.nodes[0], w.nodes[1], third.Score)
	if fmt.Sprint(third.Why) != why {
		t.Errorf("why is %v, want %s", third.Why, why)
	}
	op.Hop2 = 0.5
	w.ranked(t, op, map[int]float64{0: 0.50808, 1: 1, 2: 0.27994})
}

// The start of the best way to an end has a part of the end's.
func TestBridgeBack(t *testing.T) {
	t.Parallel()
	w := films(t)
	op := w.bridge(&input{items: []query.Item{w.item(w.nodes[film], 0.9)}}, whereBorn)
	op.Back = 0.4
	got := w.ranked(t, op, map[int]float64{film: 0.94, director: 1, other: 0.25})
	if why := fmt.Sprint(got.Items[0].Why); why != fmt.Sprintf(`[{input {0 0 {0 0 0 0}}  0.9} {bridge {%d %d {0 0 0 0}} back, "beta gamma" 0.4}]`, w.g.ID(), w.nodes[director]) {
		t.Errorf("why is %s", why)
	}
}

// The gate opens if no node holds much of the text, and if the text has names.
func TestBridgeGate(t *testing.T) {
	t.Parallel()
	w := films(t)
	in := &input{items: []query.Item{w.item(w.nodes[film], 1)}}
	gated := func(text string, gate float64, want float64) {
		t.Helper()
		op := w.bridge(in, text)
		op.Gate = gate
		w.ranked(t, op, map[int]float64{film: 1, director: want, other: want / 4})
	}
	// The film has 2.408/3.101 = 0.77650 of the text, alpha is 0.38825 of it.
	gated(whereBorn, 0.5, 0.41763)
	gated(whereBorn, 1.5, 0.80588)
	gated(whereBorn, 3, 1)
	gated(whereBorn, 0, 1)
	// Without a name: the film has the director, 1.204 of 1.897.
	gated("where was the director born", 1.5, 0.36538)
	e := w.env()
	e.Trace = &query.Trace{}
	op := w.bridge(in, whereBorn)
	op.Gate = 0.5
	run(t, e, op)
	if notes := fmt.Sprint(e.Trace.Ops[0].Notes); notes != `[the text names "alpha"; names are 0.388 of it, one node has 0.776; gate 0.418]` {
		t.Errorf("notes are %s", notes)
	}
	if x := op.Explain().String(); x != "Bridge(graph=g, names=names, starts=10, lambda=1, floor=0.3, anchor=0.5, title=0, hop2=0, back=0, gate=0.5, terse=0, cover=0)" {
		t.Errorf("explained as %s", x)
	}
}

// A text that says little leads nowhere, unless a node is about what it names.
func TestBridgeTerse(t *testing.T) {
	t.Parallel()
	w := films(t)
	in := &input{items: []query.Item{w.item(w.nodes[cedar], 0.9), w.item(w.nodes[film], 0.4)}}
	terse := func(text string, least float64, want map[int]float64) {
		t.Helper()
		op := w.bridge(in, text)
		op.Terse, op.Title = least, 1
		w.ranked(t, op, want)
	}
	open := map[int]float64{film: 0.4, cedar: 0.9, director: 1, other: 0.25}
	closed := map[int]float64{film: 0.4, cedar: 0.9}
	// The director and born: 1.204 + 0.693 = 1.897, and ln 5 = 1.609.
	terse("where was the director born", 1.15, open)
	terse("where was the director born", 1.2, closed)
	terse("where was the director born", 0, open)
	// The film is about alpha, no node is wholly about town x.
	terse("where was alpha director born", 100, map[int]float64{film: 1, cedar: 0.9, director: 1, other: 0.25})
	terse("where is town x", 100, closed)
	op := w.bridge(in, "where is town x")
	op.Terse, op.Cover = 100, 1
	e := w.env()
	e.Trace = &query.Trace{}
	got := run(t, e, op)
	if notes := fmt.Sprint(e.Trace.Ops[0].Notes); len(got.Items) != 2 || notes != "[the text is short and no node is about a name of it: no bridge]" {
		t.Errorf("got %v, notes are %s", rows(got), notes)
	}
}

// The places behind the first go to nodes that add words of the text, one after the
// other; the first node of In stays first.
func TestBridgeChoice(t *testing.T) {
	t.Parallel()
	w := makeTold(t, []told{{"red", nil}, {"red", nil}, {"blue", nil}, {"blue", nil}})
	in := &input{}
	for i, score := range []float64{1, 0.9, 0.8, 0.85} {
		in.items = append(in.items, w.item(w.nodes[i], score))
	}
	want := map[int]float64{0: 1, 1: 0.9, 2: 0.8, 3: 0.85}
	op := w.bridge(in, "red blue")
	w.ranked(t, op, want, 0, 1, 3, 2)
	// Red and blue are half of the text each. Once one blue node is chosen the other
	// adds nothing.
	op.Cover = 1
	got := w.ranked(t, op, want, 0, 3, 1, 2)
	if why := fmt.Sprint(got.Items[1].Why); why != "[{input {0 0 {0 0 0 0}}  0.85} {bridge {0 0 {0 0 0 0}} has 0.5 of the text that none before it has 0.85}]" {
		t.Errorf("why is %s", why)
	}
	op.Cover = 0.05 // 0.85 + 0.025 is less than 0.9
	w.ranked(t, op, want, 0, 1, 3, 2)
	in.items[0], in.items[2] = in.items[2], in.items[0] // the node of 0.8 comes first
	op.Cover = 1
	w.ranked(t, op, want, 2, 0, 1, 3)
}

// A choice as a set fills ten places from the best sixty, and no more.
func TestBridgeChoiceBounds(t *testing.T) {
	t.Parallel()
	nodes := make([]told, 70)
	for i := range nodes {
		nodes[i].words = "elm"
	}
	nodes[59].words, nodes[60].words = "ash", "oak"
	w := makeTold(t, nodes)
	in := &input{}
	for i := range nodes {
		in.items = append(in.items, w.item(w.nodes[i], 1-float64(i)/1000))
	}
	op := w.bridge(in, "ash oak")
	op.Cover = 1
	got := run(t, w.env(), op)
	if got.Items[1].ID != w.nodes[59] || got.Items[60].ID != w.nodes[60] {
		t.Errorf("got %v", rows(got))
	}
}

// With Beside its nodes have every second place, unless names of the text lead on.
func TestBridgeBeside(t *testing.T) {
	t.Parallel()
	w := films(t)
	at := func(node int, score float64) query.Item { return w.item(w.nodes[node], score) }
	in, beside := &input{items: []query.Item{at(film, 1)}}, &input{name: "beside", items: []query.Item{at(cedar, 0.3), at(film, 0.2)}}
	ordered := func(text string, gate float64, want ...int) {
		t.Helper()
		op := w.bridge(in, text)
		op.Beside, op.Gate = beside, gate
		var got []int
		for _, it := range run(t, w.env(), op).Items {
			got = append(got, slices.Index(w.nodes, it.ID))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
	ordered(whereBorn, 1.5, film, director, other)
	ordered("where was the director born", 1.5, film, cedar, director, other)
	ordered("where was the director born", 0, film, director, other)
	ordered("was beta gamma of alpha born", 1.5, film, cedar)
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

// brute says what the formula of [query.Bridge] says, of every pair of nodes and every
// name.
type brute struct {
	o     *query.Bridge
	nodes []told
	seen  []bool
	n     float64
	words []string // of them those that some node has, the rarest first
	names []string // the text's
}

func (b *brute) idf(df int) float64 {
	return math.Log(1 + max(0, b.n-float64(df)+0.5)/(float64(df)+0.5))
}

func (b *brute) has(i int, word string) bool {
	return slices.Contains(strings.Fields(b.nodes[i].words), word)
}

func (b *brute) count(of func(i int) bool) (k int) {
	for i := range b.nodes {
		if of(i) {
			k++
		}
	}
	return k
}

func (b *brute) df(word string) int { return b.count(func(i int) bool { return b.has(i, word) }) }

func (b *brute) named(name string) int {
	return b.count(func(i int) bool { return b.nodes[i].names[name] > 0 })
}

func (b *brute) isName(name string) bool {
	k := b.named(name)
	return k > 0 && float64(k) <= max(20, b.n/50) && (strings.Contains(name, " ") || b.df(name) <= 3*k)
}

// isTold reports whether a node is wholly about a name.
func (b *brute) isTold(name string) bool {
	for i := range b.nodes {
		if b.seen[i] && b.nodes[i].names[name] >= 4 {
			return true
		}
	}
	return false
}

// share is the share of the text whose words hold.
func (b *brute) share(holds func(word string) bool) float64 {
	sum, mass := 0.0, 0.0
	for _, word := range b.words {
		mass += b.idf(b.df(word))
		if holds(word) {
			sum += b.idf(b.df(word))
		}
	}
	if mass == 0 {
		return 0
	}
	return sum / mass
}

// from is where ways start: a node, and those whose words are held.
type from struct {
	node  int
	score float64
	held  []int
}

func (b *brute) cross(starts []from, v map[int]float64, came map[int]int) {
	for _, c := range starts {
		holds := func(word string) bool {
			return slices.ContainsFunc(c.held, func(i int) bool { return b.has(i, word) })
		}
		for _, name := range slices.Sorted(maps.Keys(b.nodes[c.node].names)) {
			if c.score <= 0 || !b.isName(name) || b.named(name) < 2 || strings.Contains(" "+b.o.Text+" ", " "+name+" ") {
				continue
			}
			for d := range b.nodes {
				if d == c.node || b.nodes[d].names[name] == 0 || !b.seen[d] {
					continue
				}
				gain := 0.0
				if rest := 1 - b.share(holds); rest > 0 {
					gain = min(1, b.share(func(word string) bool { return b.has(d, word) && !holds(word) })/rest)
				}
				s := c.score * float64(b.nodes[d].names[name]) / 4 * b.idf(b.named(name)) / math.Log(1+b.n) * (b.o.Floor + gain)
				if s > v[d] {
					v[d], came[d] = s, c.node
				}
			}
		}
	}
}

// best orders nodes by score and returns the first n.
func best(score map[int]float64, n int) []int {
	out := slices.SortedFunc(maps.Keys(score), func(i, j int) int { return cmp.Or(cmp.Compare(score[j], score[i]), cmp.Compare(i, j)) })
	return out[:min(n, len(out))]
}

// rank returns the nodes in order, and their scores.
func (b *brute) rank(hits []int, score map[int]float64) ([]int, map[int]float64) {
	said := 0.0
	for _, word := range b.words {
		said += b.idf(b.df(word))
	}
	if said < b.o.Terse*math.Log(1+b.n) && !slices.ContainsFunc(b.names, b.isTold) {
		return hits, score
	}
	held := 0.0
	for _, c := range hits[:min(b.o.Starts, len(hits))] {
		held = max(held, b.share(func(word string) bool { return b.has(c, word) }))
	}
	for _, name := range b.names {
		lifted := -1
		for _, i := range slices.Sorted(slices.Values(hits)) {
			if b.nodes[i].names[name] >= 4 && (lifted < 0 || score[i] > score[lifted]) {
				lifted = i
			}
		}
		if lifted >= 0 && score[lifted] < 1 {
			score[lifted] += b.o.Title * (1 - score[lifted])
		}
	}
	gate := 1.0
	if b.o.Gate > 0 {
		gate = min(1, 1-held+b.o.Gate*b.share(func(word string) bool { return slices.Contains(b.names, word) }))
	}
	v, came := map[int]float64{}, map[int]int{}
	var starts []from
	for _, c := range best(score, b.o.Starts) {
		s := score[c]
		if !slices.ContainsFunc(b.names, func(a string) bool { return b.nodes[c].names[a] > 0 }) {
			s *= b.o.Anchor
		}
		starts = append(starts, from{c, s, []int{c}})
	}
	b.cross(starts, v, came)
	starts = nil
	for _, c := range best(v, b.o.Starts) {
		starts = append(starts, from{c, v[c] * b.o.Hop2, []int{c, came[c]}})
	}
	b.cross(starts, v, came)
	most, back := 0.0, map[int]float64{}
	for d := range v {
		most = max(most, v[d])
		back[came[d]] = max(back[came[d]], b.o.Back*v[d])
	}
	for i := range back {
		v[i] = max(v[i], back[i])
	}
	for i := range v {
		if s := b.o.Lambda * gate * v[i] / most; v[i] > 0 && s > 0 {
			score[i] += s * max(0, 1-score[i])
		}
	}
	order := best(score, len(score))
	order = slices.DeleteFunc(order, func(i int) bool { return i == hits[0] })
	order = slices.Insert(order, 0, hits[0])
	for n := 1; n < min(10, len(order)); n++ {
		first, most := n, math.Inf(-1)
		for i := n; i < min(60, len(order)); i++ {
			s := score[order[i]] + b.o.Cover*b.share(func(word string) bool {
				return b.has(order[i], word) && !slices.ContainsFunc(order[:n], func(j int) bool { return b.has(j, word) })
			})
			if s > most {
				first, most = i, s
			}
		}
		d := order[first]
		order = slices.Insert(slices.Delete(order, first, first+1), n, d)
	}
	return order, score
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
		half := func(n int) float64 { return float64(r.IntN(n)) / 2 }
		op := &query.Bridge{
			In: in, Graph: w.g, Names: namesField, Words: wordsField, Text: strings.Join(asked, " "), Starts: 1 + r.IntN(5),
			Lambda: half(3), Floor: half(3), Anchor: half(3), Title: half(3), Hop2: half(3), Back: half(3), Gate: half(4), Terse: float64(max(0, r.IntN(10)-7)), Cover: half(3),
		}
		e := w.env()
		if allow != nil {
			e = allowing(e, allow)
		}
		b := &brute{o: op, nodes: nodes}
		for i := range nodes {
			b.seen = append(b.seen, allow == nil || allow[w.nodes[i]])
			if nodes[i].words != "" {
				b.n++
			}
		}
		for _, word := range slices.Sorted(slices.Values(asked)) {
			if b.df(word) > 0 {
				b.words = append(b.words, word)
			}
		}
		slices.SortStableFunc(b.words, func(x, y string) int { return cmp.Compare(b.df(x), b.df(y)) })
		for _, a := range asked {
			if b.isName(a) {
				b.names = append(b.names, a)
			}
		}
		var hits []int
		score := map[int]float64{}
		for _, it := range in.items {
			if i := slices.Index(w.nodes, it.ID); b.seen[i] {
				hits, score[i] = append(hits, i), it.Score
			}
		}
		var order []int
		if len(hits) > 0 {
			order, score = b.rank(hits, score)
		}
		var got []int
		for _, it := range run(t, e, op).Items {
			i := slices.Index(w.nodes, it.ID)
			if got = append(got, i); math.Abs(it.Score-score[i]) > 1e-12 {
				t.Errorf("seed %d: %s: node %d scores %v, want %v", seed, op.Explain(), i, it.Score, score[i])
			}
		}
		if !slices.Equal(got, order) {
			t.Fatalf("seed %d: %s of %q\n got %v\nwant %v", seed, op.Explain(), op.Text, got, order)
		}
		found += len(order) - len(hits)
	}
	if found < 120 {
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
