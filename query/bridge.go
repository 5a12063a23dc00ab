package query

import (
	"context"
	"fmt"
	"strings"

	"github.com/ragdb/ragdb/engine"
)

// Bridge orders ranked nodes together with the nodes that share a name with one of
// the first, if Text does not contain the name. Suppose a text answers a question
// about something that only another text names: Bridge leads from that text to the
// answer, and on from there once more. No paper describes it.
//
// Names are the terms of a field, each node's with a frequency that says how
// far the node is about the name; [MostAbout] is the greatest that counts. N counts
// the nodes with words, df of them have a name or a word, idf is BM25's, as
// [engine.View]'s Terms has it. Shares of Text are of its words, by idf. Scores of In
// are to be from 0 to 1, as [Rescale] makes them.
//
//   - Lift. For each of Text's names the best node of In that is wholly about it
//     gets s = s + Title * (1 - s). A word of Text with a capital, but for the first,
//     is a name too if a node is wholly about it.
//
//   - Ways. From the Starts best nodes c, over each name e of c that Text lacks, to
//     each other node d that has e:
//
//     v(d) = s(c) * about(d,e)/sqrt(df(e)) * (1 + Own * s(d)) * (Floor + gain(c,d))
//
//     s(c) is times Anchor if c has none of Text's names; about is the frequency of
//     e in d over MostAbout; gain is the share of Text that d has and c lacks, over
//     the share that c lacks; s(d) is 0 if d is not in In. Of several v the greatest counts. B is v over the greatest
//     v of all.
//
//   - Second ways. The Starts best ends of ways start ways again, with s = B and the
//     words of both nodes in place of those of c. B of such a way is Hop2 times its v over
//     the greatest v of the second ways. Of a node's two B the greater counts.
//
//   - Back. The node that the best way to an end came from has at least Back * B of
//     the end.
//
//   - Gate. Each node scores s + (1 - s) * Lambda * gate * B, where
//
//     gate = min(1, 1 - held + Gate * named)
//
//     held is the greatest share of Text in one of the first Starts nodes of In, named
//     the share that stands in names. Of an s above 1 nothing is taken.
//
//   - Choice as a set. The first node of In has the first place. Those from the second
//     to the tenth go, one after the other, to the one of the 60 best with the greatest
//     sum of its score and Cover times the share of Text that no node before it has.
//
// A terse Text has one step: the idf of its words sum up to less than Terse * ln(1+N),
// which is Terse words that one node alone has, and no node is wholly about a name of it. Then the
// order of In stays.
//
// A name is left out if more nodes have it than 20 and than a fiftieth of N, or than
// have words. A name of one word is also left out if three times as many nodes have the word:
// it is an ordinary word that was capitalised. Frequencies of names and words
// count all nodes, also those that the query may not see.
//
// If the graph lacks the names, the order stays, and the trace notes it. It reads the
// postings of Text's words once, and those of the names of at most twice Starts nodes.
type Bridge struct {
	// In are the ranked nodes; a score of 0 or less starts no way.
	In    Op
	Graph *engine.Graph
	// Names is the field of names, whose terms are keys as [Env].Names reads
	// them, and Words that of the nodes' words.
	Names, Words string
	Text         string
	// Starts is how many nodes ways start from.
	Starts int
	// Lambda is what the best way weighs against the best node of In, from 0 to 1.
	Lambda float64
	// Floor is what a way weighs that gains nothing.
	Floor float64
	// Own is what a node's score in In adds to the ways to it: of ends that tie, the
	// one that the text is more like goes before.
	Own    float64
	Anchor float64
	Title  float64
	// Hop2 is what the best second way weighs against the best first one, from 0 to 1; 0
	// takes none.
	Hop2 float64
	Back float64
	// Gate is how fast names in Text open the bridge; 0 leaves it open.
	Gate float64
	// Terse is how much a text says, in words that one node alone has, to lead on
	// without a name that a node is wholly about; 0 asks for nothing.
	Terse float64
	Cover float64
	// Beside, if it is set, has every second place unless Text's names open the
	// bridge: they are a fifth of it, or Gate is 0, and there is a way.
	Beside Op
	Source string
}

// The constants of Bridge that ablations leave alone.
const (
	maxGainable = 64  // words of the text that count: those of greatest idf
	coverPlaces = 10  // places of the choice as a set
	coverFrom   = 60  // nodes that it chooses from
	openNames   = 0.2 // share of the text in names that leaves Beside no places
)

// Run implements [Op].
func (o *Bridge) Run(ctx context.Context, e *Env) (Set, error) {
	in, err := e.Eval(ctx, o.In)
	if err != nil {
		return Set{}, err
	}
	hits := nodesOf(o.Graph, in.Items)
	x, err := e.nameIndex(ctx, o.Graph, o.Names, o.Words)
	if err != nil {
		return Set{}, err
	}
	ranked, opened := Set{Items: hits}, false
	if x != nil && len(hits) > 0 {
		b := &bridging{o: o, nameIndex: x, quiet: e.NoSteps}
		if opened, err = b.build(e, hits); err != nil {
			return Set{}, err
		}
		if !b.terse {
			ranked.Items = b.order(hits)
		}
	}
	if o.Beside == nil || opened {
		return ranked, nil
	}
	beside, err := e.Eval(ctx, o.Beside)
	if err != nil {
		return Set{}, err
	}
	beside.Items = nodesOf(o.Graph, beside.Items)
	return (&Union{}).turns([]Set{ranked, beside}), nil
}

// build lifts hits, opens the gate and finds the ways, unless the text is terse. It
// reports whether names leave Beside no places.
func (b *bridging) build(e *Env, hits []Item) (opened bool, err error) {
	asked, err := b.ask(e)
	if err != nil {
		return false, err
	}
	if b.terse, err = b.isTerse(asked); err != nil || b.terse {
		e.note("the text is short and no node is about a name of it: no bridge")
		return false, err
	}
	if err := b.hold(); err != nil {
		return false, err
	}
	b.score = make(map[engine.NodeID]float64, 2*len(hits))
	for i := range hits {
		b.score[hits[i].ID] = hits[i].Score
	}
	if err := b.lift(hits, asked); err != nil {
		return false, err
	}
	most := 0.0
	for i := range hits[:min(max(0, b.o.Starts), len(hits))] {
		most = max(most, b.weigh(b.held.of(hits[i].ID)))
	}
	named, gate := b.share(asked), 1.0
	if b.o.Gate > 0 {
		gate = min(1, 1-most+float64(b.o.Gate*named))
	}
	b.open = b.o.Lambda * gate
	e.note("the text names %s; names are %.3g of it, one node has %.3g; gate %.3g", strings.Join(quoted(asked), ", "), named, most, gate)
	if b.open <= 0 {
		return false, nil
	}
	if err := b.findWays(hits, asked); err != nil {
		return false, err
	}
	return len(b.best) > 0 && (b.o.Gate == 0 || named >= openNames), nil
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
	args := []string{
		arg("graph", o.Graph.Name()), arg("names", o.Names), arg("starts", o.Starts), arg("lambda", o.Lambda), arg("floor", o.Floor), arg("own", o.Own),
		arg("anchor", o.Anchor), arg("title", o.Title), arg("hop2", o.Hop2), arg("back", o.Back), arg("gate", o.Gate), arg("terse", o.Terse),
		arg("cover", o.Cover),
	}
	return Explanation{Op: "Bridge", Args: args, Source: o.Source}
}

// Inputs implements [Op].
func (o *Bridge) Inputs() []Op {
	if o.Beside == nil {
		return []Op{o.In}
	}
	return []Op{o.In, o.Beside}
}
