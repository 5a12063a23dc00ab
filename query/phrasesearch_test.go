package query_test

import (
	"cmp"
	"errors"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/vecindex"
)

// TestShortestNames compares what Whole and Most keep with a scan of the names.
func TestShortestNames(t *testing.T) {
	t.Parallel()
	for seed := range seeds(80) {
		r := rand.New(rand.NewPCG(seed, 44))
		w := makeWorld(t, seed, r.IntN(30))
		phrase := []string{"new", "york", "of", "times", "new york"}[r.IntN(5)]
		o := &query.PhraseSearch{Graph: w.g, Field: "name", Phrases: []string{phrase}, Whole: r.IntN(2) == 0, Most: r.IntN(4)}
		// Every name in lower case, between blanks.
		var all []engine.NodeID
		for _, id := range w.nodes {
			if strings.Contains(" "+strings.ToLower(strings.Join(w.names[id], " "))+" ", " "+phrase+" ") {
				all = append(all, id)
			}
		}
		words := func(id engine.NodeID) int { return len(w.names[id]) }
		slices.SortFunc(all, func(a, b engine.NodeID) int { return cmp.Or(cmp.Compare(words(a), words(b)), cmp.Compare(a, b)) })
		if n := len(strings.Fields(phrase)); o.Whole && len(all) > 0 && words(all[0]) == n {
			all = slices.DeleteFunc(all, func(id engine.NodeID) bool { return words(id) > n })
		}
		if o.Most > 0 {
			all = all[:min(o.Most, len(all))]
		}
		slices.Sort(all)
		var got []engine.NodeID
		set, err := query.Run(t.Context(), w.env(), o)
		if err != nil {
			t.Fatal(err)
		}
		for _, it := range set.Items {
			got = append(got, it.ID)
		}
		if !slices.Equal(got, all) {
			t.Errorf("seed %d: %q whole=%t most=%d finds %v, want %v", seed, phrase, o.Whole, o.Most, got, all)
		}
	}
}

// TestPhraseSearch compares with the regular expressions of NodeRAG's code.
func TestPhraseSearch(t *testing.T) {
	t.Parallel()
	for seed := range seeds(80) {
		r := rand.New(rand.NewPCG(seed, 42))
		w := makeWorld(t, seed, r.IntN(30))
		o := &query.PhraseSearch{Graph: w.g, Field: "name"}
		for range r.IntN(4) {
			words := []string{}
			for range r.IntN(4) {
				words = append(words, []string{"NEW", "york", "of", "times", "time"}[r.IntN(5)])
			}
			o.Phrases = append(o.Phrases, strings.Join(words, "  "))
		}
		if r.IntN(2) == 0 {
			o.Types = []string{"thing"}
		}
		allow := w.someNodes(r)
		e := w.env()
		if allow != nil {
			allowing(e, allow)
		}
		want, steps := []row{}, []int{}
		for _, id := range w.nodes {
			n := 0
			for _, p := range o.Phrases {
				if strings.TrimSpace(p) == "" {
					continue
				}
				var quoted []string
				for _, f := range strings.Fields(strings.ToLower(p)) {
					quoted = append(quoted, regexp.QuoteMeta(f))
				}
				re := regexp.MustCompile(`\b` + strings.Join(quoted, `\s+`) + `\b`)
				if re.MatchString(strings.ToLower(strings.Join(w.names[id], " "))) {
					n++
				}
			}
			if n > 0 && (allow == nil || allow[id]) && (o.Types == nil || w.kind[id] == "thing") {
				want, steps = append(want, row{graph: w.g.ID(), id: id, score: 1}), append(steps, n)
			}
		}
		got := run(t, e, o)
		same(t, seed, got, want)
		for i, it := range got.Items {
			if len(it.Why) != steps[i] {
				t.Fatalf("seed %d: node %d was found by %+v, want %d", seed, it.ID, it.Why, steps[i])
			}
		}
	}
}

func TestNamesRefuse(t *testing.T) {
	t.Parallel()
	w := makeWorld(t, 1, 5)
	for _, op := range []query.Op{
		&query.PhraseSearch{Graph: w.g, Field: field, Phrases: []string{"ash"}},
	} {
		if _, err := query.Run(t.Context(), w.env(), op); !errors.Is(err, engine.ErrInvalid) || !strings.Contains(err.Error(), "standard.v1") {
			t.Errorf("%s: %v", op.Explain().Op, err)
		}
	}
	same(t, 1, run(t, w.env(), &query.Sections{In: []query.Op{
		&query.PhraseSearch{Graph: w.g, Field: "other", Phrases: []string{"ash"}},
		&query.VectorSearch{Graph: w.g, Space: "other", Text: "1 1 1", Layers: []vecindex.LayerK{{K: 1}}},
		&query.VectorSearch{Graph: w.g, Space: flatLayers, Text: "1 1 1"},
	}}), []row{})
}
