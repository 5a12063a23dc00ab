package eval

import (
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"

	"github.com/ragdb/ragdb/engine/text"
	"github.com/ragdb/ragdb/rag"
)

// normalise lowers, drops accents, punctuation and articles, and makes white
// space single, as the answer metrics of reading comprehension do.
func normalise(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsPunct(r) || unicode.IsSymbol(r) {
			return -1
		}
		return r
	}, text.Fold(s))
	words := strings.Fields(s)
	words = slices.DeleteFunc(words, func(w string) bool { return w == "a" || w == "an" || w == "the" })
	return strings.Join(words, " ")
}

// covered says whether an answer is in a context.
type covered struct{ normal, raw, word bool }

// cover looks for the answers in each item of a context.
func cover(items []rag.Cited, answers []string) (c covered) {
	type answer struct{ normal, raw string }
	var want []answer
	for _, a := range answers {
		if raw := strings.ToLower(strings.TrimSpace(a)); raw != "" {
			want = append(want, answer{normalise(a), raw})
		}
	}
	for _, it := range items {
		// The spaces are borders of words; no normal form begins or ends with
		// one.
		normal, raw := " "+normalise(it.Text)+" ", strings.ToLower(it.Text)
		for _, a := range want {
			c.raw = c.raw || strings.Contains(raw, a.raw)
			if a.normal == "" {
				continue // nothing but punctuation and articles
			}
			c.normal = c.normal || strings.Contains(normal, a.normal)
			c.word = c.word || strings.Contains(normal, " "+a.normal+" ")
		}
	}
	return c
}

// ranking returns the records in the order in which the evidence shows them.
func ranking(items []rag.Cited, shown func(it *rag.Cited) []string) []string {
	var out []string
	for i := range items {
		for _, id := range shown(&items[i]) {
			if !slices.Contains(out, id) {
				out = append(out, id)
			}
		}
	}
	return out
}

// found is how well gold records were found: the shares of them among the
// first 2, 5 and 10 records, 1 if any is among the first 1, 5 and 10, 1
// if all are among the first 5, and the reciprocal rank of the first.
type found struct{ at2, at5, at10, hit1, hit5, hit10, perfect, rr float64 }

// findGold says how well gold records were found among those retrieved.
func findGold(rank, gold []string) (f found) {
	within := func(k int) float64 {
		n := 0
		for _, g := range gold {
			if i := slices.Index(rank, g); i >= 0 && i < k {
				n++
			}
		}
		return float64(n) / float64(len(gold))
	}
	hit := func(k int) float64 { return share(within(k) > 0) }
	f.at2, f.at5, f.at10 = within(2), within(5), within(10)
	f.hit1, f.hit5, f.hit10 = hit(1), hit(5), hit(10)
	f.perfect = share(f.at5 == 1)
	for i, r := range rank {
		if slices.Contains(gold, r) {
			f.rr = 1 / float64(i+1)
			break
		}
	}
	return f
}

func mean(x []float64) float64 {
	if len(x) == 0 {
		return 0
	}
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

func share(ok bool) float64 {
	if ok {
		return 1
	}
	return 0
}

// share1 returns the mean, nil if nothing was measured.
func share1(x []float64) *float64 {
	if len(x) == 0 {
		return nil
	}
	m := mean(x)
	return &m
}

// bootstrapRounds is the number of resamples of an interval.
const bootstrapRounds = 2000

// interval returns the 95 % interval of the mean difference of two methods'
// figures over the same questions, by resampling the questions.
func interval(a, b []float64, seed uint64) [2]float64 {
	if len(a) == 0 || len(a) != len(b) {
		return [2]float64{}
	}
	r := rand.New(rand.NewPCG(seed, 0xe7a1))
	means := make([]float64, bootstrapRounds)
	for i := range means {
		sum := 0.0
		for range a {
			j := r.IntN(len(a))
			sum += a[j] - b[j]
		}
		means[i] = sum / float64(len(a))
	}
	slices.Sort(means)
	return [2]float64{means[bootstrapRounds*25/1000], means[bootstrapRounds*975/1000-1]}
}

// percentile returns the p-th percentile, nearest rank, of sorted values.
func percentile(sorted []float64, p float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	i := int(p*float64(len(sorted))+0.9999999) - 1
	return sorted[max(0, min(i, len(sorted)-1))]
}
