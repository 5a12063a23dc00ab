package engine

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
)

// A search for the K best nodes adds up few of the scores. It goes from container
// to container (65,536 ids), and in each one, once K nodes are known (MaxScore,
// Turtle and Flood 1995; block-max bounds, Ding and Suel 2011):
//
//   - The bounds of the blocks say what each term can give there at the most. If
//     all together are not enough, no block is decoded.
//   - The terms that give least, and together not enough, are only looked up. The
//     scores of the others are added up; their blocks that cannot be enough are
//     passed over.
//   - The terms that are looked up, the best first, are looked up for the nodes
//     that may still be enough.
//   - The nodes that are left get their scores by adding up term after term, in the
//     order of [View.Terms]: the bits are those of a search for all nodes.
//
// Sums in another order differ by rounding: what is compared with the score that is
// needed is a little more than the sum, so a node that is as good is never lost.

// maxTopTerms is the number of terms up to which a search skips: each has an
// iterator and looks at bounds.
const maxTopTerms = 32

// maxTopK1 bounds K1 for a search that skips, so that its arithmetic is far from
// the ends of the numbers.
const maxTopK1 = 1e6

// boundSlack is by how much a bound is raised above the sum that it is: more than
// sums of maxTopTerms numbers differ by their order.
const boundSlack = 1 + 1e-9

// termCursor is a term in the course of a search that skips.
type termCursor struct {
	weight    float64 // with K1 + 1
	it        kv.Iterator
	container uint64 // where it stands, noContainer at the end
	prefix    []byte

	blocks layout.Blocks
	bounds []float64 // of the blocks
	bound  float64   // the greatest

	next int // the block where looking up goes on
	in   layout.BlockSearch
}

// topSearch is a search for the K best nodes.
type topSearch struct {
	s       *scorer
	allow   *roaring.Bitmap
	best    *ranking
	cursors []termCursor
	active  []*termCursor // those of the container, in the order of terms
	byBound []*termCursor // the same, the greatest bound first

	set        [1 << 10]uint64 // nodes of the container with a score
	candidates []candidate
	block      layout.Block
	key        []byte
}

// candidate is a node of the container that may be among the best.
type candidate struct {
	// score is the most that it may have: the sum of what was read and of the bounds
	// of the blocks that were not.
	score float64
	node  uint16
}

// scoreTop offers nodes to best, among them the best of all.
func (r *reader) scoreTop(terms []queryTerm, s *scorer, allow *roaring.Bitmap, best *ranking) (err error) {
	t := s.top
	if t == nil {
		t = &topSearch{}
		s.top = t
	}
	t.s, t.allow, t.best = s, allow, best
	t.cursors = slices.Grow(t.cursors[:0], len(terms))[:len(terms)]
	defer func() {
		for i := range t.cursors {
			if it := t.cursors[i].it; it != nil {
				err = firstError(err, it.Err(), it.Close())
				t.cursors[i].it = nil
			}
		}
		t.allow, t.best = nil, nil
		clear(t.set[:])
	}()
	for i := range terms {
		c := &t.cursors[i]
		c.weight, c.prefix, c.container = terms[i].weight*(s.k1+1), terms[i].prefix, 0
		if c.it, err = r.committed().Iter(r.ctx, c.prefix, layout.Next(c.prefix)); err != nil {
			return err
		}
		if c.it.First() {
			c.container = layout.LastContainer(c.it.Key())
		} else {
			c.container = noContainer
		}
	}
	for {
		c := uint64(noContainer)
		for i := range t.cursors {
			c = min(c, t.cursors[i].container)
		}
		if c = nextAllowed(allow, c); c == noContainer {
			return nil
		}
		if err := t.open(c); err != nil {
			return err
		}
		if err := t.search(c); err != nil {
			return err
		}
		for _, cursor := range t.active {
			cursor.advance(c + 1)
		}
	}
}

// advance moves to the first container from c on.
func (c *termCursor) advance(to uint64) {
	if c.container >= to {
		return
	}
	if !c.it.Next() {
		c.container = noContainer
		return
	}
	c.container = layout.LastContainer(c.it.Key())
}

// open reads the bounds of the terms that container c has.
func (t *topSearch) open(c uint64) error {
	t.active = t.active[:0]
	for i := range t.cursors {
		cursor := &t.cursors[i]
		if cursor.container < c { // the filter has none of those between
			t.key = layout.AppendContainer(append(t.key[:0], cursor.prefix...), c)
			cursor.container = noContainer
			if cursor.it.SeekGE(t.key) {
				cursor.container = layout.LastContainer(cursor.it.Key())
			}
		}
		if cursor.container != c {
			continue
		}
		if err := cursor.blocks.Read(cursor.it.Value()); err != nil {
			return corrupt(cursor.it.Key(), err)
		}
		cursor.bounds, cursor.bound = cursor.bounds[:0], 0
		for j := range cursor.blocks.Len() {
			x := 0.0
			for _, p := range cursor.blocks.Impacts(j) {
				x = max(x, t.s.part(cursor.weight, p.Freq, p.Words))
			}
			cursor.bounds = append(cursor.bounds, x)
			cursor.bound = max(cursor.bound, x)
		}
		t.active = append(t.active, cursor)
	}
	return nil
}

// part returns what a term gives to the score of a node.
func (s *scorer) part(weight float64, freq, words uint32) float64 {
	f := float64(freq)
	// The conversions keep the compiler from fusing the operations, whose result
	// would then depend on the processor.
	norm := s.base + float64(s.slope*float64(words))
	return float64(weight*f) / (f + norm)
}

// search offers the best nodes of container c.
func (t *topSearch) search(c uint64) error {
	if len(t.best.items) < t.best.k {
		return t.addAll(c)
	}
	need := t.best.items[0].Score
	t.byBound = append(t.byBound[:0], t.active...)
	slices.SortStableFunc(t.byBound, func(a, b *termCursor) int { return cmp.Compare(b.bound, a.bound) })
	// The terms from essential on do not give enough together.
	essential, rest := len(t.byBound), 0.0
	for essential > 0 && (rest+t.byBound[essential-1].bound)*boundSlack < need {
		essential--
		rest += t.byBound[essential].bound
	}
	if essential == 0 {
		return nil
	}
	need /= boundSlack
	var err error
	if essential == 1 {
		err = t.collectOne(t.byBound[0], rest, need)
	} else {
		if err = t.addEssential(essential, rest, need); err == nil {
			t.collect(need - rest)
		}
	}
	if err != nil {
		return err
	}
	t.bound(t.byBound[essential:], need)
	for _, cursor := range t.byBound[essential:] {
		t.refine(cursor, need)
	}
	t.offer(c)
	return nil
}

// addAll adds up all scores of container c, term after term.
func (t *topSearch) addAll(c uint64) error {
	for _, cursor := range t.active {
		for i := range cursor.blocks.Len() {
			if err := t.load(cursor, i); err != nil {
				return err
			}
			t.s.addBlock(&t.block, cursor.weight)
		}
	}
	t.s.drain(c, t.allow, t.best)
	return nil
}

// addEssential adds up the scores by the terms before essential, but for blocks whose
// nodes cannot have the score that is needed, rest being what the other terms give at
// the most.
func (t *topSearch) addEssential(essential int, rest, need float64) error {
	all := rest
	for _, cursor := range t.byBound[:essential] {
		all += cursor.bound
	}
	scores := &t.s.scores
	for _, cursor := range t.byBound[:essential] {
		others := all - cursor.bound
		for i, bound := range cursor.bounds {
			if bound+others < need {
				continue
			}
			if err := t.load(cursor, i); err != nil {
				return err
			}
			words := t.block.Words
			freq := t.block.Freq[:len(words)]
			for j, node := range t.block.Nodes[:len(words)] {
				t.set[node>>6] |= 1 << (node & 63)
				scores[node] += t.s.part(cursor.weight, freq[j], words[j])
			}
		}
	}
	return nil
}

// collect makes the nodes with at least the score that is needed the candidates,
// in order, and clears all scores.
func (t *topSearch) collect(need float64) {
	t.candidates = t.candidates[:0]
	scores := &t.s.scores
	for i, word := range t.set {
		if word == 0 {
			continue
		}
		t.set[i] = 0
		for ; word != 0; word &= word - 1 {
			node := uint16(i<<6 | bits.TrailingZeros64(word))
			x := scores[node]
			scores[node] = 0
			if x >= need {
				t.candidates = append(t.candidates, candidate{x, node})
			}
		}
	}
}

// collectOne makes the candidates of the nodes of the only term that is essential.
func (t *topSearch) collectOne(cursor *termCursor, rest, need float64) error {
	t.candidates = t.candidates[:0]
	for i, bound := range cursor.bounds {
		if bound+rest < need {
			continue
		}
		if err := t.load(cursor, i); err != nil {
			return err
		}
		words := t.block.Words
		freq := t.block.Freq[:len(words)]
		for j, node := range t.block.Nodes[:len(words)] {
			if x := t.s.part(cursor.weight, freq[j], words[j]); x+rest >= need {
				t.candidates = append(t.candidates, candidate{x, node})
			}
		}
	}
	return nil
}

// bound adds the bounds of the blocks of terms to the candidates and keeps those
// that may have the score that is needed.
func (t *topSearch) bound(terms []*termCursor, need float64) {
	for _, cursor := range terms {
		cursor.rewind()
		for i := range t.candidates {
			x := &t.candidates[i]
			if b := cursor.seek(x.node); b < len(cursor.bounds) {
				x.score += cursor.bounds[b]
			}
		}
	}
	t.keep(need)
}

// keep keeps the candidates that may have the score that is needed.
func (t *topSearch) keep(need float64) {
	n := 0
	for _, x := range t.candidates {
		t.candidates[n] = x
		if x.score >= need {
			n++
		}
	}
	t.candidates = t.candidates[:n]
}

// refine puts what a term gives to the candidates in place of the bounds.
func (t *topSearch) refine(cursor *termCursor, need float64) {
	cursor.rewind()
	for i := range t.candidates {
		x := &t.candidates[i]
		b := cursor.seek(x.node)
		if b == len(cursor.bounds) {
			break
		}
		x.score += t.find(cursor, x.node) - cursor.bounds[b]
	}
	t.keep(need)
}

// offer adds up the scores of the candidates again, in the order of the terms, and
// offers them.
func (t *topSearch) offer(c uint64) {
	if t.allow != nil {
		t.candidates = slices.DeleteFunc(t.candidates, func(x candidate) bool {
			return !t.allow.Contains(uint32(c<<16) | uint32(x.node))
		})
	}
	for i := range t.candidates {
		t.candidates[i].score = 0
	}
	for _, cursor := range t.active {
		cursor.rewind()
		for i := range t.candidates {
			x := &t.candidates[i]
			if cursor.seek(x.node) == len(cursor.bounds) {
				break
			}
			x.score += t.find(cursor, x.node)
		}
	}
	for _, x := range t.candidates {
		if s := (Scored{ID: NodeID(c<<16 | uint64(x.node)), Score: x.score}); t.best.wants(s) {
			t.best.add(s)
		}
	}
}

// load decodes a block.
func (t *topSearch) load(cursor *termCursor, i int) error {
	if err := cursor.blocks.Load(i, &t.block); err != nil {
		return corrupt(cursor.it.Key(), err)
	}
	return nil
}

// rewind lets the next look-up be for any node.
func (c *termCursor) rewind() { c.next, c.in = 0, layout.BlockSearch{} }

// seek moves to the block that may have a node, and returns it; it is the number of
// blocks if none has. Nodes do not descend from call to call.
func (c *termCursor) seek(node uint16) int {
	i := c.next
	for i < len(c.bounds) && c.blocks.Last(i) < node {
		i++
	}
	if i != c.next {
		c.next, c.in = i, layout.BlockSearch{}
	}
	return i
}

// find returns what a term gives to the score of a node in the block to which seek
// moved for it.
func (t *topSearch) find(cursor *termCursor, node uint16) float64 {
	j, ok := cursor.blocks.Find(cursor.next, &cursor.in, node)
	if !ok {
		return 0
	}
	freq, words := cursor.blocks.At(cursor.next, j)
	return t.s.part(cursor.weight, freq, words)
}
