package engine_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/engine/text"
)

// topCorpus draws documents whose words are frequent or rare; in some all
// documents are of one length, so that many scores are equal.
type topCorpus struct {
	r     *rand.Rand
	words int // of each document, 0 for any number
}

func (c *topCorpus) word() string {
	return fmt.Sprintf("w%d", c.r.IntN(1+c.r.IntN(1+c.r.IntN(60))))
}

func (c *topCorpus) document() []text.Term {
	n := c.words
	if n == 0 {
		n = 1 + c.r.IntN(1+c.r.IntN(40))
	}
	out := make([]text.Term, n)
	for i := range out {
		out[i] = text.Term{Text: c.word(), Pos: uint32(i)}
	}
	return out
}

// checkTop compares the first k nodes, for some k, with those of a search for all,
// which adds up term after term: scores have equal bits, ties the order of ids.
func (c *topCorpus) checkTop(t *testing.T, v *engine.View, nodes int) {
	t.Helper()
	q := make([]string, 1+c.r.IntN(7))
	for i := range q {
		q[i] = c.word()
	}
	var o engine.TermsOptions
	for range max(0, c.r.IntN(5)-1) {
		f := engine.FieldWeight{Field: topFields[c.r.IntN(len(topFields))], Weight: math.Exp(4 * c.r.NormFloat64()), B: c.r.Float64()}
		if c.r.IntN(8) == 0 {
			f.Weight = []float64{1e-6, 1e6}[c.r.IntN(2)]
		}
		o.Beside = append(o.Beside, f)
	}
	o.K1, o.B = []float64{0, 1e-9, 1.2, 50}[c.r.IntN(4)], []float64{0, 1e-12, 0.75, 1}[c.r.IntN(4)]
	if c.r.IntN(3) == 0 {
		o.Allow = roaring.New()
		for range 1 << c.r.IntN(12) {
			o.Allow.Add(uint32(1 + c.r.IntN(nodes)))
		}
	}
	all, err := v.Terms("body", q, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range []int{1, 5, 100, 1 + c.r.IntN(200)} {
		o.K = k
		got, err := v.Terms("body", q, o)
		if err != nil {
			t.Fatal(err)
		}
		if want := all[:min(k, len(all))]; !slices.Equal(got, want) {
			t.Fatalf("the first %d of %q, k1 %v, b %v, beside %v, filter %t, are\n%v, want\n%v", k, q, o.K1, o.B, o.Beside, o.Allow != nil, got, want)
		}
	}
}

// topFields are those of the corpora, of which "head" has few words of few nodes, and
// one that no graph has.
var topFields = []string{"body", "head", "none"}

// TestTopTerms compares searches for the best nodes with searches for all, in three
// containers, while documents come, change and go, before and after a compaction.
func TestTopTerms(t *testing.T) {
	const nodes = 2<<16 + 500
	rounds := 3
	if *long {
		rounds = 60
	}
	for _, words := range []int{0, 6} {
		t.Run(fmt.Sprintf("words=%d", words), func(t *testing.T) {
			c := topCorpus{r: rand.New(rand.NewPCG(1, uint64(40+words))), words: words}
			g := graph(t, open(t, nil), engine.Base)
			err := g.DB().Load(t.Context(), g, func(l *engine.Loader) error {
				typ, err := l.MakeNodeType("t")
				for i := 0; i < nodes && err == nil; i++ {
					_, err = l.Node(typ, fmt.Sprint(i), nil)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			update(t, g, func(v *engine.TxView) {
				if err := v.MakeField("body", engine.FieldOptions{Positions: words == 0}); err != nil {
					t.Fatal(err)
				}
				if err := v.MakeField("head", engine.FieldOptions{}); err != nil {
					t.Fatal(err)
				}
				for id := 1; id <= nodes; id += 1 + c.r.IntN(30) {
					err := v.PutTerms("body", engine.NodeID(id), c.document())
					if c.r.IntN(4) == 0 {
						head := c.document()
						err = errors.Join(err, v.PutTerms("head", engine.NodeID(1+c.r.IntN(nodes)), head[:min(4, len(head))]))
					}
					if err != nil {
						t.Fatal(err)
					}
				}
			})
			for round := range rounds {
				update(t, g, func(v *engine.TxView) {
					for range 1 << c.r.IntN(11) {
						id := engine.NodeID(1 + c.r.IntN(nodes))
						doc := c.document()
						if c.r.IntN(3) == 0 {
							doc = nil // it loses its terms
						}
						if err := v.PutTerms(topFields[c.r.IntN(2)], id, doc); err != nil {
							t.Fatal(err)
						}
					}
				})
				if round == rounds/2 {
					if err := g.DB().Compact(t.Context()); err != nil {
						t.Fatal(err)
					}
				}
				view(t, g, func(v *engine.View) {
					for range 12 {
						c.checkTop(t, v, nodes)
					}
				})
			}
			for f, err := range g.DB().Check(t.Context(), engine.CheckOptions{Full: true}) {
				t.Fatal(f, err)
			}
		})
	}
}
