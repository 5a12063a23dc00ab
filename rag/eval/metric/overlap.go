package metric

import (
	"slices"
	"strings"
)

// Accuracy is 1 if the reply's normal form contains that of an answer, at
// whatever place: what ArchRAG and EraRAG call accuracy, for any of the answers.
// An answer without tokens is contained in nothing.
func Accuracy(reply string, answers []string) float64 {
	// ArchRAG's script reads | as a blank.
	form := func(s string) string { return strings.Join(normal(strings.ReplaceAll(s, "|", " ")), " ") }
	has := form(reply)
	return best(answers, func(answer string) float64 {
		want := form(answer)
		return oneIf(want != "" && strings.Contains(has, want))
	})
}

// ExactMatch is 1 if the reply and an answer have the same normal form.
func ExactMatch(reply string, answers []string) float64 {
	has := normal(reply)
	return best(answers, func(answer string) float64 { return oneIf(slices.Equal(has, normal(answer))) })
}

// F1 is the harmonic mean of the shares of tokens in normal form that the reply
// and the answer have in common, each token as often as it occurs in both. As
// in HotpotQA's script it is 0 if one of them is yes, no or noanswer and the
// other is something else. Two texts without tokens are the same.
func F1(reply string, answers []string) float64 {
	return overlap(reply, answers, func(both, has, want int) float64 { return 2 * float64(both) / float64(has+want) })
}

// Recall is the share of an answer's tokens that the reply has, with the rules
// of [F1].
func Recall(reply string, answers []string) float64 {
	return overlap(reply, answers, func(both, _, want int) float64 { return float64(both) / float64(want) })
}

func overlap(reply string, answers []string, share func(both, has, want int) float64) float64 {
	has := normal(reply)
	return best(answers, func(answer string) float64 {
		want := normal(answer)
		switch {
		case slices.Equal(has, want):
			return 1
		case len(has) == 0 || len(want) == 0 || verdict(has) || verdict(want):
			return 0
		}
		return share(common(has, want), len(has), len(want))
	})
}

// verdict reports whether tokens are an answer to which no other comes near.
func verdict(tokens []string) bool {
	return len(tokens) == 1 && (tokens[0] == "yes" || tokens[0] == "no" || tokens[0] == "noanswer")
}

func oneIf(ok bool) float64 {
	if ok {
		return 1
	}
	return 0
}
