package engine

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/ragdb/ragdb/internal/column"
	"github.com/ragdb/ragdb/internal/layout"
)

// Properties of edges are in records of family 24, one an edge, or in blocks of family 27,
// column by column. A record counts more than a block. An edge that a block has and that
// lost its properties has an empty record, until the block is written again.

const (
	// A reader of one edge reads its whole block.
	defaultBlockEdges = 512
	// blockBytes is about how many bytes of values a block has at most.
	blockBytes = 32 << 10
)

// The columns of a block that name its edges. The others have ids of properties.
const (
	columnFrom = math.MaxUint32 - 2
	columnTo   = math.MaxUint32 - 1
	columnN    = math.MaxUint32
)

// edgeRow is an edge with its properties.
type edgeRow struct {
	at    Edge // in its stored form, without a weight
	props []prop
}

// orderEdges orders edges of one type as keys do.
func orderEdges(a, b Edge) int {
	return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To), cmp.Compare(a.N, b.N))
}

// edgeBlock is a block that is read.
type edgeBlock struct {
	t           EdgeType
	columns     column.Block
	from, to, n column.Vector
	decoded     bool
	vectors     []Vector // of all properties, if decoded
}

var errEdgeBlock = errors.New("malformed block of edges")

// read reads which edges a block has. The block aliases value from then on.
func (b *edgeBlock) read(t EdgeType, value []byte) error {
	b.t, b.decoded = t, false
	if err := b.columns.Read(value); err != nil {
		return err
	}
	for i, v := range []*column.Vector{&b.from, &b.to, &b.n} {
		if err := b.columns.Column(columnFrom+uint32(i), v); err != nil {
			return err
		}
		absent := v == &b.n && v.Some() == 0 // all numbers are 0
		if !absent && (v.Kind != columnKind(KindInt) || v.Some() != v.Rows()) {
			return fmt.Errorf("%w: edges without an end or a number", errEdgeBlock)
		}
	}
	if b.rows() == 0 {
		return fmt.Errorf("%w: no edges", errEdgeBlock)
	}
	if !b.inOrder() {
		return fmt.Errorf("%w: edges that are out of range or out of order", errEdgeBlock)
	}
	return nil
}

// inOrder reports whether the edges ascend, and their ends and numbers are such.
func (b *edgeBlock) inOrder() bool {
	from, to := b.from.Nums, b.to.Nums[:len(b.from.Nums)]
	for i, n := range b.n.Nums {
		if uint64(n) > math.MaxUint32 || i > 0 && orderEdges(b.edge(i-1), b.edge(i)) >= 0 {
			return false
		}
	}
	numbered := b.n.Some() > 0
	lastFrom, lastTo := int64(0), int64(0)
	for i, f := range from {
		t := to[i]
		if uint64(f-1) >= math.MaxUint32 || uint64(t-1) >= math.MaxUint32 || !numbered && (f < lastFrom || f == lastFrom && t <= lastTo) {
			return false
		}
		lastFrom, lastTo = f, t
	}
	return true
}

func (b *edgeBlock) rows() int { return b.columns.Rows() }

// edge returns the edge of a row.
func (b *edgeBlock) edge(row int) Edge {
	e := Edge{From: NodeID(b.from.Nums[row]), To: NodeID(b.to.Nums[row]), Type: b.t}
	if b.n.Some() > 0 {
		e.N = uint32(b.n.Nums[row])
	}
	return e
}

// find returns the row of an edge in its stored form.
func (b *edgeBlock) find(e Edge) (row int, ok bool) {
	lo, hi := 0, b.rows()
	for lo < hi {
		mid := (lo + hi) / 2
		switch c := orderEdges(b.edge(mid), e); {
		case c == 0:
			return mid, true
		case c < 0:
			lo = mid + 1
		default:
			hi = mid
		}
	}
	return 0, false
}

// properties returns the ids of the properties that edges of the block have.
func (b *edgeBlock) properties() []uint32 {
	ids := b.columns.IDs()
	for len(ids) > 0 && ids[len(ids)-1] >= columnFrom {
		ids = ids[:len(ids)-1]
	}
	return ids
}

// decode reads all properties.
func (b *edgeBlock) decode() error {
	if b.decoded {
		return nil
	}
	ids := b.properties()
	b.vectors = slices.Grow(b.vectors[:0], len(ids))[:len(ids)]
	for i, id := range ids {
		if err := b.vectors[i].read(&b.columns, id); err != nil {
			return err
		}
	}
	b.decoded = true
	return nil
}

// props returns the properties of a row of a block that is decoded.
func (b *edgeBlock) props(row int) []prop {
	var out []prop
	for i, id := range b.properties() {
		if v := &b.vectors[i]; v.Has(row) {
			out = append(out, prop{id, v.At(row)})
		}
	}
	return out
}

// read reads a column of a block in place of what v held, and verifies its values.
func (v *Vector) read(b *column.Block, id uint32) error {
	if err := b.Column(id, &v.values); err != nil {
		return err
	}
	return v.verify(id)
}

// verify returns an error if v has a value that no property has.
func (v *Vector) verify(id uint32) error {
	k, ok := v.Kind()
	switch {
	case v.Some() == 0 || ok && columnKind(k) == v.values.Kind && k <= KindBytes && k != KindText:
		return nil
	case ok:
		for _, s := range v.values.Dict {
			if err := verifyColumn(column.Value{Kind: v.values.Kind, Str: s}); err != nil {
				return fmt.Errorf("property %d: %w", id, err)
			}
		}
		return nil
	}
	for row := range v.Rows() {
		if v.Has(row) {
			if err := verifyColumn(v.values.At(row)); err != nil {
				return fmt.Errorf("property %d: %w", id, err)
			}
		}
	}
	return nil
}

// verifyColumn returns an error for a value that toColumn does not make.
func verifyColumn(c column.Value) error {
	v := fromColumn(c)
	switch v.kind {
	case kindNull:
		return errNoValue
	case KindTemporal, KindPoint, KindList:
		return v.whole()
	}
	return nil
}

// edgeBlockWriter makes blocks of the edges of a type that are added in order.
type edgeBlockWriter struct {
	g    uint32
	t    EdgeType
	most int // edges of a block
	set  func(k, v []byte) error

	last    Edge
	rows    int
	bytes   int             // of values, about
	columns []column.Column // by id, the last three naming the edges; those of properties may end early
}

func newEdgeBlockWriter(g uint32, t EdgeType, most int, set func(k, v []byte) error) *edgeBlockWriter {
	return &edgeBlockWriter{g: g, t: t, most: most, set: set, columns: []column.Column{{ID: columnFrom}, {ID: columnTo}, {ID: columnN}}}
}

// add adds an edge with properties.
func (w *edgeBlockWriter) add(e Edge, props []prop) error {
	for _, p := range props {
		v := toColumn(p.value)
		c := w.column(p.id)
		c.Values = append(append(c.Values, make([]column.Value, w.rows-len(c.Values))...), v)
		w.bytes += 8 + len(v.Str)
	}
	for i, x := range []uint64{uint64(e.From), uint64(e.To), uint64(e.N)} {
		c := &w.columns[len(w.columns)-3+i]
		c.Values = append(c.Values, toColumn(Int(int64(x))))
	}
	w.last = e
	if w.rows++; w.rows < w.most && w.bytes < blockBytes {
		return nil
	}
	return w.flush()
}

// column returns the column of a property.
func (w *edgeBlockWriter) column(id uint32) *column.Column {
	i, ok := slices.BinarySearchFunc(w.columns, id, func(c column.Column, id uint32) int { return cmp.Compare(c.ID, id) })
	if !ok {
		w.columns = slices.Insert(w.columns, i, column.Column{ID: id})
	}
	return &w.columns[i]
}

// flush writes the edges since the last block as one.
func (w *edgeBlockWriter) flush() error {
	if w.rows == 0 {
		return nil
	}
	for i := range w.columns {
		c := &w.columns[i]
		c.Values = append(c.Values, make([]column.Value, w.rows-len(c.Values))...)
	}
	columns := w.columns
	if n := columns[len(columns)-1]; !slices.ContainsFunc(n.Values, func(v column.Value) bool { return v.Num > 0 }) {
		columns = columns[:len(columns)-1]
	}
	key := layout.EdgeBlock(w.g, uint64(w.last.From), uint32(w.t), uint64(w.last.To), w.last.N)
	err := w.set(key, column.Append(nil, w.rows, columns))
	for i := range w.columns {
		w.columns[i].Values = w.columns[i].Values[:0]
	}
	w.rows, w.bytes = 0, 0
	return err
}
