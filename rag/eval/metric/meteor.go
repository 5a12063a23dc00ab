package metric

import "math"

// The parameters of METEOR as in NLTK: the weight of precision in the mean, the
// exponent and the weight of the penalty.
const (
	meteorAlpha = 0.9
	meteorBeta  = 3
	meteorGamma = 0.5
)

// METEOR is the score of Banerjee and Lavie (2005) with two of its three
// stages: words match if they are equal, then if their Porter stems are.
// The third, synonyms, needs WordNet and is left out, so a score is at most
// that of an implementation which has it. Parameters and the order in which
// words are matched, from the last, are NLTK's.
func METEOR(reply string, answers []string) float64 {
	has := words(reply)
	return best(answers, func(answer string) float64 {
		want := words(answer)
		pairs := align(has, want)
		n, chunks := 0, 0
		for i, at := range pairs {
			if at < 0 {
				continue
			}
			n++
			if i == 0 || pairs[i-1] < 0 || pairs[i-1]+1 != at {
				chunks++
			}
		}
		if n == 0 {
			return 0
		}
		precision, recall := float64(n)/float64(len(has)), float64(n)/float64(len(want))
		mean := precision * recall / (meteorAlpha*precision + (1-meteorAlpha)*recall)
		return mean * (1 - meteorGamma*math.Pow(float64(chunks)/float64(n), meteorBeta))
	})
}

// align returns for each word of a the place of the word of b that it is
// matched with, -1 for none.
func align(a, b []string) []int {
	at := make([]int, len(a))
	for i := range at {
		at[i] = -1
	}
	taken := make([]bool, len(b))
	for _, form := range []func(string) string{func(w string) string { return w }, stem} {
		free := map[string][]int{} // places in b by form, the last at the end
		for j, w := range b {
			if !taken[j] {
				free[form(w)] = append(free[form(w)], j)
			}
		}
		for i := len(a) - 1; i >= 0; i-- {
			if at[i] >= 0 {
				continue
			}
			f := form(a[i])
			if places := free[f]; len(places) > 0 {
				at[i] = places[len(places)-1]
				free[f] = places[:len(places)-1]
				taken[at[i]] = true
			}
		}
	}
	return at
}
