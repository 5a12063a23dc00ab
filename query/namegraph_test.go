package query_test

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
)

// chances returns how likely a step over shared names goes from each node to
// each, by its definition.
func chances(nodes []told, ids []engine.NodeID, allow map[engine.NodeID]bool) map[engine.NodeID]map[engine.NodeID]float64 {
	n := 0.0
	for _, x := range nodes {
		if x.words != "" {
			n++
		}
	}
	out := map[engine.NodeID]map[engine.NodeID]float64{}
	for c := range nodes {
		to, sum := map[engine.NodeID]float64{}, 0.0
		for name, freq := range nodes[c].names {
			named, plain, all := 0, 0, 0.0
			for d := range nodes {
				if slices.Contains(strings.Fields(nodes[d].words), name) {
					plain++
				}
				if nodes[d].names[name] > 0 {
					named++
				}
				if d != c && (allow == nil || allow[ids[d]]) {
					all += float64(nodes[d].names[name])
				}
			}
			if float64(named) > max(20, n/50) || !strings.Contains(name, " ") && plain > 3*named || all == 0 {
				continue
			}
			idf := math.Log(1 + max(0, n-float64(named)+0.5)/(float64(named)+0.5))
			if idf == 0 {
				continue // more have the name than have words
			}
			for d := range nodes {
				if k := nodes[d].names[name]; d != c && k > 0 && (allow == nil || allow[ids[d]]) {
					w := float64(freq) * idf * float64(k) / all
					to[ids[d]] += w
					sum += w
				}
			}
		}
		for d := range to {
			to[d] /= sum
		}
		out[ids[c]] = to
	}
	return out
}

// A walk over names is a walk by these chances.
func TestPPROverNames(t *testing.T) {
	t.Parallel()
	some := []string{"ash", "birch elm", "cedar", "elm", "fir fir", "oak"}
	met := 0
	for seed := range seeds(150) {
		r := rand.New(rand.NewPCG(seed, 78))
		nodes := make([]told, 1+r.IntN(25))
		for i := range nodes {
			nodes[i].names = map[string]int{}
			for range r.IntN(5) {
				nodes[i].names[some[r.IntN(len(some))]] = 1 + r.IntN(4)
			}
			nodes[i].words = strings.Join(words[:r.IntN(len(words))], " ")
		}
		w := makeTold(t, nodes)
		in, allow := w.randomInput(r, "in"), w.someNodes(r)
		e := w.env()
		if allow != nil {
			e = allowing(e, allow)
		}
		op := &query.PPR{In: in, Graph: w.g, Names: namesField, Words: wordsField, Alpha: 0.25, Steps: 1 + r.IntN(3)}
		got := run(t, e, op)

		start, sum := map[engine.NodeID]float64{}, 0.0
		for _, it := range in.items {
			if it.Score > 0 && (allow == nil || allow[it.ID]) {
				start[it.ID] = it.Score
				sum += it.Score
			}
		}
		for id := range start {
			start[id] /= sum
		}
		step := chances(nodes, w.nodes, allow)
		want := maps.Clone(start)
		for range op.Steps {
			next, again := map[engine.NodeID]float64{}, 0.25
			for id, x := range want {
				if len(step[id]) == 0 {
					again += 0.75 * x
				}
				for to, p := range step[id] {
					next[to] += 0.75 * x * p
				}
			}
			for id, x := range start {
				next[id] += again * x
			}
			want = next
		}
		have := map[engine.NodeID]float64{}
		for _, it := range got.Items {
			have[it.ID] = it.Score
		}
		if !maps.EqualFunc(have, want, func(a, b float64) bool { return math.Abs(a-b) < 1e-6 }) || !slices.IsSortedFunc(rows(got), byScore) {
			t.Fatalf("seed %d:\n got %v\nwant %v", seed, rows(got), want)
		}
		met += len(want) - len(start)
	}
	if met < 300 {
		t.Errorf("the walks met only %d nodes", met)
	}
}

// A graph without names has walks that stay where they start.
func TestPPROverMissingNames(t *testing.T) {
	t.Parallel()
	w := makeWorld(t, 1, 5)
	in := &input{items: []query.Item{w.item(w.nodes[0], 3), w.item(w.nodes[1], 1)}}
	got := run(t, w.env(), &query.PPR{In: in, Graph: w.g, Names: "none", Words: field})
	if len(got.Items) != 2 || got.Items[0].Score != 0.75 || got.Items[1].Score != 0.25 {
		t.Errorf("got %v", rows(got))
	}
}
