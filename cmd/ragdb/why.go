package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/method"
)

func (a *app) whyCommand() *cobra.Command {
	f := &questionFlags{}
	cmd := &cobra.Command{
		Use:   "why DB QUESTION ID",
		Short: "Tell why something is, or is not, in the evidence for a question",
		Long: `Why retrieves for the question and tells what each step of the plan did with
ID: a chunk (c:KEY), an entity (e:NAME), a keyword (k:WORD), another node
(TYPE:KEY), a relation (relation:KEY→KEY), or a document's key for all its
chunks.`,
		Example:     `  ragdb why acme.ragdb "Who designed the lighthouse?" c:harbour.md#2`,
		Annotations: map[string]string{printsRows: "yes"},
		RunE: a.onDB(2, false, func(ctx context.Context, cmd *cobra.Command, path string, rest []string) error {
			q, err := f.question(rest[0])
			if err != nil {
				return err
			}
			return a.use(ctx, cmd, path, toRead, func(c *rag.Corpus) error {
				k, err := a.ask(ctx, c, f, q)
				if err != nil {
					return err
				}
				ev, err := c.Retrieve(ctx, k.system, k.models, k.q)
				if err != nil {
					return err
				}
				found, err := k.why(ctx, ev, rest[1])
				if err != nil {
					return err
				}
				a.printWhy(found)
				return nil
			})
		}),
	}
	f.add(a, cmd)
	return cmd
}

// whyResult is what why tells of one item.
type whyResult struct {
	V        int    `json:"v"`
	ID       string `json:"id"`
	Question string `json:"question"`
	Method   string `json:"method"`
	// Kept says that the item is evidence; Rank and Section are its place.
	Kept    bool       `json:"kept"`
	Rank    int        `json:"rank"`
	Of      int        `json:"of"`
	Section string     `json:"section"`
	Verdict string     `json:"verdict"`
	Path    []pathStep `json:"path"`
	Ops     []whyOp    `json:"ops"`
}

type whyOp struct {
	Op    string  `json:"op"`
	Depth int     `json:"depth"`
	Rank  int     `json:"rank"`
	Rows  int     `json:"rows"`
	Score float64 `json:"score"`
	Lost  bool    `json:"lost"`
}

// why explains what an id names: one item, or the chunks of a document.
func (k *asking) why(ctx context.Context, ev *rag.Evidence, id string) ([]whyResult, error) {
	var out []whyResult
	others, err := k.others(ctx)
	if err != nil {
		return nil, err
	}
	err = k.corpus.DB().View(ctx, func(s *engine.Snapshot) error {
		items, err := k.candidates(s, id)
		if err == nil && len(items) == 0 {
			err = k.unknown(ctx, s, others, id)
		}
		if err != nil {
			return err
		}
		for _, refs := range items {
			r, err := k.explain(s, ev, refs)
			if err != nil {
				return err
			}
			out = append(out, r)
		}
		return nil
	})
	return out, err
}

// others are the graphs of the methods that are not asked.
func (k *asking) others(ctx context.Context) ([]*engine.Graph, error) {
	names, err := instances(ctx, k.corpus)
	if err != nil {
		return nil, err
	}
	graphs, err := k.corpus.Namespace().Graphs(ctx)
	if err != nil {
		return nil, err
	}
	var out []*engine.Graph
	for _, name := range names {
		if !slices.Contains(graphs, name) || name == k.system.Instance() {
			continue
		}
		g, err := k.corpus.Graph(ctx, name)
		if err != nil {
			return nil, err
		}
		out = append(out, g)
	}
	return out, nil
}

// unknown is the error of an id that names nothing in the graphs of the method;
// it says whose graphs it is in.
func (k *asking) unknown(ctx context.Context, s *engine.Snapshot, others []*engine.Graph, id string) error {
	for _, g := range others {
		found, err := resolve(s, []*engine.Graph{g}, id)
		if err != nil {
			return err
		}
		if len(found) > 0 {
			spec, err := method.ParseInstance(g.Name())
			if err != nil {
				return err
			}
			return notFound("it is in the graph of "+g.Name()+": add --method "+quote(spec.String()), "%s has no %q", k.system.Instance(), id)
		}
	}
	return unknownID(ctx, k.corpus, id)
}

// candidates returns the items that an id means, each as the nodes that stand
// for it; none if it names nothing.
func (k *asking) candidates(s *engine.Snapshot, id string) ([][]query.Ref, error) {
	named, err := resolve(s, k.graphs(), id)
	if err != nil {
		return nil, err
	}
	if len(named) == 0 {
		return nil, nil
	}
	if !named[0].document {
		var refs []query.Ref
		for _, f := range named {
			refs = append(refs, f.ref)
		}
		return [][]query.Ref{refs}, nil
	}
	v := s.Graph(k.corpus.Base())
	doc, err := k.corpus.Document(v, id)
	if err != nil {
		return nil, err
	}
	chunks, err := k.corpus.ChunksOf(v, doc)
	if err != nil {
		return nil, err
	}
	var out [][]query.Ref
	for _, ch := range chunks[method.ChunkType(k.system.ChunkSet())] {
		inner, err := k.candidates(s, chunkID(ch.Key))
		if err != nil {
			return nil, err
		}
		out = append(out, inner...)
	}
	return out, nil
}

// explain tells what the plan did with an item.
func (k *asking) explain(s *engine.Snapshot, ev *rag.Evidence, refs []query.Ref) (whyResult, error) {
	name, err := refName(s, k.graphs(), refs[0])
	if err != nil {
		return whyResult{}, err
	}
	r := whyResult{V: 1, ID: name, Question: k.q.Text, Method: ev.Method, Of: len(ev.Items()), Ops: []whyOp{}}
	findings := k.findings(ev, refs)
	var steps []query.Step
	var first, lost *query.Finding
	for i := range findings {
		f := &findings[i]
		r.Ops = append(r.Ops, whyOp{f.Op, f.Depth, f.Rank, f.Rows, f.Score, f.Lost})
		if f.Rank > 0 {
			first = f // inputs follow their operator: the last is the earliest
			if steps == nil {
				steps = f.Why
			}
		}
		if f.Lost && lost == nil {
			lost = f
		}
	}
	if r.Path, err = path(s, k.graphs(), steps); err != nil {
		return r, err
	}
	r.place(ev, refs)
	switch {
	case r.Kept:
		r.Verdict = fmt.Sprintf("is evidence %d of %d, in section %s", r.Rank, r.Of, r.Section)
	case lost != nil:
		r.Verdict = fmt.Sprintf("was found by %s (rank %d of %d) and lost at %s, which kept %d",
			opName(first.Op), first.Rank, first.Rows, opName(lost.Op), lost.Rows)
	case first != nil:
		r.Verdict = fmt.Sprintf("was found by %s (rank %d of %d) on the way, and is not evidence itself", opName(first.Op), first.Rank, first.Rows)
	default:
		r.Verdict = "was found by no step"
	}
	return r, nil
}

// findings is what the trace tells of the node that got furthest among those
// that stand for an item.
func (k *asking) findings(ev *rag.Evidence, refs []query.Ref) []query.Finding {
	var best []query.Finding
	for _, ref := range refs {
		fs := ev.Trace.Why(ref)
		for _, f := range fs {
			if f.Rank > 0 {
				return fs
			}
		}
		if best == nil {
			best = fs
		}
	}
	return best
}

// place finds an item in the evidence.
func (r *whyResult) place(ev *rag.Evidence, refs []query.Ref) {
	rank := 0
	for _, s := range ev.Sections {
		for i := range s.Items {
			rank++
			for _, ref := range refs {
				if s.Items[i].Ref() == ref {
					r.Kept, r.Rank, r.Section = true, rank, s.Name
					return
				}
			}
		}
	}
}

// opName is an operator without its parameters.
func opName(op string) string {
	if i := strings.IndexAny(op, "( "); i > 0 {
		return op[:i]
	}
	return op
}

func (a *app) printWhy(found []whyResult) {
	o := a.out
	if o.format == asJSON && len(found) == 1 {
		o.json(found[0])
		return
	}
	if o.format == asJSON {
		o.json(struct {
			V     int         `json:"v"`
			Items []whyResult `json:"items"`
		}{1, found})
		return
	}
	for i, r := range found {
		if o.text() {
			if i > 0 {
				o.print("\n")
			}
			o.print("%s %s\n", o.bold(escape(r.ID)), escape(r.Verdict))
			for _, p := range r.Path {
				o.print("%s", wrap(escape(p.String()), o.width, "  "))
			}
			if len(found) > 1 && o.verbose == 0 {
				continue // the steps of each chunk are for -v
			}
			o.print("\n")
		}
		o.rows(r.table(o))
	}
}

// table lists the plan's operators and what became of the item in each.
func (r *whyResult) table(o *output) *table {
	t := &table{head: []string{"rank", "of", "score", "", "operator"}, right: []bool{true, true, true}}
	for _, op := range r.Ops {
		rank, sc, mark := "–", "–", ""
		if op.Rank > 0 {
			rank, sc = number(op.Rank), score(op.Score)
		}
		if op.Lost && !r.Kept {
			mark = "lost"
		}
		name := strings.Repeat("  ", op.Depth) + op.Op
		if o.text() {
			name = cut(name, max(30, o.width-32))
		}
		t.add(op, rank, number(op.Rows), sc, mark, name)
	}
	return t
}
