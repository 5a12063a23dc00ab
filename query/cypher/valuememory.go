package cypher

import (
	"math"
	"unsafe"
)

// valueBytes is the size of a value in a list.
const valueBytes = int64(unsafe.Sizeof(Value{}))

// mapBytes is the size of a map without its slots, slotBytes that of a slot with a key and
// a value. A map of up to eight entries has eight slots.
const (
	mapBytes  = 64
	slotBytes = 17 + valueBytes
	fewSlots  = 8
)

// listBytes is the size of a list without its elements.
const listBytes = int64(unsafe.Sizeof([]Value{}))

// temporalBytes estimates the size of a temporal value or a point.
const temporalBytes = 64

// edgeBytes is the size of an Edge, knownBytes that of a property that was read with it.
const (
	edgeBytes  = int64(unsafe.Sizeof(Edge{}))
	knownBytes = int64(unsafe.Sizeof(knownProperty{}))
)

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
		for _, k := range v.ref.(*Edge).known {
			n += knownBytes - valueBytes + k.value.memory()
		}
	case KindPath:
		p := v.AsPath()
		n += int64(unsafe.Sizeof(*p)) + int64(len(p.Nodes))*8 + int64(len(p.Edges))*(8+edgeBytes)
	}
	return n
}

// maxMemory bounds the memory estimate of a list or map, so that no sum of two
// overflows.
const maxMemory = math.MaxInt64 / 4

// listMemory returns the memory that a list refers to.
func listMemory(list []Value) int64 {
	n := listBytes
	for i := range list {
		n = min(n+list[i].memory(), maxMemory)
	}
	return n
}

// mapMemory returns the memory that a map refers to.
func mapMemory(m map[string]Value) int64 {
	n := mapBytes + slotBytes*slots(len(m))
	for k, v := range m {
		n = min(n+int64(len(k))+v.memory()-valueBytes, maxMemory)
	}
	return n
}

// slots returns how many slots a map of n entries has at least: a power of two, of which
// at most seven of eight are used.
func slots(n int) int64 {
	s := int64(fewSlots)
	for n > fewSlots && s/8*7 < int64(n) {
		s *= 2
	}
	return s
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
