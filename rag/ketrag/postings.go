package ketrag

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/ragdb/ragdb/engine"
	etext "github.com/ragdb/ragdb/engine/text"
	"github.com/ragdb/ragdb/rag/internal/graph"
)

// postings are the chunks of each word, read from the edges between keywords and chunks
// when they are asked for. No text is read.
type postings struct {
	v        *engine.View
	chunks   []engine.NodeID
	contains engine.EdgeFilter
	most     int // a word of more chunks does not count
	// of the keywords that were met: the folded word, "" if it does not count
	words map[engine.NodeID]string
	// keywords are those of a word, lists the chunks, nil if it does not count.
	keywords map[string][]engine.NodeID
	lists    map[string][]int32
}

// postings returns those of the chunks, nil if they have no keywords.
func (st *nearStage) postings(v *engine.View, chunks []engine.NodeID) (*postings, error) {
	t, ok := v.EdgeType(edgeContains)
	if !ok {
		return nil, nil
	}
	p := &postings{
		v: v, chunks: chunks, contains: engine.EdgeFilter{Types: []engine.EdgeType{t}}, most: frequentOf(st.s.p.DF, len(chunks)),
		words: map[engine.NodeID]string{}, keywords: map[string][]engine.NodeID{}, lists: map[string][]int32{},
	}
	if !st.s.p.Compat {
		return p, nil
	}
	// A word is several keywords if they keep their case.
	for n, err := range graph.ReadAll(v, typeKeyword) {
		if err != nil {
			return nil, err
		}
		p.meet(n.ID, n.Key)
	}
	return p, nil
}

// meet notes a keyword and its word: letters only, and no stop word.
func (p *postings) meet(id engine.NodeID, key string) {
	w := ""
	for folded := range etext.Words(key) { // a keyword is one word
		if !etext.IsStop(folded.Text) && strings.IndexFunc(folded.Text, func(r rune) bool { return !unicode.IsLetter(r) }) < 0 {
			w = folded.Text
		}
	}
	if p.words[id] = w; w != "" {
		p.keywords[w] = append(p.keywords[w], id)
	}
}

// of returns the words of a chunk that count, each once; of more than maxWords those
// that stand in it most often.
func (p *postings) of(chunk engine.NodeID) ([]string, error) {
	set, err := p.v.NeighborSet(chunk, p.contains)
	if err != nil {
		return nil, err
	}
	all := graph.IDs(set)
	unknown := slices.DeleteFunc(slices.Clone(all), func(id engine.NodeID) bool {
		_, ok := p.words[id]
		return ok
	})
	nodes, err := graph.Read(p.v, unknown)
	if err != nil {
		return nil, err
	}
	for _, n := range nodes {
		p.meet(n.ID, n.Key)
	}
	var out []string
	for _, id := range all {
		if w := p.words[id]; w != "" {
			out = append(out, w)
		}
	}
	slices.Sort(out)
	if out = slices.Compact(out); len(out) <= maxWords {
		return out, nil
	}
	often := map[string]int{}
	for ids := set.Iterator(); ids.HasNext(); {
		id := engine.NodeID(ids.Next())
		for c, err := range p.v.Contributions(engine.NodeTarget(id)) {
			if err != nil {
				return nil, err
			}
			if c.Source == chunk {
				often[p.words[id]] += int(c.Count)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b string) int { return cmp.Compare(often[b], often[a]) })
	return out[:maxWords], nil
}

// chunksOf returns the places of the chunks that have a word, ascending; none of a word
// that too many have.
func (p *postings) chunksOf(w string) ([]int32, error) {
	list, ok := p.lists[w]
	if ok {
		return list, nil
	}
	for _, id := range p.keywords[w] {
		set, err := p.v.NeighborSet(id, p.contains)
		if err != nil {
			return nil, err
		}
		for ids := set.Iterator(); ids.HasNext(); {
			if i, ok := slices.BinarySearch(p.chunks, engine.NodeID(ids.Next())); ok {
				list = append(list, int32(i))
			}
		}
	}
	slices.Sort(list)
	if list = slices.Compact(list); len(list) > p.most {
		list = nil
	}
	p.lists[w] = list
	return list, nil
}
