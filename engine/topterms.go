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

	block  int // the one of which nodes are decoded in data, -1 for none
	data   layout.Block
	next   int // where looking up goes on
	nextIn int
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
	key        []byte
}

// candidate is a node of the container that may be among the best, with the sum of
// what was added up so far.
type candidate struct {
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
		cursor.block, cursor.next, cursor.nextIn = -1, 0, 0
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
	if err := t.addEssential(essential, rest, need); err != nil {
		return err
	}
	t.collect(need/boundSlack - rest)
	for _, cursor := range t.byBound[essential:] {
		if len(t.candidates) == 0 {
			return nil
		}
		rest -= cursor.bound
		if err := t.refine(cursor, need/boundSlack-rest); err != nil {
			return err
		}
	}
	return t.offer(c)
}

// addAll adds up all scores of container c, term after term.
func (t *topSearch) addAll(c uint64) error {
	for _, cursor := range t.active {
		for i := range cursor.blocks.Len() {
			if err := cursor.load(i); err != nil {
				return err
			}
			t.s.addBlock(&cursor.data, cursor.weight)
		}
	}
	t.s.drain(c, t.allow, t.best)
	return nil
}

// addEssential adds up the scores by the terms before essential, with passed over
// blocks whose nodes cannot have the score that is needed, rest being what the other
// terms give at the most.
func (t *topSearch) addEssential(essential int, rest, need float64) error {
	all := rest
	for _, cursor := range t.byBound[:essential] {
		all += cursor.bound
	}
	scores := &t.s.scores
	for _, cursor := range t.byBound[:essential] {
		others := all - cursor.bound
		for i, bound := range cursor.bounds {
			if (bound+others)*boundSlack < need {
				continue
			}
			if err := cursor.load(i); err != nil {
				return err
			}
			words := cursor.data.Words
			freq := cursor.data.Freq[:len(words)]
			for j, node := range cursor.data.Nodes[:len(words)] {
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

// refine adds what a term gives to the candidates and keeps those that have the
// score that is needed then.
func (t *topSearch) refine(cursor *termCursor, need float64) error {
	cursor.next, cursor.nextIn = 0, 0
	n := 0
	for _, x := range t.candidates {
		if i := cursor.seek(x.node); i < len(cursor.bounds) && x.score+cursor.bounds[i] >= need {
			at, err := cursor.find(x.node)
			if err != nil {
				return err
			}
			x.score += t.partAt(cursor, at)
		}
		if x.score >= need {
			t.candidates[n] = x
			n++
		}
	}
	t.candidates = t.candidates[:n]
	return nil
}

// offer adds up the scores of the candidates again, in the order of the terms, and
// offers them.
func (t *topSearch) offer(c uint64) error {
	if t.allow != nil {
		t.candidates = slices.DeleteFunc(t.candidates, func(x candidate) bool {
			return !t.allow.Contains(uint32(c<<16) | uint32(x.node))
		})
	}
	for i := range t.candidates {
		t.candidates[i].score = 0
	}
	for _, cursor := range t.active {
		if len(t.candidates) == 0 {
			return nil
		}
		cursor.next, cursor.nextIn = 0, 0
		for i := range t.candidates {
			x := &t.candidates[i]
			if cursor.seek(x.node) == len(cursor.bounds) {
				break
			}
			at, err := cursor.find(x.node)
			if err != nil {
				return err
			}
			x.score += t.partAt(cursor, at)
		}
	}
	for _, x := range t.candidates {
		if s := (Scored{ID: NodeID(c<<16 | uint64(x.node)), Score: x.score}); t.best.wants(s) {
			t.best.add(s)
		}
	}
	return nil
}

// partAt returns what a term gives to the score of the node at a place of the block
// where it was looked up; -1 is none.
func (t *topSearch) partAt(cursor *termCursor, at int) float64 {
	if at < 0 {
		return 0
	}
	freq, words := cursor.blocks.At(cursor.next, at)
	return t.s.part(cursor.weight, freq, words)
}

// load decodes a block.
func (c *termCursor) load(i int) error {
	c.block = -1
	if err := c.blocks.Load(i, &c.data); err != nil {
		return corrupt(c.it.Key(), err)
	}
	c.block = i
	return nil
}

// seek returns the block that may have a node, the number of blocks if none has.
// Nodes must not descend from call to call, since next was 0.
func (c *termCursor) seek(node uint16) int {
	i := c.next
	for i < len(c.bounds) && c.blocks.Last(i) < node {
		i++
	}
	if i != c.next {
		c.next, c.nextIn = i, 0
	}
	return i
}

// find returns the place of a node in the block that seek found, -1 if the term does
// not have the node.
func (c *termCursor) find(node uint16) (int, error) {
	if c.block != c.next {
		c.block = -1
		if err := c.blocks.LoadNodes(c.next, &c.data); err != nil {
			return -1, corrupt(c.it.Key(), err)
		}
		c.block = c.next
	}
	nodes := c.data.Nodes
	lo, step := c.nextIn, 1
	for lo+step < len(nodes) && nodes[lo+step] < node {
		lo += step
		step *= 2
	}
	hi := min(lo+step, len(nodes)-1) // nodes[hi] >= node: it is not after the last one
	for lo < hi {
		if mid := (lo + hi) / 2; nodes[mid] < node {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	c.nextIn = lo
	if nodes[lo] == node {
		return lo, nil
	}
	return -1, nil
}
