package engine

import (
	"bytes"
	"cmp"
	"math"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/internal/layout"
)

// ScoredEdge is an edge that a search of words found.
type ScoredEdge struct {
	Edge  Edge // without its weight, which is 1
	Score float64
}

// edgeKeys returns the keys, up to where the edge follows, of what an edge with these
// properties has in the index of a rule. whole reports that no property is missing.
//
// A fulltext index of edges has a key for each word: the word, then in a byte how
// often the edge has it, 255 for more.
func (x *ruleState) edgeKeys(g uint32, props []prop) (keys [][]byte, whole bool, err error) {
	if x.Indexed() {
		key, whole, err := x.indexKey(g, props, noText)
		if key != nil {
			keys = [][]byte{key}
		}
		return keys, whole, err
	}
	if x.Kind != FulltextIndex {
		return nil, false, nil
	}
	analyzer := analyzerOf(x.Analyzer)
	if analyzer == nil {
		return nil, false, phase.Mark(ErrInvalid, "rule %s: no analyzer %q", x.Name, x.Analyzer)
	}
	freqs := map[string]int{}
	for _, value := range x.texts(props) {
		for _, s := range value.AsStrings() {
			for _, t := range analyzer.Terms(s) {
				if len(t.Text) <= maxTermBytes {
					freqs[t.Text]++
				}
			}
		}
	}
	for word, n := range freqs {
		keys = append(keys, layout.AppendComponent(x.wordPrefix(g, word), []byte{byte(min(n, 255))}, true))
	}
	slices.SortFunc(keys, bytes.Compare)
	return keys, false, nil
}

// wordPrefix returns the prefix of the keys of a word in a fulltext index of edges.
func (x *ruleState) wordPrefix(g uint32, word string) []byte {
	return layout.AppendComponent(x.prefix(g), []byte(word), false)
}

// wordCount returns how often an edge has the word that the key of its entry, up to
// where the edge follows, is of.
func wordCount(prefix, key []byte) int {
	if len(key) <= len(prefix) {
		return 0
	}
	return int(key[len(prefix)])
}

// IndexedEdgeTerms returns the k edges of a FulltextIndex of edges, all of them if k
// is 0, that have any of some words as its analyzer makes them, the best first. The score is
// that of BM25 with k1 1.2 and without regard to lengths (b 0), over all edges of the
// types of the rule. allow, if it is not nil, has the nodes that both ends must be of.
// It reads the entries of the words, and counts the edges of the types from the lists of
// nodes. [ErrNotFound] if there is no such rule, [ErrInvalid] if it is of another kind.
func (v *View) IndexedEdgeTerms(rule string, words []string, k int, allow *roaring.Bitmap) ([]ScoredEdge, error) {
	out, err := v.indexedEdgeTerms(rule, words, allow)
	if err != nil {
		return nil, v.wrap("words of edges", err)
	}
	if k > 0 && len(out) > k {
		out = out[:k:k]
	}
	return out, nil
}

func (r *reader) indexedEdgeTerms(rule string, words []string, allow *roaring.Bitmap) ([]ScoredEdge, error) {
	x, err := r.rule(rule)
	if err != nil {
		return nil, err
	}
	if x.Kind != FulltextIndex || !x.Edges {
		return nil, phase.Mark(ErrInvalid, "rule %s has no words of edges", rule)
	}
	all, err := r.edgesUnder(x)
	if err != nil {
		return nil, err
	}
	scores := map[Edge]float64{}
	for i, word := range words {
		if slices.Contains(words[:i], word) {
			continue
		}
		if err := r.scoreWord(x, word, all, allow, scores); err != nil {
			return nil, err
		}
	}
	out := make([]ScoredEdge, 0, len(scores))
	for e, score := range scores {
		e.Weight = 1
		out = append(out, ScoredEdge{e, score})
	}
	slices.SortFunc(out, func(a, b ScoredEdge) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), compareEdges(a.Edge, b.Edge))
	})
	return out, nil
}

// scoreWord adds the scores of a word to those of the edges that have it.
func (r *reader) scoreWord(x *ruleState, word string, all int, allow *roaring.Bitmap, scores map[Edge]float64) error {
	type hit struct {
		edge Edge
		n    int
	}
	var hits []hit
	df := 0
	prefix := x.wordPrefix(r.g, word)
	for p, err := range scan(r.ctx, r.kv, prefix) {
		if err != nil {
			return err
		}
		df++
		key, e := layout.CutEdgeEntry(p.key)
		edge := edgeAt(e)
		if allow == nil || allow.Contains(uint32(edge.From)) && allow.Contains(uint32(edge.To)) {
			hits = append(hits, hit{edge, wordCount(prefix, key)})
		}
	}
	idf := math.Log(1 + (float64(max(all, df)-df)+0.5)/(float64(df)+0.5))
	for _, h := range hits {
		n := float64(h.n)
		scores[h.edge] += idf * n * 2.2 / (n + 1.2)
	}
	return nil
}

// edgesUnder returns how many edges have a type of a rule, parallel ones once.
func (r *reader) edgesUnder(x *ruleState) (n int, err error) {
	f := EdgeFilter{}
	for _, t := range x.types {
		f.Types = append(f.Types, EdgeType(t))
	}
	for l, err := range r.lists(Out, 0, 0, f) {
		if err != nil {
			return 0, err
		}
		n += len(l.Others)
	}
	return n, nil
}
