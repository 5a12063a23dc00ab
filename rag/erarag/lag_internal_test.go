package erarag

import (
	"errors"
	"fmt"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/method"
)

// losses returns what the segments of a layer have lost, in parts of one.
func losses(t *testing.T, w *world, layer uint8) (parts []float64) {
	t.Helper()
	s := opened(t, w.c, w.spec)
	view(t, w.c, s, func(v *engine.View) error {
		tree := s.tree(v, "hashes")
		return tree.ids('l', layer, func(number uint64, _ []byte) error {
			l, _, err := tree.loss(layer, number)
			parts = append(parts, float64(l.part)/whole)
			return err
		})
	})
	return parts
}

// again runs the indexer so that a model makes again what rules have made; it dies
// after some commits, unless below 0.
func (w *world) again(commits int) (died bool) {
	w.t.Helper()
	x := rag.Indexer{Corpus: w.c.Corpus, Methods: w.c.Methods, Systems: []*method.System{w.c.System(w.t, w.spec)}}
	x.Options.Recluster = true
	w.store.left = commits
	_, err := x.Run(w.t.Context(), nil)
	if errors.Is(err, errDead) {
		w.open()
		return true
	}
	if err != nil {
		w.t.Fatal(err)
	}
	w.store.left = -1
	return false
}

// TestLag removes one document in twenty, twice, and says that few of the summaries
// above them are asked for again, that rules have made the others of what is left, and
// that Recluster asks a model for these.
func TestLag(t *testing.T) {
	t.Parallel()
	const shape = "min=4,max=6,split=9,bucket=16,tokens=30,chunks=cl100k/150/0/paragraph"
	docs := ragtest.Docs(7, 80)
	asked := map[string]int64{}
	for _, lag := range []string{"0", "0.25", "1"} {
		w := newWorld(t, Name+":"+shape+",lag="+lag, 2)
		w.index(-1, docs...)
		built := w.calls.Swap(0)
		for round := range 2 {
			for i := range 4 {
				d := docs[20*i+7*round]
				w.c.Remove(t, d.Key)
				if left := ragtest.Find(t, w.store, d.Code); len(left) > 0 {
					t.Fatalf("lag=%s: after %s went it is in %q", lag, d.Key, left)
				}
			}
			w.index(-1)
			checkTree(t, w.c, w.spec, "hashes")
		}
		asked[lag] = w.calls.Swap(0)
		byRules := 0
		for layer := range uint8(5) {
			parts := losses(t, w, layer+1)
			byRules += len(parts)
			t.Logf("lag=%s: layer %d has lost %.2f", lag, layer+1, parts)
		}
		w.again(-1)
		t.Logf("lag=%s: %d calls, then %d by rules, and %d calls to make them again; %d to build", lag, asked[lag], byRules, w.calls.Load(), built)
		if n := w.calls.Load(); n != int64(byRules) {
			t.Errorf("lag=%s: %d calls for %d summaries that rules have made", lag, n, byRules)
		}
		checkTree(t, w.c, w.spec, "hashes")
		for layer := range uint8(5) {
			if parts := losses(t, w, layer+1); len(parts) > 0 {
				t.Errorf("lag=%s: a model has read layer %d, which has lost %.2f", lag, layer+1, parts)
			}
		}
		ragtest.Check(t, w.db)
	}
	if asked["0"] < 20 || 4*asked["0.25"] > asked["0"] || asked["1"] > asked["0.25"] {
		t.Errorf("calls by lag: %v", asked)
	}
}

// TestAgainAfterCrash interrupts runs that make again what rules have made, each of them
// followed by one that does not: the tree is right after that, and nothing of it is by
// rules in the end.
func TestAgainAfterCrash(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Name+":min=2,max=3,split=5,bucket=8,stop=3,layers=4,tokens=30,lag=1", 2)
	docs := ragtest.Docs(11, 24)
	w.index(-1, docs...)
	for _, d := range docs[:4] {
		w.c.Remove(t, d.Key)
	}
	w.index(-1)
	first, deaths := len(losses(t, w, 1)), 0
	for commits := 0; w.again(commits); commits++ {
		deaths++
		w.index(-1)
		checkTree(t, w.c, w.spec, "hashes")
	}
	checkTree(t, w.c, w.spec, "hashes")
	if left := len(losses(t, w, 1)); first == 0 || left > 0 || deaths < 3 {
		t.Errorf("%d segments had lost something, %d have, after %d deaths", first, left, deaths)
	}
	ragtest.Check(t, w.db)
}

// TestLoss says how much of each segment a chunk is: a part of the one that it is in, by
// the items that a model has read, and that part of the part above.
func TestLoss(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Name+":min=2,max=2,split=4,bucket=64,stop=3,layers=2,tokens=30,lag=1", 1)
	var docs []ragtest.Doc
	for i := range 16 {
		docs = append(docs, ragtest.Doc{Key: fmt.Sprintf("%02d.md", i), Text: fmt.Sprintf("The keeper of mill number %d sold a boat.", i)})
	}
	w.index(-1, docs...)
	w.c.Remove(t, docs[3].Key)
	w.index(-1)
	if one, two := losses(t, w, 1), losses(t, w, 2); len(one) != 1 || one[0] != 0.5 || len(two) != 1 || two[0] != 0.25 {
		t.Errorf("of segments of two, one has lost %v and the one above %v", one, two)
	}
}
