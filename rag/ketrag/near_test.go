package ketrag_test

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/ragdb/ragdb/engine"
	etext "github.com/ragdb/ragdb/engine/text"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/internal/text"
	"github.com/ragdb/ragdb/rag/method"
)

// sorted orders documents as a folder is read.
func sorted(docs []ragtest.Doc) []ragtest.Doc {
	return slices.SortedFunc(slices.Values(docs), func(a, b ragtest.Doc) int { return cmp.Compare(a.Key, b.Key) })
}

// chunks returns the chunks of the default set in their order.
func chunks(t testing.TB, c *ragtest.Corpus) []method.Chunk {
	t.Helper()
	var out []method.Chunk
	err := c.DB().View(context.Background(), func(s *engine.Snapshot) error {
		for ch, err := range c.Chunks(s.Graph(c.Base()), text.ChunkSet{}) {
			if err != nil {
				return err
			}
			out = append(out, ch)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// bruteNear returns the near edges of chunks by comparing all with all: k/2 by
// the number of content words that both have, the rest by the cosine among
// those that words did not find. Ties go to the chunk that was added first.
func bruteNear(t testing.TB, list []method.Chunk, k int, exclude bool) (lexical, vector map[string]float32) {
	t.Helper()
	words := make([]map[string]bool, len(list))
	vecs := make([][]float32, len(list))
	for i, ch := range list {
		words[i] = map[string]bool{}
		for w := range etext.Words(ch.Text) {
			if !etext.IsStop(w.Text) && strings.IndexFunc(w.Text, func(r rune) bool { return !unicode.IsLetter(r) }) < 0 {
				words[i][w.Text] = true
			}
		}
		v, _, err := ragtest.Hashes{}.Embed(t.Context(), []string{ch.Text})
		if err != nil {
			t.Fatal(err)
		}
		vecs[i] = v[0]
	}
	type near struct {
		to  int
		sim float64
	}
	best := func(i, k int, sim func(j int) (float64, bool)) []near {
		var all []near
		for j := range list {
			if s, ok := sim(j); ok && j != i {
				all = append(all, near{j, s})
			}
		}
		slices.SortStableFunc(all, func(a, b near) int { return cmp.Compare(b.sim, a.sim) })
		return all[:min(k, len(all))]
	}
	lexical, vector = map[string]float32{}, map[string]float32{}
	for i := range list {
		found := map[int]bool{}
		for _, e := range best(i, k/2, func(j int) (float64, bool) {
			n := 0
			for w := range words[i] {
				if words[j][w] {
					n++
				}
			}
			return float64(n), n > 0
		}) {
			lexical[list[i].Key+" "+list[e.to].Key] = float32(e.sim)
			found[e.to] = exclude
		}
		for _, e := range best(i, k-k/2, func(j int) (float64, bool) {
			dot := 0.0
			for x := range vecs[i] {
				dot += float64(vecs[i][x]) * float64(vecs[j][x])
			}
			return dot, !found[j]
		}) {
			vector[list[i].Key+" "+list[e.to].Key] = float32(e.sim)
		}
	}
	return lexical, vector
}

// sameEdges compares edges; weights of vectors may differ by what rounding
// does.
func sameEdges(t testing.TB, what string, got, want map[string]float32) {
	t.Helper()
	for _, e := range slices.Sorted(maps.Keys(want)) {
		if w, ok := got[e]; !ok || max(w-want[e], want[e]-w) > 1e-5 {
			t.Errorf("%s: %s has weight %v (%v), want %v", what, e, w, ok, want[e])
		}
	}
	for _, e := range slices.Sorted(maps.Keys(got)) {
		if _, ok := want[e]; !ok {
			t.Errorf("%s: needless %s", what, e)
		}
	}
}

// TestNear holds the near edges against a comparison of all with all, after
// documents came, were replaced and left: in any order, so that the edges are
// those that a corpus of the same chunks would get at once.
func TestNear(t *testing.T) {
	t.Parallel()
	rounds := 1
	if *long {
		rounds = 8
	}
	for seed := range uint64(rounds) {
		for _, spec := range []string{"ketrag", "ketrag:k=5", "ketrag:compat=true,k=4", "ketrag:k=1"} {
			t.Run(fmt.Sprintf("%s seed %d", spec, seed), func(t *testing.T) {
				t.Parallel()
				c := open(t)
				k := map[string]int{"ketrag": 2, "ketrag:k=5": 5, "ketrag:compat=true,k=4": 4, "ketrag:k=1": 1}[spec]
				r := rand.New(rand.NewPCG(seed, 2))
				docs := ragtest.Docs(seed, 18)
				r.Shuffle(len(docs), func(i, j int) { docs[i], docs[j] = docs[j], docs[i] })
				check := func(step string) {
					t.Helper()
					lexical, vector := bruteNear(t, chunks(t, c), k, !strings.Contains(spec, "compat"))
					if k > 1 {
						sameEdges(t, step+": lexical", edges(t, c, spec, "near:lexical"), lexical)
					}
					sameEdges(t, step+": vector", edges(t, c, spec, "near:vector"), vector)
				}
				c.Index(t, spec, docs[:8]...)
				check("first")
				c.Index(t, spec, docs[:9]...)
				check("one more")
				c.Index(t, spec, docs...)
				check("all")
				for _, d := range docs[4:9] {
					c.Remove(t, d.Key)
				}
				c.Index(t, spec)
				check("some removed")
				c.Index(t, spec, docs...)
				check("and back")
				if t.Failed() {
					return
				}
				for _, d := range docs[2:] {
					c.Remove(t, d.Key)
				}
				c.Index(t, spec)
				check("few left")
			})
		}
	}
}
