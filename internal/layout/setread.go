package layout

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
)

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
