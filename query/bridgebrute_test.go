package query_test

import (
	"cmp"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/query"
)

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
	return k > 0 && b.idf(k) > 0 && float64(k) <= max(20, b.n/50) && (strings.Contains(name, " ") || b.df(name) <= 3*k)
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

func (b *brute) cross(starts []from, score, v map[int]float64, came map[int]int) {
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
				s := c.score * float64(b.nodes[d].names[name]) / 4 / math.Sqrt(float64(b.named(name))) * (1 + b.o.Own*score[d]) * (b.o.Floor + gain)
				if s > v[d] {
					v[d], came[d] = s, c.node
				}
			}
		}
	}
}

// divide makes the greatest of some scores to.
func divide(v map[int]float64, to float64) {
	most := 0.0
	for _, s := range v {
		most = max(most, s)
	}
	for d := range v {
		v[d] = to * (v[d] / most)
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
	b.cross(starts, score, v, came)
	divide(v, 1)
	starts = nil
	if b.o.Hop2 > 0 {
		for _, c := range best(v, b.o.Starts) {
			starts = append(starts, from{c, v[c], []int{c, came[c]}})
		}
	}
	v2, came2 := map[int]float64{}, map[int]int{}
	b.cross(starts, score, v2, came2)
	divide(v2, b.o.Hop2)
	for d := range v2 {
		if v2[d] > v[d] {
			v[d], came[d] = v2[d], came2[d]
		}
	}
	back := map[int]float64{}
	for d := range v {
		back[came[d]] = max(back[came[d]], b.o.Back*v[d])
	}
	for i := range back {
		v[i] = max(v[i], back[i])
	}
	for i := range v {
		if s := b.o.Lambda * gate * v[i]; v[i] > 0 && s > 0 {
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
			Lambda: half(3), Floor: half(3), Own: half(3), Anchor: half(3), Title: half(3), Hop2: half(3), Back: half(3), Gate: half(4), Terse: float64(max(0, r.IntN(10)-7)), Cover: half(3),
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
