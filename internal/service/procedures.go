package service

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/query/cypher"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/method"
)

// procedures are rag.*: the retrieval methods as procedures of the query
// language.
func (l *Language) procedures() []*cypher.Procedure {
	method := cypher.Arg{Name: "method", Type: "string", Optional: true}
	question := cypher.Arg{Name: "question", Type: "string"}
	options := cypher.Arg{Name: "options", Type: "map", Optional: true}
	col := func(name, kind string) cypher.Column { return cypher.Column{Name: name, Type: kind} }
	return []*cypher.Procedure{
		{
			Name: "rag.retrieve", Doc: "The evidence of a method, written name[:key=value,...], for a question; options budget, top, where.",
			Args:    []cypher.Arg{method, question, options},
			Columns: []cypher.Column{col("rank", "integer"), col("item", "node or edge"), col("kind", "string"), col("score", "float"), col("why", "string"), col("text", "string")},
			Run:     l.retrieve, Plan: l.plan, Filtered: true,
		},
		{
			Name: "rag.ask", Doc: "An answer with its sources; options budget, top, where.",
			Args:    []cypher.Arg{method, question, options},
			Columns: []cypher.Column{col("answer", "string"), col("sources", "list of maps")},
			Run:     l.ask, Plan: l.plan, Filtered: true,
		},
		{
			Name: "rag.methods", Doc: "The retrieval methods, and whether the corpus is indexed by each.",
			Columns: []cypher.Column{col("name", "string"), col("indexed", "list of strings")},
			Run:     l.listMethods, Filtered: true,
		},
	}
}

// asking reads a call of rag.retrieve or rag.ask. A null method is the one that
// ragdb ask would take.
func (l *Language) asking(ctx context.Context, call *cypher.ProcedureCall) (*Asking, error) {
	r := l.defaults()
	r.Question = call.Args[1].AsString()
	if m := call.Args[0]; !m.IsNull() {
		r.Method = m.AsString()
	}
	narrower := "" // the filter of the call, which narrows the session's
	options := call.Args[2].AsMap()
	for _, key := range slices.Sorted(maps.Keys(options)) {
		v := options[key]
		var err error
		switch key {
		case "budget":
			r.Budget, err = atLeastOne(key, v)
		case "top":
			r.Top, err = atLeastOne(key, v)
		case "where":
			narrower = v.AsString()
		default:
			err = Usage("there are budget, top and where", "there is no option %q", key)
		}
		if err != nil {
			return nil, err
		}
	}
	k, err := l.corpus.Prepare(ctx, r)
	if err != nil || narrower == "" {
		return k, err
	}
	where, err := ParseWhere(narrower, false)
	if err != nil {
		return nil, err
	}
	if k.Question.Where == nil {
		k.Question.Where = where
	} else {
		k.Question.Where = engine.And{k.Question.Where, where}
	}
	return k, nil
}

func (l *Language) retrieve(ctx context.Context, call *cypher.ProcedureCall, yield func([]cypher.Value) error) error {
	k, err := l.asking(ctx, call)
	if err != nil {
		return err
	}
	var items []Item
	ev, err := k.Corpus.Retrieve(ctx, k.System, k.Models, k.Question, k.evidence(&items))
	if err != nil {
		return err
	}
	cited := ev.Items()
	for i, it := range items {
		item, err := l.item(ctx, call, k, &cited[i])
		if err != nil {
			return err
		}
		steps := append([]string{it.Why.Seed}, it.Why.Path...)
		if it.Why.Cut != "" {
			steps = append(steps, it.Why.Cut)
		}
		err = yield([]cypher.Value{
			cypher.Int(int64(it.Rank)), item, cypher.String(it.Kind), cypher.Float(it.Score), cypher.String(strings.Join(steps, " → ")), cypher.String(it.Text),
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// item is a piece of evidence as a value, in its graph.
func (l *Language) item(ctx context.Context, call *cypher.ProcedureCall, k *Asking, it *rag.Cited) (cypher.Value, error) {
	name := engine.Base
	if g := k.System.Graph(); g != nil && g.ID() == it.Graph {
		name = g.Name()
	}
	in, err := call.In(ctx, name)
	if err != nil {
		return cypher.Null, err
	}
	if it.ID == 0 {
		return in.Edge(it.Edge), nil
	}
	return in.Node(it.ID), nil
}

func (l *Language) ask(ctx context.Context, call *cypher.ProcedureCall, yield func([]cypher.Value) error) error {
	k, err := l.asking(ctx, call)
	if err != nil {
		return err
	}
	ans, err := k.Corpus.Ask(ctx, k.System, k.Models, k.Question)
	if err != nil {
		return err
	}
	sources := make([]cypher.Value, len(ans.Sources))
	for i, s := range ans.Sources {
		sources[i] = cypher.MapOf(map[string]cypher.Value{
			"n": cypher.Int(int64(s.N)), "doc": cypher.String(s.Doc), "chunk": cypher.String(ChunkID(s.Chunk)), "quote": cypher.String(s.Quote),
			"page": cypher.Int(int64(s.Page)), "heading": cypher.String(s.Heading), "score": cypher.Float(s.Score),
			"bytes": cypher.ListOf([]cypher.Value{cypher.Int(s.Bytes[0]), cypher.Int(s.Bytes[1])}),
		})
	}
	answer := cypher.Null
	if ans.Answered {
		answer = cypher.String(ans.Text)
	}
	return yield([]cypher.Value{answer, cypher.ListOf(sources)})
}

// plan returns a method's plan for a question, for EXPLAIN.
func (l *Language) plan(ctx context.Context, call *cypher.ProcedureCall) (query.Op, error) {
	k, err := l.asking(ctx, call)
	if err != nil {
		return nil, err
	}
	p, err := k.Corpus.Plan(ctx, k.System, k.Models, k.Question)
	if err != nil {
		return nil, err
	}
	return p.Op(), nil
}

func (l *Language) listMethods(ctx context.Context, _ *cypher.ProcedureCall, yield func([]cypher.Value) error) error {
	have, err := Instances(ctx, l.corpus.Corpus)
	if err != nil {
		return err
	}
	for _, name := range l.corpus.Methods.Names() {
		indexed := []cypher.Value{}
		for _, in := range have {
			if spec, err := method.ParseInstance(in); err == nil && spec.Name == name {
				indexed = append(indexed, cypher.String(in))
			}
		}
		if err := yield([]cypher.Value{cypher.String(name), cypher.ListOf(indexed)}); err != nil {
			return err
		}
	}
	return nil
}
