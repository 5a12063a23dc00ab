package eval

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/rag"
)

func TestNormalise(t *testing.T) {
	t.Parallel()
	tests := []struct{ in, want string }{
		{"", ""},
		{"The Lighthouse", "lighthouse"},
		{"  a   quick\tbrown\nfox ", "quick brown fox"},
		{"an answer, the end.", "answer end"},
		{"Theatre and Anatomy", "theatre and anatomy"},
		{"U.S.", "us"},
		{"well-known", "wellknown"},
		{"don't", "dont"},
		{"$1,000 + 5%", "1000 5"},
		{"Zoë Müller-Ørsted", "zoe mullerorsted"},
		{"STRASSE straße", "strasse strasse"},
		{"The", ""},
		{"a. an; the!", ""},
		{"¡¿?!", ""},
		{"“quoted” – text…", "quoted text"},
		{"1821", "1821"},
		{"北京 市", "北京 市"},
	}
	for _, tt := range tests {
		if got := normalise(tt.in); got != tt.want {
			t.Errorf("%q is %q, want %q", tt.in, got, tt.want)
		}
		if once := normalise(tt.in); normalise(once) != once {
			t.Errorf("%q changes again to %q", once, normalise(once))
		}
	}
}

// cited makes items of texts.
func cited(texts ...string) []rag.Cited {
	var out []rag.Cited
	for _, s := range texts {
		out = append(out, rag.Cited{Item: query.Item{Text: s}})
	}
	return out
}

func TestCover(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		items   []rag.Cited
		answers []string
		want    covered
	}{
		{"nothing", nil, []string{"Senna"}, covered{}},
		{"as it stands", cited("Tobias Ruck was born in Senna."), []string{"Senna"}, covered{true, true, true}},
		{"one of several answers", cited("in Senna"), []string{"Loire", "senna"}, covered{true, true, true}},
		{"case", cited("IN SENNA"), []string{" senna "}, covered{true, true, true}},
		{"punctuation", cited("the U.S. Navy"), []string{"US navy"}, covered{normal: true, word: true}},
		{"article", cited("Bank of England"), []string{"the Bank of the England"}, covered{normal: true, word: true}},
		{"inside a word", cited("Sennacherib"), []string{"Senna"}, covered{normal: true, raw: true}},
		{"start and end of an item", cited("Senna", "x Loire"), []string{"loire"}, covered{true, true, true}},
		{"not across items", cited("Tobias", "Ruck"), []string{"Tobias Ruck"}, covered{}},
		{"across lines", cited("Tobias\n Ruck"), []string{"Tobias Ruck"}, covered{normal: true, word: true}},
		{"different items for different measures", cited("Sennacherib", "SEN-NA"), []string{"senna"}, covered{true, true, true}},
		{"nothing left of the answer", cited("nothing + nothing"), []string{"+"}, covered{raw: true}},
		{"nothing left, not there", cited("nothing"), []string{"The"}, covered{}},
		{"blank answers", cited("text"), []string{"", "  "}, covered{}},
		{"blank items", cited("", "Senna"), []string{"Senna"}, covered{true, true, true}},
		{"no answers", cited("text"), nil, covered{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := cover(tt.items, tt.answers); got != tt.want {
				t.Errorf("%+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestRanking(t *testing.T) {
	t.Parallel()
	var items []rag.Cited
	for _, chunks := range []string{"b", "", "a c", "b", "c", "a"} {
		items = append(items, rag.Cited{Chunks: strings.Fields(chunks)})
	}
	got := ranking(items, alone(func(it *rag.Cited) []string { return it.Chunks }))
	if want := []string{"b", "c", "a"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := ranking(nil, nil); len(got) != 0 {
		t.Errorf("%q of nothing", got)
	}
}

func TestFindGold(t *testing.T) {
	t.Parallel()
	tests := []struct {
		rank, gold string
		want       found
	}{
		{"a b c d e f", "a b", found{at2: 1, at5: 1, at10: 1, hit1: 1, hit5: 1, hit10: 1, perfect: 1, rr: 1}},
		{"a b c d e f", "b e", found{at2: 0.5, at5: 1, at10: 1, hit5: 1, hit10: 1, perfect: 1, rr: 0.5}},
		{"a b c d e f", "f", found{at10: 1, hit10: 1, rr: 1. / 6}},
		{"a b c d e f", "e f", found{at5: 0.5, at10: 1, hit5: 1, hit10: 1, rr: 0.2}},
		{"a b c d e f", "x y", found{}},
		{"a b", "a b c d", found{at2: 0.5, at5: 0.5, at10: 0.5, hit1: 1, hit5: 1, hit10: 1, rr: 1}},
		{"", "a", found{}},
		{"c a", "a", found{at2: 1, at5: 1, at10: 1, hit5: 1, hit10: 1, perfect: 1, rr: 0.5}},
		{"0 1 2 3 4 5 6 7 8 9 a", "a", found{rr: 1. / 11}},
	}
	for _, tt := range tests {
		if got := findGold(strings.Fields(tt.rank), strings.Fields(tt.gold)); got != tt.want {
			t.Errorf("%q for %q: %+v, want %+v", tt.rank, tt.gold, got, tt.want)
		}
	}
}

func TestPercentile(t *testing.T) {
	t.Parallel()
	// Nearest rank: the smallest value that at least the share p of all do not
	// exceed.
	for n := 1; n <= 1000; n++ {
		sorted := make([]float64, n)
		for i := range sorted {
			sorted[i] = float64(i + 1)
		}
		for _, percent := range []int{1, 50, 95, 99, 100} {
			want := float64((percent*n + 99) / 100)
			if got := percentile(sorted, float64(percent)/100); got != want {
				t.Fatalf("%d %% of 1 to %d is %v, want %v", percent, n, got, want)
			}
		}
	}
	if got := percentile(nil, 0.5); got != 0 {
		t.Errorf("of nothing: %v", got)
	}
	if got := percentile([]float64{3, 4}, 0); got != 3 {
		t.Errorf("the least: %v", got)
	}
}

func TestMean(t *testing.T) {
	t.Parallel()
	if got := mean([]float64{1, 0, 1, 1}); got != 0.75 {
		t.Errorf("%v", got)
	}
	if got := mean(nil); got != 0 {
		t.Errorf("of nothing: %v", got)
	}
	if share1(nil) != nil || *share1([]float64{0, 1}) != 0.5 {
		t.Error("a share of nothing is none")
	}
}

func TestInterval(t *testing.T) {
	t.Parallel()
	ones, zeros := make([]float64, 40), make([]float64, 40)
	for i := range ones {
		ones[i] = 1
	}
	exact := []struct {
		name string
		a, b []float64
		want [2]float64
	}{
		{"equal", ones, ones, [2]float64{0, 0}},
		{"always better", ones, zeros, [2]float64{1, 1}},
		{"always worse", zeros, ones, [2]float64{-1, -1}},
		{"nothing", nil, nil, [2]float64{}},
		{"not the same questions", ones, ones[1:], [2]float64{}},
	}
	for _, tt := range exact {
		if got := interval(tt.a, tt.b, 1); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}

	// For many questions the bootstrap is near the normal interval of the
	// paired differences, and turns round with the methods.
	r := rand.New(rand.NewPCG(1, 1))
	const n = 900
	a, b := make([]float64, n), make([]float64, n)
	sum, squares := 0.0, 0.0
	for i := range a {
		b[i] = float64(r.IntN(2))
		a[i] = b[i]
		if r.IntN(4) == 0 {
			a[i] = float64(r.IntN(4) / 1 % 2)
		}
		sum += a[i] - b[i]
		squares += (a[i] - b[i]) * (a[i] - b[i])
	}
	m := sum / n
	half := 1.96 * math.Sqrt((squares/n-m*m)/n)
	got := interval(a, b, 7)
	if math.Abs(got[0]-(m-half)) > 0.2*half || math.Abs(got[1]-(m+half)) > 0.2*half {
		t.Errorf("%v, want about %v to %v", got, m-half, m+half)
	}
	if again := interval(a, b, 7); again != got {
		t.Errorf("%v and then %v", got, again)
	}
	if back := interval(b, a, 7); math.Abs(back[0]+got[1]) > 1e-12 || math.Abs(back[1]+got[0]) > 1e-12 {
		t.Errorf("%v turned round is %v", got, back)
	}
	if other := interval(a, b, 8); other == got {
		t.Errorf("the seed has no effect: %v", got)
	}
}

// BenchmarkCover scores the coverage of a context of 12,000 tokens, and tells
// how the time grows with it: cover is to stay linear.
func BenchmarkCover(b *testing.B) {
	chunk := strings.Repeat("The light, designed by Tobias Ruck (1821), stands on the harbour's wall. ", 9)
	for _, chunks := range []int{10, 80, 640} {
		b.Run(fmt.Sprintf("chunks=%d", chunks), func(b *testing.B) {
			items := cited(slices.Repeat([]string{chunk}, chunks)...)
			answers := []string{"Senna", "the town of Senna", "Senna, Loire"}
			b.SetBytes(int64(len(chunk) * chunks))
			b.ReportAllocs()
			for b.Loop() {
				if cover(items, answers).raw {
					b.Fatal("covered")
				}
			}
			b.ReportMetric(b.Elapsed().Seconds()*1e6/float64(b.N)/float64(chunks), "µs/chunk")
		})
	}
}
