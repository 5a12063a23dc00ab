package engine

import (
	"errors"
	"hash/maphash"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
)

// termsCheck compares the postings, the lists of terms of the nodes and the
// lexical sums of a graph.
type termsCheck struct {
	c    *checker
	n    *nodeSets
	seed maphash.Seed
	// posted and listed sum, by field, a hash of each posting and of each entry
	// of a list of terms.
	posted, listed map[uint32]uint64
	// totals are the nodes and words of each field, from the lists.
	totals map[uint32][2]int64
}

func (c *checker) checkTerms(v *View, n *nodeSets) error {
	t := termsCheck{
		c: c, n: n, seed: maphash.MakeSeed(),
		posted: map[uint32]uint64{}, listed: map[uint32]uint64{}, totals: map[uint32][2]int64{},
	}
	if err := t.lists(v); err != nil {
		return err
	}
	if err := t.postings(v); err != nil {
		return err
	}
	return t.compare(v)
}

func (t *termsCheck) hash(term string, node uint64, freq, words uint32) uint64 {
	return mixAll(maphash.String(t.seed, term), node, uint64(freq), uint64(words))
}

// lists reads the nodes' lists of terms.
func (t *termsCheck) lists(v *View) error {
	return t.eachList(v, func(key []byte, field uint32, node uint64, terms []TermFreq, words uint32) error {
		if v.nameOf(layout.KindField, field) == "" {
			if err := t.c.find(key, fix{}, "field %d has no name", field); err != nil {
				return err
			}
		}
		if !t.n.has(node) {
			if err := t.c.find(key, fix{}, "terms of a node that is not there"); err != nil {
				return err
			}
		}
		total := t.totals[field]
		t.totals[field] = [2]int64{total[0] + 1, total[1] + int64(words)}
		for _, x := range terms {
			t.listed[field] += t.hash(x.Term, node, x.Freq, words)
		}
		return nil
	})
}

func (t *termsCheck) eachList(v *View, fn func(key []byte, field uint32, node uint64, terms []TermFreq, words uint32) error) error {
	for p, err := range validKeys(v.ctx, v.kv, layout.GraphPrefix(layout.TagTermsOf, v.g)) {
		if err != nil {
			return err
		}
		if err := t.c.step(layout.TagTermsOf); err != nil {
			return err
		}
		terms, words, err := decodeForward(p.value)
		if err != nil {
			continue // found by checkKeys
		}
		field, node := layout.TermsOfID(p.key)
		if err := fn(p.key, field, node, terms, words); err != nil {
			return err
		}
	}
	return nil
}

// postings reads the postings beside the lexical sums, which are in the same
// order of field and term.
func (t *termsCheck) postings(v *View) (err error) {
	prefix := layout.GraphPrefix(layout.TagLexSum, v.g)
	it, err := v.kv.Iter(v.ctx, prefix, layout.Next(prefix))
	if err != nil {
		return err
	}
	defer func() { err = firstError(err, it.Err(), it.Close()) }()
	it.First()
	sums := sumCheck{t: t, v: v, it: it}
	err = t.eachPostings(v, func(_ []byte, field uint32, term string, base uint64, ps []layout.Posting) error {
		if err := sums.moveTo(field, term); err != nil {
			return err
		}
		for i := range ps {
			p := &ps[i]
			t.posted[field] += t.hash(term, base+p.Node, p.Freq, p.Words)
			sums.have[0]++
			sums.have[1] += int64(p.Freq)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return sums.end()
}

func (t *termsCheck) eachPostings(v *View, fn func(key []byte, field uint32, term string, base uint64, ps []layout.Posting) error) error {
	var ps []layout.Posting
	for p, err := range validKeys(v.ctx, v.kv, layout.GraphPrefix(layout.TagPostings, v.g)) {
		if err != nil {
			return err
		}
		if err := t.c.step(layout.TagPostings); err != nil {
			return err
		}
		if ps, err = layout.ReadPostings(p.value, ps[:0], false); err != nil {
			continue // found by checkKeys
		}
		field, term, container := layout.PostingsOf(p.key)
		if err := fn(p.key, field, term, container<<16, ps); err != nil {
			return err
		}
	}
	return nil
}

// compare looks for the terms in which postings and lists differ, of the
// fields whose sums do.
func (t *termsCheck) compare(v *View) error {
	differs := func(field uint32) bool { return t.posted[field] != t.listed[field] }
	var ps []layout.Posting
	err := t.eachList(v, func(key []byte, field uint32, node uint64, terms []TermFreq, words uint32) error {
		if !differs(field) {
			return nil
		}
		for _, x := range terms {
			b, err := v.kv.Get(v.ctx, layout.Postings(v.g, field, x.Term, layout.Container(node)), nil)
			if err != nil && !isNotFound(err) {
				return err
			}
			right := false
			if err == nil {
				// A value that cannot be read has no posting.
				ps, _ = layout.ReadPostings(b, ps[:0], false)
				for i := range ps {
					right = right || ps[i].Node == node&0xFFFF && ps[i].Freq == x.Freq && ps[i].Words == words
				}
			}
			if right {
				continue
			}
			if err := t.c.find(key, fix{}, "the term %q has no such posting", x.Term); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return t.eachPostings(v, func(key []byte, field uint32, term string, base uint64, ps []layout.Posting) error {
		if !differs(field) {
			return nil
		}
		for i := range ps {
			node := base + ps[i].Node
			b, err := v.kv.Get(v.ctx, layout.TermsOf(v.g, field, node), nil)
			if err != nil && !isNotFound(err) {
				return err
			}
			terms, _, err := decodeForward(b)
			right := false
			for j := range terms {
				right = right || err == nil && terms[j].Term == term
			}
			if right {
				continue
			}
			if err := t.c.find(key, fix{}, "a posting of node %d, which does not list the term", node); err != nil {
				return err
			}
		}
		return nil
	})
}

// sumCheck walks the lexical sums beside the postings.
type sumCheck struct {
	t     *termsCheck
	v     *View
	it    kv.Iterator
	field uint32
	term  string
	have  [2]int64 // of term, from the postings
}

// moveTo ends the term at work and begins another one.
func (s *sumCheck) moveTo(field uint32, term string) error {
	if field == s.field && term == s.term {
		return nil
	}
	if err := s.finish(); err != nil {
		return err
	}
	s.field, s.term, s.have = field, term, [2]int64{}
	return nil
}

// finish compares the sums up to the term at work with what was counted.
func (s *sumCheck) finish() error {
	if s.term == "" {
		return nil
	}
	key := layout.LexSum(s.v.g, s.field, s.term)
	if err := s.before(key); err != nil {
		return err
	}
	var value []byte
	if s.it.Valid() && string(s.it.Key()) == string(key) {
		value = append(value, s.it.Value()...)
		s.it.Next()
	}
	return s.one(key, value, s.have)
}

// before verifies the sums of terms that have no postings, and those of
// fields, up to key or, if it is nil, all.
func (s *sumCheck) before(key []byte) error {
	for ; s.it.Valid() && (key == nil || string(s.it.Key()) < string(key)); s.it.Next() {
		if layout.Validate(s.it.Key()) != nil {
			continue // found by checkKeys
		}
		if err := s.t.c.step(layout.TagLexSum); err != nil {
			return err
		}
		var want [2]int64
		field, term := layout.LexSumOf(s.it.Key())
		if term == "" {
			want = s.t.totals[field]
			delete(s.t.totals, field)
		}
		if err := s.one(append([]byte(nil), s.it.Key()...), s.it.Value(), want); err != nil {
			return err
		}
	}
	return nil
}

// end verifies the sums after the last postings, and that no field lacks its
// own.
func (s *sumCheck) end() error {
	if err := s.finish(); err != nil {
		return err
	}
	if err := s.before(nil); err != nil {
		return err
	}
	for _, field := range s.v.idsOf(layout.KindField) {
		if err := s.one(layout.LexSum(s.v.g, field, ""), nil, s.t.totals[field]); err != nil {
			return err
		}
	}
	return nil
}

// one verifies one sum; no value is that of zeros.
func (s *sumCheck) one(key, value []byte, want [2]int64) error {
	var have [2]uint64
	var err error
	if len(value) > 0 {
		have, err = decodeLexSum(key, value)
	}
	if errors.Is(err, ErrCorrupt) {
		return nil // found by checkKeys
	}
	if have[0] == uint64(want[0]) && have[1] == uint64(want[1]) {
		return nil
	}
	return s.t.c.find(key, s.t.c.fixable(layout.TagPostings, func(v *TxView) error {
		v.transact.overlay.Set(key, layout.AppendSum(nil, want[0], want[1]))
		return nil
	}), "%d nodes and %d words, counted are %d and %d", have[0], have[1], want[0], want[1])
}
