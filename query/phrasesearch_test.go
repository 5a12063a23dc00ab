package query_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
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
