package ketrag

import (
	"encoding/binary"
	"errors"
	"math"
)

// fixedPoint is the scale of the elements of keyword sums.
const fixedPoint = 1 << 30

// wordSum is the sum of the vectors of the sentences that a keyword stands in,
// a sentence counting once for each occurrence.
type wordSum struct {
	count int64
	sum   []int64
}

// add adds a sentence's vector in fixed point n times; n may be negative.
func (w *wordSum) add(vec []int64, n int64) {
	if w.sum == nil {
		w.sum = make([]int64, len(vec))
	}
	for i, x := range vec {
		w.sum[i] += n * x
	}
	w.count += n
}

// addSum adds another sum.
func (w *wordSum) addSum(o *wordSum) {
	if w.sum == nil {
		w.sum = make([]int64, len(o.sum))
	}
	for i, x := range o.sum {
		w.sum[i] += x
	}
	w.count += o.count
}

// mean returns the mean of the vectors.
func (w *wordSum) mean() []float32 {
	out := make([]float32, len(w.sum))
	scale := 1 / (fixedPoint * float64(w.count))
	for i, x := range w.sum {
		out[i] = float32(float64(x) * scale)
	}
	return out
}

// zero reports whether the sum is of nothing, or of vectors that cancel out.
func (w *wordSum) zero() bool {
	for _, x := range w.sum {
		if x != 0 {
			return false
		}
	}
	return true
}

func (w *wordSum) append(dst []byte) []byte {
	dst = binary.AppendVarint(dst, w.count)
	for _, x := range w.sum {
		dst = binary.AppendVarint(dst, x)
	}
	return dst
}

var errSum = errors.New("malformed keyword sum")

func readSum(b []byte, dim int) (*wordSum, error) {
	count, n := binary.Varint(b)
	if n <= 0 {
		return nil, errSum
	}
	w := &wordSum{count: count, sum: make([]int64, dim)}
	b = b[n:]
	for i := range w.sum {
		x, n := binary.Varint(b)
		if n <= 0 {
			return nil, errSum
		}
		w.sum[i] = x
		b = b[n:]
	}
	if len(b) > 0 {
		return nil, errSum
	}
	return w, nil
}

// toFixed returns a vector in fixed point.
func toFixed(v []float32) []int64 {
	out := make([]int64, len(v))
	for i, x := range v {
		out[i] = int64(math.RoundToEven(float64(x) * fixedPoint))
	}
	return out
}

// allFixed returns vectors in fixed point, nil for those that are nil.
func allFixed(vecs [][]float32) [][]int64 {
	out := make([][]int64, len(vecs))
	for i, v := range vecs {
		if v != nil {
			out[i] = toFixed(v)
		}
	}
	return out
}
