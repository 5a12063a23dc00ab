package erarag

import (
	"cmp"
	"context"
	"math"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
)

// node is a node of the tree as the test sees it.
type node struct {
	name         string // of a chunk its key, of a summary its text
	text         string
	path         []string // terms of what a chunk stands under
	cosine, bm25 float64
}

// TestHybrid compares the hybrid ranking with one by the texts alone: cosines
// of hashed words, BM25 among the chunks and among the summaries, and the sum
// of both after each was brought to mean 0 and deviation 1. The vectors count as
// ragdb's own, of words.
func TestHybrid(t *testing.T) {
	t.Parallel()
	c := corpus(t)
	c.Use(func(ctx context.Context, c *rag.Corpus) (*rag.Models, error) {
		m, err := ragtest.Fixed(ctx, c)
		if err != nil {
			return nil, err
		}
		parts := m.Parts()
		parts.Documents, parts.Questions = own{}, own{}
		return m.With(parts), nil
	})
	docs := ragtest.Docs(12, 40)
	c.Index(t, small, docs...)
	for _, q := range []string{
		"Who repaired the lighthouse in Karrow, and what did " + docs[7].Hero + " know?",
		docs[3].Code, "zyx", "the the the",
	} {
		chunks, summaries := nodesOf(t, c, small)
		embed(t, q, chunks, summaries)
		score(c, q, chunks)
		score(c, q, summaries)
		all := slices.Concat(chunks, summaries)
		z := zSums(all)
		order := make([]int, len(all))
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, func(a, b int) int { return cmp.Compare(z[b], z[a]) })
		got := c.Evidence(t, small+",k=9999", method.Question{Text: q, Budget: 1 << 20}).Items()
		if len(got) != len(all) {
			t.Fatalf("%q: %d of %d nodes", q, len(got), len(all))
		}
		at := map[string]int{}
		for i := range all {
			at[all[i].name] = i
		}
		for i, it := range got {
			name := it.Text
			if it.Kind == method.ChunkNodeType {
				name = it.Keys[0]
			}
			n, ok := at[name]
			if !ok {
				t.Fatalf("%q: %q is no node", q, name)
			}
			if math.Abs(it.Score-z[n]) > 1e-5 || math.Abs(it.Score-z[order[i]]) > 1e-5 {
				t.Errorf("%q: %d is %q with %v, want %v; here stands %v", q, i, name, it.Score, z[n], z[order[i]])
			}
		}
	}
}

// own makes vectors as [ragtest.Hashes] does, which count as ragdb's own.
type own struct{ ragtest.Hashes }

func (own) Space() llm.SpaceInfo {
	s := ragtest.Hashes{}.Space()
	s.Recomputable = true
	return s
}

// TestHybridOfAModel: with a model's vectors the nearest n nodes are among the first
// 2n, whatever words they share with the question.
func TestHybridOfAModel(t *testing.T) {
	t.Parallel()
	c := corpus(t)
	docs := ragtest.Docs(12, 40)
	c.Index(t, small, docs...)
	q := method.Question{Text: "Who repaired the lighthouse in Karrow, and what did " + docs[7].Hero + " know?", Budget: 1 << 20}
	nearest := c.Evidence(t, small+",k=9999,rank=vector", q).Items()
	all := c.Evidence(t, small+",k=9999", q).Items()
	place := func(text string) int {
		return slices.IndexFunc(all, func(it rag.Cited) bool { return it.Text == text })
	}
	for n, it := range nearest[:20] {
		if at := place(it.Text); at < 0 || at >= 2*(n+1) {
			t.Errorf("%d by vectors is %d", n+1, at+1)
		}
	}
}

// nodesOf returns the chunks and the summaries of a tree.
func nodesOf(t *testing.T, c *ragtest.Corpus, spec string) (chunks, summaries []node) {
	s := opened(t, c, spec)
	err := c.DB().View(t.Context(), func(snap *engine.Snapshot) error {
		for ch, err := range c.Chunks(snap.Graph(c.Base()), s.p.Chunks) {
			if err != nil {
				return err
			}
			terms, err := snap.Graph(c.Base()).TermsOf("path:"+s.p.Chunks.String(), ch.ID)
			if err != nil {
				return err
			}
			n := node{name: ch.Key, text: ch.Text}
			for _, t := range terms {
				for range t.Freq {
					n.path = append(n.path, t.Term)
				}
			}
			chunks = append(chunks, n)
		}
		v := snap.Graph(s.g)
		typ, _ := v.NodeType(typeSummary)
		set, err := v.Nodes(typ)
		if err != nil {
			return err
		}
		for it := set.Iterator(); it.HasNext(); {
			n, err := v.Node(engine.NodeID(it.Next()))
			if err != nil {
				return err
			}
			text, err := summaryText(v, n)
			if err != nil {
				return err
			}
			summaries = append(summaries, node{name: text, text: text})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return chunks, summaries
}

// embed gives nodes the cosines of their texts with a question.
func embed(t *testing.T, q string, lists ...[]node) {
	vector := func(text string) []float32 {
		vecs, _, err := ragtest.Hashes{}.Embed(t.Context(), []string{text})
		if err != nil {
			t.Fatal(err)
		}
		return vecs[0]
	}
	of := vector(q)
	for _, nodes := range lists {
		for i := range nodes {
			dot, a, b := 0.0, 0.0, 0.0
			for j, x := range vector(nodes[i].text) {
				dot, a, b = dot+float64(x)*float64(of[j]), a+float64(x)*float64(x), b+float64(of[j])*float64(of[j])
			}
			nodes[i].cosine = dot / math.Sqrt(a*b)
		}
	}
}

// score gives nodes their BM25 among each other; -1 where they have no word of
// the question.
func score(c *ragtest.Corpus, q string, nodes []node) {
	for i := range nodes {
		nodes[i].bm25 = -1
	}
	add(c.Analyze(q), nodes, 1, func(n node) []string { return c.Analyze(n.text) })
	if len(nodes) > 0 && nodes[0].path != nil {
		add(c.Analyze(q), nodes, 0.4, func(n node) []string { return n.path })
	}
}

// add adds to the scores those of a field that has some terms of each node, times a weight.
func add(q []string, nodes []node, weight float64, of func(n node) []string) {
	const k1, b = 0.9, 0.4
	words := make([][]string, len(nodes))
	mean := 0.0
	for i, n := range nodes {
		words[i] = of(n)
		mean += float64(len(words[i])) / float64(len(nodes))
	}
	count := func(words []string, w string) (n float64) {
		for _, x := range words {
			if x == w {
				n++
			}
		}
		return n
	}
	for _, w := range q {
		df := 0.0
		for i := range nodes {
			if slices.Contains(words[i], w) {
				df++
			}
		}
		idf := math.Log(1 + (float64(len(nodes))-df+0.5)/(df+0.5))
		for i := range nodes {
			if f := count(words[i], w); f > 0 {
				length := 1 - b + b*float64(len(words[i]))/mean
				nodes[i].bm25 = max(0, nodes[i].bm25) + weight*idf*f*(k1+1)/(f+k1*length)
			}
		}
	}
}

// zSums returns what nodes score by both together.
func zSums(nodes []node) []float64 {
	out := make([]float64, len(nodes))
	for _, of := range []func(n node) (float64, bool){
		func(n node) (float64, bool) { return n.cosine, true },
		func(n node) (float64, bool) { return n.bm25, n.bm25 >= 0 },
	} {
		var have []float64
		for _, n := range nodes {
			if x, ok := of(n); ok {
				have = append(have, x)
			}
		}
		if len(have) == 0 || slices.Min(have) == slices.Max(have) {
			continue
		}
		mean, dev := 0.0, 0.0
		for _, x := range have {
			mean += x / float64(len(have))
		}
		for _, x := range have {
			dev += (x - mean) * (x - mean) / float64(len(have))
		}
		for i, n := range nodes {
			x, ok := of(n)
			if !ok {
				x = slices.Min(have)
			}
			out[i] += (x - mean) / math.Sqrt(dev)
		}
	}
	return out
}
