package cypher

import (
	"errors"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/engine/text"
	"github.com/ragdb/ragdb/internal/fault"
)

// rule returns the rule of the engine that a statement describes.
func (c *indexClause) rule() engine.Rule {
	r := engine.Rule{
		Name: c.Name, Kind: engine.RangeIndex, Edges: c.Edges, ValueType: c.ValueType,
		Types: append([]string{c.Label}, c.Labels...), Properties: append([]string{c.Property}, c.Properties...),
	}
	switch {
	case c.Constraint:
		r.Kind = c.Rule
	case c.Kind == "FULLTEXT":
		r.Kind = engine.FulltextIndex
	}
	if r.Name == "" {
		r.Name = strings.Join(append([]string{c.Label}, r.Properties...), ".") + map[engine.RuleKind]string{
			engine.FulltextIndex: ".fulltext", engine.Unique: ".unique", engine.UniqueKey: ".key", engine.NotNull: ".not_null", engine.OfType: ".type",
		}[r.Kind]
	}
	return r
}

// isRule reports whether a statement is about a rule of the engine, and not about the
// index of a property of all nodes or an index of vectors.
func (c *indexClause) isRule() bool {
	return c.Constraint || c.Kind == "FULLTEXT" || c.Edges || c.Label != ""
}

// sameRule reports whether two rules index the same, or ask for the same.
func sameRule(a, b *engine.Rule) bool {
	kind := a.Kind == b.Kind || a.Indexed() && b.Indexed()
	return kind && a.Edges == b.Edges && slices.Equal(a.Types, b.Types) && slices.Equal(a.Properties, b.Properties)
}

// makeRule makes an index or a constraint over a label or an edge type.
func (s *Session) makeRule(x *exec, c *indexClause, eg *engine.Graph) error {
	for _, name := range append([]string{c.Property}, c.Properties...) {
		switch {
		case name == propKey && !c.Edges:
			return refuse(x.text, c.Pos, "an index of keys: the nodes of a label are found by their key without one, and it is unique")
		case name == propWeight && c.Edges:
			return refuse(x.text, c.Pos, "an index of weights of edges")
		}
	}
	want := c.rule()
	for i, name := range want.Types {
		types := typesOf(x.graph.r, name)
		if len(types) == 1 && !c.Edges {
			want.Types[i] = x.graph.r.NodeTypeName(types[0])
		} else if len(types) > 1 && !c.Edges {
			return refuse(x.text, c.Pos, "an index of a label with several types of nodes; name one of them")
		}
	}
	if err := ruleOptions(x, c, &want); err != nil {
		return err
	}
	rules, err := x.graph.r.Rules()
	if err != nil {
		return err
	}
	taken := ""
	for i := range rules {
		if sameRule(&rules[i], &want) {
			taken = rules[i].Name + " is of the same"
		}
	}
	indexes, err := Indexes(x.result.snap.Graph(eg))
	if err != nil {
		return err
	}
	switch {
	case slices.ContainsFunc(indexes, func(ix Index) bool { return ix.Name == want.Name }):
		taken = "there is an index " + want.Name
	case slices.ContainsFunc(rules, func(r engine.Rule) bool { return r.Name == want.Name }):
		taken = "there is a constraint " + want.Name
	}
	switch {
	case taken != "" && c.IfExists:
		return nil
	case taken != "":
		return phase.Errorf("%w: %s", engine.ErrExists, taken)
	}
	if err := s.opts.DB.MakeRule(x.ctx, eg, want); err != nil {
		return err
	}
	if c.Constraint {
		x.result.Counts.ConstraintsAdded++
	} else {
		x.result.Counts.IndexesAdded++
	}
	return nil
}

// ruleOptions reads the OPTIONS of an index or a constraint. Those of other stores
// that choose how it is kept have no meaning here and are passed over.
func ruleOptions(x *exec, c *indexClause, r *engine.Rule) error {
	if c.Options == nil {
		return nil
	}
	v, err := constantOf(x, c.Options)
	if err != nil {
		return err
	}
	set := v.AsMap()
	for _, key := range sortedKeys(set) {
		switch key {
		case "indexProvider":
		case "indexConfig":
			for _, name := range sortedKeys(set[key].AsMap()) {
				switch analyzer := set[key].AsMap()[name].AsString(); {
				case name == "fulltext.eventually_consistent" && r.Kind == engine.FulltextIndex:
				case name != "fulltext.analyzer" || r.Kind != engine.FulltextIndex:
					if !strings.HasPrefix(name, "spatial.") {
						return argumentError(c.Options.Pos, "this index has no option %s", quoteName(name))
					}
				case strings.HasPrefix(analyzer, "standard") || analyzer == "english":
					r.Analyzer = text.Standard{}.Name()
				case analyzer == "simple" || analyzer == "whitespace" || analyzer == "exact":
					r.Analyzer = text.Exact{}.Name()
				default:
					return argumentError(c.Options.Pos, "there is no analyzer %q; there are 'standard', which knows English stems and stop words, and 'simple'", analyzer)
				}
			}
		default:
			return argumentError(c.Options.Pos, "this index has no option %s", quoteName(key))
		}
	}
	return nil
}

// constantOf evaluates a map that names no variable.
func constantOf(x *exec, m *mapLit) (Value, error) {
	pl := &planner{text: x.text, scope: &segment{}}
	ev, err := pl.expr(m)
	if err != nil {
		return Null, err
	}
	return ev(x, nil)
}

// dropRule drops the rule that a statement names or describes. done is false if it is
// about no rule.
func (s *Session) dropRule(x *exec, c *indexClause, eg *engine.Graph) (done bool, err error) {
	rules, err := x.graph.r.Rules()
	if err != nil {
		return false, err
	}
	want := c.rule()
	var names []string
	for i := range rules {
		r := &rules[i]
		isIndex := r.Kind == engine.RangeIndex || r.Kind == engine.FulltextIndex
		if isIndex != c.Constraint {
			names = append(names, r.Name)
		}
		if c.Name != "" && r.Name != c.Name || c.Name == "" && !(isIndex && sameRule(r, &want)) {
			continue
		}
		switch {
		case c.Constraint && isIndex:
			return true, phase.Mark(engine.ErrInvalid, "%s is an index: DROP INDEX %s", r.Name, quoteName(r.Name))
		case !c.Constraint && !isIndex:
			return true, phase.Mark(engine.ErrInvalid, "%s is a constraint: DROP CONSTRAINT %s", r.Name, quoteName(r.Name))
		}
		if err := s.opts.DB.DropRule(x.ctx, eg, r.Name); err != nil {
			return true, err
		}
		if c.Constraint {
			x.result.Counts.ConstraintsRemoved++
		} else {
			x.result.Counts.IndexesRemoved++
		}
		return true, nil
	}
	if c.Constraint {
		return true, noIndex(c, "constraint", c.Name, names)
	}
	if c.Name == "" && c.isRule() {
		return true, noIndex(c, "index of the property", c.Property, nil)
	}
	return false, nil
}

// violation returns the error of a statement that breaks a constraint.
func violation(err error) error {
	var v *engine.ViolationError
	if errors.As(err, &v) {
		return &EvalError{Code: codeViolation, Detail: "ConstraintValidationFailed", Message: fault.Bound(v.Error())}
	}
	return err
}
