package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/rag/text"
)

// nodeRAGData is a corpus as NodeRAG would read it: the graph of
// [layeredGraph] without its edges of likeness, which the method finds itself,
// and texts, names and vectors for its nodes.
type nodeRAGData struct {
	*layered
	says  []string   // by node: the text of T, S, R, A, H; the name of N, O
	near  [][]uint32 // neighbours of each node, in order of the edges
	graph *graphFile
	// vectors are of T, S, A and H.
	vectors map[string][]float32 // by text
	asked   []nodeRAGQuestion
}

// nodeRAGQuestion is what is asked: names that a model found in the question,
// and its vector.
type nodeRAGQuestion struct {
	text   string
	names  []string
	vector []float32
}

// Texts have a mean of 90 tokens, relations of 12.
const (
	leastTokens, mostTokens                 = 35, 145
	leastRelationTokens, mostRelationTokens = 6, 18
)

// drawNodeRAG draws a corpus of so many texts, and questions.
func drawNodeRAG(texts, dim, questions int, seed uint64, tokens *text.Tokenizer) *nodeRAGData {
	r := rand.New(rand.NewPCG(seed, 0x6E6F6465))
	d := &nodeRAGData{layered: newLayered(texts, r), vectors: map[string][]float32{}}
	types := d.drawStructure()
	d.graph = d.file(types)
	d.near = make([][]uint32, len(types))
	for _, e := range d.graph.edges {
		d.near[e.from] = append(d.near[e.from], e.to)
		d.near[e.to] = append(d.near[e.to], e.from)
	}
	d.drawTextsOf(tokens)
	d.drawVectors(dim, questions)
	return d
}

// neighboursOf returns the neighbours of a node that are of a type.
func (d *nodeRAGData) neighboursOf(u uint32, kind int) []uint32 {
	var out []uint32
	for _, v := range d.near[u] {
		if int(d.graph.types[v]) == kind {
			out = append(out, v)
		}
	}
	return out
}

// textsOf returns the texts that a node was read in, ascending: its own, or
// those of the units next to it.
func (d *nodeRAGData) textsOf(u uint32) []uint32 {
	kind := int(d.graph.types[u])
	if kind == layerText {
		return []uint32{u}
	}
	if kind == layerUnit {
		return d.neighboursOf(u, layerText)
	}
	through := layerUnit
	switch {
	case kind == layerAttribute:
		through = layerEntity
	case len(d.neighboursOf(u, layerUnit)) == 0: // an entity of relations alone
		through = layerRelation
	}
	var out []uint32
	for _, v := range d.neighboursOf(u, through) {
		out = append(out, d.textsOf(v)...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// vocabulary is a list of made-up words, the frequent ones first, with the
// tokens that each is with a blank before it.
type vocabulary struct {
	words  []string
	tokens []int
}

// newVocabulary draws n words of one or two tokens.
func newVocabulary(n int, r *rand.Rand, t *text.Tokenizer) *vocabulary {
	const onsets, vowels, codas = "b c d f g h l m n p r s t v w ch st tr pl gr", "a e i o u ea ou", " n r s t l nd rt ng ck"
	starts, middles, ends := strings.Split(onsets, " "), strings.Split(vowels, " "), strings.Split(codas, " ")
	v := &vocabulary{}
	taken := map[string]bool{}
	for len(v.words) < n {
		var b strings.Builder
		for range 1 + r.IntN(3) {
			b.WriteString(starts[r.IntN(len(starts))] + middles[r.IntN(len(middles))] + ends[r.IntN(len(ends))])
		}
		word := b.String()
		if k := t.Count(" " + word); k <= 2 && !taken[word] {
			taken[word] = true
			v.words, v.tokens = append(v.words, word), append(v.tokens, k)
		}
	}
	return v
}

// draw returns a word by Zipf's law.
func (v *vocabulary) draw(r *rand.Rand) int {
	return int(math.Pow(float64(len(v.words)), r.Float64())) - 1
}

// sentence returns some text of about so many tokens that begins with names.
func (v *vocabulary) sentence(r *rand.Rand, tokens int, names []string) string {
	var b strings.Builder
	for _, name := range names {
		if b.Len() > 0 {
			b.WriteString(" and ")
		}
		b.WriteString(name)
		tokens -= 1 + 2*len(strings.Fields(name))
	}
	for tokens > 0 {
		i := v.draw(r)
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(v.words[i])
		tokens -= v.tokens[i]
	}
	b.WriteByte('.')
	return b.String()
}

// name returns a name of one to three words.
func (v *vocabulary) name(r *rand.Rand) string {
	words := make([]string, 1+r.IntN(3))
	for i := range words {
		words[i] = v.words[r.IntN(len(v.words))]
	}
	return strings.Join(words, " ")
}

func (d *nodeRAGData) drawTextsOf(tokens *text.Tokenizer) {
	words := newVocabulary(20_000, d.r, tokens)
	d.says = make([]string, len(d.graph.types))
	taken := map[string]bool{}
	for _, kind := range []int{layerEntity, layerTitle, layerText, layerUnit, layerRelation, layerAttribute, layerOverview} {
		for i := range d.counts[kind] {
			u := d.first[kind] + uint32(i)
			switch kind {
			case layerEntity, layerTitle:
				for d.says[u] == "" || taken[d.says[u]] {
					d.says[u] = words.name(d.r)
				}
				taken[d.says[u]] = true
			default:
				least, most := leastTokens, mostTokens
				if kind == layerRelation {
					least, most = leastRelationTokens, mostRelationTokens
				}
				var names []string
				for _, e := range d.neighboursOf(u, layerEntity) {
					names = append(names, d.says[e])
				}
				d.says[u] = words.sentence(d.r, least+d.r.IntN(most-least+1), names)
			}
		}
	}
}

// latent is the dimension in which vectors lie but for the noise on them.
const latent = 64

// drawVectors gives the rich nodes their vectors: a topic, a text and a share of
// their own in a space of few dimensions, turned into the space of many, and
// noise of a seventh of the energy. A question is near a unit and names
// entities, often mentioned ones more likely.
func (d *nodeRAGData) drawVectors(dim, questions int) {
	turn := make([][]float32, latent)
	for i := range turn {
		turn[i] = make([]float32, dim)
		for j := range turn[i] {
			turn[i][j] = float32(d.r.NormFloat64())
		}
	}
	point := func(from []float64, own float64) []float64 {
		out := make([]float64, latent)
		for i := range out {
			out[i] = own * d.r.NormFloat64()
			if from != nil {
				out[i] += from[i]
			}
		}
		return out
	}
	vector := func(at []float64) []float32 {
		out, energy := make([]float32, dim), 0.0
		for i, x := range at {
			energy += x * x
			for j, t := range turn[i] {
				out[j] += float32(x) * t
			}
		}
		noise := math.Sqrt(energy / 7)
		for j := range out {
			out[j] += float32(noise * d.r.NormFloat64())
		}
		return out
	}
	topics := make([][]float64, d.topics)
	for i := range topics {
		topics[i] = point(nil, 1)
	}
	texts := make([][]float64, d.texts)
	for i := range texts {
		texts[i] = point(topics[d.topicOf[i]], 0.7)
	}
	units := make([][]float64, d.counts[layerUnit])
	for i := range units {
		units[i] = point(texts[d.unitText(i)], 0.5)
	}
	for _, kind := range []int{layerText, layerUnit, layerAttribute, layerOverview} {
		for i := range d.counts[kind] {
			u := d.first[kind] + uint32(i)
			at := []float64(nil)
			switch kind {
			case layerText:
				at = texts[i]
			case layerUnit:
				at = units[i]
			default:
				from := d.textsOf(u)
				at = point(texts[from[d.r.IntN(len(from))]], 0.5)
			}
			d.vectors[d.says[u]] = vector(at)
		}
	}
	for i := range questions {
		q := nodeRAGQuestion{text: fmt.Sprintf("question %d", i), vector: vector(point(units[d.r.IntN(len(units))], 0.3))}
		for range 1 + d.r.IntN(3) {
			q.names = append(q.names, d.says[d.mentions[d.r.IntN(len(d.mentions))]])
		}
		d.asked = append(d.asked, q)
	}
}
