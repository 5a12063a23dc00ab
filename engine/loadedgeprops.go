package engine

import (
	"encoding/binary"
	"errors"
	"maps"
	"slices"

	"github.com/ragdb/ragdb/internal/column"
	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
)

// edgeProps keeps the properties of an edge until the load is sorted.
func (l *Loader) edgeProps(e Edge, props Props) error {
	if l.v.hasRules() {
		rules, err := l.v.edgeRules(uint32(e.Type))
		if err != nil {
			return err
		}
		if len(rules) > 0 {
			return phase.Mark(ErrInvalid, "edges with an index or a constraint get their properties after the load")
		}
	}
	list, err := l.v.propsOf(props)
	if err != nil || len(list) == 0 {
		return err
	}
	l.room = appendProps(l.room[:0], list)
	l.props.Set(l.v.recordKey(e), l.room)
	l.withProps[e.Type]++
	return l.props.err
}

// appendProps appends properties as a load keeps them: for each its id, its kind, its
// number and its text, as columns have them.
func appendProps(dst []byte, props []prop) []byte {
	for _, p := range props {
		c := toColumn(p.value)
		dst = append(binary.AppendUvarint(dst, uint64(p.id)), byte(c.Kind))
		dst = binary.AppendVarint(dst, c.Num)
		dst = append(binary.AppendUvarint(dst, uint64(len(c.Str))), c.Str...)
	}
	return dst
}

// readProps reads what appendProps wrote.
func readProps(b []byte) (props []prop, err error) {
	for len(b) > 0 {
		id, n := binary.Uvarint(b)
		if n <= 0 || n == len(b) {
			return nil, errSpilledProps
		}
		c := column.Value{Kind: column.Kind(b[n])}
		b = b[n+1:]
		if c.Num, n = binary.Varint(b); n <= 0 {
			return nil, errSpilledProps
		}
		b = b[n:]
		size, n := binary.Uvarint(b)
		if n <= 0 || size > uint64(len(b)-n) {
			return nil, errSpilledProps
		}
		c.Str = string(b[n : n+int(size)])
		b = b[n+int(size):]
		props = append(props, prop{uint32(id), fromColumn(c)})
	}
	return props, nil
}

var errSpilledProps = errors.New("a temporary file does not have the properties that were written to it")

// eachEdgeRow calls fn with the edges of the load that have properties, in order of types
// and then of edges.
func (l *Loader) eachEdgeRow(fn func(row edgeRow) error) error {
	return l.props.each(l.ctx, func(op *sortedOp) error {
		from, t, to, n := layout.EdgeOf(op.key)
		props, err := readProps(op.value)
		if err != nil {
			return err
		}
		return fn(edgeRow{Edge{From: NodeID(from), To: NodeID(to), Type: EdgeType(t), N: n}, props})
	})
}

// foldMost is how many times as many edges as those of a load with properties a type may
// have in blocks, so that the load writes all of them again; beyond it writes records.
const foldMost = 16

// foldProps decides for each type of edges whether their properties become blocks, and
// adds the records of the others to what the load writes.
func (l *Loader) foldProps() error {
	size := l.v.transact.db.opts.BlockEdges
	l.fold = edgeFold{before: &reader{ctx: l.ctx, kv: l.v.transact.base, g: l.v.g}, most: size, news: l.foldedRows}
	for _, t := range slices.Sorted(maps.Keys(l.withProps)) {
		most := l.withProps[t] * foldMost / size
		blocks, err := l.fold.before.countKeys(layout.TagEdgeBlock, t, most+1)
		if err != nil {
			return err
		}
		if l.withProps[t] >= size && blocks <= most {
			l.fold.types = append(l.fold.types, t)
		}
	}
	if len(l.fold.types) > 0 {
		l.v.st.blocks.Store(true)
	}
	if len(l.fold.types) == len(l.withProps) {
		return nil
	}
	return l.eachEdgeRow(func(row edgeRow) error {
		if !slices.Contains(l.fold.types, row.at.Type) {
			l.ops.Set(l.v.recordKey(row.at), encodeEdge(l.v.transact.fb, l.v.transact.epoch, row.props))
		}
		return l.ops.err
	})
}

// foldedRows calls fn with the edges of the load whose properties become blocks.
func (l *Loader) foldedRows(fn func(row edgeRow) error) error {
	return l.eachEdgeRow(func(row edgeRow) error {
		if !slices.Contains(l.fold.types, row.at.Type) {
			return nil
		}
		return fn(row)
	})
}

func (l *Loader) dropRecords(w kv.SortedWriter) error { return l.fold.dropRecords(w) }
func (l *Loader) writeBlocks(w kv.SortedWriter) error {
	if len(l.fold.types) == 0 {
		return nil
	}
	return l.fold.writeBlocks(w)
}
