package query

import (
	"context"
	"math"
	"strings"

	"github.com/ragdb/ragdb/engine"
)

// MostAbout is the frequency of a name in a node that is wholly about it.
const MostAbout = 4

// The limits of what is a name.
const (
	commonNodes = 20  // nodes that any name may have
	commonShare = 50  // or one in so many
	plainFactor = 3   // nodes that have it as a word, for each that names it
	maxKeyBytes = 512 // names that are looked up
)

// nameIndex reads a field of names: its terms are names, and the frequency of
// one in a node says how far the node is about it, up to [MostAbout].
//
// No name joins nodes that more of them have than 20 or a fiftieth of all,
// whichever is more, nor does a name of one word that more than three times as
// many nodes have as a word: it is an ordinary one that stood where words are
// capitalised. These numbers count all nodes, those that the query may not see
// too.
type nameIndex struct {
	l            *lens
	names, words string
	analyze      func(string) []string
	nodes        float64 // with words

	freqs map[string]float64 // nodes that have a name, of those looked up
	idfs  map[string]float64 // of names that were looked up
}

// nameIndex opens the fields of names and words of a graph; nil if it lacks one,
// which the trace notes.
func (e *Env) nameIndex(ctx context.Context, g *engine.Graph, names, words string) (*nameIndex, error) {
	if e.Analyze == nil {
		return nil, invalid("names need Analyze of the Env")
	}
	l, err := e.lens(ctx, g)
	if err != nil {
		return nil, err
	}
	stats, err := l.FieldStats(words)
	if err == nil {
		_, err = l.FieldInfo(names)
	}
	if isMissing(err) {
		e.note("the graph has no names")
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &nameIndex{
		l: l, names: names, words: words, analyze: e.Analyze, nodes: float64(stats.Nodes),
		freqs: map[string]float64{}, idfs: map[string]float64{},
	}, nil
}

// ahead gathers what n reads of the index are going to read ([Env.Ahead]). A read that
// misses something goes on, so that all that it is known to want is gathered at once.
func (x *nameIndex) ahead(n int, read func(x *nameIndex, i int) error) error {
	return x.l.e.Ahead(x.l.ctx, n, func(e *Env, i int) error {
		l, err := e.lens(x.l.ctx, x.l.graph())
		if err != nil {
			return err
		}
		own := *x
		own.l, own.freqs, own.idfs = l, map[string]float64{}, map[string]float64{}
		return read(&own, i)
	})
}

// idf is BM25's, of what some nodes have.
func (x *nameIndex) idf(df float64) float64 {
	return math.Log(1 + max(0, x.nodes-df+0.5)/(df+0.5))
}

// mostNodes is how many nodes a name may have and still join them.
func (x *nameIndex) mostNodes() float64 { return max(commonNodes, x.nodes/commonShare) }

// frequency returns the number of nodes that have a name.
func (x *nameIndex) frequency(key string) (float64, error) {
	df, ok := x.freqs[key]
	if ok || len(key) > maxKeyBytes {
		return df, nil
	}
	n, err := x.l.TermStats(x.names, key)
	x.freqs[key] = float64(n.Nodes)
	return float64(n.Nodes), err
}

// shared is name for a name of a node, 0 if no other node has it.
func (x *nameIndex) shared(key string) (float64, error) {
	if df, err := x.frequency(key); err != nil || df < 2 {
		return 0, err
	}
	return x.name(key)
}

// name returns the idf of a name, 0 if the key joins no nodes.
func (x *nameIndex) name(key string) (float64, error) {
	if idf, ok := x.idfs[key]; ok {
		return idf, nil
	}
	idf, err := x.lookUp(key)
	x.idfs[key] = idf
	return idf, err
}

func (x *nameIndex) lookUp(key string) (float64, error) {
	df, err := x.frequency(key)
	if err != nil || df == 0 || df > x.mostNodes() {
		return 0, err
	}
	if !strings.Contains(key, " ") {
		for _, term := range x.analyze(key) {
			word, err := x.l.TermStats(x.words, term)
			if err != nil || float64(word.Nodes) > plainFactor*df {
				return 0, err
			}
		}
	}
	return x.idf(df), nil
}

// postings returns the nodes that have a name and may be seen.
func (x *nameIndex) postings(name string) (out []engine.Posting, err error) {
	if err := x.l.ctx.Err(); err != nil {
		return nil, err
	}
	for p, err := range x.l.postings(x.names, name) {
		if err != nil {
			return nil, err
		}
		p.Freq = min(p.Freq, MostAbout)
		out = append(out, p)
	}
	return out, nil
}
