package engine

import (
	"bytes"
	"slices"

	"github.com/ragdb/ragdb/internal/column"
	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
)

// edgePart is some edges of a type that have properties, in order: those of a block, if no
// record is of its range, or rows that blocks and records were merged to.
type edgePart struct {
	block *edgeBlock // nil if there are rows
	key   []byte     // of the block
	rows  []edgeRow
}

// size returns the number of edges.
func (p *edgePart) size() int {
	if p.block != nil {
		return p.block.rows()
	}
	return len(p.rows)
}

// edge returns an edge of the part.
func (p *edgePart) edge(i int) Edge {
	if p.block != nil {
		return p.block.edge(i)
	}
	return p.rows[i].at
}

// vector reads a property into v.
func (p *edgePart) vector(id uint32, v *Vector) error {
	if p.block != nil {
		if err := v.read(&p.block.columns, id); err != nil {
			return corrupt(p.key, err)
		}
		return nil
	}
	values := make([]column.Value, len(p.rows))
	for i := range p.rows {
		for _, x := range p.rows[i].props {
			if x.id == id {
				values[i] = toColumn(x.value)
			}
		}
	}
	v.values.Fill(values)
	return nil
}

// eachRow calls fn with every edge. What it is given is its own.
func (p *edgePart) eachRow(fn func(row edgeRow) error) error {
	if p.block != nil {
		if err := p.block.decode(); err != nil {
			return corrupt(p.key, err)
		}
		for i := range p.block.rows() {
			if err := fn(edgeRow{p.block.edge(i), p.block.props(i)}); err != nil {
				return err
			}
		}
		return nil
	}
	for _, row := range p.rows {
		if err := fn(row); err != nil {
			return err
		}
	}
	return nil
}

// edgeScan is what eachEdgePart reads of a type.
type edgeScan struct {
	t       EdgeType
	blocks  kv.Iterator
	records kv.Iterator
	block   edgeBlock
}

// eachEdgePart calls fn with the edges of a type that have properties, a part of some
// hundred at a time, in order. A part is good until fn returns.
func (r *reader) eachEdgePart(t EdgeType, fn func(p *edgePart) error) (err error) {
	s := edgeScan{t: t}
	if s.records, err = r.firstOfType(layout.TagEdge, t); err != nil {
		return err
	}
	defer func() { err = firstError(err, s.records.Err(), s.records.Close()) }()
	if s.blocks, err = r.firstOfType(layout.TagEdgeBlock, t); err != nil {
		return err
	}
	defer func() { err = firstError(err, s.blocks.Err(), s.blocks.Close()) }()
	for s.blocks.Valid() {
		if err := s.blockPart(fn); err != nil {
			return err
		}
		s.blocks.Next()
	}
	if s.blocks.Err() != nil {
		return nil // the error is returned as it closes
	}
	return s.recordParts(fn)
}

// firstOfType returns an iterator at the first key of a type in a family.
func (r *reader) firstOfType(tag layout.Tag, t EdgeType) (kv.Iterator, error) {
	prefix := layout.EdgesOfType(tag, r.g, uint32(t))
	it, err := r.kv.Iter(r.ctx, prefix, layout.Next(prefix))
	if err == nil {
		it.First()
	}
	return it, err
}

// endsAt is where the ends of an edge begin in keys of records and blocks.
const endsAt = 9

// within reports whether the next record is of the range of a block, given its key.
func (s *edgeScan) within(key []byte) bool {
	return s.records.Valid() && bytes.Compare(s.records.Key()[endsAt:], key[endsAt:]) <= 0
}

// blockPart calls fn with the edges of the block at hand and of records in its range.
func (s *edgeScan) blockPart(fn func(p *edgePart) error) error {
	key := s.blocks.Key()
	if err := s.block.read(s.t, s.blocks.Value()); err != nil {
		return corrupt(key, err)
	}
	p := edgePart{block: &s.block, key: key}
	if s.within(key) {
		var err error
		if p, err = s.merged(&p); err != nil {
			return err
		}
	}
	if p.size() == 0 {
		return nil
	}
	return fn(&p)
}

// merged returns the edges of a block and of the records in its range.
func (s *edgeScan) merged(b *edgePart) (edgePart, error) {
	key := slices.Clone(s.blocks.Key())
	var newer []edgeRow
	for s.within(key) {
		row, err := s.record()
		if err != nil {
			return edgePart{}, err
		}
		newer = append(newer, row)
	}
	var out edgePart
	add := func(row edgeRow) {
		if len(row.props) > 0 {
			out.rows = append(out.rows, row)
		}
	}
	err := b.eachRow(func(row edgeRow) error {
		for len(newer) > 0 && orderEdges(newer[0].at, row.at) < 0 {
			add(newer[0])
			newer = newer[1:]
		}
		if len(newer) > 0 && orderEdges(newer[0].at, row.at) == 0 {
			row, newer = newer[0], newer[1:]
		}
		add(row)
		return nil
	})
	if err != nil {
		return out, err
	}
	for _, row := range newer { // the last edge of the block, at most
		add(row)
	}
	return out, nil
}

// recordParts calls fn with the edges of the records after the last block.
func (s *edgeScan) recordParts(fn func(p *edgePart) error) error {
	for s.records.Valid() {
		var p edgePart
		for s.records.Valid() && len(p.rows) < defaultBlockEdges {
			row, err := s.record()
			if err != nil {
				return err
			}
			if len(row.props) > 0 {
				p.rows = append(p.rows, row)
			}
		}
		if len(p.rows) > 0 {
			if err := fn(&p); err != nil {
				return err
			}
		}
	}
	return nil
}

// record reads a record and moves on.
func (s *edgeScan) record() (edgeRow, error) {
	from, _, to, n := layout.EdgeOf(s.records.Key())
	props, err := decodeEdge(s.records.Value())
	if err != nil {
		return edgeRow{}, corrupt(s.records.Key(), err)
	}
	s.records.Next()
	return edgeRow{Edge{From: NodeID(from), To: NodeID(to), Type: s.t, N: n}, props}, nil
}

// eachEdgeRow calls fn with every edge of a type that has properties, in order.
func (r *reader) eachEdgeRow(t EdgeType, fn func(row edgeRow) error) error {
	return r.eachEdgePart(t, func(p *edgePart) error { return p.eachRow(fn) })
}
