package layout

import "encoding/binary"

// AppendSum appends a vector of integers as zigzag varints: the value of a
// counter or of lexical sums, and their merge operand, which adds element by
// element, absent elements being 0.
func AppendSum(dst []byte, v ...int64) []byte {
	for _, x := range v {
		dst = binary.AppendVarint(dst, x)
	}
	return dst
}

// ReadSum decodes up to len(dst) elements and zeroes the others. ok is false
// if b is malformed.
func ReadSum(b []byte, dst []int64) (ok bool) {
	clear(dst)
	for i := 0; len(b) > 0; i++ {
		v, n := binary.Varint(b)
		if n <= 0 {
			return false
		}
		if i < len(dst) {
			dst[i] = v
		}
		b = b[n:]
	}
	return true
}

// sumFold adds vectors of integers; order does not matter. It keeps operands that
// it cannot read in a damaged value.
type sumFold struct {
	total   []int64
	damaged []byte // parts
}

func newSumFold(first []byte) *sumFold {
	f := &sumFold{}
	f.add(first)
	return f
}

func (f *sumFold) add(op []byte) {
	if !ReadSum(op, nil) {
		f.damaged = appendPart(f.damaged, op)
		return
	}
	for i := 0; len(op) > 0; i++ {
		v, n := binary.Varint(op)
		if i == len(f.total) {
			f.total = append(f.total, 0)
		}
		f.total[i] += v
		op = op[n:]
	}
}

func (f *sumFold) Newer(op []byte) { f.add(op) }
func (f *sumFold) Older(op []byte) { f.add(op) }

func (f *sumFold) Finish(bool) []byte {
	sum := AppendSum(nil, f.total...)
	if f.damaged == nil {
		return sum
	}
	return append(appendPart([]byte(damagedSum), sum), f.damaged...)
}
