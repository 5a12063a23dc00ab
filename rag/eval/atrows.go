package eval

// AskedQuestion is a question of a report with figures by question. What is asked, the
// data set has.
type AskedQuestion struct {
	ID string `json:"id"`
	// Gold counts its gold records.
	Gold int `json:"gold"`
}

// AtRows are the figures of each question with one budget, in the order of
// Report.Questions: every interval can be repeated from them. Null stands for a question
// that a figure is not defined for: without answers, or without gold records.
type AtRows struct {
	Tokens []int `json:"tokens"`
	// Covered is 1 if an answer is in the evidence, else 0.
	Covered []*int `json:"covered"`
	// Shown, Gain and Cost count gold records: those that the evidence shows, those that
	// the graph alone adds to plain search, and those that plain search shows and
	// the method does not.
	Shown []*int `json:"shown"`
	Gain  []*int `json:"gain"`
	Cost  []*int `json:"cost"`
	// Acc, EM and F1 are those of the answers; absent if none were asked for.
	Acc []*float64 `json:"acc,omitempty"`
	EM  []*float64 `json:"em,omitempty"`
	F1  []*float64 `json:"f1,omitempty"`
}

// rowsOf returns what is reported of each question. answers may be nil.
func rowsOf(rows []*atRow, answers *AnswerFigure) AtRows {
	var out AtRows
	count := func(defined bool, n int) *int {
		if !defined {
			return nil
		}
		return &n
	}
	for i, row := range rows {
		gold := row.found != nil
		out.Tokens = append(out.Tokens, row.tokens)
		out.Covered = append(out.Covered, count(row.covered != nil, 0))
		if row.covered != nil && row.covered.normal {
			*out.Covered[i] = 1
		}
		out.Shown = append(out.Shown, count(gold, countShown(row.gold)))
		out.Gain, out.Cost = append(out.Gain, count(gold, row.gain)), append(out.Cost, count(gold, row.cost))
		if answers == nil {
			continue
		}
		var acc, em, f1 *float64
		if x := answers.scores[i]; x != nil {
			acc, em, f1 = &x.acc, &x.em, &x.f1
		}
		out.Acc, out.EM, out.F1 = append(out.Acc, acc), append(out.EM, em), append(out.F1, f1)
	}
	return out
}

// questionsOf returns the questions of a report with figures by question.
func questionsOf(questions []question) []AskedQuestion {
	out := make([]AskedQuestion, len(questions))
	for i := range questions {
		out[i] = AskedQuestion{questions[i].ID, len(questions[i].Supporting)}
	}
	return out
}
