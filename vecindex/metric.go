package vecindex

import (
	"fmt"

	"github.com/ragdb/ragdb/internal/distance"
)

// Metric says what near means. A higher score is nearer for each of them.
type Metric uint8

// The metrics. Cosine is the zero value.
const (
	// Cosine scores by the inner product of vectors scaled to length 1, from
	// -1 to 1. Vectors are scaled when put, queries when asked.
	Cosine Metric = iota
	// InnerProduct scores by the inner product of the vectors as given.
	InnerProduct
	// L2 scores by the negative squared Euclidean distance, 0 at best.
	L2
)

// String returns the metric's name.
func (m Metric) String() string {
	switch m {
	case Cosine:
		return "cosine"
	case InnerProduct:
		return "inner-product"
	case L2:
		return "l2"
	}
	return fmt.Sprintf("metric(%d)", uint8(m))
}

// score returns the score of one vector.
func (m Metric) score(q, v []float32) float32 {
	if m == L2 {
		return 0 - distance.L2Sq(q, v)
	}
	return distance.Dot(q, v)
}

// scoreBlock writes to out the scores of the vectors in block.
func (m Metric) scoreBlock(q, block, out []float32) {
	if m != L2 {
		distance.DotBlock(q, block, out)
		return
	}
	distance.L2SqBlock(q, block, out)
	for i, x := range out {
		out[i] = 0 - x
	}
}
