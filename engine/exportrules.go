package engine

import (
	"context"
	"slices"
)

// exportRule is an index or a constraint over labels or a type of edges.
type exportRule struct {
	Name       string   `json:"name"`
	Kind       string   `json:"kind"`
	Edges      bool     `json:"edges,omitempty"`
	Types      []string `json:"types"`
	Properties []string `json:"properties"`
	ValueType  string   `json:"value_type,omitempty"`
	Analyzer   string   `json:"analyzer,omitempty"`
}

// ruleKinds are the names of the kinds of rules in an export, from RangeIndex on.
func ruleKinds() []string {
	return []string{"range", "fulltext", "unique", "not_null", "key", "type"}
}

// ruleLines writes the rules. Entries of their indexes are not written: an
// import makes them again.
func (x *exporter) ruleLines() error {
	rules, err := x.Rules()
	for _, r := range rules {
		line := exportRule{r.Name, ruleKinds()[r.Kind-RangeIndex], r.Edges, r.Types, r.Properties, r.ValueType, r.Analyzer}
		if err := x.out.write(&exportLine{Rule: &line}); err != nil {
			return err
		}
	}
	return err
}

// makeRule makes a rule of an import, unless the graph has it.
func (im *importer) makeRule(ctx context.Context, x *exportRule) error {
	kind := slices.Index(ruleKinds(), x.Kind)
	if kind < 0 {
		return phase.Mark(ErrInvalid, "unknown kind of rule %.64q", x.Kind)
	}
	want, err := checkRule(Rule{x.Name, RangeIndex + RuleKind(kind), x.Edges, x.Types, x.Properties, x.ValueType, x.Analyzer})
	if err != nil {
		return err
	}
	same := false
	err = im.ns.db.View(ctx, func(s *Snapshot) error {
		rules, err := s.Graph(im.graph).Rules()
		same = slices.ContainsFunc(rules, func(have Rule) bool { return have.equal(&want) })
		return err
	})
	if err != nil || same {
		return err
	}
	return im.ns.db.MakeRule(ctx, im.graph, want)
}

func (r *Rule) equal(o *Rule) bool {
	return r.Name == o.Name && r.Kind == o.Kind && r.Edges == o.Edges && slices.Equal(r.Types, o.Types) &&
		slices.Equal(r.Properties, o.Properties) && r.ValueType == o.ValueType && r.Analyzer == o.Analyzer
}
