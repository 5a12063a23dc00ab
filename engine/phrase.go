package engine

import (
	"errors"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/internal/layout"
)

// Phrase returns the nodes in whose text the words stand one after the other,
// at consecutive positions of the field; the caller owns the bitmap. One word
// finds the nodes that have it, no word finds none. More than one need a field
// with positions: the error is [ErrInvalid] otherwise.
//
// It reads the postings of the words, container by container of the rarest
// one, and the positions of those nodes that have all of them. In a
// transaction it shows the last commit.
func (r *reader) Phrase(field string, words []string) (*roaring.Bitmap, error) {
	rb, err := r.phrase(field, words)
	return rb, r.wrap("phrase", err)
}

func (r *reader) phrase(field string, words []string) (*roaring.Bitmap, error) {
	id, o, err := r.field(field)
	if err != nil {
		return nil, err
	}
	if len(words) > 1 && !o.Positions {
		return nil, phase.Mark(ErrInvalid, "field %q has no positions", field)
	}
	out := roaring.New()
	if len(words) == 0 || slices.Contains(words, "") {
		return out, nil
	}
	if err := r.aheadTerms([]uint32{id}, words); err != nil {
		return nil, err
	}
	p := phraseSearch{r: r, field: id}
	rarest, least := "", uint64(0)
	for _, word := range words {
		i, known := slices.BinarySearch(p.terms, word)
		if !known {
			n, err := r.lexSum(id, word)
			if err != nil || n[0] == 0 {
				return out, err
			}
			p.terms = slices.Insert(p.terms, i, word)
			if rarest == "" || n[0] < least {
				rarest, least = word, n[0]
			}
		}
	}
	for _, word := range words {
		i, _ := slices.BinarySearch(p.terms, word)
		p.sequence = append(p.sequence, i)
	}
	p.rarest, _ = slices.BinarySearch(p.terms, rarest)
	p.postings = make([]layout.Columns, len(p.terms))
	p.values = make([][]byte, len(p.terms))
	p.readers = make([]layout.PositionReader, len(p.terms))
	p.at = make([]int, len(p.terms))
	p.positions = make([][]uint32, len(p.terms))
	for kvp, err := range scan(r.ctx, r.committed(), layout.PostingsTerm(r.g, id, rarest)) {
		if err != nil {
			return nil, err
		}
		c := layout.LastContainer(kvp.key)
		if c >= 1<<16 {
			return nil, corrupt(kvp.key, errors.New("nodes of 2^32 or more"))
		}
		ok, err := p.load(c, kvp.value)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		if err := p.match(c, out); err != nil {
			return nil, corrupt(kvp.key, err)
		}
	}
	return out, nil
}

// phraseSearch is the state of a search for a phrase, one container at a time.
type phraseSearch struct {
	r        *reader
	field    uint32
	terms    []string // distinct words, in order
	sequence []int    // the phrase, as places in terms
	rarest   int

	// Of each term:
	postings  []layout.Columns
	values    [][]byte // owned, aliased by postings
	readers   []layout.PositionReader
	at        []int      // where the search in postings goes on
	positions [][]uint32 // of the node under test
}

// load reads the postings of all terms in a container, value being those of
// the rarest; ok is false if a term has none there.
func (p *phraseSearch) load(c uint64, value []byte) (ok bool, err error) {
	for i, term := range p.terms {
		v := value
		key := layout.Postings(p.r.g, p.field, term, c)
		if i != p.rarest {
			p.values[i], err = p.r.committed().Get(p.r.ctx, key, p.values[i][:0])
			if errors.Is(err, ErrNotFound) {
				return false, nil
			}
			if err != nil {
				return false, err
			}
			v = p.values[i]
		}
		if err := p.postings[i].Read(v); err != nil {
			return false, corrupt(key, err)
		}
		p.readers[i], p.at[i] = p.postings[i].Positions(), 0
	}
	return true, nil
}

// match adds the nodes of container c that hold the phrase to out.
func (p *phraseSearch) match(c uint64, out *roaring.Bitmap) error {
nodes:
	for _, node := range p.postings[p.rarest].Nodes {
		for i := range p.terms {
			n, has := slices.BinarySearch(p.postings[i].Nodes[p.at[i]:], node)
			p.at[i] += n
			if !has {
				continue nodes
			}
		}
		if len(p.sequence) > 1 {
			for i := range p.terms {
				var err error
				if p.positions[i], err = p.readers[i].Append(p.positions[i][:0], p.at[i]); err != nil {
					return err
				}
			}
			if !p.consecutive() {
				continue
			}
		}
		out.Add(uint32(c<<16) | uint32(node))
	}
	return nil
}

// consecutive reports whether the words of the phrase stand at consecutive
// positions in the node under test.
func (p *phraseSearch) consecutive() bool {
starts:
	for _, start := range p.positions[p.sequence[0]] {
		for i, term := range p.sequence[1:] {
			want := uint64(start) + uint64(i) + 1
			if want > 1<<32-1 {
				return false
			}
			if _, ok := slices.BinarySearch(p.positions[term], uint32(want)); !ok {
				continue starts
			}
		}
		return true
	}
	return false
}
