package engine_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/engine/text"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/pebblekv"
)

// generator makes documents of about a hundred words whose frequencies follow
// Zipf's law, without the few words that an analyzer would drop.
type generator struct {
	r    *rand.Rand
	zipf *rand.Zipf
}

func newGenerator(seed uint64) *generator {
	r := rand.New(rand.NewPCG(1, seed))
	return &generator{r, rand.NewZipf(r, 1.1, 10, 60_000)}
}

func (g *generator) word() string { return fmt.Sprintf("w%05d", g.zipf.Uint64()) }

func (g *generator) document() []text.Term {
	terms := make([]text.Term, 50+g.r.IntN(100))
	for i := range terms {
		terms[i] = text.Term{Text: g.word(), Pos: uint32(i)}
	}
	return terms
}

// question returns n words of a document.
func (g *generator) question(n int) []string {
	doc := g.document()
	q := make([]string, n)
	for i := range q {
		q[i] = doc[g.r.IntN(len(doc))].Text
	}
	return q
}

// fillField indexes documents in transactions of a thousand.
func fillField(b *testing.B, g *engine.Graph, docs int, o engine.FieldOptions) {
	b.Helper()
	gen := newGenerator(1)
	batch := make([][]text.Term, 0, 1000)
	for first := 0; first < docs; first += cap(batch) {
		b.StopTimer()
		batch = batch[:0]
		for range min(cap(batch), docs-first) {
			batch = append(batch, gen.document())
		}
		b.StartTimer()
		err := g.DB().UpdateWith(context.Background(), kv.NoSync, func(tx *engine.Tx) error {
			v := tx.Graph(g)
			typ, err := v.MakeNodeType("chunk")
			if err != nil {
				return err
			}
			if err := v.MakeField("body", o); err != nil {
				return err
			}
			for i, terms := range batch {
				id, _, err := v.PutNode(typ, fmt.Sprint(first+i), nil)
				if err != nil {
					return err
				}
				if err := v.PutTerms("body", id, terms); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPutTerms(b *testing.B) {
	const docs = 10_000
	for _, positions := range []bool{false, true} {
		b.Run(fmt.Sprintf("positions=%t", positions), func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				g := graph(b, open(b, nil), engine.Base)
				b.StartTimer()
				fillField(b, g, docs, engine.FieldOptions{Positions: positions})
			}
			b.ReportMetric(docs*float64(b.N)/b.Elapsed().Seconds(), "docs/s")
		})
	}
}

// BenchmarkTerms searches what ten or a hundred commits have just added, and
// the same after a compaction.
func BenchmarkTerms(b *testing.B) {
	for _, docs := range []int{10_000, 100_000} {
		b.Run(fmt.Sprintf("docs=%d", docs), func(b *testing.B) {
			var store kv.Store
			g := graph(b, open(b, &engine.Options{
				OpenStore: func(ctx context.Context, path string, s *kv.Schema) (kv.Store, error) {
					var err error
					store, err = pebblekv.Open(ctx, path, s, nil)
					return store, err
				},
			}), engine.Base)
			fillField(b, g, docs, engine.FieldOptions{Positions: true})
			b.Run("fresh", func(b *testing.B) { benchmarkTerms(b, g, docs) })
			m := store.(kv.Maintainer)
			if err := errors.Join(m.Flush(b.Context()), m.Compact(b.Context(), nil, nil)); err != nil {
				b.Fatal(err)
			}
			b.Run("compacted", func(b *testing.B) { benchmarkTerms(b, g, docs) })
		})
	}
}

func benchmarkTerms(b *testing.B, g *engine.Graph, docs int) {
	tenth := roaring.New()
	for id := 1; id <= docs; id += 10 {
		tenth.Add(uint32(id))
	}
	for _, c := range []struct {
		name string
		o    engine.TermsOptions
	}{
		{"k=10", engine.TermsOptions{K: 10}},
		{"k=200", engine.TermsOptions{K: 200}},
		{"k=10,allow=10%", engine.TermsOptions{K: 10, Allow: tenth}},
	} {
		b.Run(c.name, func(b *testing.B) {
			gen := newGenerator(2)
			questions := make([][]string, 100)
			for i := range questions {
				questions[i] = gen.question(10)
			}
			view(b, g, func(v *engine.View) {
				i := 0
				for b.Loop() {
					if _, err := v.Terms("body", questions[i%len(questions)], c.o); err != nil {
						b.Fatal(err)
					}
					i++
				}
				b.ReportMetric(float64(i)/b.Elapsed().Seconds(), "queries/s")
			})
		})
	}
	b.Run("phrase", func(b *testing.B) {
		gen := newGenerator(3)
		view(b, g, func(v *engine.View) {
			i := 0
			for b.Loop() {
				if _, err := v.Phrase("body", []string{gen.word(), gen.word()}); err != nil {
					b.Fatal(err)
				}
				i++
			}
			b.ReportMetric(float64(i)/b.Elapsed().Seconds(), "phrases/s")
		})
	})
}
