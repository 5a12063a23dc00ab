package linearrag

import (
	"cmp"
	"slices"

	"github.com/ragdb/ragdb/rag/internal/corpus"
	"github.com/ragdb/ragdb/rag/internal/knowledge"
	"github.com/ragdb/ragdb/rag/internal/text"
)

// reading is what a chunk names.
type reading struct {
	Tokens int     `json:"tokens"` // of the chunk
	Names  []named `json:"names"`  // in order of key
	// Joining are the sentences that mention two names or more, in order.
	Joining []joining `json:"joining"`
}

// named is a name in a chunk.
type named struct {
	Key   string `json:"key"`
	Label string `json:"label"` // what the chunk calls it most often, first among equals
	Count int    `json:"count"` // how often the chunk has it, at least 1
}

// joining is a sentence that mentions several names.
type joining struct {
	Number int   `json:"number"` // in the chunk, from 0
	Names  []int `json:"names"`  // places in the reading's Names, ascending
}

// maxNameBytes bounds the keys: anything longer is not taken for a name.
const maxNameBytes = 256

// read returns what a chunk's text names. names are those that were found in it, by their
// start. A name that is read as another one counts as that.
func read(body string, names []text.Name, aliases corpus.Aliases) reading {
	type uses struct {
		count  int
		labels map[string]int
		best   string
	}
	found := map[string]*uses{}  // by the key that a name is read as
	counted := map[string]bool{} // keys in the text
	inSentence := map[int][]string{}
	finder := knowledge.NewFinder([]string{body}, nil)
	last := -1
	for _, n := range names {
		if len(n.Key) > maxNameBytes {
			continue
		}
		key, label := n.Key, text.OneLine(n.Surface)
		if into, alias, ok := aliases.Of(n.Key); ok {
			key, label = into, alias.Into
		}
		u := found[key]
		if u == nil {
			u = &uses{labels: map[string]int{}}
			found[key] = u
		}
		if !counted[n.Key] {
			counted[n.Key] = true
			u.count += max(1, finder.Count(0, n.Key))
		}
		if u.labels[label]++; u.labels[label] > u.labels[u.best] {
			u.best = label
		}
		if !slices.Contains(inSentence[n.Sentence], key) {
			inSentence[n.Sentence] = append(inSentence[n.Sentence], key)
		}
		last = max(last, n.Sentence)
	}
	var out reading
	for key, u := range found {
		out.Names = append(out.Names, named{key, u.best, u.count})
	}
	slices.SortFunc(out.Names, func(a, b named) int { return cmp.Compare(a.Key, b.Key) })
	for number := range last + 1 {
		keys := inSentence[number]
		if len(keys) < 2 {
			continue
		}
		j := joining{Number: number}
		for _, key := range keys {
			at, _ := slices.BinarySearchFunc(out.Names, key, func(n named, key string) int { return cmp.Compare(n.Key, key) })
			j.Names = append(j.Names, at)
		}
		slices.Sort(j.Names)
		out.Joining = append(out.Joining, j)
	}
	return out
}
