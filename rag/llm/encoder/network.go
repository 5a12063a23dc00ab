package encoder

import (
	"fmt"
	"math"
	"strings"

	"github.com/ragdb/ragdb/rag/llm/encoder/internal/kernel"
)

// network is an encoder's weights as the forward pass reads them. It does not
// change once it is made.
type network struct {
	*config
	set    kernel.Set
	size   int // elements of a head
	stride int // of a row of hidden elements
	words  *table
	place  [][]float32 // for each type of token the vectors of positions, with the type's added
	first  norm
	layers []layer
	// distance is MPNet's table of what the distance of two tokens adds to
	// their attention: a row of Buckets elements for each head.
	distance [][]float32
	head     *head   // nil for a model that is no cross-encoder
	tagger   *tagger // nil for a model that tags no words
}

type layer struct {
	qkv, out, up, down linear
	attention, full    norm
}

// head is the classification head of a cross-encoder.
type head struct {
	dense, out linear
	labels     int
}

// maxTypes is how many types of tokens are told apart: those of a pair's texts.
const maxTypes = 2

// names are those of a layer's tensors.
type names struct {
	query, key, value, out, attention, up, down, full string
}

func (c *config) names(l int) names {
	p := fmt.Sprintf("encoder.layer.%d.", l)
	n := names{
		query: p + "attention.self.query", key: p + "attention.self.key", value: p + "attention.self.value",
		out: p + "attention.output.dense", attention: p + "attention.output.LayerNorm",
		up: p + "intermediate.dense", down: p + "output.dense", full: p + "output.LayerNorm",
	}
	if c.relative {
		n.query, n.key, n.value = p+"attention.attn.q", p+"attention.attn.k", p+"attention.attn.v"
		n.out, n.attention = p+"attention.attn.o", p+"attention.LayerNorm"
	}
	return n
}

// network reads an encoder.
func (w *weights) network(c *config) *network {
	const table = "embeddings.word_embeddings.weight"
	for _, p := range []string{"bert.", "roberta.", "mpnet.", "camembert."} {
		if _, ok := w.file.Tensor(p + table); ok && !w.has(table) {
			w.prefix = p
		}
	}
	n := &network{config: c, set: w.set, size: c.Hidden / c.Heads, stride: kernel.Padded(c.Hidden)}
	w.embeddings(n, table)
	scale := float32(1 / math.Sqrt(float64(n.size)))
	for l := 0; l < c.Layers && w.err == nil; l++ {
		t := c.names(l)
		n.layers = append(n.layers, layer{
			qkv:       w.pack(c.Hidden, c.Hidden, scale, t.query, t.key, t.value),
			out:       w.pack(c.Hidden, c.Hidden, 1, t.out),
			up:        w.pack(c.Hidden, c.Inner, 1, t.up),
			down:      w.pack(c.Inner, c.Hidden, 1, t.down),
			attention: w.norm(t.attention, c.Hidden),
			full:      w.norm(t.full, c.Hidden),
		})
	}
	if c.relative {
		w.relative(n)
	}
	if !c.tags() {
		w.classifier(n)
	}
	return n
}

func (w *weights) embeddings(n *network, name string) {
	n.words = w.table(name, n.Vocabulary, n.Hidden)
	n.first = w.norm("embeddings.LayerNorm", n.Hidden)
	position := w.rows("embeddings.position_embeddings.weight", n.Positions, n.Hidden, 1)
	var kinds kernel.Source
	if n.Types > 0 {
		kinds = w.rows("embeddings.token_type_embeddings.weight", n.Types, n.Hidden, 1)
	}
	if w.err != nil {
		return
	}
	places := n.Positions - n.firstPosition
	all := make([]float32, places*n.Hidden)
	for i := range n.Positions {
		row := position(i)
		if i >= n.firstPosition {
			copy(all[(i-n.firstPosition)*n.Hidden:], row)
		}
	}
	n.place = append(n.place, all)
	types := min(n.Types, maxTypes)
	for range types - 1 {
		n.place = append(n.place, append([]float32(nil), all...))
	}
	for t := range types {
		kind := kinds(t)
		for i := range places {
			for j, x := range kind {
				n.place[t][i*n.Hidden+j] += x
			}
		}
	}
}

func (w *weights) relative(n *network) {
	row := w.rows("encoder.relative_attention_bias.weight", n.Buckets, n.Heads, 1)
	if w.err != nil {
		return
	}
	n.distance = make([][]float32, n.Heads)
	for b := range n.Buckets {
		for h, x := range row(b) {
			n.distance[h] = append(n.distance[h], x)
		}
	}
}

// classifier reads the head of a cross-encoder, if there is one. It is computed
// in float32 always.
func (w *weights) classifier(n *network) {
	prefix, i8 := w.prefix, w.int8
	defer func() { w.prefix, w.int8 = prefix, i8 }()
	w.int8 = false
	dense, out := "pooler.dense", "classifier"
	if n.classifierVectors {
		dense, out = "classifier.dense", "classifier.out_proj"
	}
	t, ok := w.file.Tensor(out + ".weight")
	if !ok {
		for _, a := range n.Architectures {
			if strings.HasSuffix(a, "ForSequenceClassification") {
				w.fail("config.json says %s, and model.safetensors has no tensor %s", a, out+".weight")
			}
		}
		return
	}
	if len(t.Shape) != 2 || t.Shape[0] < 1 || t.Shape[0] > 2 {
		w.fail("tensor %s has the shape %v, and one label is scored, or two", out+".weight", t.Shape)
		return
	}
	h := &head{labels: t.Shape[0]}
	if n.classifierVectors {
		w.prefix = ""
	}
	h.dense = w.pack(n.Hidden, n.Hidden, 1, dense)
	w.prefix = ""
	h.out = w.pack(n.Hidden, h.labels, 1, out)
	n.head = h
}

// bytes is the memory that the weights take beside the file.
func (n *network) bytes() int {
	sum := n.words.bytes()
	for _, p := range n.place {
		sum += 4 * len(p)
	}
	for _, l := range n.layers {
		sum += l.qkv.bytes() + l.out.bytes() + l.up.bytes() + l.down.bytes()
	}
	return sum
}
