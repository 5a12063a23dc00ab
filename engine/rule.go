package engine

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/engine/temporal"
	"github.com/ragdb/ragdb/engine/text"
	"github.com/ragdb/ragdb/internal/layout"
)

// RuleKind says what a [Rule] does.
type RuleKind uint8

// The kinds of rules. They are stored; their numbers do not change.
const (
	// RangeIndex finds nodes or edges by the values of properties.
	RangeIndex RuleKind = 1 + iota
	// FulltextIndex finds nodes or edges by the words of their texts.
	FulltextIndex
	// Unique refuses two nodes or edges with equal values of all properties. It has
	// an index. What lacks one of the properties is left alone.
	Unique
	// NotNull refuses nodes or edges that lack a property.
	NotNull
	// UniqueKey is Unique, and NotNull for each of its properties.
	UniqueKey
	// OfType refuses values of a property that have another type.
	OfType
)

// Rule is an index or a constraint of a graph over the nodes of a label, or the
// edges of a type.
type Rule struct {
	// Name is unique among the rules of the graph.
	Name string
	Kind RuleKind
	// Edges says that the rule is about edges.
	Edges bool
	// Types are names of node types, or of edge types: one, or for a FulltextIndex
	// one or more. Types that the graph lacks are made.
	Types []string
	// Properties are one or more; NotNull and OfType take one.
	Properties []string
	// ValueType is the type that OfType asks for, as the query language names
	// types: BOOLEAN, INTEGER, FLOAT, STRING, DATE, LOCAL TIME, ZONED TIME, LOCAL DATETIME,
	// ZONED DATETIME, DURATION, POINT, or a list of one of these, as LIST<STRING NOT NULL>.
	ValueType string
	// Analyzer makes the words of a FulltextIndex; the default is that of
	// [text.Standard].
	Analyzer string
}

// Indexed reports whether the rule has an index of values, which
// [Reader.IndexedNodes] and [Reader.IndexedEdges] search.
func (r *Rule) Indexed() bool {
	return r.Kind == RangeIndex || r.Kind == Unique || r.Kind == UniqueKey
}

// Field returns the name of the field of terms of a FulltextIndex of nodes.
func (r *Rule) Field() string { return fulltextPrefix + r.Name }

// fulltextPrefix begins the names of the fields that belong to rules.
const fulltextPrefix = "fulltext:"

// ruleState is a rule with the ids of its names.
type ruleState struct {
	Rule
	id    uint32
	types []uint32
	props []uint32
}

func (r *ruleState) unique() bool   { return r.Kind == Unique || r.Kind == UniqueKey }
func (r *ruleState) required() bool { return r.Kind == NotNull || r.Kind == UniqueKey }

// covers reports whether something of these types is under the rule.
func (r *ruleState) covers(types []uint32) bool {
	return slices.ContainsFunc(types, func(t uint32) bool { return slices.Contains(r.types, t) })
}

// options returns the rule as its catalog entry has it: kind u8, flags u8 (bit 0:
// edges), then uvarints: the types and the properties, each counted, and the
// lengths of two texts before them, the type of the values and the analyzer.
func (r *ruleState) options() []byte {
	flags := byte(0)
	if r.Edges {
		flags = 1
	}
	b := []byte{byte(r.Kind), flags}
	for _, ids := range [2][]uint32{r.types, r.props} {
		b = binary.AppendUvarint(b, uint64(len(ids)))
		for _, id := range ids {
			b = binary.AppendUvarint(b, uint64(id))
		}
	}
	for _, s := range [2]string{r.ValueType, r.Analyzer} {
		b = append(binary.AppendUvarint(b, uint64(len(s))), s...)
	}
	return b
}

// decodeRule reads the options of a rule, without the names of its ids.
func decodeRule(id uint32, name string, b []byte) (*ruleState, error) {
	r := &ruleState{id: id}
	r.Name = name
	bad := errors.New("malformed rule")
	if len(b) < 2 || RuleKind(b[0]) < RangeIndex || RuleKind(b[0]) > OfType || b[1] > 1 {
		return nil, bad
	}
	r.Kind, r.Edges = RuleKind(b[0]), b[1] == 1
	b = b[2:]
	number := func() (n uint64) {
		n, size := binary.Uvarint(b)
		if size <= 0 || n > 1<<32-1 {
			b, n = nil, 0
			return n
		}
		b = b[size:]
		return n
	}
	for _, ids := range [2]*[]uint32{&r.types, &r.props} {
		n := number()
		if n == 0 || n > uint64(len(b)) {
			return nil, bad
		}
		for range n {
			*ids = append(*ids, uint32(number()))
		}
	}
	for _, s := range [2]*string{&r.ValueType, &r.Analyzer} {
		if len(b) == 0 {
			return nil, bad
		}
		n := number()
		if n > uint64(len(b)) {
			return nil, bad
		}
		*s, b = string(b[:n]), b[n:]
	}
	if len(b) > 0 {
		return nil, bad
	}
	return r, nil
}

// rules returns the rules of the state that is read, in order of their ids.
func (r *reader) rules() ([]*ruleState, error) {
	if r.tx != nil && r.tx.rulesKnown {
		return r.tx.ruleList, nil
	}
	if !r.hasRules() {
		return nil, nil
	}
	var out []*ruleState
	for _, id := range r.idsOf(layout.KindRule) {
		name := r.nameOf(layout.KindRule, id)
		has, e, ok := r.catalogued(layout.KindRule, name)
		if !ok || has != id {
			continue
		}
		x, err := decodeRule(id, name, e.options)
		if err != nil {
			return nil, corrupt(layout.Catalog(r.g, layout.KindRule, id), err)
		}
		kind := layout.KindNodeType
		if x.Edges {
			kind = layout.KindEdgeType
		}
		for _, t := range x.types {
			x.Types = append(x.Types, r.nameOf(kind, t))
		}
		for _, p := range x.props {
			x.Properties = append(x.Properties, r.nameOf(layout.KindProperty, p))
		}
		out = append(out, x)
	}
	if r.tx != nil {
		r.tx.ruleList, r.tx.rulesKnown = out, true
	}
	return out, nil
}

// hasRules reports whether the graph may have a rule.
func (r *reader) hasRules() bool {
	if r.tx != nil && r.tx.names.next[layout.KindRule] > 0 {
		return true
	}
	r.graph.st.mu.RLock()
	defer r.graph.st.mu.RUnlock()
	return r.graph.st.names.next[layout.KindRule] > 0
}

// rule returns the rule of a name.
func (r *reader) rule(name string) (*ruleState, error) {
	all, err := r.rules()
	for _, x := range all {
		if x.Name == name {
			return x, nil
		}
	}
	if err == nil {
		err = fmt.Errorf("rule %q: %w", name, ErrNotFound)
	}
	return nil, err
}

// Rules implements [Reader].
func (r *reader) Rules() ([]Rule, error) {
	all, err := r.rules()
	if err != nil {
		return nil, r.wrap("rules", err)
	}
	out := make([]Rule, len(all))
	for i, x := range all {
		out[i] = x.Rule
	}
	slices.SortFunc(out, func(a, b Rule) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

// checkRule returns the rule with its names as they are stored.
func checkRule(r Rule) (Rule, error) {
	var err error
	if r.Name, err = checkName("rule", r.Name); err != nil {
		return r, err
	}
	if len(r.Name) > maxNameBytes-len(fulltextPrefix) {
		return r, phase.Mark(ErrInvalid, "a rule's name of %d bytes", len(r.Name))
	}
	if r.Kind < RangeIndex || r.Kind > OfType {
		return r, phase.Mark(ErrInvalid, "rule %s: unknown kind %d", r.Name, r.Kind)
	}
	if r.Types, err = checkNames("type", r.Types); err != nil {
		return r, err
	}
	if r.Properties, err = checkNames("property", r.Properties); err != nil {
		return r, err
	}
	one := r.Kind == NotNull || r.Kind == OfType
	switch {
	case len(r.Types) != 1 && r.Kind != FulltextIndex:
		return r, phase.Mark(ErrInvalid, "rule %s: %d types, not one", r.Name, len(r.Types))
	case one && len(r.Properties) != 1:
		return r, phase.Mark(ErrInvalid, "rule %s: %d properties, not one", r.Name, len(r.Properties))
	case r.Kind == OfType && !slices.Contains(valueTypes(), r.ValueType):
		return r, phase.Mark(ErrInvalid, "rule %s: no type of values %q; there are %s", r.Name, r.ValueType, strings.Join(valueTypes(), ", "))
	case r.Kind != OfType && r.ValueType != "", r.Kind != FulltextIndex && r.Analyzer != "":
		return r, phase.Mark(ErrInvalid, "rule %s: an option of another kind of rule", r.Name)
	}
	if r.Kind == FulltextIndex {
		if r.Analyzer == "" {
			r.Analyzer = text.Standard{}.Name()
		}
		if analyzerOf(r.Analyzer) == nil {
			return r, phase.Mark(ErrInvalid, "rule %s: no analyzer %q", r.Name, r.Analyzer)
		}
	}
	return r, nil
}

// checkNames returns names as they are stored: one or more, each once.
func checkNames(what string, names []string) ([]string, error) {
	if len(names) == 0 {
		return nil, phase.Mark(ErrInvalid, "a rule without a %s", what)
	}
	out := make([]string, len(names))
	for i, name := range names {
		var err error
		if out[i], err = checkName(what, name); err != nil {
			return nil, err
		}
		if slices.Contains(out[:i], out[i]) {
			return nil, phase.Mark(ErrInvalid, "the %s %q twice", what, name)
		}
	}
	return out, nil
}

// analyzerOf returns the analyzer of a name, nil if there is none.
func analyzerOf(name string) text.Analyzer {
	for _, a := range []text.Analyzer{text.Standard{}, text.Exact{}} {
		if a.Name() == name {
			return a
		}
	}
	return nil
}

// valueTypes returns the types that OfType may ask for.
func valueTypes() []string {
	out := []string{"BOOLEAN", "FLOAT", "INTEGER", "POINT", "STRING"}
	for k := temporal.KindDate; k <= temporal.KindDuration; k++ {
		out = append(out, temporalType(k))
	}
	for _, of := range slices.Clone(out) {
		out = append(out, "LIST<"+of+" NOT NULL>")
	}
	return out
}

// temporalType returns the type of temporal values of a kind.
func temporalType(k temporal.Kind) string {
	return map[temporal.Kind]string{
		temporal.KindDate: "DATE", temporal.KindLocalTime: "LOCAL TIME", temporal.KindTime: "ZONED TIME",
		temporal.KindLocalDateTime: "LOCAL DATETIME", temporal.KindDateTime: "ZONED DATETIME", temporal.KindDuration: "DURATION",
	}[k]
}

// schemaType returns the type of a value as the query language names it, "" for
// those that it has no name for. An empty list is one of strings.
func (v Value) schemaType() string {
	switch v.kind {
	case KindBool:
		return "BOOLEAN"
	case KindInt:
		return "INTEGER"
	case KindFloat:
		return "FLOAT"
	case KindString, KindText:
		return "STRING"
	case KindTemporal:
		return temporalType(v.AsTemporal().Kind())
	case KindPoint:
		return "POINT"
	case KindStrings:
		return "LIST<STRING NOT NULL>"
	case KindList:
		if list := v.AsList(); len(list) > 0 {
			return "LIST<" + list[0].schemaType() + " NOT NULL>"
		}
	}
	return ""
}
