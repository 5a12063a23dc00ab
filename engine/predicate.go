package engine

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// Predicate chooses nodes by their properties: a [Comparison], or an [And],
// [Or] or [Not] of predicates. String writes it in the syntax that
// [ParsePredicate] reads.
type Predicate interface {
	String() string
	predicate()
}

// Op is what a [Comparison] compares for.
type Op uint8

// The comparisons. OpPrefix is for strings only. OpExists takes no values.
const (
	OpEqual Op = iota
	OpNotEqual
	OpLess
	OpLessEqual
	OpGreater
	OpGreaterEqual
	OpPrefix
	OpExists
)

// String returns the operator as it is written in a filter.
func (o Op) String() string {
	switch o {
	case OpEqual:
		return "="
	case OpNotEqual:
		return "!="
	case OpLess:
		return "<"
	case OpLessEqual:
		return "<="
	case OpGreater:
		return ">"
	case OpGreaterEqual:
		return ">="
	case OpPrefix:
		return "PREFIX"
	case OpExists:
		return "EXISTS"
	}
	return fmt.Sprintf("Op(%d)", uint8(o))
}

// Comparison compares a property with values.
//
// Several values are alternatives: the comparison holds where it holds for any
// of them, so that OpEqual with several is IN. OpNotEqual holds for nodes that
// have the property and for which OpEqual does not hold.
//
// Only values of one kind compare: numbers with numbers (integers and floats
// by their exact value), strings with strings (byte by byte), times with
// times, booleans with booleans, false being the smaller. A list of strings
// compares as each of its elements: the comparison holds where it holds for
// one of them. Bytes compare with nothing and are only found by OpExists and
// OpNotEqual.
type Comparison struct {
	Property string
	Op       Op
	// Values are booleans, numbers, strings or times.
	Values []Value
}

// And holds for the nodes for which all of its predicates hold; that of none
// holds for every node.
type And []Predicate

// Or holds for the nodes for which one of its predicates holds; that of none
// holds for no node.
type Or []Predicate

// Not holds for all nodes of the graph for which its predicate does not.
type Not struct{ Predicate Predicate }

func (Comparison) predicate() {}
func (And) predicate()        {}
func (Or) predicate()         {}
func (Not) predicate()        {}

// String implements [Predicate].
func (c Comparison) String() string {
	name := quoteName(c.Property)
	if c.Op == OpExists {
		return "EXISTS(" + name + ")"
	}
	values := quoteValues(c.Values)
	switch {
	case len(values) == 1:
		return name + " " + c.Op.String() + " " + values[0]
	case c.Op == OpEqual:
		return name + " IN (" + strings.Join(values, ", ") + ")"
	case c.Op == OpNotEqual:
		return name + " NOT IN (" + strings.Join(values, ", ") + ")"
	}
	for i, v := range values {
		values[i] = name + " " + c.Op.String() + " " + v
	}
	return "(" + strings.Join(values, " OR ") + ")"
}

// String implements [Predicate]. An empty And has no syntax.
func (a And) String() string { return join(a, " AND ") }

// String implements [Predicate]. An empty Or has no syntax.
func (o Or) String() string { return join(o, " OR ") }

// String implements [Predicate].
func (n Not) String() string { return "NOT " + operand(n.Predicate) }

func join(ps []Predicate, word string) string {
	parts := make([]string, len(ps))
	for i, p := range ps {
		parts[i] = operand(p)
	}
	return strings.Join(parts, word)
}

// operand writes a predicate inside another one.
func operand(p Predicate) string {
	switch p.(type) {
	case nil:
		return "(no predicate)"
	case And, Or:
		return "(" + p.String() + ")"
	}
	return p.String()
}

// holds reports whether v is in the relation o to lit. It is for what an index
// does not tell by itself: strings, and numbers beyond 2^53.
func (o Op) holds(v, lit Value) bool {
	c := 0
	switch {
	case v.kind == KindString && lit.kind == KindString:
		if o == OpPrefix {
			return strings.HasPrefix(v.str, lit.str)
		}
		c = strings.Compare(v.str, lit.str)
	case isNumber(v) && isNumber(lit):
		c = compareNumbers(v, lit)
	default:
		return false
	}
	switch o {
	case OpEqual:
		return c == 0
	case OpLess:
		return c < 0
	case OpLessEqual:
		return c <= 0
	case OpGreater:
		return c > 0
	case OpGreaterEqual:
		return c >= 0
	}
	return false
}

func isNumber(v Value) bool { return v.kind == KindInt || v.kind == KindFloat }

// compareNumbers orders numbers beyond 2^53, floats there being whole, by
// their exact values; the order of their floats alone would make neighbouring
// integers equal.
func compareNumbers(a, b Value) int {
	switch {
	case a.kind == KindInt && b.kind == KindInt:
		return cmp.Compare(a.num, b.num)
	case a.kind == KindInt:
		return compareIntFloat(a.num, b.flt)
	case b.kind == KindInt:
		return -compareIntFloat(b.num, a.flt)
	}
	return cmp.Compare(a.flt, b.flt)
}

func compareIntFloat(i int64, f float64) int {
	switch {
	case f >= 1<<63:
		return -1
	case f < -1<<63:
		return 1
	}
	return cmp.Compare(i, int64(f))
}

// bareName reports whether a property name needs no quotes in a filter.
func bareName(s string) bool {
	for i, r := range s {
		if !isNameRune(r, i == 0) {
			return false
		}
	}
	return s != "" && !isKeyword(s)
}

// isNameRune reports whether r may stand in a bare property name.
func isNameRune(r rune, first bool) bool {
	if r == '_' || unicode.IsLetter(r) {
		return true
	}
	return !first && (r == '.' || r == '-' || unicode.IsDigit(r) || unicode.IsMark(r))
}

// isKeyword reports whether a bare name is a word of the syntax.
func isKeyword(s string) bool {
	switch strings.ToUpper(s) {
	case "AND", "OR", "NOT", "IN", "EXISTS", "PREFIX", "TRUE", "FALSE":
		return true
	}
	return false
}

func quoteName(s string) string {
	if bareName(s) {
		return s
	}
	return "`" + strings.ReplaceAll(s, "`", "``") + "`"
}

// quoteText writes a string so that the parser reads it back.
func quoteText(s string) string {
	b := make([]byte, 0, len(s)+2)
	b = append(b, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r == '\n':
			b = append(b, `\n`...)
		case r == '\t':
			b = append(b, `\t`...)
		case r == '\r':
			b = append(b, `\r`...)
		case r < ' ' || r == 0x7F:
			b = fmt.Appendf(b, `\u%04x`, r)
		default:
			b = append(b, string(r)...)
		}
	}
	return string(append(b, '"'))
}

// quoteValues writes values; a time and the text that it was read from are one
// bare date.
func quoteValues(values []Value) []string {
	var out []string
	for i := 0; i < len(values); i++ {
		v := values[i]
		switch v.kind {
		case KindString:
			out = append(out, quoteText(v.str))
		case KindFloat:
			s := strconv.FormatFloat(v.flt, 'g', -1, 64)
			if !strings.ContainsAny(s, ".eE") {
				s += ".0"
			}
			out = append(out, s)
		case KindTime:
			s := v.AsTime().Format(time.RFC3339Nano)
			if i+1 < len(values) && slices.EqualFunc(dateValues(values[i+1].str), values[i:i+2], Value.Equal) {
				i++
				s = values[i].str
			}
			out = append(out, s)
		default:
			out = append(out, v.String())
		}
	}
	return out
}

// dateValues returns what a bare date or time stands for: the point in time,
// and the text as it is written. It returns nil for other text.
func dateValues(s string) []Value {
	for _, layout := range []string{time.DateOnly, "2006-01-02T15:04:05", time.RFC3339} {
		t, err := time.Parse(layout, s)
		if err == nil && t.Year() >= 1678 && t.Year() <= 2261 {
			return []Value{Time(t), String(s)}
		}
	}
	return nil
}
