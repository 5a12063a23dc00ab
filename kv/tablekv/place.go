package tablekv

import (
	"bytes"
	"slices"

	"github.com/ragdb/ragdb/kv"
)

// A gap is a range between two keys of the table that follow each other. Rows for a gap
// need not be staged: they are written in their place while the state record has the gap
// among the ranges whose rows do not count. The commit takes it from there.
const (
	gapRows   = 32      // a gap is used for so many rows, or for all that are gathered
	gapScan   = 16      // keys that a scan for gaps reads
	gapMisses = 4       // scans in a row that find no gap, after which the search ends
	gapBytes  = 4 << 10 // keys of all gaps, as each transaction writes the record
)

// place writes the gathered rows from some place on that lie in gaps, and forgets them.
func (w *writer) place(from int) error {
	var rows []kv.Pair // without pieces: the others ascend
	rest := slices.Clone(w.rest.Set[:from])
	for _, p := range w.rest.Set[from:] {
		if p.Key[0] != own {
			rows = append(rows, p)
		} else {
			rest = append(rest, p)
		}
	}
	if err := w.findGaps(rows); err != nil {
		return err
	}
	var in []kv.Pair
	for _, p := range rows {
		if contain(w.gaps, p.Key) {
			in = append(in, p)
		} else {
			rest = append(rest, p)
		}
	}
	w.rest.Set = rest
	return w.writeAll(kv.Changes{Set: in, New: true}, func(r *record) { r.removed = slices.Clone(w.gaps) })
}

// findGaps adds the gaps that rows are worth. A gap once found stays one: what lies in it
// afterwards is of this transaction.
func (w *writer) findGaps(rows []kv.Pair) error {
	least := min(gapRows, len(rows))
	if n := len(w.gaps); n > 0 {
		used, _ := rowsBefore(rows, w.gaps[n-1].Hi)
		rows = rows[used:]
	}
	if len(rows) < least || len(rows) == 0 {
		return nil
	}
	room := gapBytes
	if most := w.s.bounds.ChangeBytes; most > 0 {
		room = min(room, most/4)
	}
	for _, g := range w.gaps {
		room -= len(g.Lo) + len(g.Hi)
	}
	var found []kv.Range
	err := w.s.reading(w.ctx, nil, func(v *view) error {
		found = nil
		left := room
		for rows, misses := rows, 0; len(rows) > 0 && misses < gapMisses; misses++ {
			have, err := v.t.Scan(w.ctx, rows[0].Key, ownPrefix, false, gapScan)
			if err != nil {
				return err
			}
			if len(have) < gapScan {
				have = append(have, kv.Pair{Key: ownPrefix})
			}
			for _, p := range have {
				n, same := rowsBefore(rows, p.Key)
				if n >= least {
					g := kv.Range{Lo: rows[0].Key, Hi: p.Key}
					if left -= len(g.Lo) + len(g.Hi); left < 0 {
						return nil
					}
					found, misses = append(found, g), -1
				}
				if rows = rows[n:]; same {
					rows = rows[1:]
				}
				if len(rows) == 0 {
					return nil
				}
			}
		}
		return nil
	})
	w.gaps = append(w.gaps, found...)
	return err
}

// rowsBefore returns how many of rows have keys before k, and whether the next one has k.
func rowsBefore(rows []kv.Pair, k []byte) (int, bool) {
	return slices.BinarySearchFunc(rows, k, func(p kv.Pair, k []byte) int { return bytes.Compare(p.Key, k) })
}

// without returns the parts of ranges that lie outside of gaps. Both ascend.
func without(ranges, gaps []kv.Range) []kv.Range {
	var out []kv.Range
	for _, r := range ranges {
		for _, g := range gaps {
			if bytes.Compare(g.Hi, r.Lo) <= 0 || bytes.Compare(g.Lo, r.Hi) >= 0 {
				continue
			}
			if bytes.Compare(r.Lo, g.Lo) < 0 {
				out = append(out, kv.Range{Lo: r.Lo, Hi: g.Lo})
			}
			r.Lo = g.Hi
		}
		if bytes.Compare(r.Lo, r.Hi) < 0 {
			out = append(out, r)
		}
	}
	return out
}

// contain reports whether a key is in one of ranges, which ascend.
func contain(ranges []kv.Range, k []byte) bool {
	_, in := rangeOf(ranges, k)
	return in
}

// rangeOf returns the place of the first range that does not end before a key, and
// whether the key is in it.
func rangeOf(ranges []kv.Range, k []byte) (int, bool) {
	i, _ := slices.BinarySearchFunc(ranges, k, func(r kv.Range, k []byte) int {
		if bytes.Compare(r.Hi, k) <= 0 {
			return -1
		}
		return 1
	})
	return i, i < len(ranges) && bytes.Compare(ranges[i].Lo, k) <= 0
}
