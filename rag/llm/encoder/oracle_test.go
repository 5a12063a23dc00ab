package encoder_test

import (
	"math"
)

// The oracle is the same network in float64, written from the models' papers for
// one text at a time, a loop for each sum. It shares no code with the package.

type matrix [][]float64

// vectors returns the last layer's vectors of the tokens.
func (m *made) vectors(ids, types []int) matrix {
	p := m.prefix
	words, places := m.tensors[p+"embeddings.word_embeddings.weight"], m.tensors[p+"embeddings.position_embeddings.weight"]
	kinds, typed := m.tensors[p+"embeddings.token_type_embeddings.weight"]
	x := make(matrix, len(ids))
	for i, id := range ids {
		x[i] = make([]float64, m.hidden)
		for j := range m.hidden {
			x[i][j] = words.v[id*m.hidden+j] + places.v[(i+m.first())*m.hidden+j]
			if typed {
				kind := 0
				if types != nil {
					kind = types[i]
				}
				x[i][j] += kinds.v[kind*m.hidden+j]
			}
		}
	}
	m.oracleNorm(x, p+"embeddings.LayerNorm")
	for l := range m.layers {
		n := layerNames(m.arch, p, l)
		a := m.oracleAttention(m.dense(x, n[0]), m.dense(x, n[1]), m.dense(x, n[2]))
		add(x, m.dense(a, n[3]))
		m.oracleNorm(x, n[4])
		inner := m.dense(x, n[5])
		for _, row := range inner {
			for j, v := range row {
				switch m.act {
				case "gelu":
					row[j] = v / 2 * (1 + math.Erf(v/math.Sqrt2))
				case "gelu_new":
					row[j] = v / 2 * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(v+.044715*math.Pow(v, 3))))
				case "relu":
					row[j] = math.Max(v, 0)
				}
			}
		}
		add(x, m.dense(inner, n[6]))
		m.oracleNorm(x, n[7])
	}
	return x
}

func (m *made) oracleAttention(q, k, v matrix) matrix {
	size := m.hidden / m.heads
	out := make(matrix, len(q))
	for i := range q {
		out[i] = make([]float64, m.hidden)
		for h := range m.heads {
			weight, sum := make([]float64, len(k)), 0.
			for j := range k {
				dot := 0.
				for e := h * size; e < (h+1)*size; e++ {
					dot += q[i][e] * k[j][e]
				}
				dot /= math.Sqrt(float64(size))
				if m.arch == "mpnet" {
					dot += m.tensors[m.prefix+"encoder.relative_attention_bias.weight"].v[oracleBucket(i-j)*m.heads+h]
				}
				weight[j] = math.Exp(dot)
				sum += weight[j]
			}
			for j := range k {
				for e := h * size; e < (h+1)*size; e++ {
					out[i][e] += weight[j] / sum * v[j][e]
				}
			}
		}
	}
	return out
}

// oracleBucket is MPNet's: 16 rows for keys before the query and the query's own
// place, 16 for keys behind it. Of each 8 are for the distances 0 to 7, and 8
// for those up to 128 in steps of equal ratio.
func oracleBucket(before int) int {
	base, d := 0, before
	if before < 0 {
		base, d = 16, -before
	}
	if d < 8 {
		return base + d
	}
	steps := 0
	for edge := 8.; steps < 7 && float64(d) >= edge*math.Sqrt2-1e-9; steps++ {
		edge *= math.Sqrt2
	}
	return base + 8 + steps
}

func (m *made) dense(x matrix, name string) matrix {
	w, b := m.tensors[name+".weight"], m.tensors[name+".bias"]
	out, in := w.shape[0], w.shape[1]
	y := make(matrix, len(x))
	for i := range x {
		y[i] = make([]float64, out)
		for j := range out {
			y[i][j] = b.v[j]
			for k := range in {
				y[i][j] += x[i][k] * w.v[j*in+k]
			}
		}
	}
	return y
}

func (m *made) oracleNorm(x matrix, name string) {
	g, b := m.tensors[name+".weight"], m.tensors[name+".bias"]
	for _, row := range x {
		mean, vary := 0., 0.
		for _, v := range row {
			mean += v / float64(len(row))
		}
		for _, v := range row {
			vary += (v - mean) * (v - mean) / float64(len(row))
		}
		for j, v := range row {
			row[j] = (v-mean)/math.Sqrt(vary+1e-12)*g.v[j] + b.v[j]
		}
	}
}

func add(x, y matrix) {
	for i := range x {
		for j := range x[i] {
			x[i][j] += y[i][j]
		}
	}
}

// embedding is the text's vector of length 1.
func (m *made) embedding(ids []int, pooling string) []float64 {
	x := m.vectors(ids, nil)
	v := make([]float64, m.hidden)
	for i, row := range x {
		if pooling == "cls" && i > 0 {
			break
		}
		for j, e := range row {
			v[j] += e
		}
	}
	sum := 0.
	for _, e := range v {
		sum += e * e
	}
	for j := range v {
		v[j] /= math.Sqrt(sum)
	}
	return v
}

// logits are those of the classification head.
func (m *made) logits(ids, types []int) []float64 {
	first, second := m.prefix+"pooler.dense", "classifier"
	if m.arch != "bert" {
		first, second = "classifier.dense", "classifier.out_proj"
	}
	y := m.dense(m.vectors(ids, types)[:1], first)
	for j, v := range y[0] {
		y[0][j] = math.Tanh(v)
	}
	return m.dense(y, second)[0]
}
