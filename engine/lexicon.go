package engine

import (
	"errors"
	"fmt"
	"iter"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
)

// TermStats are the counts of a term in a field, or of all terms of a field.
type TermStats struct {
	Nodes       uint64 // that have the term, or any term
	Occurrences uint64
}

// Posting says how often a node has a term, and the length of its text in the
// field in terms.
type Posting struct {
	ID    NodeID
	Freq  uint32
	Words uint32
}

// committed returns what terms are read from: the last commit, if a
// transaction reads them.
func (r *reader) committed() kv.Reader {
	if r.tx != nil {
		return r.tx.transact.base
	}
	return r.kv
}

// TermStats returns the counts of a term, 0 for one that no node has. In a
// transaction it shows the last commit.
func (r *reader) TermStats(field, term string) (TermStats, error) {
	id, _, err := r.field(field)
	if err != nil {
		return TermStats{}, r.wrap("term statistics", err)
	}
	if term == "" {
		return TermStats{}, nil // its key is the field's
	}
	n, err := r.lexSum(id, term)
	return TermStats{Nodes: n[0], Occurrences: n[1]}, r.wrap("term statistics", err)
}

// FieldStats returns the counts of a field. In a transaction it shows the last
// commit.
func (r *reader) FieldStats(field string) (TermStats, error) {
	id, _, err := r.field(field)
	if err != nil {
		return TermStats{}, r.wrap("field statistics", err)
	}
	n, err := r.lexSum(id, "")
	return TermStats{Nodes: n[0], Occurrences: n[1]}, r.wrap("field statistics", err)
}

// lexSum reads the sums of a term, or with "" of the field.
func (r *reader) lexSum(field uint32, term string) ([2]uint64, error) {
	k := layout.LexSum(r.g, field, term)
	v, err := r.committed().Get(r.ctx, k, make([]byte, 0, 16))
	if errors.Is(err, ErrNotFound) {
		return [2]uint64{}, nil
	}
	if err != nil {
		return [2]uint64{}, err
	}
	return decodeLexSum(k, v)
}

func decodeLexSum(key, v []byte) ([2]uint64, error) {
	var n [2]int64
	if !layout.ReadSum(v, n[:]) || n[0] < 0 || n[1] < n[0] {
		return [2]uint64{}, corrupt(key, fmt.Errorf("impossible counts %d", n))
	}
	return [2]uint64{uint64(n[0]), uint64(n[1])}, nil
}

// Postings yields the nodes that have a term, ascending. In a transaction it
// shows the last commit.
func (r *reader) Postings(field, term string) iter.Seq2[Posting, error] {
	return func(yield func(Posting, error) bool) {
		id, _, err := r.field(field)
		if err != nil {
			yield(Posting{}, r.wrap("postings", err))
			return
		}
		var c layout.Columns
		for p, err := range scan(r.ctx, r.committed(), layout.PostingsTerm(r.g, id, term)) {
			if err == nil {
				if err = c.Read(p.value); err != nil {
					err = corrupt(p.key, err)
				}
			}
			if err != nil {
				yield(Posting{}, r.wrap("postings", err))
				return
			}
			base := layout.LastContainer(p.key) << 16
			for i, node := range c.Nodes {
				if !yield(Posting{NodeID(base + uint64(node)), c.Freq[i], c.Words[i]}, nil) {
					return
				}
			}
		}
	}
}

// TermsOf returns the terms of a node in a field with their frequencies, in
// byte order; none if the node has none there. The caller owns the slice.
// In a transaction it shows the last commit.
func (r *reader) TermsOf(field string, id NodeID) ([]TermFreq, error) {
	terms, err := r.termsOf(field, id)
	return terms, r.wrap(fmt.Sprintf("terms of node %d", id), err)
}

func (r *reader) termsOf(field string, id NodeID) ([]TermFreq, error) {
	fid, _, err := r.field(field)
	if err != nil {
		return nil, err
	}
	k := layout.TermsOf(r.g, fid, uint64(id))
	b, err := r.committed().Get(r.ctx, k, nil)
	if errors.Is(err, ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	terms, _, err := decodeForward(b)
	if err != nil {
		return nil, corrupt(k, err)
	}
	return terms, nil
}

// aheadTerms reads ahead the sums of fields and of terms, and the first postings of
// these.
func (r *reader) aheadTerms(fields []uint32, terms []string) error {
	each := 2*len(terms) + 1
	return r.ahead(len(fields)*each, func(r *reader, i int) error {
		field, i := fields[i/each], i%each
		switch {
		case i == 2*len(terms):
			_, err := r.lexSum(field, "")
			return err
		case terms[i/2] == "":
			return nil
		case i%2 == 0:
			_, err := r.lexSum(field, terms[i/2])
			return err
		}
		for _, err := range scan(r.ctx, r.kv, layout.PostingsTerm(r.g, field, terms[i/2])) {
			return err
		}
		return nil
	})
}
