package eval

import (
	"context"
	"fmt"
	"slices"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/method"
)

// plainMethod is the plain search that the graphs of methods are compared with.
const plainMethod = "naive"

// isPlain reports whether a method is plain search itself.
func isPlain(spec method.Spec) bool {
	return spec.Name == plainMethod && len(spec.Params) == 0 && !spec.Rerank
}

// atRow is what a method retrieved for one question within a budget.
type atRow struct {
	*asked
	gold     []shownGold
	sections []sectionGold
	gain     int // gold records that the graph adds to plain search
	cost     int // those that plain search shows and the method does not
}

// shownGold says of a gold record whether the evidence shows it, and whether
// the graph alone does.
type shownGold struct{ shown, graph bool }

// sectionGold is the share of the gold records that a section shows.
type sectionGold struct {
	name   string
	recall float64
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
				rows = append(rows, scoreAt(q, ev, r.shown(q)))
			}
			r.plain = append(r.plain, rows)
		}
		return nil
	})
}

// retrieveAt returns what a method retrieves for a question within each budget. ev is what
// it retrieved for the run's budget.
func (r *runner) retrieveAt(ctx context.Context, c *rag.Corpus, sys *method.System, m *rag.Models, q *question, ev *rag.Evidence) ([]*rag.Evidence, error) {
	out := make([]*rag.Evidence, len(r.o.At))
	for k, budget := range r.o.At {
		if out[k] = ev; budget == r.o.Budget {
			continue
		}
		var err error
		if out[k], err = c.Retrieve(ctx, sys, m, method.Question{Text: q.Text, Budget: budget}); err != nil {
			return nil, fmt.Errorf("question %s, %d tokens: %w", q.ID, budget, err)
		}
	}
	return out, nil
}

// rowsAt judges what a method retrieved for question i within each budget.
func (r *runner) rowsAt(i int, within []*rag.Evidence) []*atRow {
	rows := make([]*atRow, len(within))
	for k, ev := range within {
		rows[k] = scoreAt(&r.questions[i], ev, r.shown(&r.questions[i]))
		rows[k].gain, rows[k].cost = graphCounts(rows[k].gold, r.plain[i][k].gold)
	}
	return rows
}

// scoreAt judges what was retrieved for a question within a budget.
func scoreAt(q *question, ev *rag.Evidence, shown func(it *rag.Cited) []string) *atRow {
	row := &atRow{asked: score(q, ev.Items(), shown), gold: make([]shownGold, len(q.Supporting))}
	row.tokens, row.evidence = ev.Tokens, evidenceDigest(ev)
	for _, s := range ev.Sections {
		in := make([]shownGold, len(q.Supporting))
		for i := range s.Items {
			it := &s.Items[i]
			from := shown(it)
			graph := ofGraph(it, len(s.Items))
			for g, id := range q.Supporting {
				if slices.Contains(from, id) {
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
			row.sections = append(row.sections, sectionGold{s.Name, row.ofGold(countShown(in))})
		}
	}
	return row
}

// ofGraph reports whether a graph found an item of a section with so many items: it is no
// chunk, or another item led to it, or a walk that started at it raised it to where it
// is: by its rank among the starts it would stand behind as many others as the section
// has. The twin of an item is the same item in another graph.
func ofGraph(it *rag.Cited, items int) bool {
	if it.Kind != method.ChunkNodeType {
		return true
	}
	at := it.Ref()
	for _, st := range slices.Backward(it.Why) {
		switch {
		case st.From == query.Ref{}:
		case st.From == at:
			if st.Rank > items {
				return true
			}
		case st.Op == "twin":
			at = st.From
		default:
			return true
		}
	}
	return false
}

// countShown returns how many gold records are shown.
func countShown(gold []shownGold) (n int) {
	for _, g := range gold {
		if g.shown {
			n++
		}
	}
	return n
}

// graphCounts returns how many gold records the graph alone shows and plain search does
// not, and how many plain search shows and the method does not.
func graphCounts(ours, plain []shownGold) (gain, cost int) {
	for g := range ours {
		switch {
		case ours[g].graph && !plain[g].shown:
			gain++
		case plain[g].shown && !ours[g].shown:
			cost++
		}
	}
	return gain, cost
}

// ofGold returns the share of the gold records that a number of them is.
func (row *atRow) ofGold(n int) float64 { return float64(n) / float64(len(row.gold)) }
