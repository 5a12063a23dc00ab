package vecindex

import (
	"cmp"
	"slices"

	"github.com/ragdb/ragdb/internal/topk"
)

// Hit is a vector found.
type Hit struct {
	ID    uint64
	Layer uint8
	Score float32 // higher is nearer; see Metric
}

// compareHits orders hits by score descending, then id ascending.
func compareHits(a, b Hit) int {
	if c := cmp.Compare(b.Score, a.Score); c != 0 {
		return c
	}
	return cmp.Compare(a.ID, b.ID)
}

// topK keeps the best k of the hits it is offered in a heap whose root is the
// worst kept. The result does not depend on the order of the offers. k must be
// positive.
type topK struct {
	k    int
	heap []Hit
}

func (t *topK) reset(k int) { t.k, t.heap = k, t.heap[:0] }

// accepts reports whether h is among the best k so far.
func (t *topK) accepts(h Hit) bool {
	return len(t.heap) < t.k || compareHits(h, t.heap[0]) < 0
}

// worst returns the score of the worst that is kept, full being true if an
// offer has to be at least as good.
func (t *topK) worst() (score float32, full bool) {
	if len(t.heap) < t.k {
		return 0, false
	}
	return t.heap[0].Score, true
}

// take keeps an accepted hit.
func (t *topK) take(h Hit) { t.heap = topk.Take(t.heap, t.k, h, compareHits) }

// appendSorted appends what was kept to dst, best first.
func (t *topK) appendSorted(dst []Hit) []Hit {
	slices.SortFunc(t.heap, compareHits)
	return append(dst, t.heap...)
}
