package vecindex

import (
	"context"
	"errors"

	"github.com/RoaringBitmap/roaring/v2"
)

// sifts reports whether a search of the mirror goes by codes.
func (m *mirror) sifts(sc *scratch) bool {
	return m.coded && m.live >= sieveShare*sc.hits()
}

// searchMirror compares all rows in memory with the query, runs of wanted ones
// at a time. What is not in memory of them is read.
func (v *View) searchMirror(ctx context.Context, m *mirror, allow *roaring.Bitmap, sc *scratch) (err error) {
	near := v.scoreRows
	sift := m.sifts(sc)
	if sift {
		sc.sieve.set(sc.query, m.coder)
		near = v.siftRows
	}
	var f *far
	if m.tier != wholeRows {
		f = v.newFar(ctx, m, allow, sc)
		defer func() { err = errors.Join(err, f.close()) }()
	}
	seq := v.meta.seq
	for ci, c := range m.chunks {
		if err := ctx.Err(); err != nil {
			return err
		}
		rows := m.rows(ci)
		for i := 0; i < rows; {
			j := i
			for j < rows && j-i < blockRows && c.visible(j, seq) && sc.wants(c.layers[j]) {
				j++
			}
			if j == i {
				i++
				continue
			}
			switch {
			case c.tier == wholeRows:
				near(c, i, j, allow, sc)
			case sift && c.residues != nil:
				f.sift(c, i, j)
			default:
				f.want(c, i, j)
			}
			sc.distances += j - i
			i = j
		}
		if f != nil && c != nil && c.tier != wholeRows {
			if err := f.ended(rows); err != nil {
				return err
			}
		}
	}
	if f == nil {
		return nil
	}
	return f.finish()
}

// scoreRows offers the rows from from to to of a chunk.
func (v *View) scoreRows(c *chunk, from, to int, allow *roaring.Bitmap, sc *scratch) {
	dim, scores := len(sc.query), sc.scores[:to-from]
	v.ix.cfg.Metric.scoreBlock(sc.query, c.vectors[from*dim:to*dim], scores)
	for i, s := range scores {
		sc.offer(Hit{ID: c.ids[from+i], Layer: c.layers[from+i], Score: s}, allow)
	}
}

// siftRows does the same, but passes over rows that cannot be among the best by
// what their codes tell. Scores of those it offers are of the same bits.
func (v *View) siftRows(c *chunk, from, to int, allow *roaring.Bitmap, sc *scratch) {
	sc.sieve.bounds(c, from, to)
	for i := range to - from {
		row := from + i
		layer := c.layers[row]
		if worst, full := sc.tops[sc.layer[layer]].worst(); full {
			if s, within := sc.sieve.bound(i, &c.residues[row]); s+within < float64(worst) {
				continue
			}
		}
		s := v.ix.cfg.Metric.score(sc.query, c.vector(row, len(sc.query)))
		sc.offer(Hit{ID: c.ids[row], Layer: layer, Score: s}, allow)
	}
}
