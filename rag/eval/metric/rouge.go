package metric

// ROUGEL is the F measure of ROUGE-L (Lin 2004) with equal weights: the longest
// common subsequence of the words' Porter stems, as a share of the reply and of
// the answer. Words of up to three letters are not stemmed, as in the package
// rouge_score.
func ROUGEL(reply string, answers []string) float64 {
	stems := func(s string) []string {
		list := words(s)
		for i, w := range list {
			if len(w) > 3 {
				list[i] = stem(w)
			}
		}
		return list
	}
	has := stems(reply)
	return best(answers, func(answer string) float64 {
		want := stems(answer)
		if len(has) == 0 || len(want) == 0 {
			return 0
		}
		return 2 * float64(subsequence(has, want)) / float64(len(has)+len(want))
	})
}

// subsequence returns the length of the longest common subsequence. Time is the
// product of the lengths.
func subsequence(a, b []string) int {
	row := make([]int, len(b)+1) // for the part of a so far and each part of b
	for _, x := range a {
		diagonal := 0
		for j, y := range b {
			above := row[j+1]
			if x == y {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(above, row[j])
			}
			diagonal = above
		}
	}
	return row[len(b)]
}
