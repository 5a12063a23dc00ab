package query

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/engine"
)

// Bridge takes the nodes that share a name with a node of a set, if Text does not
// contain the name. They are ordered by score descending, id ascending. Suppose a
// text answers a question about something that only another text names: Bridge
// leads from that text to the answer. No paper describes it.
//
// Names are the terms of a field, each node's with a frequency that says how
// far the node is about the name; [MostAbout] is the greatest that counts. For
// a node c of the set, a name e of c and another node d that has e, d scores
//
//	v = s(c) * about(d,e) * idf(e)/ln(1+N) * (Floor + gain(c,d))
//
// and of several v its greatest. s is c's score, times Anchor if c has none of
// Text's names; about is the frequency of e in d over MostAbout; N counts
// the nodes with words, df of them have e, idf is BM25's, as [engine.View]'s
// Terms has it; gain is the share of Text's words, by idf, that c lacks and d
// has. Then all scores are divided by the greatest, and multiplied by
//
//	min(1, Gate * share)
//
// where share is that of Text's words which stand in names, by idf. A text
// without names finds nothing then.
//
// A name is left out if more nodes have it than 20 and than a fiftieth of N. A
// name of one word is also left out if three times as many nodes have the word:
// it is an ordinary word that was capitalised. Frequencies of names and words
// count all nodes, also those that the query may not see.
//
// It reads the postings of Text's words, and those of the set's names.
type Bridge struct {
	// In are the nodes to start from; a score of 0 or less starts nothing.
	In    Op
	Graph *engine.Graph
	// Names is the field of names, whose terms are keys as [Env].Names reads
	// them, and Words that of the nodes' words. If the graph lacks one, nothing is
	// found, and the trace notes it.
	Names, Words string
	Text         string
	Floor        float64
	Anchor       float64
	// Gate is how fast names in Text open the bridge; 0 leaves it open.
	Gate   float64
	Source string
}

// maxGainable bounds the words of the text that count: those of greatest idf.
const maxGainable = 64

// Run implements [Op].
func (o *Bridge) Run(ctx context.Context, e *Env) (Set, error) {
	in, err := e.Eval(ctx, o.In)
	if err != nil {
		return Set{}, err
	}
	from := nodesOf(o.Graph, in.Items)
	if len(from) == 0 {
		return Set{}, nil
	}
	x, err := e.nameIndex(ctx, o.Graph, o.Names, o.Words)
	if err != nil || x == nil {
		return Set{}, err
	}
	b := &bridging{o: o, nameIndex: x}
	asked, err := b.ask(e)
	if err != nil {
		return Set{}, err
	}
	open := 1.0
	if o.Gate > 0 {
		open = min(1, o.Gate*b.share(asked))
	}
	e.note("the text names %s; gate %.3g", strings.Join(quoted(asked), ", "), open)
	if open == 0 {
		return Set{}, nil
	}
	if err := b.cross(from, asked); err != nil {
		return Set{}, err
	}
	return b.set(from, open)
}

func quoted(names []string) []string {
	if len(names) == 0 {
		return []string{"nothing"}
	}
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = fmt.Sprintf("%q", n)
	}
	return out
}

// Explain implements [Op].
func (o *Bridge) Explain() Explanation {
	return Explanation{Op: "Bridge", Args: []string{
		arg("graph", o.Graph.Name()), arg("names", o.Names), arg("floor", o.Floor), arg("anchor", o.Anchor), arg("gate", o.Gate),
	}, Source: o.Source}
}

// Inputs implements [Op].
func (o *Bridge) Inputs() []Op { return []Op{o.In} }

// bridging is the state of one run of Bridge.
type bridging struct {
	*nameIndex
	o     *Bridge
	terms []textWord // the text's words, the rarest first
	mass  float64    // sum of their idf
	spans []span
	held  map[engine.NodeID]uint64 // which words a node has, a bit each
}

// textWord is a word of the text that some node has.
type textWord struct {
	term string
	idf  float64
}

// span is a way from a node of the set to another one.
type span struct {
	from  int // in the set
	to    engine.NodeID
	name  string
	score float64 // without gain
}

// ask reads the text: its words, and the names that it holds.
func (b *bridging) ask(e *Env) (names []string, err error) {
	for _, t := range slices.Compact(slices.Sorted(slices.Values(b.analyze(b.o.Text)))) {
		n, err := b.l.TermStats(b.o.Words, t)
		if err != nil {
			return nil, err
		}
		if n.Nodes > 0 {
			b.terms = append(b.terms, textWord{t, b.idf(float64(n.Nodes))})
		}
	}
	slices.SortStableFunc(b.terms, func(x, y textWord) int { return cmp.Compare(y.idf, x.idf) })
	b.terms = b.terms[:min(len(b.terms), maxGainable)]
	for _, w := range b.terms {
		b.mass += w.idf
	}
	if e.Names == nil {
		return nil, nil
	}
	names = e.Names(b.o.Text, func(key string) bool {
		var idf float64
		if key != "" && err == nil {
			idf, err = b.name(key)
		}
		return idf > 0
	})
	return names, err
}

// share returns how much of the text's words stands in names, by idf.
func (b *bridging) share(names []string) float64 {
	if b.mass == 0 {
		return 0
	}
	of := map[string]bool{}
	for _, name := range names {
		for _, t := range b.analyze(name) {
			of[t] = true
		}
	}
	in := 0.0
	for _, w := range b.terms {
		if of[w.term] {
			in += w.idf
		}
	}
	return in / b.mass
}

// cross finds the ways from the nodes of the set to others.
func (b *bridging) cross(from []Item, asked []string) error {
	text := spelled(b.o.Text)
	postings := map[string][]engine.Posting{}
	for i := range from {
		if from[i].Score <= 0 {
			continue
		}
		terms, err := b.l.termsOf(b.o.Names, from[i].ID)
		if err != nil {
			return err
		}
		score := from[i].Score
		if !slices.ContainsFunc(terms, func(t engine.TermFreq) bool { return slices.Contains(asked, t.Term) }) {
			score *= b.o.Anchor
		}
		for _, t := range terms {
			idf, err := b.shared(t.Term)
			if err != nil {
				return err
			}
			if idf == 0 || strings.Contains(text, " "+t.Term+" ") {
				continue
			}
			have, ok := postings[t.Term]
			if !ok {
				if have, err = b.postings(t.Term); err != nil {
					return err
				}
				postings[t.Term] = have
			}
			for _, p := range have {
				if p.ID == from[i].ID {
					continue
				}
				about := float64(p.Freq) / MostAbout
				b.spans = append(b.spans, span{i, p.ID, t.Term, score * about * idf / math.Log(1+b.nodes)})
			}
		}
	}
	return b.hold(from)
}

// spelled returns the folded words of a text, each between blanks.
func spelled(s string) string {
	return " " + strings.Join(exactWords(s), " ") + " "
}

// hold notes which words of the text the nodes of the ways hold, a bit a word.
func (b *bridging) hold(from []Item) error {
	b.held = map[engine.NodeID]uint64{}
	for i := range from {
		b.held[from[i].ID] = 0
	}
	for _, s := range b.spans {
		b.held[s.to] = 0
	}
	ids := make([]engine.NodeID, 0, len(b.held))
	for id := range b.held {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	bits := make([]uint64, len(ids))
	for n, w := range b.terms {
		if err := b.l.ctx.Err(); err != nil {
			return err
		}
		at := 0
		for p, err := range b.l.postings(b.o.Words, w.term) {
			if err != nil {
				return err
			}
			for at < len(ids) && ids[at] < p.ID {
				at++
			}
			if at == len(ids) {
				break
			}
			if ids[at] == p.ID {
				bits[at] |= 1 << n
			}
		}
	}
	for i, id := range ids {
		b.held[id] = bits[i]
	}
	return nil
}

// gain returns the share of the text's words that from lacks and to has.
func (b *bridging) gain(from, to engine.NodeID) float64 {
	if b.mass == 0 {
		return 0
	}
	sum := 0.0
	for bits, n := b.held[to]&^b.held[from], 0; bits != 0; bits, n = bits>>1, n+1 {
		if bits&1 != 0 {
			sum += b.terms[n].idf
		}
	}
	return sum / b.mass
}

// set returns the nodes that the ways lead to, each by its best way.
func (b *bridging) set(from []Item, open float64) (Set, error) {
	best := map[engine.NodeID]span{}
	most := 0.0
	for _, s := range b.spans {
		s.score *= b.o.Floor + b.gain(from[s.from].ID, s.to)
		if s.score > best[s.to].score { // of equal ones the first
			best[s.to] = s
			most = max(most, s.score)
		}
	}
	var out Set
	for id, s := range best {
		score := s.score / most * open
		step := Step{Op: "bridge", From: from[s.from].Ref(), Note: fmt.Sprintf("%q", s.name), Score: score}
		out.Items = append(out.Items, Item{Graph: b.o.Graph.ID(), ID: id, Score: score, Why: []Step{step}})
	}
	slices.SortFunc(out.Items, byScore)
	return out, nil
}
