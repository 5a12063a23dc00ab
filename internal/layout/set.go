package layout

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

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
// strictly ascending and have no id in common.
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

// errSet is what every malformed set value is reported as.
func errSet(why string) error { return fmt.Errorf("malformed set: %s", why) }

// ReadSet appends the ids and weights of a value to s, which must be empty. An
// operand reads as the ids that it adds. s owns its memory; nothing aliases v.
func ReadSet(v []byte, s *Set) error {
	_, err := readSet(v, s)
	return err
}

// readSet is ReadSet and returns the bytes after the set; for an operand those
// are the removals.
func readSet(v []byte, s *Set) (tail []byte, err error) {
	if len(v) == 0 {
		return nil, errSet("empty value")
	}
	kind, b := v[0]&^weighted, v[1:]
	switch kind {
	case setList, setDelta:
		if b, err = readList(b, &s.IDs); err != nil {
			return nil, err
		}
	case setRoar:
		n, err := readRoaring(b, func(rb *roaring.Bitmap) error { return appendIDs(&s.IDs, rb) })
		if err != nil {
			return nil, err
		}
		b = b[n:]
	default:
		return nil, errSet("unknown kind")
	}
	if v[0]&weighted != 0 {
		if b, err = readWeights(b, len(s.IDs), &s.Weights); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// readRoaring opens a bitmap over b, which it aliases, calls fn with it and
// returns the bytes that it takes. The library trusts what it reads, and some
// bytes that no bitmap has make it panic: that is an error here. Its own
// Validate is not used; it is quadratic in the runs of a container.
func readRoaring(b []byte, fn func(rb *roaring.Bitmap) error) (n int64, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = errSet(fmt.Sprint(p))
		}
	}()
	rb := roaring.New()
	if n, err = rb.FromBuffer(b); err != nil {
		return 0, errSet(err.Error())
	}
	return n, fn(rb)
}

// appendIDs appends the ids of a bitmap, which must ascend.
func appendIDs(ids *[]uint64, rb *roaring.Bitmap) error {
	out := slices.Grow(*ids, int(rb.GetCardinality()))
	var buf [256]uint32
	prev := int64(-1)
	for it := rb.ManyIterator(); ; {
		k := it.NextMany(buf[:])
		if k == 0 {
			*ids = out
			return nil
		}
		for _, id := range buf[:k] {
			if int64(id) <= prev {
				return errSet("ids not ascending")
			}
			prev = int64(id)
			out = append(out, uint64(id))
		}
	}
}

// ascend returns an error if the ids of a bitmap do not ascend: its bytes are
// damaged.
func ascend(rb *roaring.Bitmap) error {
	var buf [256]uint32
	prev := int64(-1)
	for it := rb.ManyIterator(); ; {
		k := it.NextMany(buf[:])
		if k == 0 {
			return nil
		}
		for _, id := range buf[:k] {
			if int64(id) <= prev {
				return errSet("ids not ascending")
			}
			prev = int64(id)
		}
	}
}

func readList(b []byte, ids *[]uint64) ([]byte, error) {
	n, k := binary.Uvarint(b)
	if k <= 0 || n > uint64(len(b)-k) {
		return nil, errSet("bad count")
	}
	b = b[k:]
	*ids = slices.Grow(*ids, int(n))
	id := uint64(0)
	for i := range n {
		d, k := binary.Uvarint(b)
		if k <= 0 {
			return nil, errSet("cut short")
		}
		if next := id + d; i > 0 && next <= id || next < id {
			return nil, errSet("ids not ascending")
		}
		id += d
		*ids = append(*ids, id)
		b = b[k:]
	}
	return b, nil
}

// listHas reports whether a list has an id. It reads the list up to it.
func listHas(b []byte, id uint64) (bool, error) {
	n, k := binary.Uvarint(b)
	if k <= 0 || n > uint64(len(b)-k) {
		return false, errSet("bad count")
	}
	b = b[k:]
	at := uint64(0)
	for i := range n {
		d, k := binary.Uvarint(b)
		if k <= 0 {
			return false, errSet("cut short")
		}
		if next := at + d; i > 0 && next <= at || next < at {
			return false, errSet("ids not ascending")
		}
		at, b = at+d, b[k:]
		if at >= id {
			return at == id, nil
		}
	}
	return false, nil
}

func readWeights(b []byte, n int, w *[]float32) ([]byte, error) {
	if len(b) == 0 {
		return nil, errSet("weights missing")
	}
	codec, b := b[0], b[1:]
	switch codec {
	case weightConst:
		if len(b) < 4 {
			return nil, errSet("weight cut short")
		}
		x := math.Float32frombits(binary.LittleEndian.Uint32(b))
		*w = slices.Grow(*w, n)
		for range n {
			*w = append(*w, x)
		}
		return b[4:], nil
	case weightF32:
		if len(b) < 4*n {
			return nil, errSet("weights cut short")
		}
		*w = slices.Grow(*w, n)
		for i := range n {
			*w = append(*w, math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:])))
		}
		return b[4*n:], nil
	}
	return nil, errSet("unknown weight codec")
}

// SetLen returns the number of ids of a value without decoding them.
func SetLen(v []byte) (int, error) {
	if len(v) == 0 {
		return 0, errSet("empty value")
	}
	switch v[0] &^ weighted {
	case setList, setDelta:
	case setRoar:
		n := 0
		_, err := readRoaring(v[1:], func(rb *roaring.Bitmap) error {
			n = int(rb.GetCardinality())
			return nil
		})
		return n, err
	default:
		return 0, errSet("unknown kind")
	}
	n, k := binary.Uvarint(v[1:])
	if k <= 0 || n > uint64(len(v)) {
		return 0, errSet("bad count")
	}
	return int(n), nil
}

// SetHas reports whether a value holds id, and its weight.
func SetHas(v []byte, id uint64) (weight float32, has bool, err error) {
	if len(v) > 0 && v[0] == setRoar && id < 1<<32 {
		_, err := readRoaring(v[1:], func(rb *roaring.Bitmap) error {
			if has = rb.Contains(uint32(id)); has {
				weight = 1
			}
			return nil
		})
		return weight, has, err
	}
	if len(v) > 0 && v[0] == setList {
		has, err := listHas(v[1:], id)
		if !has || err != nil {
			return 0, false, err
		}
		return 1, true, nil
	}
	var s Set
	if err := ReadSet(v, &s); err != nil {
		return 0, false, err
	}
	i, has := slices.BinarySearch(s.IDs, id)
	if !has {
		return 0, false, nil
	}
	return s.Weight(i), true, nil
}

// AddSetTo adds the ids of a value, each plus base, to a bitmap. Ids of
// 2^32 and above are refused.
func AddSetTo(v []byte, base uint64, rb *roaring.Bitmap) error {
	var s Set
	if err := ReadSet(v, &s); err != nil {
		return err
	}
	small := make([]uint32, len(s.IDs))
	for i, id := range s.IDs {
		if base+id >= 1<<32 {
			return errSet("id of 2^32 or more")
		}
		small[i] = uint32(base + id)
	}
	rb.AddMany(small)
	return nil
}
