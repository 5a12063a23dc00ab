package eval

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
)

// AtFigure are a method's figures if it is asked with a budget of its own, shares
// as fractions. The package comment defines each under "Equal tokens".
type AtFigure struct {
	// Budget is the number of tokens that the questions were asked with, Tokens
	// the mean of those that the evidence had.
	Budget int     `json:"budget"`
	Tokens float64 `json:"tokens"`
	// Answered counts the questions with known answers, Golden those with gold
	// records, Several those with two gold records or more.
	Answered int `json:"answered"`
	Golden   int `json:"golden"`
	Several  int `json:"several"`

	Coverage *float64 `json:"coverage,omitempty"`
	// CI is the interval of Coverage, else of Recall, less that of bm25 with the
	// same budget, NaiveCI that of the same less that of plain search. Each is absent
	// for the method itself.
	CI        *[2]float64 `json:"ci,omitempty"`
	NaiveCI   *[2]float64 `json:"naive_ci,omitempty"`
	Recall    *float64    `json:"recall,omitempty"`
	Recall5   *float64    `json:"recall@5,omitempty"`
	MRR       *float64    `json:"mrr,omitempty"`
	SetRecall *float64    `json:"set_recall,omitempty"`
	GraphGain *float64    `json:"graph_gain,omitempty"`
	GraphCost *float64    `json:"graph_cost,omitempty"`
	// GraphCI is the interval of GraphGain less GraphCost.
	GraphCI *[2]float64 `json:"graph_ci,omitempty"`
	// Sections are the parts of the evidence, in the order in which they are
	// first met.
	Sections []SectionFigure `json:"sections,omitempty"`
	// Answers are the figures of the answers from this evidence, nil if none were
	// asked for.
	Answers *AnswerFigure `json:"answers,omitempty"`
	// Evidence is the digest of all that was retrieved, in order.
	Evidence string `json:"evidence"`
	// Rows are the figures of each question, in the order of Report.Questions.
	Rows AtRows `json:"rows"`

	rows []*atRow
}

// SectionFigure says how much of the gold records a part of the evidence shows.
type SectionFigure struct {
	Name   string  `json:"name"`
	Recall float64 `json:"recall"`
}

// atBudgets holds the budgets to 1 or more, and returns them in order, each once.
func atBudgets(at []int) ([]int, error) {
	at = slices.Clone(at)
	slices.Sort(at)
	if at = slices.Compact(at); len(at) > 0 && at[0] < 1 {
		return nil, wrong("a budget of %d tokens: give 1 or more", at[0])
	}
	return at, nil
}

// atFigures sums up what a method retrieved within each budget: rows by question
// and budget. answers are by budget. A method that is plain search itself is not compared
// with it.
func (r *runner) atFigures(rows [][]*atRow, answers map[int]*AnswerFigure, plainItself bool) []AtFigure {
	var out []AtFigure
	for k, budget := range r.o.At {
		of, plain := make([]*atRow, len(rows)), make([]*atRow, len(rows))
		for i := range rows {
			of[i], plain[i] = rows[i][k], r.plain[i][k]
		}
		f := atFigure(budget, of, r.questions, r.o.Seed)
		if !plainItself {
			f.NaiveCI = intervalAt(of, plain, r.o.Seed)
		}
		f.Answers = answers[budget]
		f.Rows = rowsOf(of, f.Answers)
		out = append(out, f)
	}
	return out
}

// atFigure sums up what a method retrieved for the questions within a budget.
func atFigure(budget int, rows []*atRow, questions []question, seed uint64) AtFigure {
	f := AtFigure{Budget: budget, rows: rows}
	var tokens, cover, recall, at5, rr, sets, gain, cost []float64
	var sections []sectionGold // with sums
	h := sha256.New()
	for i, row := range rows {
		tokens = append(tokens, float64(row.tokens))
		h.Write(row.evidence[:])
		if row.covered != nil {
			cover = append(cover, share(row.covered.normal))
		}
		if row.found == nil {
			continue
		}
		all := row.ofGold(countShown(row.gold))
		recall, at5, rr = append(recall, all), append(at5, row.found.at5), append(rr, row.found.rr)
		gain, cost = append(gain, row.ofGold(row.gain)), append(cost, row.ofGold(row.cost))
		if several(questions[i].Supporting) {
			sets = append(sets, share(all == 1))
		}
		for _, s := range row.sections {
			j := slices.IndexFunc(sections, func(x sectionGold) bool { return x.name == s.name })
			if j < 0 {
				j, sections = len(sections), append(sections, sectionGold{name: s.name})
			}
			sections[j].recall += s.recall
		}
	}
	f.Tokens, f.Evidence = mean(tokens), hex.EncodeToString(h.Sum(nil))
	f.Answered, f.Golden, f.Several = len(cover), len(recall), len(sets)
	f.Coverage, f.Recall, f.Recall5, f.MRR, f.SetRecall = share1(cover), share1(recall), share1(at5), share1(rr), share1(sets)
	f.GraphGain, f.GraphCost = share1(gain), share1(cost)
	if len(gain) > 0 {
		ci := interval(gain, cost, seed)
		f.GraphCI = &ci
	}
	for _, s := range sections {
		f.Sections = append(f.Sections, SectionFigure{s.name, s.recall / float64(len(recall))})
	}
	return f
}

// several reports whether a list names two records or more.
func several(ids []string) bool {
	return slices.ContainsFunc(ids, func(id string) bool { return id != ids[0] })
}

// compareAt adds the intervals of the figures within budgets against those of
// the method at a place.
func compareAt(rep *Report, at int, seed uint64) {
	for k := range rep.Methods[at].At {
		base := rep.Methods[at].At[k].rows
		for i := range rep.Methods {
			if ours := rep.Methods[i].At; i != at && ours != nil {
				ours[k].CI = intervalAt(ours[k].rows, base, seed)
			}
		}
		compareAnswers(rep, at, seed, func(f *Figure) *AnswerFigure {
			if f.At == nil {
				return nil
			}
			return f.At[k].Answers
		})
	}
}

// intervalAt returns the interval of a method's coverage less another's, or of its recall
// if no question has answers; nil if there is neither.
func intervalAt(ours, theirs []*atRow, seed uint64) *[2]float64 {
	x, y := pairsAt(ours, theirs)
	if len(x) == 0 {
		return nil
	}
	ci := interval(x, y, seed)
	return &ci
}

// pairsAt returns the coverage of the same questions by two methods, or their recall
// if no question has answers.
func pairsAt(a, b []*atRow) (x, y []float64) {
	var recalls, others []float64
	for i := range a {
		if a[i].covered != nil {
			x, y = append(x, share(a[i].covered.normal)), append(y, share(b[i].covered.normal))
		}
		if a[i].found != nil {
			recalls = append(recalls, a[i].ofGold(countShown(a[i].gold)))
			others = append(others, b[i].ofGold(countShown(b[i].gold)))
		}
	}
	if len(x) > 0 {
		return x, y
	}
	return recalls, others
}
