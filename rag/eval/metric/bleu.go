package metric

import "math"

// BLEU1 is BLEU (Papineni et al. 2002) of single words: the share of the
// reply's words that the answer has, each at most as often as it is there,
// times the brevity penalty, which is exp(1 - answer/reply) in numbers of words
// if the reply is the shorter one. Answers count one at a time, not
// together, as in the evaluation of NarrativeQA.
func BLEU1(reply string, answers []string) float64 {
	has := words(reply)
	if len(has) == 0 {
		return 0
	}
	return best(answers, func(answer string) float64 {
		want := words(answer)
		p := float64(common(has, want)) / float64(len(has))
		if len(has) < len(want) {
			p *= math.Exp(1 - float64(len(want))/float64(len(has)))
		}
		return p
	})
}
