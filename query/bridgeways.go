package query

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/engine"
)

// way is the best way to a node.
type way struct {
	to, from engine.NodeID
	name     string
	score    float64
	via      *way // to from, if that is the end of a way itself
	back     bool // from is the end, and to where its way started
}

// start is a node that ways start from.
type start struct {
	id    engine.NodeID
	score float64
	held  uint64
	terms []engine.TermFreq
	via   *way
}

// link is a name that joins nodes, with those that have it and may be seen, and the
// number of all that have it; none joins fewer.
type link struct {
	all   float64
	nodes []engine.Posting
}

// lift raises the best of the hits that is wholly about each name of the text.
func (b *bridging) lift(hits []Item, asked []string) error {
	if b.o.Title <= 0 {
		return nil
	}
	if err := b.aheadNodes(asked); err != nil {
		return err
	}
	b.lifts = map[engine.NodeID]Step{}
	for _, name := range asked {
		have, err := b.postings(name)
		if err != nil {
			return err
		}
		var best engine.NodeID
		for _, p := range have {
			s, hit := b.score[p.ID]
			if hit && p.Freq >= MostAbout && (best == 0 || s > b.score[best]) {
				best = p.ID
			}
		}
		if s := b.score[best]; best != 0 && s < 1 {
			b.score[best] = s + float64(b.o.Title*(1-s))
			b.lifts[best] = Step{Op: "bridge", Note: fmt.Sprintf("about %q, which the text names", name), Score: b.score[best]}
		}
	}
	return nil
}

// findWays finds the best way to each node.
func (b *bridging) findWays(hits []Item, asked []string) error {
	b.best, b.links = map[engine.NodeID]*way{}, map[string]*link{}
	first := make([]scoredNode, len(hits))
	for i := range hits {
		first[i] = scoredNode{hits[i].ID, b.score[hits[i].ID]}
	}
	var from []start
	best := bestNodes(first, b.o.Starts)
	if err := b.aheadTerms(best); err != nil {
		return err
	}
	for _, n := range best {
		terms, err := b.l.termsOf(b.o.Names, n.id)
		if err != nil {
			return err
		}
		s := start{id: n.id, score: n.score, held: b.held.of(n.id), terms: terms}
		if !slices.ContainsFunc(terms, func(t engine.TermFreq) bool { return slices.Contains(asked, t.Term) }) {
			s.score *= b.o.Anchor
		}
		from = append(from, s)
	}
	if err := b.cross(from); err != nil {
		return err
	}
	scale(b.best, 1)
	if b.o.Hop2 > 0 {
		if err := b.crossAgain(); err != nil {
			return err
		}
	}
	b.goBack()
	return nil
}

// crossAgain adds the second ways, which start from the best ends.
func (b *bridging) crossAgain() error {
	from, err := b.ends()
	if err != nil {
		return err
	}
	first := b.best
	b.best = map[engine.NodeID]*way{}
	if err := b.cross(from); err != nil {
		return err
	}
	scale(b.best, b.o.Hop2)
	for id, w := range first {
		if again := b.best[id]; again == nil || w.score >= again.score {
			b.best[id] = w
		}
	}
	return nil
}

// scale divides the scores of ways so that the greatest is to.
func scale(ways map[engine.NodeID]*way, to float64) {
	most := 0.0
	for _, w := range ways {
		most = max(most, w.score)
	}
	for _, w := range ways {
		w.score = to * (w.score / most)
	}
}

// weight returns what a way adds to a score.
func (b *bridging) weight(w *way) float64 { return b.open * w.score }

// ends returns the best ends of ways, to start from.
func (b *bridging) ends() ([]start, error) {
	nodes := make([]scoredNode, 0, len(b.best))
	for id, w := range b.best {
		nodes = append(nodes, scoredNode{id, w.score})
	}
	var from []start
	nodes = bestNodes(nodes, b.o.Starts)
	if err := b.aheadTerms(nodes); err != nil {
		return nil, err
	}
	for _, n := range nodes {
		w := b.best[n.id]
		terms, err := b.l.termsOf(b.o.Names, n.id)
		if err != nil {
			return nil, err
		}
		from = append(from, start{
			id: n.id, score: w.score, held: b.held.of(n.id) | b.held.of(w.from), terms: terms, via: w,
		})
	}
	return from, nil
}

// cross adds the ways from some nodes, one step far.
func (b *bridging) cross(from []start) error {
	text := spelled(b.o.Text)
	if err := b.aheadLinks(from, text); err != nil {
		return err
	}
	for _, s := range from {
		if s.score <= 0 {
			continue
		}
		rest := 1 - b.weigh(s.held)
		for _, t := range s.terms {
			n, err := b.link(t.Term, text)
			if err != nil {
				return err
			}
			for _, p := range n.nodes {
				if p.ID == s.id {
					continue
				}
				have := b.best[p.ID]
				v := s.score * float64(p.Freq) / MostAbout / math.Sqrt(n.all) * (1 + float64(b.o.Own*b.score[p.ID]))
				if have != nil && float64(v*(b.o.Floor+1)) <= have.score {
					continue // no gain would do
				}
				gain := 0.0
				if rest > 0 {
					gain = min(1, b.weigh(b.held.of(p.ID)&^s.held)/rest)
				}
				if v *= b.o.Floor + gain; v > 0 && (have == nil || v > have.score) { // of equal ones the first
					b.best[p.ID] = &way{to: p.ID, from: s.id, name: t.Term, score: v, via: s.via}
				}
			}
		}
	}
	return nil
}

// link returns the nodes that a name joins, none if the text contains it.
func (b *bridging) link(name, text string) (*link, error) {
	if n := b.links[name]; n != nil {
		return n, nil
	}
	n := &link{}
	idf, err := b.shared(name)
	if err != nil {
		return nil, err
	}
	if idf > 0 && !strings.Contains(text, " "+name+" ") {
		if n.nodes, err = b.postings(name); err != nil {
			return nil, err
		}
		if n.all, err = b.frequency(name); err != nil {
			return nil, err
		}
	}
	b.links[name] = n
	return n, nil
}

// goBack gives the starts of ways their part.
func (b *bridging) goBack() {
	back := map[engine.NodeID]*way{}
	for _, w := range b.best {
		s := w.score * b.o.Back
		have := back[w.from]
		if s > 0 && (have == nil || s > have.score || s == have.score && w.to < have.from) {
			back[w.from] = &way{to: w.from, from: w.to, name: w.name, score: s, back: true}
		}
	}
	for id, w := range back {
		if have := b.best[id]; have == nil || w.score > have.score {
			b.best[id] = w
		}
	}
}

// steps tells how a way leads to its end.
func (b *bridging) steps(w *way, to []Step) []Step {
	if w.via != nil {
		to = b.steps(w.via, to)
	}
	note := fmt.Sprintf("%q", w.name)
	if w.back {
		note = "back, " + note
	}
	return append(to, Step{Op: "bridge", From: Ref{Graph: b.o.Graph.ID(), ID: w.from}, Note: note, Score: b.weight(w)})
}

// scoredNode is a node with its score.
type scoredNode struct {
	id    engine.NodeID
	score float64
}

// bestNodes orders nodes by score descending, id ascending, and returns the first n.
func bestNodes(nodes []scoredNode, n int) []scoredNode {
	slices.SortFunc(nodes, func(x, y scoredNode) int {
		return cmp.Or(cmp.Compare(y.score, x.score), cmp.Compare(x.id, y.id))
	})
	return nodes[:min(max(0, n), len(nodes))]
}
