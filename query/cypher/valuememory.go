package cypher

import (
	"math"
	"unsafe"
)

// valueBytes is the size of a value in a list.
const valueBytes = int64(unsafe.Sizeof(Value{}))

// entryBytes estimates the size of a map's entry without its key and value.
const entryBytes = 32

// temporalBytes estimates the size of a temporal value or a point.
const temporalBytes = 64

// edgeBytes estimates the size of an Edge.
const edgeBytes = 40

// memory returns about how many bytes a value would take, with all it refers to
// but its graph, if it shared nothing with another. What reads all of a value
// takes time in proportion: a list that holds one list twice is small, but not
// to who compares it.
func (v Value) memory() int64 {
	n := valueBytes
	switch v.kind {
	case KindString, KindList, KindMap:
		n += int64(v.num)
	case KindTemporal, KindPoint:
		n += temporalBytes
	case KindEdge:
		n += edgeBytes
	case KindPath:
		p := v.AsPath()
		n += int64(len(p.Nodes))*8 + int64(len(p.Edges))*(8+edgeBytes)
	}
	return n
}

// maxMemory bounds the memory estimate of a list or map, so that no sum of two
// overflows.
const maxMemory = math.MaxInt64 / 4

// listMemory returns the memory of the elements of a list.
func listMemory(list []Value) int64 {
	var n int64
	for i := range list {
		n = min(n+list[i].memory(), maxMemory)
	}
	return n
}

// mapMemory returns the memory of the entries of a map.
func mapMemory(m map[string]Value) int64 {
	var n int64
	for k, v := range m {
		n = min(n+entryBytes+int64(len(k))+v.memory(), maxMemory)
	}
	return n
}

// weight returns how many steps of a loop reading all of a value is worth.
func (v Value) weight() int64 {
	switch v.kind {
	case KindString:
		return int64(v.num >> 8)
	case KindList, KindMap:
		return int64(v.num) / valueBytes
	}
	return 0
}
