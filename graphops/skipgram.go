package graphops

import (
	"math"

	"github.com/ragdb/ragdb/internal/distance"
)

// skipGram learns vectors by skip-grams with negative sampling.
type skipGram struct {
	in, out   Matrix // vectors of nodes, and of nodes as contexts
	window    int
	negatives int
	rate      float64
	seed      uint64
	noise     aliasTable
	logistic  *logisticTable
	change    []float32 // scratch
}

// newSkipGram returns small random vectors. counts is how often each node is
// visited.
func newSkipGram(n int, o *Node2VecOptions, counts []uint64) *skipGram {
	s := &skipGram{
		in:        Matrix{Dim: o.Dim, Data: make([]float32, n*o.Dim)},
		out:       Matrix{Dim: o.Dim, Data: make([]float32, n*o.Dim)},
		window:    o.Window,
		negatives: o.Negatives,
		rate:      o.LearningRate,
		seed:      o.Seed,
		logistic:  newLogisticTable(),
		change:    make([]float32, o.Dim),
	}
	for u := range n {
		r := newStream(o.Seed, gramStream, uint64(u))
		row := s.in.Row(u)
		for i := range row {
			row[i] = float32((r.float() - 0.5) / float64(o.Dim))
		}
	}
	weights := make([]float64, n)
	for u, c := range counts {
		// The 3/4th power by roots, which are the same on every machine.
		root := math.Sqrt(float64(c))
		weights[u] = root * math.Sqrt(root)
	}
	s.noise = newAliasTable(weights)
	return s
}

// train learns from a walk. progress is the part of the work that is done.
func (s *skipGram) train(walk []uint32, number uint64, progress float64) {
	rate := float32(s.rate * max(1e-4, 1-progress))
	r := newStream(s.seed, gramStream+1, number)
	for i, u := range walk {
		reach := 1 + int(r.below(uint64(s.window)))
		center := s.in.Row(int(u))
		for j := max(0, i-reach); j < min(len(walk), i+reach+1); j++ {
			if j == i {
				continue
			}
			clear(s.change)
			s.learn(center, walk[j], 1, rate)
			for range s.negatives {
				if v := s.noise.draw(&r); v != walk[j] {
					s.learn(center, v, 0, rate)
				}
			}
			for k, x := range s.change {
				center[k] += x
			}
		}
	}
}

// learn moves the context vector of v towards center, or away from it if
// the label is 0, and notes in s.change how center is to move.
func (s *skipGram) learn(center []float32, v uint32, label, rate float32) {
	context := s.out.Row(int(v))
	g := (label - s.logistic.at(distance.Dot(center, context))) * rate
	moveTogether(g, center, context, s.change)
}

// moveTogether adds g times context to change and then g times center to
// context. The conversions forbid fused operations.
func moveTogether(g float32, center, context, change []float32) {
	n := len(center)
	context, change = context[:n], change[:n]
	i := 0
	for ; i <= n-4; i += 4 {
		a, b, c := (*[4]float32)(center[i:]), (*[4]float32)(context[i:]), (*[4]float32)(change[i:])
		c[0] += float32(g * b[0])
		c[1] += float32(g * b[1])
		c[2] += float32(g * b[2])
		c[3] += float32(g * b[3])
		b[0] += float32(g * a[0])
		b[1] += float32(g * a[1])
		b[2] += float32(g * a[2])
		b[3] += float32(g * a[3])
	}
	for ; i < n; i++ {
		change[i] += float32(g * context[i])
		context[i] += float32(g * center[i])
	}
}

// aliasTable draws numbers in proportion to weights in constant time (Vose, "A
// Linear Algorithm for Generating Random Numbers with a Given Distribution",
// 1991).
type aliasTable struct {
	keep  []float64 // how likely a number is itself rather than its other
	other []uint32
}

func newAliasTable(weights []float64) aliasTable {
	n := len(weights)
	t := aliasTable{make([]float64, n), make([]uint32, n)}
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	var small, large []uint32
	for i, w := range weights {
		t.keep[i], t.other[i] = 1, uint32(i)
		if sum > 0 {
			t.keep[i] = w * float64(n) / sum
		}
		if t.keep[i] < 1 {
			small = append(small, uint32(i))
		} else {
			large = append(large, uint32(i))
		}
	}
	for len(small) > 0 && len(large) > 0 {
		i, j := small[len(small)-1], large[len(large)-1]
		small = small[:len(small)-1]
		t.other[i] = j
		t.keep[j] -= 1 - t.keep[i]
		if t.keep[j] < 1 {
			large = large[:len(large)-1]
			small = append(small, j)
		}
	}
	for _, i := range small { // left over by rounding
		t.keep[i] = 1
	}
	return t
}

func (t *aliasTable) draw(r *stream) uint32 {
	i := uint32(r.below(uint64(len(t.keep))))
	if r.float() < t.keep[i] {
		return i
	}
	return t.other[i]
}

// logisticTable has 1/(1+exp(-x)) for -logisticReach <= x <= logisticReach; it
// counts as 0 before and 1 after.
type logisticTable [logisticSize]float32

const (
	logisticReach = 6
	logisticSize  = 4096
)

// newLogisticTable computes exp(-x) as the 64th power of exp(-x/64), and that
// by its series, in operations that every machine rounds alike.
func newLogisticTable() *logisticTable {
	t := &logisticTable{}
	for i := range t {
		x := logisticReach - 2*logisticReach*(float64(i)+0.5)/logisticSize
		x /= 64
		exp, term := 1.0, 1.0
		for k := 1; k <= 12; k++ {
			term *= x / float64(k)
			exp += float64(term)
		}
		for range 6 {
			exp *= exp
		}
		t[i] = float32(1 / (1 + exp))
	}
	return t
}

func (t *logisticTable) at(x float32) float32 {
	switch {
	case x >= logisticReach:
		return 1
	case x > -logisticReach:
		i := int((x + logisticReach) * (logisticSize / (2.0 * logisticReach)))
		return t[min(i, logisticSize-1)]
	}
	return 0
}
