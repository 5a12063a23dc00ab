package kernel

import (
	"cmp"
	"math"
	"slices"
)

// I8 is a matrix of weights in 8 bits, packed. It is not changed once it is
// made.
type I8 struct {
	In, Out int
	// extra are inputs that stand behind the others once more, in ascending
	// order: their weights are the sum of what all their places have.
	extra  []int32
	steps  int       // of four inputs each
	panels []int8    // a panel after the other; in it, step by step, four inputs of each column
	scale  []float32 // one a column, as sum and bias
	sum    []int32
	bias   []float32
}

// extras is how many more places the inputs of a matrix have.
func extras(in int) int { return in / 48 / 4 * 4 }

// PackI8 is [Pack] with each column of weights rounded to multiples of a scale of
// its own. An input whose weights are far larger than the others, as trained
// models have some, would leave the others few steps: it gets several places,
// which share its weight. row is called twice for each row.
func PackI8(in, out int, row Source, bias []float32) *I8 {
	m := &I8{
		In: in, Out: out,
		scale: make([]float32, Padded(out)), sum: make([]int32, Padded(out)), bias: make([]float32, Padded(out)),
	}
	copy(m.bias, bias)
	places := m.spread(row)
	m.steps = (in + len(m.extra) + 3) / 4
	m.panels = make([]int8, 4*m.steps*Padded(out))
	for j := range out {
		m.pack(j, row(j), places)
	}
	return m
}

// spread gives the inputs with the largest weights, in relation to the other
// weights of a column, more places, and returns how many each has.
func (m *I8) spread(row Source) (places []int) {
	top := make([]float64, m.In)
	for j := range m.Out {
		w := row(j)
		sum := 0.
		for _, x := range w {
			sum += float64(float64(x) * float64(x))
		}
		if sum == 0 {
			continue
		}
		inverse := 1 / math.Sqrt(sum)
		for k, x := range w {
			top[k] = max(top[k], math.Abs(float64(x))*inverse)
		}
	}
	places = make([]int, m.In)
	for k := range places {
		places[k] = 1
	}
	// Only the largest can win a place.
	order := make([]int, m.In)
	for k := range order {
		order[k] = k
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(top[b], top[a]), a-b) })
	n := extras(m.In)
	order = order[:min(n, m.In)]
	for range n {
		best := order[0]
		for _, k := range order {
			if top[k]/float64(places[k]) > top[best]/float64(places[best]) {
				best = k
			}
		}
		places[best]++
		m.extra = append(m.extra, int32(best))
	}
	slices.Sort(m.extra)
	return places
}

// pack rounds column j, whose weights are w.
func (m *I8) pack(j int, w []float32, places []int) {
	top := 0.
	for k, x := range w {
		top = max(top, math.Abs(float64(x))/float64(places[k]))
	}
	if top == 0 {
		return
	}
	m.scale[j] = float32(top / 127)
	inverse := 127 / top
	panel := m.panels[j/Width*Width*4*m.steps:]
	next := 0 // in extra
	for k, x := range w {
		code, left := int32(math.RoundToEven(float64(x)*inverse)), int32(places[k])
		m.sum[j] += code
		for at := k; left > 0; left-- {
			part := code / left
			panel[at/4*4*Width+j%Width*4+at%4] = int8(part)
			code -= part
			at = m.In + next
			if left > 1 {
				next++
			}
		}
	}
}

// Bytes is the memory that the matrix takes.
func (m *I8) Bytes() int { return len(m.panels) + 4*(len(m.scale)+len(m.sum)+len(m.bias)) }

// RoundRow writes v to dst in multiples of its largest magnitude / 127, which it
// returns.
func RoundRow(dst []int8, v []float32) (scale float32) {
	top := float32(0)
	for _, x := range v {
		top = max(top, x, -x)
	}
	if top == 0 {
		clear(dst[:len(v)])
		return 0
	}
	inverse := 127 / float64(top)
	for i, x := range v {
		dst[i] = int8(math.RoundToEven(float64(x) * inverse))
	}
	return top / 127
}
