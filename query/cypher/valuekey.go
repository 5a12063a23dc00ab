package cypher

import (
	"encoding/binary"
	"maps"
	"math"
	"slices"
)

// appendKey appends bytes that are equal for two values exactly if the values
// are equivalent, and never a prefix of another value's bytes, so that keys of
// several values can be concatenated. Whole numbers are written as integers
// whatever their type, so that 1 and 1.0 are equal; all NaN are equal.
func (v Value) appendKey(dst []byte) []byte {
	switch v.kind {
	case KindList:
		list := v.AsList()
		dst = binary.AppendUvarint(append(dst, byte(KindList)), uint64(len(list)))
		for _, x := range list {
			dst = x.appendKey(dst)
		}
		return dst
	case KindMap:
		m := v.AsMap()
		dst = binary.AppendUvarint(append(dst, byte(KindMap)), uint64(len(m)))
		for _, k := range sortedKeys(m) {
			dst = m[k].appendKey(appendStringKey(dst, k))
		}
		return dst
	case KindNode:
		dst = binary.BigEndian.AppendUint32(append(dst, byte(KindNode)), uint32(graphID(v.graph())))
		return binary.BigEndian.AppendUint64(dst, v.num)
	case KindEdge:
		return appendEdgeKey(append(dst, byte(KindEdge)), v.AsEdge())
	case KindPath:
		return appendPathKey(append(dst, byte(KindPath)), v.AsPath())
	}
	return v.appendScalarKey(dst)
}

// appendScalarKey is appendKey of null, booleans, numbers, strings, temporal
// values and points.
// It calls itself nowhere, so that dst can stay on the caller's stack.
func (v Value) appendScalarKey(dst []byte) []byte {
	switch v.kind {
	case KindBool:
		return append(dst, byte(KindBool), byte(v.num))
	case KindTemporal:
		t := v.AsTemporal()
		var room [96]byte
		b := t.Append(room[:0])
		return append(append(dst, byte(KindTemporal), byte(t.Kind()), byte(len(b))), b...)
	case KindPoint:
		p := v.AsPoint()
		dst = binary.BigEndian.AppendUint16(append(dst, byte(KindPoint)), uint16(p.SRID))
		for _, x := range [3]float64{p.X, p.Y, p.Z} {
			dst = binary.BigEndian.AppendUint64(dst, math.Float64bits(x+0))
		}
		return dst
	case KindInt:
		return binary.BigEndian.AppendUint64(append(dst, byte(v.kind)), v.num)
	case KindFloat:
		x := v.AsFloat()
		switch {
		case math.IsNaN(x):
			return append(dst, byte(KindFloat), 0)
		case x == math.Trunc(x) && x >= -1<<63 && x < 1<<63:
			return binary.BigEndian.AppendUint64(append(dst, byte(KindInt)), uint64(int64(x)))
		}
		return binary.BigEndian.AppendUint64(append(dst, byte(KindFloat), 1), v.num)
	case KindString:
		return appendStringKey(append(dst, byte(KindString)), v.AsString())
	}
	return append(dst, byte(KindNull))
}

func appendStringKey(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

func appendEdgeKey(dst []byte, e *Edge) []byte {
	id := e.identity()
	dst = binary.BigEndian.AppendUint32(dst, uint32(graphID(e.graph)))
	dst = binary.BigEndian.AppendUint64(dst, uint64(id.From))
	dst = binary.BigEndian.AppendUint64(dst, uint64(id.To))
	dst = binary.BigEndian.AppendUint32(dst, uint32(id.Type))
	return binary.BigEndian.AppendUint32(dst, id.N)
}

func appendPathKey(dst []byte, p *Path) []byte {
	dst = binary.BigEndian.AppendUint32(dst, uint32(graphID(p.graph)))
	dst = binary.AppendUvarint(dst, uint64(len(p.Nodes)))
	for _, n := range p.Nodes {
		dst = binary.BigEndian.AppendUint64(dst, uint64(n))
	}
	for _, e := range p.Edges {
		dst = appendEdgeKey(dst, e)
	}
	return dst
}

// sortedKeys returns the keys of a map in order.
func sortedKeys(m map[string]Value) []string {
	keys := slices.AppendSeq(make([]string, 0, len(m)), maps.Keys(m))
	slices.Sort(keys)
	return keys
}
