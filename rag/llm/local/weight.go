package local

import (
	"math"
	"slices"

	lex "github.com/ragdb/ragdb/engine/text"
)

// A count is a term of a text and how often it occurs there.
type count struct {
	term string
	n    int
}

// bag returns the terms of a text in ascending order, each once. They are
// those of [lex.Standard]; a text of stop words only has its words instead,
// and a text without any word has none.
func bag(text string) []count {
	terms := lex.Standard{}.Terms(text)
	if len(terms) == 0 {
		terms = lex.Exact{}.Terms(text)
	}
	words := make([]string, len(terms))
	for i, t := range terms {
		words[i] = t.Text
	}
	slices.Sort(words)
	var out []count
	for i := 0; i < len(words); {
		k := i + 1
		for k < len(words) && words[k] == words[i] {
			k++
		}
		out = append(out, count{words[i], k - i})
		i = k
	}
	return out
}

// rarity returns idf^.75 of a term that df of n texts have, with
// idf = ln(1 + (n-df+.5)/(df+.5)). It is above 0 for every df up to n.
func rarity(n, df int64) float32 {
	df = min(df, n)
	idf := ln(1 + (float64(n-df)+.5)/(float64(df)+.5))
	root := math.Sqrt(idf)
	return float32(root * math.Sqrt(root))
}

// frequency returns 1 + ln n for a term that occurs n times in a text.
func frequency(n int) float64 {
	if n == 1 {
		return 1
	}
	return 1 + ln(float64(n))
}

// ln returns the natural logarithm of x, which is above 0. Unlike math.Log it
// gives the same bits on every platform: it uses only operations that IEEE 754
// rounds exactly, and conversions keep them from being fused. The relative
// error is below 1e-15.
func ln(x float64) float64 {
	m, e := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m *= 2
		e--
	}
	s := (m - 1) / (m + 1) // |s| < .172; ln m = 2(s + s^3/3 + s^5/5 + ...)
	z := float64(s * s)
	sum := 0.0
	for k := 21; k >= 1; k -= 2 {
		sum = float64(sum*z) + 1/float64(k)
	}
	return float64(float64(e)*math.Ln2) + float64(2*s*sum)
}

// normalise scales v to length 1 and reports whether it could: a vector of
// length 0 stays as it is.
func normalise(v []float32) bool {
	sum := squares(v)
	if sum < 1e-20 {
		return false
	}
	by := 1 / math.Sqrt(sum)
	for i, x := range v {
		v[i] = float32(float64(x) * by)
	}
	return true
}

// squares returns the sum of the squares of v, by ascending index.
func squares(v []float32) float64 {
	sum := 0.0
	for _, x := range v {
		sum += float64(float64(x) * float64(x))
	}
	return sum
}

// dot returns the inner product of a and b, by ascending index.
func dot(a, b []float32) float64 {
	sum := 0.0
	for i, x := range a {
		sum += float64(float64(x) * float64(b[i]))
	}
	return sum
}

// remove takes the part of v along the unit vector u out of v.
func remove(v, u []float32) {
	along := float32(dot(v, u))
	for i, x := range u {
		v[i] -= float32(along * x)
	}
}
