package cypher

import (
	"slices"
	"time"

	"github.com/ragdb/ragdb/engine"
)

// ParseWhere parses the expression of a WHERE about one node into a predicate. A
// name that the expression does not bind itself is a property of the node, so no
// variable is needed:
//
//	team = 'sales' AND year >= 2024
//	key STARTS WITH 'contracts/' AND NOT 'draft' IN tags
//	date >= datetime('2025-01-01') OR `reviewed by` IS NULL
//
// An expression means the same as in a statement: null is neither true nor false,
// and a node is chosen if the expression is true. There is one addition: x IN y,
// which fails in a statement if y is not a list, compares x with y itself.
// Patterns, labels, parameters and aggregates are refused.
//
// The indexes of the properties answer comparisons with a constant, IN, STARTS
// WITH and IS NULL, combined by AND, OR and NOT. Other parts become an
// [engine.Test], which reads the nodes that the rest has found. Every property
// must have an index; see [engine.Reader].
//
// The error is a [*SyntaxError], which is an [engine.ErrInvalid].
func ParseWhere(text string) (engine.Predicate, error) {
	e, err := parseCondition(text)
	if err != nil {
		return nil, err
	}
	l := &lowering{text: text}
	if err := l.check(e); err != nil {
		return nil, err
	}
	p := l.lower(e, true)
	if l.err != nil {
		return nil, l.err
	}
	return p, nil
}

// lowering turns expressions over the properties of one node into predicates.
// It keeps the first error.
type lowering struct {
	text string
	err  error
}

func (l *lowering) fail(err error) engine.Predicate {
	if l.err == nil {
		l.err = err
	}
	return never()
}

// never and always are the predicates that hold for no node and for every node.
func never() engine.Predicate  { return engine.Or{} }
func always() engine.Predicate { return engine.And{} }

// constantPredicate returns the predicate that holds for all nodes or for none.
func constantPredicate(holds bool) engine.Predicate {
	if holds {
		return always()
	}
	return never()
}

// check refuses expressions that need more than one node, and applies the rules
// of expressions.
func (l *lowering) check(e expr) error {
	refuse := func(at Pos, what string) {
		c := &checker{text: l.text}
		c.unsupported(at, what+" in a condition on the properties of one node")
		l.fail(c.err)
	}
	walkExpr(e, func(x expr) bool {
		switch x := x.(type) {
		case *param:
			refuse(x.Pos, "parameters")
		case *existsExpr, *countMatches, *patternComprehension, *pathExpr, *queryExpr:
			refuse(x.At(), "patterns")
			return false
		case *labelsExpr:
			refuse(x.Pos, "labels")
		}
		return true
	})
	if l.err != nil {
		return l.err
	}
	vars := kinds{}
	for _, name := range freeNames(e) {
		vars[name] = varValue
	}
	c := &checker{text: l.text, seen: map[string]bool{}}
	c.expr(e, exprScope{vars: vars, where: "a condition", condition: true})
	if c.err != nil {
		return c.err
	}
	return nil
}

// lower returns the predicate of an expression being true, or being false if
// want is false. The two are not opposites, since the expression is null for some nodes.
func (l *lowering) lower(e expr, want bool) engine.Predicate {
	if l.err != nil {
		return never()
	}
	if len(freeNames(e)) == 0 {
		return l.constant(e, want)
	}
	switch e := e.(type) {
	case *variable:
		return engine.Comparison{Property: e.Name, Values: []engine.Value{engine.Bool(want)}}
	case *unaryExpr:
		if e.Op == opNot {
			return l.lower(e.X, !want)
		}
	case *isNullExpr:
		if v, ok := e.X.(*variable); ok {
			exists := engine.Comparison{Property: v.Name, Op: engine.OpExists}
			if e.Not == want {
				return exists
			}
			return engine.Not{Predicate: exists}
		}
	case *binaryExpr:
		if p := l.binary(e, want); p != nil {
			return p
		}
	}
	return l.test(e, want)
}

// binary returns the predicate of an operator, nil for none.
func (l *lowering) binary(e *binaryExpr, want bool) engine.Predicate {
	switch e.Op {
	case opAnd, opOr:
		var parts []engine.Predicate
		for _, operand := range operands(e.Op, e) {
			parts = append(parts, l.lower(operand, want))
		}
		if (e.Op == opAnd) == want {
			return engine.And(parts)
		}
		return engine.Or(parts)
	case opEqual, opNotEqual, opLess, opLessEqual, opGreater, opGreaterEqual:
		return l.comparison(e, want)
	case opIn:
		return l.in(e, want)
	case opStartsWith:
		return l.startsWith(e, want)
	}
	return nil
}

// operands returns the operands of a chain of one operator.
func operands(op binaryOp, e expr) []expr {
	var out []expr
	for {
		b, ok := e.(*binaryExpr)
		if !ok || b.Op != op {
			out = append(out, e)
			slices.Reverse(out)
			return out
		}
		if right, ok := b.R.(*binaryExpr); ok && right.Op == op {
			more := operands(op, right)
			slices.Reverse(more)
			out = append(out, more...)
		} else {
			out = append(out, b.R)
		}
		e = b.L
	}
}

// compared holds for each comparison the engine's operator, the operator with
// its operands swapped, and the operator that holds if it is false.
var compared = map[binaryOp]struct {
	op                engine.Op
	mirrored, negated binaryOp
}{
	opEqual:        {engine.OpEqual, opEqual, opNotEqual},
	opNotEqual:     {engine.OpNotEqual, opNotEqual, opEqual},
	opLess:         {engine.OpLess, opGreater, opGreaterEqual},
	opLessEqual:    {engine.OpLessEqual, opGreaterEqual, opGreater},
	opGreater:      {engine.OpGreater, opLess, opLessEqual},
	opGreaterEqual: {engine.OpGreaterEqual, opLessEqual, opLess},
}

// comparison returns the predicate of a comparison of a property with a
// constant, nil for others.
func (l *lowering) comparison(e *binaryExpr, want bool) engine.Predicate {
	op, name, value, ok := e.Op, e.L, e.R, false
	v, ok := name.(*variable)
	if !ok {
		op = compared[op].mirrored
		name, value = value, name
		if v, ok = name.(*variable); !ok {
			return nil
		}
	}
	if at, ok := writtenDate(value, l.text); ok {
		c := &checker{text: l.text}
		c.fail(at, "", "a date is written datetime('2025-01-31'); this is a subtraction")
		return l.fail(c.err)
	}
	constant, ok := l.value(value)
	switch {
	case !ok:
		return nil
	case constant.IsNull():
		return never()
	}
	stored, ok := scalar(constant)
	if !ok {
		return nil
	}
	if !want {
		op = compared[op].negated
	}
	return engine.Comparison{Property: v.Name, Op: compared[op].op, Values: []engine.Value{stored}, Whole: true}
}

// writtenDate reports whether an expression was meant as a date without quotes,
// such as 2025-10-31, and its position.
func writtenDate(e expr, text string) (Pos, bool) {
	outer, ok := e.(*binaryExpr)
	if !ok || outer.Op != opSubtract {
		return 0, false
	}
	inner, ok := outer.L.(*binaryExpr)
	if !ok || inner.Op != opSubtract {
		return 0, false
	}
	at := inner.L.At()
	end := min(int(at)+len(time.DateOnly), len(text))
	_, err := time.Parse(time.DateOnly, text[at:end])
	return at, err == nil
}

// in returns the predicate of property IN constant list and of constant IN
// property, nil for others.
func (l *lowering) in(e *binaryExpr, want bool) engine.Predicate {
	if v, ok := e.R.(*variable); ok {
		constant, ok := l.value(e.L)
		if !ok {
			return nil
		}
		stored, ok := scalar(constant)
		if !ok {
			return nil
		}
		c := engine.Comparison{Property: v.Name, Values: []engine.Value{stored}}
		if !want {
			c.Op = engine.OpNotEqual
		}
		return c
	}
	v, ok := e.L.(*variable)
	if !ok {
		return nil
	}
	list, ok := l.value(e.R)
	switch {
	case ok && list.IsNull():
		return never()
	case !ok || list.Kind() != KindList:
		return nil
	}
	c := engine.Comparison{Property: v.Name, Whole: true}
	null := false
	for _, x := range list.AsList() {
		if x.IsNull() {
			null = true
			continue
		}
		stored, ok := scalar(x)
		if !ok {
			return nil
		}
		c.Values = append(c.Values, stored)
	}
	switch {
	case want && len(c.Values) > 0:
		return c
	case want, null: // x IN [1, null] is never false
		return never()
	case len(c.Values) == 0:
		return always()
	}
	c.Op = engine.OpNotEqual
	return c
}

// startsWith returns the predicate of property STARTS WITH constant, nil for
// others.
func (l *lowering) startsWith(e *binaryExpr, want bool) engine.Predicate {
	v, ok := e.L.(*variable)
	if !ok || !want {
		return nil
	}
	prefix, ok := l.value(e.R)
	if !ok || prefix.Kind() != KindString {
		return nil
	}
	return engine.Comparison{Property: v.Name, Op: engine.OpPrefix, Values: []engine.Value{engine.String(prefix.AsString())}, Whole: true}
}

// scalar returns a value as indexes have it; false for null, lists, maps and
// numbers that are not finite.
func scalar(v Value) (engine.Value, bool) {
	switch v.Kind() {
	case KindNull, KindList, KindMap:
		return engine.Value{}, false
	}
	stored, err := v.Stored()
	return stored, err == nil
}
