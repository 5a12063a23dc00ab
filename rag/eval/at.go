package eval

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/method"
)

// plainMethod is the plain search that the graphs of methods are compared with.
const plainMethod = "naive"

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
	// same budget.
	CI        *[2]float64 `json:"ci,omitempty"`
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
	// Evidence is the digest of all that was retrieved, in order.
	Evidence string `json:"evidence"`

	rows []*atRow
}

// SectionFigure says how much of the gold records a part of the evidence shows.
type SectionFigure struct {
	Name   string  `json:"name"`
	Recall float64 `json:"recall"`
}

// atRow is what a method retrieved for one question within a budget.
type atRow struct {
	*asked
	gold     []shownGold
	sections []sectionGold
	gain     float64 // of the graph, with cost a share of the gold records
	cost     float64
}

// shownGold says of a gold record whether the evidence shows it, and whether
// the graph alone does.
type shownGold struct{ shown, graph bool }

// sectionGold is the share of the gold records that a section shows.
type sectionGold struct {
	name   string
	recall float64
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

// askPlain asks plain search all questions with each budget.
func (r *runner) askPlain(ctx context.Context) error {
	if len(r.o.At) == 0 {
		return nil
	}
	sys, err := r.system(ctx, method.Spec{Name: plainMethod})
	if err != nil {
		return err
	}
	m, err := r.questionModels(ctx)
	if err != nil {
		return err
	}
	m = withoutReranker(m)
	return r.corpus.DB().View(ctx, func(s *engine.Snapshot) error {
		c := r.corpus.At(s)
		for i := range r.questions {
			q := &r.questions[i]
			var rows []*atRow
			for _, budget := range r.o.At {
				ev, err := c.Retrieve(ctx, sys, m, method.Question{Text: q.Text, Budget: budget})
				if err != nil {
					return fmt.Errorf("%s: question %s: %w", plainMethod, q.ID, err)
				}
				rows = append(rows, scoreAt(q, ev, r.records))
			}
			r.plain = append(r.plain, rows)
		}
		return nil
	})
}

// askAt asks a method question i with each budget. ev is what it retrieved for
// the run's budget.
func (r *runner) askAt(ctx context.Context, c *rag.Corpus, sys *method.System, m *rag.Models, i int, ev *rag.Evidence) ([]*atRow, error) {
	var rows []*atRow
	q := &r.questions[i]
	for k, budget := range r.o.At {
		at := ev
		if budget != r.o.Budget {
			var err error
			if at, err = c.Retrieve(ctx, sys, m, method.Question{Text: q.Text, Budget: budget}); err != nil {
				return nil, fmt.Errorf("question %s, %d tokens: %w", q.ID, budget, err)
			}
		}
		row := scoreAt(q, at, r.records)
		row.gain, row.cost = graphShares(row.gold, r.plain[i][k].gold)
		rows = append(rows, row)
	}
	return rows, nil
}

// scoreAt judges what was retrieved for a question within a budget.
func scoreAt(q *question, ev *rag.Evidence, records func(it *rag.Cited) []string) *atRow {
	row := &atRow{asked: score(q, ev.Items(), records), gold: make([]shownGold, len(q.Supporting))}
	row.tokens, row.evidence = ev.Tokens, evidenceDigest(ev)
	for _, s := range ev.Sections {
		in := make([]shownGold, len(q.Supporting))
		for i := range s.Items {
			it := &s.Items[i]
			from := records(it)
			if len(from) != 1 {
				continue
			}
			graph := ofGraph(it)
			for g, id := range q.Supporting {
				if id == from[0] {
					in[g].graph = graph && (in[g].graph || !in[g].shown)
					in[g].shown = true
				}
			}
		}
		for g, x := range in {
			if have := &row.gold[g]; x.shown {
				have.graph = x.graph && (have.graph || !have.shown)
				have.shown = true
			}
		}
		if len(q.Supporting) > 0 {
			row.sections = append(row.sections, sectionGold{s.Name, shareOfGold(in)})
		}
	}
	return row
}

// ofGraph reports whether a graph found an item: it is no chunk, or another item
// led to it. The twin of an item is the same item in another graph.
func ofGraph(it *rag.Cited) bool {
	if it.Kind != method.ChunkNodeType {
		return true
	}
	at := it.Ref()
	for _, st := range slices.Backward(it.Why) {
		switch {
		case st.From == query.Ref{} || st.From == at:
		case st.Op == "twin":
			at = st.From
		default:
			return true
		}
	}
	return false
}

// shareOfGold returns the share of the gold records that are shown.
func shareOfGold(gold []shownGold) float64 {
	n := 0
	for _, g := range gold {
		if g.shown {
			n++
		}
	}
	return float64(n) / float64(len(gold))
}

// graphShares returns the shares of the gold records that the graph alone shows
// and plain search does not, and that plain search shows and the method does
// not.
func graphShares(ours, plain []shownGold) (gain, cost float64) {
	if len(ours) == 0 {
		return 0, 0
	}
	for g := range ours {
		switch {
		case ours[g].graph && !plain[g].shown:
			gain++
		case plain[g].shown && !ours[g].shown:
			cost++
		}
	}
	n := float64(len(ours))
	return gain / n, cost / n
}

// atFigures sums up what a method retrieved within each budget: rows by question
// and budget.
func (r *runner) atFigures(rows [][]*atRow) []AtFigure {
	var out []AtFigure
	for k, budget := range r.o.At {
		of := make([]*atRow, len(rows))
		for i := range rows {
			of[i] = rows[i][k]
		}
		out = append(out, atFigure(budget, of, r.questions, r.o.Seed))
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
		all := shareOfGold(row.gold)
		recall, at5, rr = append(recall, all), append(at5, row.found.at5), append(rr, row.found.rr)
		gain, cost = append(gain, row.gain), append(cost, row.cost)
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
	for i := range rep.Methods {
		ours := rep.Methods[i].At
		if i == at {
			continue
		}
		for k := range ours {
			x, y := pairsAt(ours[k].rows, rep.Methods[at].At[k].rows)
			if len(x) == 0 {
				continue
			}
			ci := interval(x, y, seed)
			ours[k].CI = &ci
		}
	}
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
			recalls, others = append(recalls, shareOfGold(a[i].gold)), append(others, shareOfGold(b[i].gold))
		}
	}
	if len(x) > 0 {
		return x, y
	}
	return recalls, others
}
