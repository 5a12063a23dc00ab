package eval

import (
	"slices"

	"github.com/ragdb/ragdb/rag/method"
)

// compare adds the intervals against bm25: the first method of that name.
func (r *runner) compare(rep *Report) {
	at := slices.IndexFunc(r.specs, func(s method.Spec) bool { return s.Name == "bm25" })
	if at < 0 {
		return
	}
	compareAnswers(rep, at, r.o.Seed, func(f *Figure) *AnswerFigure { return f.Answers })
	compareAt(rep, at, r.o.Seed)
	of := (*row).recall5
	if rep.Methods[at].Coverage != nil {
		of = (*row).coverage
	}
	for i := range rep.Methods {
		if i == at {
			continue
		}
		ours, theirs := pairs(rep.Methods[i].Rows, rep.Methods[at].Rows, of)
		if len(ours) == 0 {
			continue
		}
		ci := interval(ours, theirs, r.o.Seed)
		rep.Methods[i].CI = &ci
	}
}

// pairs returns a figure of the questions that both methods have it for.
func pairs(a, b []*row, of func(*row) *float64) (x, y []float64) {
	for i := range a {
		if m, n := of(a[i]), of(b[i]); m != nil && n != nil {
			x, y = append(x, *m), append(y, *n)
		}
	}
	return x, y
}

func (r *row) coverage() *float64 {
	if r == nil {
		return nil
	}
	return r.Coverage
}

func (r *row) recall5() *float64 {
	if r == nil {
		return nil
	}
	return r.Recall5
}
