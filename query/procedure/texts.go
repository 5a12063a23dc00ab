package procedure

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/engine/text"
	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/query/cypher"
)

// texts are the procedures over postings.
func texts() []*cypher.Procedure {
	options := cypher.Arg{Name: "options", Type: "map", Optional: true}
	found := []cypher.Column{column("node", "node"), column("score", "float")}
	return []*cypher.Procedure{
		{
			Name: "text.search", Doc: "The k nodes whose words match a text best, by BM25.",
			Args:    []cypher.Arg{{Name: "query", Type: "string"}, {Name: "k", Type: "integer"}, options},
			Columns: found, Run: textSearch, Filtered: true,
		},
		{
			Name: "db.index.fulltext.queryNodes", Doc: "The nodes of a fulltext index whose words match a text best, by BM25; the option limit says how many, all otherwise.",
			Args:    []cypher.Arg{{Name: "indexName", Type: "string"}, {Name: "queryString", Type: "string"}, options},
			Columns: found, Run: fulltextNodes, Filtered: true,
		},
		{
			Name: "db.index.fulltext.queryRelationships", Doc: "The edges of a fulltext index whose words match a text best, by BM25 without regard to lengths; the option limit says how many, all otherwise.",
			Args:    []cypher.Arg{{Name: "indexName", Type: "string"}, {Name: "queryString", Type: "string"}, options},
			Columns: []cypher.Column{column("relationship", "edge"), column("score", "float")}, Run: fulltextEdges, Filtered: true,
		},
		{
			Name: "text.phrase", Doc: "The nodes that hold some words one after the other.",
			Args:    []cypher.Arg{{Name: "phrase", Type: "string"}, options},
			Columns: found[:1], Run: textPhrase, Filtered: true,
		},
		{
			Name: "text.keywords", Doc: "The words that tell a node from others: how often it has them, times the logarithm of how rare they are; top many, 10 unless said.",
			Args:    []cypher.Arg{{Name: "node", Type: "node"}, options},
			Columns: []cypher.Column{column("keyword", "string"), column("count", "integer"), column("score", "float")}, Run: textKeywords, Filtered: true,
		},
		{
			Name: "text.fields", Doc: "The fields of words of the current graph.",
			Columns: []cypher.Column{column("name", "string"), column("analyzer", "string"), column("phrases", "boolean"), column("nodes", "integer")}, Run: textFields, Filtered: true,
		},
	}
}

// field reads the option field: a full name or its part before the first colon.
// If it is missing, it is the only field of the graph.
func (c *config) field() string {
	name, all := c.text("field", ""), c.call.View.Fields()
	var alike []string
	for _, f := range all {
		stem, _, _ := strings.Cut(f, ":")
		if f == name {
			return f
		}
		if name == "" || strings.EqualFold(stem, name) {
			alike = append(alike, f)
		}
	}
	switch {
	case len(alike) == 1:
		return alike[0]
	case len(all) == 0:
		c.fail("graph %s has no words; USE chooses another graph", c.call.View.Graph().Name())
	case len(alike) == 0:
		c.fail("graph %s has no field %q; it has %s", c.call.View.Graph().Name(), name, quoted(all))
	default:
		c.fail("option field is wanted: one of %s", quoted(alike))
	}
	return ""
}

// terms turns a text into words as postings have them.
func terms(call *cypher.ProcedureCall, text string) []string {
	if call.Query == nil || call.Query.Analyze == nil {
		return strings.Fields(strings.ToLower(text))
	}
	return call.Query.Analyze(text)
}

func textSearch(ctx context.Context, call *cypher.ProcedureCall, yield func([]cypher.Value) error) error {
	k := call.Args[1]
	if call.Args[0].Kind() != cypher.KindString || k.Kind() != cypher.KindInt || k.AsInt() < 1 {
		return invalid("text.search takes a text and a whole number from 1 on, not %s and %s", call.Args[0], k)
	}
	c := newConfig(call, call.Args[2])
	field := c.field()
	among, err := c.among(ctx, nil)
	if err != nil {
		return err
	}
	found, err := operate(ctx, call, among, &query.TextSearch{
		Graph: call.View.Graph(), Field: field, Text: call.Args[0].AsString(), K: int(k.AsInt()),
	})
	if err != nil {
		return err
	}
	return yieldScored(call, found, yield)
}

func textPhrase(ctx context.Context, call *cypher.ProcedureCall, yield func([]cypher.Value) error) error {
	c := newConfig(call, call.Args[1])
	field := c.field()
	if err := c.done(); err != nil {
		return err
	}
	words := terms(call, call.Args[0].AsString())
	if len(words) == 0 {
		return nil
	}
	set, err := call.View.WithContext(ctx).Phrase(field, words)
	if err != nil {
		return err
	}
	may, err := seen(ctx, call)
	if err != nil {
		return err
	}
	if may != nil {
		set.And(may)
	}
	return each(set.ToArray(), yield, func(id uint32) []cypher.Value { return []cypher.Value{call.Node(engine.NodeID(id))} })
}

func textKeywords(ctx context.Context, call *cypher.ProcedureCall, yield func([]cypher.Value) error) error {
	if call.Args[0].Kind() != cypher.KindNode {
		return invalid("keywords are of a node, not of %s", call.Args[0])
	}
	call = call.Of(call.Args[0])
	c := newConfig(call, call.Args[1])
	field, top := c.field(), c.count("top", 10)
	if err := c.done(); err != nil {
		return err
	}
	v := call.View.WithContext(ctx)
	terms, err := v.TermsOf(field, call.Args[0].AsNode())
	if err != nil {
		return err
	}
	all, err := v.FieldStats(field)
	if err != nil {
		return err
	}
	type keyword struct {
		engine.TermFreq
		score float64
	}
	words := make([]keyword, len(terms))
	for i, t := range terms {
		s, err := v.TermStats(field, t.Term)
		if err != nil {
			return err
		}
		words[i] = keyword{t, float64(t.Freq) * math.Log(float64(all.Nodes+1)/float64(s.Nodes+1))}
	}
	slices.SortFunc(words, func(a, b keyword) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.Term, b.Term))
	})
	return each(words[:min(top, len(words))], yield, func(w keyword) []cypher.Value {
		return []cypher.Value{cypher.String(w.Term), cypher.Int(int64(w.Freq)), cypher.Float(w.score)}
	})
}

func textFields(_ context.Context, call *cypher.ProcedureCall, yield func([]cypher.Value) error) error {
	for _, name := range call.View.Fields() {
		o, err := call.View.FieldInfo(name)
		if err != nil {
			return err
		}
		s, err := call.View.FieldStats(name)
		if err != nil {
			return fmt.Errorf("field %q: %w", name, err)
		}
		if err := yield([]cypher.Value{cypher.String(name), cypher.String(o.Analyzer), cypher.Bool(o.Positions), cypher.Int(int64(s.Nodes))}); err != nil {
			return err
		}
	}
	return nil
}

// analyzed returns the words of a text as an analyzer makes them.
func analyzed(analyzer, s string) []text.Term {
	if analyzer == (text.Exact{}).Name() {
		return text.Exact{}.Terms(s)
	}
	return text.Standard{}.Terms(s)
}
