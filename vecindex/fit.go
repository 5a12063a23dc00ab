package vecindex

import (
	"context"
	"errors"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
)

// A flat index keeps in memory what fits: all vectors and their codes; else all
// codes; else the codes of as many vectors as it can and packed ones of the
// others; else packed codes of as many as it can, the others being read. So a
// search costs a little more with each vector, and never much more at once.

// fitting is what is to be kept of a number of vectors.
type fitting struct {
	tier  tier // of the last ones
	first tier // of those before
	rows  int  // of the tier first
}

// fitting returns what is to be kept of n vectors, ok being false if that is
// nothing.
func (ix *Index) fitting(n uint32) (f fitting, ok bool) {
	dim, coded := ix.cfg.Dim, ix.cfg.coded()
	if ix.makeRoom(mirrorBytes(n, dim, coded)) {
		return fitting{}, true
	}
	if ix.cfg.graph() || ix.limit < 0 {
		return fitting{}, false
	}
	t := wholeRows
	for {
		above := t
		if t, ok = t.below(coded); !ok {
			return fitting{}, false
		}
		bytes := tierBytes(n, dim, coded, t)
		if !ix.makeRoom(bytes) {
			continue
		}
		f = fitting{tier: t, first: t}
		if limit := ix.bound(); above != wholeRows || !coded {
			f.first = above
			more := above.rowBytes(dim, coded) - t.rowBytes(dim, coded)
			f.rows = int(max(0, (limit/4*3-bytes)/more))
		}
		return f, true
	}
}

// roomier reports whether the index may keep more of the vectors of a state by
// now. To ask has others that were not searched for long release theirs.
func (ix *Index) roomier(st *state) bool {
	if st.graph != nil || st.mirror == nil {
		return false
	}
	m := st.mirror
	for t := wholeRows; t < m.tier; {
		if ix.makeRoom(tierBytes(uint32(m.live), m.dim, m.coded, t)) {
			return true
		}
		t, _ = t.below(m.coded)
	}
	return false
}

// less returns the state with as much of its vectors as the limit allows, nil
// if that is nothing.
func (ix *Index) less(st *state, limit int64) *state {
	if ix.cfg.graph() {
		return nil
	}
	m := st.mirror.next()
	if !m.shrink(limit) {
		return nil
	}
	next := *st
	next.mirror = m
	return &next
}

// buildMirror reads the mirror of all vectors of a snapshot, nil if they do not
// fit.
func (ix *Index) buildMirror(ctx context.Context, snap kv.Reader, head meta) (*mirror, error) {
	fit, ok := ix.fitting(head.live)
	if !ok {
		return nil, nil
	}
	m := newMirror(ix.cfg.Dim, ix.cfg.coded(), int(head.live), head.seq)
	if m.tier = fit.first; fit.rows == 0 {
		m.tier = fit.tier
	}
	if m.coded {
		var err error
		if m.coder, err = ix.meanOf(ctx, snap, head, m.coder); err != nil {
			return nil, err
		}
	}
	row := make([]float32, ix.cfg.Dim)
	err := ix.in(snap).scan(ctx, func(rec slotRecord, slot uint32, key, raw []byte) error {
		if err := head.accepts(rec, slot, key); err != nil {
			return err
		}
		if _, ok := m.table.find(rec.id); ok {
			return corrupt(key, "node %d has a second slot", rec.id)
		}
		if err := ix.cfg.Element.read(key, raw, row); err != nil {
			return err
		}
		if m.tier != fit.tier && m.live >= fit.rows && m.last == m.chunkRows() {
			m.tier = fit.tier
		}
		m.add(rec, slot, row)
		return nil
	})
	if err == nil && m.live != int(head.live) {
		err = corrupt(ix.cfg.Table.Meta(metaName), "%d vectors of %d", m.live, head.live)
	}
	if err == nil && m.tier != fit.tier {
		m.lower(fit.tier)
	}
	return m, err
}

// meanOf returns a coder about the mean of vectors from all over a snapshot.
func (ix *Index) meanOf(ctx context.Context, snap kv.Reader, head meta, e *coder) (out *coder, err error) {
	it, err := ix.in(snap).iter(ctx, layout.TagVector)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	var failed error
	out = e.about(int(head.live), func(yield func(x []float32) bool) {
		row := make([]float32, ix.cfg.Dim)
		step := max(1, head.next/meanSample)
		for next := uint32(0); next < head.next && it.SeekGE(ix.cfg.Table.Slot(layout.TagVector, next)); {
			slot, err := keySlot(it.Key())
			if err == nil {
				err = ix.cfg.Element.read(it.Key(), it.Value(), row)
			}
			if failed = err; err != nil || !yield(row) {
				return
			}
			next = max(next+step, slot+1)
		}
	})
	return out, errors.Join(failed, it.Err())
}

// train chooses the mean again if that of the codes is of a few vectors among
// many, and makes the codes again.
func (m *mirror) train() {
	if !m.coded || m.tier != wholeRows || m.coder.from >= enoughMean || m.live < 4*max(m.coder.from, minMean) {
		return
	}
	step := max(1, m.live/meanSample)
	m.coder = m.coder.about(m.live, func(yield func(x []float32) bool) {
		n := 0
		for ci, c := range m.chunks {
			for i := range m.rows(ci) {
				if c.died[i].Load() == 0 {
					if n++; n%step == 0 && !yield(c.vector(i, m.dim)) {
						return
					}
				}
			}
		}
	})
	for ci, c := range m.chunks {
		if c == nil {
			continue
		}
		d := *c
		d.codes, d.residues = make([]int8, len(c.codes)), make([]residue, len(c.residues))
		for i := range m.rows(ci) {
			d.residues[i] = m.coder.encode(d.code(i, m.dim), d.vector(i, m.dim), 1)
		}
		m.setChunk(ci, &d)
	}
}

// shrink has the version keep less until it is within the limit, and reports
// whether it is.
func (m *mirror) shrink(limit int64) bool {
	for ci := 0; m.size > limit; ci++ {
		if ci >= len(m.chunks) {
			t, ok := m.tier.below(m.coded)
			if !ok {
				return false
			}
			m.lower(t)
			ci = -1
			continue
		}
		if c := m.chunks[ci]; c != nil && c.tier < m.tier {
			m.setChunk(ci, c.demoted(m.tier, m.rows(ci), m.dim))
		}
	}
	return true
}

// lower makes t the tier of the last chunk and of those to come.
func (m *mirror) lower(t tier) {
	m.tier = t
	if ci := len(m.chunks) - 1; ci >= 0 && m.chunks[ci] != nil && m.chunks[ci].tier < t {
		m.setChunk(ci, m.chunks[ci].demoted(t, m.rows(ci), m.dim))
	}
	if t == codedRows { // a quarter: vectors of some are not worth the room
		for ci, c := range m.chunks {
			if c != nil && c.tier < t {
				m.setChunk(ci, c.demoted(t, m.rows(ci), m.dim))
			}
		}
	}
}
