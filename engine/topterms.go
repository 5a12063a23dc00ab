package engine

import (
	"cmp"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
)

// A search for the K best nodes adds up few of the scores. It goes from container
// to container (65,536 ids), and in each one, once K nodes are known, the bounds of
// the blocks say what each term can give there at the most (block-max bounds, Ding
// and Suel 2011). If all together are not enough, no block is decoded. Else the
// nodes that may be enough are found:
//
//   - By sets ([topSearch.searchSets]): a node needs terms whose bounds together are
//     enough, which is a formula of the sets of nodes of the terms.
//   - If the terms that matter have few nodes there, or many terms are at work, by
//     sums ([topSearch.searchSums]; MaxScore, Turtle and Flood 1995).
//
// The nodes that are left get their scores by adding up term after term, in the
// order of [View.Terms]: the bits are those of a search for all nodes.
//
// Sums in another order differ by rounding: what is compared with the score that is
// needed is a little more than the sum, so a node that is as good is never lost.

// maxTopTerms is the number of terms up to which a search skips: each has an
// iterator and looks at bounds.
const maxTopTerms = 32

// maxTopK1 bounds K1 for a search that skips, so that its arithmetic is far from
// the ends of the numbers.
const maxTopK1 = 1e6

const (
	// firstNodes is up to which node of a container all scores are added up, so that
	// the K best of them bound the search of the others.
	firstNodes     = 1 << 12
	containerNodes = 1 << 16
)

// boundSlack is by how much a bound is raised above the sum that it is: more than
// sums of maxTopTerms numbers differ by their order.
const boundSlack = 1 + 1e-9

// termCursor is a term in the course of a search that skips.
type termCursor struct {
	gain
	it        kv.Iterator
	container uint64 // where it stands, noContainer at the end
	prefix    []byte

	blocks layout.Blocks
	bounds []float64 // of the blocks
	bound  float64   // the greatest

	nodes *layout.NodeSet // those of the container that matter, for a search by sets
}

// topSearch is a search for the K best nodes.
type topSearch struct {
	s       *scorer
	allow   *roaring.Bitmap
	best    *ranking
	cursors []termCursor
	active  []*termCursor // those of the container, in the order of terms
	byBound []*termCursor // the same, the greatest bound first

	set        layout.NodeSet // nodes of the container with a score
	from       int            // the nodes of the container before it were offered
	candidates []candidate
	formula    setFormula
	block      layout.Block
	key        []byte
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
		c.gain, c.prefix, c.container = terms[i].gain, terms[i].prefix, 0
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
				x = max(x, cursor.part(p.Freq, p.Words))
			}
			cursor.bounds = append(cursor.bounds, x)
			cursor.bound = max(cursor.bound, x)
		}
		t.active = append(t.active, cursor)
	}
	return nil
}

// search offers the best nodes of container c.
func (t *topSearch) search(c uint64) error {
	t.from = 0
	for to := firstNodes; len(t.best.items) < t.best.k && t.from < containerNodes; to = containerNodes {
		if err := t.addAll(c, to); err != nil {
			return err
		}
	}
	if t.from == containerNodes {
		return nil
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
	if few := t.postings(t.byBound[:essential]) < fewSetPostings; few || len(t.active) > maxSetTerms {
		return t.searchSums(c, essential, rest, need)
	}
	return t.searchSets(c, need)
}

// postings returns the number of postings that terms have in the container.
func (t *topSearch) postings(terms []*termCursor) int {
	n := 0
	for _, cursor := range terms {
		n += cursor.blocks.Postings()
	}
	return n
}

// addAll adds up all scores of the nodes of container c from t.from up to one, term
// after term, and moves t.from there.
func (t *topSearch) addAll(c uint64, to int) error {
	for _, cursor := range t.active {
		for i := range cursor.blocks.Len() {
			if first, last := cursor.blocks.Tile(i); int(first) >= to || int(last) < t.from {
				continue
			}
			if err := cursor.blocks.Load(i, &t.block); err != nil {
				return corrupt(cursor.it.Key(), err)
			}
			t.s.addBlock(&t.block, cursor.gain)
		}
	}
	t.s.drain(c, t.from, to, t.allow, t.best)
	t.from = to
	return nil
}

// score adds up the score of a node of the container, term after term in their order.
func (t *topSearch) score(node uint16) float64 {
	x := 0.0
	for _, cursor := range t.active {
		if b := cursor.blocks.Seek(node); b >= 0 {
			x += t.find(cursor, b, node)
		}
	}
	return x
}

// offer offers a node of container c with its score.
func (t *topSearch) offer(c uint64, node uint16) {
	id := NodeID(c<<16 | uint64(node))
	if int(node) < t.from {
		return // it was
	}
	if t.allow != nil && !t.allow.Contains(uint32(id)) {
		return
	}
	if x := (Scored{ID: id, Score: t.score(node)}); t.best.wants(x) {
		t.best.add(x)
	}
}

// find returns what a term gives to the score of a node that block b may have.
func (t *topSearch) find(cursor *termCursor, b int, node uint16) float64 {
	j, ok := cursor.blocks.Find(b, node)
	if !ok {
		return 0
	}
	freq, words := cursor.blocks.At(b, j)
	return cursor.part(freq, words)
}
