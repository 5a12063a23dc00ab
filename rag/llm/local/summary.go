package local

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sort"
	"strings"

	lex "github.com/ragdb/ragdb/engine/text"
	"github.com/ragdb/ragdb/graphops"
)

// maxRanked bounds the sentences that are ranked against each other, and so
// the time of a summary: about half a million pairs.
const maxRanked = 1000

// textRank returns the weight of each sentence by TextRank (Mihalcea and
// Tarau, "TextRank: Bringing Order into Texts", 2004, section 4): PageRank
// over an undirected graph whose edges are weighted by the number of stems
// that two sentences share, divided by the sum of the logarithms of their
// lengths. Lengths count one more than in the paper, so that sentences of one
// stem have an edge, too. O(pairs with a stem in common).
func textRank(ctx context.Context, sentences []string) ([]float64, error) {
	number := map[string]int{} // of a term
	var postings [][]int       // of a term, sentences from the present one on
	bags := make([][]int, len(sentences))
	for i, s := range sentences {
		for _, w := range bag(s) {
			n, ok := number[w.term]
			if !ok {
				n = len(postings)
				number[w.term] = n
				postings = append(postings, nil)
			}
			bags[i] = append(bags[i], n)
			postings[n] = append(postings[n], i)
		}
	}
	for term, n := range number {
		if lex.IsStop(term) { // of a sentence of stop words only
			postings[n] = nil
		}
	}
	var edges []graphops.WeightedEdge
	shared := make([]int, len(sentences))
	for i, terms := range bags {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		clear(shared[i:])
		for _, n := range terms {
			if len(postings[n]) == 0 {
				continue
			}
			postings[n] = postings[n][1:]
			for _, j := range postings[n] {
				shared[j]++
			}
		}
		for j := i + 1; j < len(shared); j++ {
			if shared[j] > 0 {
				length := math.Log(1+float64(len(terms))) + math.Log(1+float64(len(bags[j])))
				edges = append(edges, graphops.WeightedEdge{
					From: uint32(i), To: uint32(j), Weight: float32(float64(shared[j]) / length)})
			}
		}
	}
	p, err := graphops.FromEdges(len(sentences), edges, graphops.EdgeOptions{Weighted: true})
	if err != nil {
		return nil, err
	}
	r, err := graphops.PageRank(ctx, p, graphops.PageRankOptions{Workers: 1})
	if err != nil {
		return nil, err
	}
	return r.Scores, nil
}

// summary returns the sentences of texts that say most about the whole, in
// the order of the texts, within limit tokens: the highest ranked that still
// fit. Equal sentences count once. If not a single sentence fits, it is the
// beginning of the highest ranked, cut between words.
func (p *Provider) summary(ctx context.Context, texts []string, limit int) (string, error) {
	sentences := spread(texts, maxRanked)
	if joined := strings.Join(sentences, " "); p.tokens(joined) <= limit {
		return joined, nil
	}
	scores, err := textRank(ctx, sentences)
	if err != nil {
		return "", err
	}
	order := make([]int, len(sentences))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	var chosen []int // best first
	left := limit
	for _, i := range order {
		if left <= 0 {
			break
		}
		if n := p.tokens(sentences[i]); n <= left {
			chosen = append(chosen, i)
			left -= n + 1 // the blank before the next
		}
	}
	if len(chosen) == 0 && len(order) > 0 {
		return p.cut(sentences[order[0]], limit), nil
	}
	for {
		reply := inOrderOf(sentences, chosen)
		if p.tokens(reply) <= limit {
			return reply, nil
		}
		chosen = chosen[:len(chosen)-1] // joined they can have more tokens
	}
}

// inOrderOf returns the chosen sentences in their order.
func inOrderOf(sentences []string, chosen []int) string {
	var parts []string
	for _, i := range slices.Sorted(slices.Values(chosen)) {
		parts = append(parts, sentences[i])
	}
	return strings.Join(parts, " ")
}

// spread returns the distinct sentences of texts in order, at most limit of
// them: if there are more, every text gives its first ones, in turn.
func spread(texts []string, limit int) []string {
	type place struct {
		text, at int
		s        string
	}
	var all []place
	for i, t := range texts {
		for k, s := range sentencesOf(t) {
			all = append(all, place{i, k, s})
		}
	}
	if len(all) > limit {
		slices.SortStableFunc(all, func(a, b place) int { return a.at - b.at })
		all = all[:limit]
		slices.SortStableFunc(all, func(a, b place) int { return a.text - b.text })
	}
	out := make([]string, len(all))
	for i, p := range all {
		out[i] = p.s
	}
	return distinct(out)
}

// cut returns the words from the beginning of s that fit limit tokens, and the
// characters that do where no word does.
func (p *Provider) cut(s string, limit int) string {
	if p.tokens(s) <= limit {
		return s
	}
	ends := []int{0}
	for w := range lex.Words(s) {
		ends = append(ends, w.End)
	}
	fits := func(k int) bool { return p.tokens(s[:ends[k]]) <= limit }
	k := sort.Search(len(ends), func(k int) bool { return !fits(k) }) - 1
	for k > 0 && !fits(k) {
		k--
	}
	if k > 0 {
		return s[:ends[k]]
	}
	ends = ends[:0]
	for i := range s {
		if ends = append(ends, i); i >= bytesPerToken*limit {
			break
		}
	}
	k = sort.Search(len(ends), func(k int) bool { return !fits(k) }) - 1
	for k > 0 && !fits(k) {
		k--
	}
	return s[:ends[max(k, 0)]]
}

// bytesPerToken bounds the bytes that are read of a text for each of its tokens
// if it has no words: the longest tokens are runs of one mark.
const bytesPerToken = 128

// defaultSummary is the length in tokens of a text if the task does not say: that of
// a long paragraph.
const defaultSummary = 200

// limit returns the smaller of two limits, 0 being none, or the default.
func limit(a, b, whenNone int) int {
	switch {
	case a > 0 && b > 0:
		return min(a, b)
	case a > 0 || b > 0:
		return max(a, b)
	}
	return whenNone
}
