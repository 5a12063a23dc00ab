package encoder

import "github.com/ragdb/ragdb/rag/llm/encoder/internal/kernel"

// sequence is a text as tokens. Types may be nil for tokens of type 0.
type sequence struct{ ids, types []int32 }

// chunk is how many rows pass through the dense layers together: few enough for
// the second-level cache to hold their inner vectors.
const chunk = 96

// room is the memory of one forward pass, for up to tokens tokens and texts of
// up to longest.
type room struct {
	tokens, longest int
	x, all, attend  []float32 // the vectors; queries, keys and values; what attention gives
	part, inner     []float32 // for a chunk
	codes           *kernel.Codes
	keys, scores    []float32 // of one head
	values, sums    []float32 // of one head whose size is not that of panels
	near            []float32 // what distances add, of one head
}

func (n *network) room(tokens, longest int) *room {
	r := &room{tokens: tokens, longest: longest}
	floats := func(n int) []float32 { return make([]float32, n) }
	r.x, r.attend = floats(tokens*n.stride), floats(tokens*n.stride)
	r.all = floats(tokens * kernel.Padded(3*n.Hidden))
	r.part, r.inner = floats(chunk*n.stride), floats(chunk*kernel.Padded(n.Inner))
	wide := kernel.Padded(longest)
	r.keys, r.scores = floats(n.size*wide), floats(block*wide)
	if n.size%kernel.Width != 0 {
		r.values, r.sums = floats(longest*kernel.Padded(n.size)), floats(block*kernel.Padded(n.size))
	}
	if n.relative {
		r.near = floats(2*longest - 1)
	}
	if n.layers[0].qkv.i8 != nil {
		r.codes = kernel.NewCodes(chunk, max(n.Hidden, n.Inner))
	}
	return r
}

// forward computes the last layer's vectors of all tokens of the texts. They are
// rows of r.x, one text's after the other's. Only the first of each text is
// right if firstOnly is set.
func (n *network) forward(r *room, texts []sequence, firstOnly bool) {
	tokens := n.embed(r, texts)
	wide := kernel.Padded(3 * n.Hidden)
	for l := range n.layers {
		layer := &n.layers[l]
		for from := 0; from < tokens; from += chunk {
			rows := min(chunk, tokens-from)
			n.dense(r, r.all[from*wide:], wide, r.x[from*n.stride:], n.stride, rows, layer.qkv)
		}
		from := 0
		last := firstOnly && l == len(n.layers)-1
		for _, t := range texts {
			queries := len(t.ids)
			if last {
				queries = 1
			}
			n.attention(r, from, len(t.ids), queries)
			from += len(t.ids)
		}
		if last {
			// The first rows alone go on, moved together.
			from := 0
			for i, t := range texts {
				copy(r.x[i*n.stride:][:n.stride], r.x[from*n.stride:])
				copy(r.attend[i*n.stride:][:n.stride], r.attend[from*n.stride:])
				from += len(t.ids)
			}
			tokens = len(texts)
		}
		for from := 0; from < tokens; from += chunk {
			n.feed(r, layer, from, min(chunk, tokens-from))
		}
	}
}

// embed writes the vectors of the tokens, without their context, to r.x.
func (n *network) embed(r *room, texts []sequence) (tokens int) {
	for _, t := range texts {
		for i, id := range t.ids {
			x := r.x[tokens*n.stride:][:n.stride]
			n.words.row(x, int(id))
			kind := 0
			if t.types != nil {
				kind = int(t.types[i])
			}
			place := n.place[kind][i*n.Hidden:]
			n.set.AddNorm(x[:n.Hidden], place, n.first.gamma, n.first.beta, float32(n.Epsilon))
			tokens++
		}
	}
	return tokens
}

// feed takes rows through what follows attention in a layer.
func (n *network) feed(r *room, l *layer, from, rows int) {
	x := r.x[from*n.stride:]
	n.dense(r, r.part, n.stride, r.attend[from*n.stride:], n.stride, rows, l.out)
	n.normalize(x, r.part, rows, l.attention)
	wide := kernel.Padded(n.Inner)
	n.dense(r, r.inner, wide, x, n.stride, rows, l.up)
	n.activate(r.inner[:rows*wide])
	n.dense(r, r.part, n.stride, r.inner, wide, rows, l.down)
	n.normalize(x, r.part, rows, l.full)
}

func (n *network) normalize(x, add []float32, rows int, by norm) {
	for i := range rows {
		n.set.AddNorm(x[i*n.stride:][:n.Hidden], add[i*n.stride:], by.gamma, by.beta, float32(n.Epsilon))
	}
}

func (n *network) activate(x []float32) {
	switch n.activation {
	case gelu:
		n.set.GELU(x)
	case geluTanh:
		n.set.GELUTanh(x)
	case relu:
		for i, v := range x {
			x[i] = max(v, 0)
		}
	}
}

// dense multiplies at most chunk rows by a layer's weights.
func (n *network) dense(r *room, c []float32, ldc int, a []float32, lda, rows int, l linear) {
	if l.i8 == nil {
		n.set.Mul(c, ldc, a, lda, rows, l.f32)
		return
	}
	r.codes.Set(n.set, a, lda, rows, l.i8)
	n.set.MulI8(c, ldc, r.codes, rows, l.i8)
}
