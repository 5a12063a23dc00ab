package engine

import (
	"bytes"
	"cmp"
	"errors"
	"math"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/internal/topk"
	"github.com/ragdb/ragdb/kv"
)

// The defaults of BM25's parameters.
const (
	defaultK1 = 0.9
	defaultB  = 0.4
)

// TermsOptions tunes a ranked search. The zero value returns all nodes that
// have a term of the query.
type TermsOptions struct {
	// K is the number of nodes to return; 0 is all.
	K int
	// Allow, if it is not nil, holds the nodes that may be returned. It
	// changes no score.
	Allow *roaring.Bitmap
	// K1 says how fast further occurrences of a term in a node count less; 0
	// is the default of 0.9.
	K1 float64
	// B says how much the length of a node's text counts, from 0 to 1; 0 is
	// the default of 0.4, and a tiny value turns it off.
	B float64
	// Beside names further fields that are scored beside the first, by [View.Terms].
	Beside []FieldWeight
}

// FieldWeight says how much a further field counts in a ranked search.
type FieldWeight struct {
	// Field is the name of the field. One that the graph lacks gives nothing.
	Field string
	// Weight multiplies the field's score, from 1e-6 to 1e6.
	Weight float64
	// B says how much the length of a node's text in the field counts, as
	// [TermsOptions].B.
	B float64
}

// The least and the greatest weight of a field: scores stay far from the ends of the
// numbers.
const (
	minFieldWeight = 1e-6
	maxFieldWeight = 1e6
)

func (o *TermsOptions) ensureDefaults() error {
	switch {
	case o.K < 0:
		return phase.Mark(ErrInvalid, "K of %d", o.K)
	case !(o.K1 >= 0) || math.IsInf(o.K1, 1):
		return phase.Mark(ErrInvalid, "K1 of %v", o.K1)
	case !(o.B >= 0 && o.B <= 1):
		return phase.Mark(ErrInvalid, "B of %v", o.B)
	}
	for _, f := range o.Beside {
		switch {
		case !(f.Weight >= minFieldWeight && f.Weight <= maxFieldWeight):
			return phase.Mark(ErrInvalid, "weight %v of field %q: it is from %v to %v", f.Weight, f.Field, minFieldWeight, maxFieldWeight)
		case !(f.B >= 0 && f.B <= 1):
			return phase.Mark(ErrInvalid, "B of %v of field %q", f.B, f.Field)
		}
	}
	o.K1 = cmp.Or(o.K1, defaultK1)
	return nil
}

// Terms returns the nodes that have terms of the query q in a field, by BM25
// (Robertson and Zaragoza 2009, section 3): score descending, then id
// ascending. The score of a node is the sum over the distinct terms of q of
//
//	n * idf * f * (K1+1) / (f + K1 * (1 - B + B*w/avg))
//	idf = ln(1 + (N - df + 0.5) / (df + 0.5))
//
// where n counts the term in q and f in the node, w is the number of the
// node's terms in the field and avg its mean, N counts the nodes with terms in
// the field and df those with the term. idf is Robertson's with 1 added, so
// that it is never negative.
//
// Each field of TermsOptions.Beside adds Weight times its own sum, in which w, avg, N
// and df are those of that field and B is its own; n and K1 are the same. A node that
// has terms of q only there is found, too. The sum is taken field by field in the order
// given, and in each one in the order of the terms: equal data give equal bits.
//
// It reads the postings of the terms once, without positions: time is at most
// linear in their number, and memory, beyond the result, does not grow with the
// graph. With K, and up to 32 terms in all fields together, it passes over most postings that cannot change
// the result. In a transaction it shows the last commit.
func (r *reader) Terms(field string, q []string, o TermsOptions) ([]Scored, error) {
	out, err := r.terms(field, q, o)
	return out, r.wrap("terms", err)
}

func (r *reader) terms(field string, q []string, o TermsOptions) ([]Scored, error) {
	if err := o.ensureDefaults(); err != nil {
		return nil, err
	}
	id, _, err := r.field(field)
	if err != nil {
		return nil, err
	}
	fields, ids := []FieldWeight{{Field: field, Weight: 1, B: o.B}}, []uint32{id}
	for _, f := range o.Beside {
		id, _, err := r.field(f.Field)
		if errors.Is(err, ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		fields, ids = append(fields, f), append(ids, id)
	}
	if err := r.aheadTerms(ids, q); err != nil {
		return nil, err
	}
	q = slices.Sorted(slices.Values(q))
	var terms []queryTerm
	for i, f := range fields {
		if terms, err = r.weighTerms(terms, ids[i], f, q, o.K1); err != nil {
			return nil, err
		}
	}
	if len(terms) == 0 {
		return nil, nil
	}
	db := r.graph.ns.db
	s, _ := db.scorers.Get().(*scorer)
	if s == nil {
		s = &scorer{}
	}
	best := ranking{k: o.K}
	if o.K > 0 && len(terms) <= maxTopTerms && o.K1 <= maxTopK1 {
		err = r.scoreTop(terms, s, o.Allow, &best)
	} else {
		err = r.scoreTerms(terms, s, o.Allow, &best)
	}
	s.reset()
	db.scorers.Put(s)
	if err != nil {
		return nil, err
	}
	return best.sorted(), nil
}

// queryTerm is a term of a query, in one field, in the course of a search.
type queryTerm struct {
	gain
	prefix []byte // of its postings
	next   uint64 // it has no container from the current one up to this
}

const noContainer = math.MaxUint64

// gain is what a term of a query gives to the scores of nodes.
type gain struct {
	weight float64 // n * idf * (K1+1), times the weight of the field
	base   float64 // K1 * (1-B)
	slope  float64 // K1 * B / avg
}

// part returns what the term gives to the score of a node.
func (g gain) part(freq, words uint32) float64 {
	f := float64(freq)
	// The conversions keep the compiler from fusing the operations, whose result
	// would then depend on the processor.
	norm := g.base + float64(g.slope*float64(words))
	return float64(g.weight*f) / (f + norm)
}

// weighTerms appends the distinct terms of a sorted query that some node has in a
// field, in byte order.
func (r *reader) weighTerms(out []queryTerm, field uint32, w FieldWeight, q []string, k1 float64) ([]queryTerm, error) {
	total, err := r.lexSum(field, "")
	if err != nil || total[0] == 0 {
		return out, err
	}
	nodes, mean, b := float64(total[0]), float64(total[1])/float64(total[0]), cmp.Or(w.B, defaultB)
	for i := 0; i < len(q); {
		term, n := q[i], 0
		for ; i < len(q) && q[i] == term; i++ {
			n++
		}
		if term == "" {
			continue // its key is the field's
		}
		sum, err := r.lexSum(field, term)
		if err != nil {
			return nil, err
		}
		df := float64(sum[0])
		if df == 0 {
			continue
		}
		idf := math.Log(1 + math.Max(0, nodes-df+0.5)/(df+0.5))
		out = append(out, queryTerm{
			gain:   gain{weight: w.Weight * (float64(n) * idf) * (k1 + 1), base: k1 * (1 - b), slope: k1 * b / mean},
			prefix: layout.PostingsTerm(r.g, field, term),
		})
	}
	return out, nil
}

// scoreTerms adds up the scores, one container after the other and in each one
// term after the other, and offers them to best.
func (r *reader) scoreTerms(terms []queryTerm, s *scorer, allow *roaring.Bitmap, best *ranking) error {
	first, last := terms[0].prefix, terms[0].prefix
	for _, t := range terms[1:] {
		if bytes.Compare(t.prefix, first) < 0 {
			first = t.prefix
		}
		if bytes.Compare(t.prefix, last) > 0 {
			last = t.prefix
		}
	}
	it, err := r.committed().Iter(r.ctx, first, layout.Next(last))
	if err != nil {
		return err
	}
	err = scoreContainers(it, terms, s, allow, best)
	if err == nil {
		err = it.Err()
	}
	return firstError(err, it.Close())
}

// scoreContainers looks for a term in a container only once the container's
// turn has come, and then where the term goes on: a value that was merged from
// many commits is put together again each time that the iterator meets it.
func scoreContainers(it kv.Iterator, terms []queryTerm, s *scorer, allow *roaring.Bitmap, best *ranking) error {
	var key []byte
	for {
		c := uint64(noContainer)
		for i := range terms {
			c = min(c, terms[i].next)
		}
		if c = nextAllowed(allow, c); c == noContainer {
			return nil
		}
		for i := range terms {
			t := &terms[i]
			if t.next > c {
				continue
			}
			key = layout.AppendContainer(append(key[:0], t.prefix...), c)
			if !it.SeekPrefix(key) {
				t.next = noContainer
				continue
			}
			if t.next = layout.LastContainer(it.Key()); t.next > c {
				continue
			}
			if err := s.add(it.Value(), t.gain); err != nil {
				return corrupt(it.Key(), err)
			}
			t.next = c + 1
		}
		s.drain(c, 0, containerNodes, allow, best)
	}
}

// nextAllowed returns the first container from c on that has an allowed node.
func nextAllowed(allow *roaring.Bitmap, c uint64) uint64 {
	if allow == nil {
		return c
	}
	if c >= 1<<16 {
		return noContainer
	}
	it := allow.Iterator()
	it.AdvanceIfNeeded(uint32(c << 16))
	if !it.HasNext() {
		return noContainer
	}
	return layout.Container(uint64(it.PeekNext()))
}

// scorer adds up the scores of the nodes of one container. It is kept for the
// next search, all zero.
type scorer struct {
	scores  [1 << 16]float64
	touched []uint16 // nodes with a score, each once
	blocks  layout.Blocks
	block   layout.Block
	top     *topSearch
}

// add adds what a term gives to the nodes of a container's value.
func (s *scorer) add(v []byte, g gain) error {
	if err := s.blocks.Read(v); err != nil {
		return err
	}
	for i := range s.blocks.Len() {
		if err := s.blocks.Load(i, &s.block); err != nil {
			return err
		}
		s.addBlock(&s.block, g)
	}
	return nil
}

// addBlock adds what a term gives to the nodes of a block.
func (s *scorer) addBlock(b *layout.Block, g gain) {
	words := b.Words
	freq := b.Freq[:len(words)]
	for i, node := range b.Nodes[:len(words)] {
		old := s.scores[node]
		if old == 0 {
			s.touched = append(s.touched, node)
		}
		s.scores[node] = old + g.part(freq[i], words[i])
	}
}

// drain offers the scores of the nodes of container c from one up to another to best,
// and clears all scores.
func (s *scorer) drain(c uint64, from, to int, allow *roaring.Bitmap, best *ranking) {
	for _, node := range s.touched {
		x := Scored{ID: NodeID(c<<16 | uint64(node)), Score: s.scores[node]}
		s.scores[node] = 0
		if int(node) >= from && int(node) < to && best.wants(x) && (allow == nil || allow.Contains(uint32(x.ID))) {
			best.add(x)
		}
	}
	s.touched = s.touched[:0]
}

// reset clears what an interrupted search left.
func (s *scorer) reset() {
	for _, node := range s.touched {
		s.scores[node] = 0
	}
	s.touched = s.touched[:0]
}

// compareScored orders by score descending, then by id ascending.
func compareScored(a, b Scored) int {
	if c := cmp.Compare(b.Score, a.Score); c != 0 {
		return c
	}
	return cmp.Compare(a.ID, b.ID)
}

// ranking keeps the k best of what is added, all if k is 0. With k it is a
// heap, the worst first.
type ranking struct {
	k     int
	items []Scored
}

// wants reports whether x would be among the best so far.
func (h *ranking) wants(x Scored) bool {
	return h.k == 0 || len(h.items) < h.k || compareScored(x, h.items[0]) < 0
}

// add adds an item that is wanted.
func (h *ranking) add(x Scored) {
	if h.k == 0 {
		h.items = append(h.items, x)
		return
	}
	h.items = topk.Take(h.items, h.k, x, compareScored)
}

// sorted returns the items, the best first.
func (h *ranking) sorted() []Scored {
	slices.SortFunc(h.items, compareScored)
	return h.items
}
