package layout

import (
	"encoding/binary"
	"math"

	"github.com/RoaringBitmap/roaring/v2"
)

// The kinds of a set value, in the low nibble of its first byte. Bit 7 says
// that weights follow the ids.
const (
	setList  = 1 // uvarint n, n uvarint deltas, ascending
	setRoar  = 2 // portable roaring bitmap of 32-bit ids
	setDelta = 3 // two lists: ids added, ids removed
	weighted = 0x80
)

// The codecs of weights, in rank order of the ids.
const (
	weightConst = 0 // one f32 for all
	weightF32   = 1 // n f32, little-endian
)

// A set of up to listMax ids is a delta-varint list: it is 2.5 times smaller
// than a roaring bitmap there and faster to walk. So it is for more ids if they
// are fewer than listShare for each container of a bitmap that they are in, which
// takes 8 bytes itself.
const (
	listMax   = 128
	listShare = 16
)

// asList reports whether a set of n ids in so many containers is a list.
func asList(n, containers int) bool { return n <= listMax || n < listShare*containers }

// containersOf returns how many containers of a bitmap ids are in, or an upper
// bound that asList does not tell from it.
func containersOf(ids []uint64) int {
	if len(ids) <= listMax {
		return len(ids)
	}
	n := 1
	for i := 1; i < len(ids); i++ {
		if Container(ids[i]) != Container(ids[i-1]) {
			n++
		}
	}
	return n
}

// Set is a decoded set value: ids ascending and, where any differs from 1,
// their weights in the same order. In the value of a container the ids are the
// lower 16 bits.
type Set struct {
	IDs     []uint64
	Weights []float32 // nil: all 1
}

// Weight returns the weight of the i-th id.
func (s *Set) Weight(i int) float32 {
	if s.Weights == nil {
		return 1
	}
	return s.Weights[i]
}

// Reset empties s and keeps its memory.
func (s *Set) Reset() { s.IDs, s.Weights = s.IDs[:0], nil }

// Push appends an id greater than those in s, with its weight.
func (s *Set) Push(id uint64, w float32) {
	if w != 1 && s.Weights == nil {
		s.Weights = make([]float32, len(s.IDs), cap(s.IDs)+1)
		for i := range s.Weights {
			s.Weights[i] = 1
		}
	}
	s.IDs = append(s.IDs, id)
	if s.Weights != nil {
		s.Weights = append(s.Weights, w)
	}
}

// AppendSet appends the value of a whole set: ids strictly ascending below
// 2^32, weights nil or one an id.
func AppendSet(dst []byte, ids []uint64, weights []float32) []byte {
	weights = dropUnit(weights)
	kind := byte(setList)
	if !asList(len(ids), containersOf(ids)) {
		kind = setRoar
	}
	if weights != nil {
		kind |= weighted
	}
	dst = append(dst, kind)
	if kind&^weighted == setList {
		dst = appendList(dst, ids)
	} else {
		dst = appendRoaring(dst, ids)
	}
	if weights != nil {
		dst = appendWeights(dst, weights)
	}
	return dst
}

// AppendDelta appends a merge operand that adds ids with weights (nil: all 1),
// replacing the weight of those present, and removes others. Both lists are
// strictly ascending and have no id in common; of a damaged operand with an id in
// both, the removal counts.
func AppendDelta(dst []byte, add []uint64, weights []float32, remove []uint64) []byte {
	weights = dropUnit(weights)
	kind := byte(setDelta)
	if weights != nil {
		kind |= weighted
	}
	dst = appendList(append(dst, kind), add)
	if weights != nil {
		dst = appendWeights(dst, weights)
	}
	return appendList(dst, remove)
}

// AppendAdd appends the merge operand that adds one id.
func AppendAdd(dst []byte, id uint64, weight float32) []byte {
	if weight == 1 {
		dst = append(dst, setDelta, 1)
		return append(binary.AppendUvarint(dst, id), 0)
	}
	dst = append(dst, setDelta|weighted, 1)
	dst = append(binary.AppendUvarint(dst, id), weightConst)
	return append(binary.LittleEndian.AppendUint32(dst, math.Float32bits(weight)), 0)
}

// AppendRemove appends the merge operand that removes one id.
func AppendRemove(dst []byte, id uint64) []byte {
	dst = append(dst, setDelta, 0, 1)
	return binary.AppendUvarint(dst, id)
}

func dropUnit(w []float32) []float32 {
	for _, x := range w {
		if x != 1 {
			return w
		}
	}
	return nil
}

func appendList(dst []byte, ids []uint64) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(ids)))
	prev := uint64(0)
	for _, id := range ids {
		dst = binary.AppendUvarint(dst, id-prev)
		prev = id
	}
	return dst
}

func appendRoaring(dst []byte, ids []uint64) []byte {
	small := make([]uint32, len(ids))
	for i, id := range ids {
		small[i] = uint32(id)
	}
	rb := roaring.BitmapOf(small...)
	rb.RunOptimize()
	b, err := rb.ToBytes()
	if err != nil {
		// ToBytes writes to memory; it has no way to fail.
		return appendList(dst, ids)
	}
	return append(dst, b...)
}

func appendWeights(dst []byte, w []float32) []byte {
	same := true
	for _, x := range w {
		if x != w[0] {
			same = false
			break
		}
	}
	if same {
		dst = append(dst, weightConst)
		w = w[:1]
	} else {
		dst = append(dst, weightF32)
	}
	for _, x := range w {
		dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(x))
	}
	return dst
}
