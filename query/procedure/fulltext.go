package procedure

import (
	"context"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query/cypher"
)

// fulltextSearch is a search of a fulltext index: the arguments of its procedures.
type fulltextSearch struct {
	view  *engine.View
	rule  engine.Rule
	words []string
	limit int
	allow *roaring.Bitmap
}

// fulltextNodes finds the nodes of a fulltext index by words.
func fulltextNodes(ctx context.Context, call *cypher.ProcedureCall, yield func([]cypher.Value) error) error {
	s, err := newFulltextSearch(ctx, call, false)
	if err != nil || len(s.words) == 0 {
		return err
	}
	found, err := s.view.Terms(s.rule.Field(), s.words, engine.TermsOptions{K: s.limit, Allow: s.allow})
	if err != nil {
		return err
	}
	return each(found, yield, func(x engine.Scored) []cypher.Value {
		return []cypher.Value{call.Node(x.ID), cypher.Float(x.Score)}
	})
}

// fulltextEdges finds the edges of a fulltext index by words.
func fulltextEdges(ctx context.Context, call *cypher.ProcedureCall, yield func([]cypher.Value) error) error {
	s, err := newFulltextSearch(ctx, call, true)
	if err != nil || len(s.words) == 0 {
		return err
	}
	found, err := s.view.IndexedEdgeTerms(s.rule.Name, s.words, s.limit, s.allow)
	if err != nil {
		return err
	}
	return each(found, yield, func(x engine.ScoredEdge) []cypher.Value {
		return []cypher.Value{call.Edge(x.Edge), cypher.Float(x.Score)}
	})
}

func newFulltextSearch(ctx context.Context, call *cypher.ProcedureCall, edges bool) (*fulltextSearch, error) {
	name, other, of := "db.index.fulltext.queryNodes", "db.index.fulltext.queryRelationships", "nodes"
	if edges {
		name, other, of = other, name, "edges"
	}
	if call.Args[0].Kind() != cypher.KindString || call.Args[1].Kind() != cypher.KindString {
		return nil, invalid("%s takes the name of an index and a text, not %s and %s", name, call.Args[0], call.Args[1])
	}
	c := newConfig(call, call.Args[2])
	s := &fulltextSearch{view: call.View.WithContext(ctx), limit: c.count("limit", 0)}
	if err := c.done(); err != nil {
		return nil, err
	}
	if s.limit < 0 {
		return nil, invalid("the option limit is 1 or more")
	}
	rules, err := s.view.Rules()
	if err != nil {
		return nil, err
	}
	index, have := call.Args[0].AsString(), []string(nil)
	for _, r := range rules {
		switch {
		case r.Kind != engine.FulltextIndex:
		case r.Edges != edges && r.Name == index:
			return nil, invalid("the fulltext index %q is not of %s: call %s", index, of, other)
		case r.Edges == edges:
			have = append(have, r.Name)
			if r.Name == index {
				s.rule = r
			}
		}
	}
	switch {
	case s.rule.Name != "":
	case len(have) == 0:
		return nil, invalid("there is no fulltext index %q of %s; CREATE FULLTEXT INDEX makes one", index, of)
	default:
		return nil, invalid("there is no fulltext index %q of %s; there are %s", index, of, quoted(have))
	}
	for _, t := range analyzed(s.rule.Analyzer, call.Args[1].AsString()) {
		if !slices.Contains(s.words, t.Text) {
			s.words = append(s.words, t.Text)
		}
	}
	s.allow, err = seen(ctx, call)
	return s, err
}
