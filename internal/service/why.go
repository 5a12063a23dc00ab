package service

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/plain"
	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/method"
)

// Why is what why tells of one item.
type Why struct {
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
	Path    []PathStep `json:"path"`
	Ops     []WhyOp    `json:"ops"`
}

type WhyOp struct {
	Op    string  `json:"op"`
	Depth int     `json:"depth"`
	Rank  int     `json:"rank"`
	Rows  int     `json:"rows"`
	Score float64 `json:"score"`
	Lost  bool    `json:"lost"`
}

// Why retrieves for the question and tells what each step of the plan did with what an
// id names: one item, or the chunks of a document. The error is an [*Error] for an id
// that names nothing.
func (k *Asking) Why(ctx context.Context, id string) ([]Why, error) {
	ev, err := k.Corpus.Retrieve(ctx, k.System, k.Models, k.Question)
	if err != nil {
		return nil, err
	}
	return k.explainAll(ctx, ev, id)
}

// explainAll explains what an id names: one item, or the chunks of a document.
func (k *Asking) explainAll(ctx context.Context, ev *rag.Evidence, id string) ([]Why, error) {
	var out []Why
	others, err := k.others(ctx)
	if err != nil {
		return nil, err
	}
	err = k.Corpus.DB().View(ctx, func(s *engine.Snapshot) error {
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
func (k *Asking) others(ctx context.Context) ([]*engine.Graph, error) {
	names, err := Instances(ctx, k.Corpus.Corpus)
	if err != nil {
		return nil, err
	}
	graphs, err := k.Corpus.Namespace().Graphs(ctx)
	if err != nil {
		return nil, err
	}
	var out []*engine.Graph
	for _, name := range names {
		if !slices.Contains(graphs, name) || name == k.System.Instance() {
			continue
		}
		g, err := k.Corpus.Graph(ctx, name)
		if err != nil {
			return nil, err
		}
		out = append(out, g)
	}
	return out, nil
}

// unknown is the error of an id that names nothing in the graphs of the method;
// it says whose graphs it is in.
func (k *Asking) unknown(ctx context.Context, s *engine.Snapshot, others []*engine.Graph, id string) error {
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
			return NotFound("it is in the graph of "+g.Name()+": add --method "+plain.Quote(spec.String()), "%s has no %q", k.System.Instance(), id)
		}
	}
	return k.Corpus.unknownID(ctx, id)
}

// candidates returns the items that an id means, each as the nodes that stand
// for it; none if it names nothing.
func (k *Asking) candidates(s *engine.Snapshot, id string) ([][]query.Ref, error) {
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
	v := s.Graph(k.Corpus.Base())
	doc, err := k.Corpus.Document(v, id)
	if err != nil {
		return nil, err
	}
	chunks, err := k.Corpus.ChunksOf(v, doc)
	if err != nil {
		return nil, err
	}
	var out [][]query.Ref
	for _, ch := range chunks[method.ChunkType(k.System.ChunkSet())] {
		inner, err := k.candidates(s, ChunkID(ch.Key))
		if err != nil {
			return nil, err
		}
		out = append(out, inner...)
	}
	return out, nil
}

// explain tells what the plan did with an item.
func (k *Asking) explain(s *engine.Snapshot, ev *rag.Evidence, refs []query.Ref) (Why, error) {
	name, err := refName(s, k.graphs(), refs[0])
	if err != nil {
		return Why{}, err
	}
	r := Why{V: 1, ID: name, Question: k.Question.Text, Method: ev.Method, Of: len(ev.Items()), Ops: []WhyOp{}}
	findings := k.findings(ev, refs)
	var steps []query.Step
	var first, lost *query.Finding
	for i := range findings {
		f := &findings[i]
		r.Ops = append(r.Ops, WhyOp{f.Op, f.Depth, f.Rank, f.Rows, f.Score, f.Lost})
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
func (k *Asking) findings(ev *rag.Evidence, refs []query.Ref) []query.Finding {
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
func (r *Why) place(ev *rag.Evidence, refs []query.Ref) {
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
