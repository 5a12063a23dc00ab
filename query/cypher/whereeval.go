package cypher

import (
	"context"
	"errors"
	"strings"
	"sync"

	"github.com/ragdb/ragdb/engine"
)

// constant returns the predicate of an expression without properties.
func (l *lowering) constant(e expr, want bool) engine.Predicate {
	holds, err := l.compile(e, nil)
	if err != nil {
		return l.fail(err)
	}
	t, err := holds(&exec{}, nil)
	if err != nil {
		return l.failed(e, err)
	}
	return constantPredicate(t == truthOf(want))
}

// value returns the value of a constant expression; false for other expressions
// and if the evaluation fails.
func (l *lowering) value(e expr) (Value, bool) {
	if len(freeNames(e)) > 0 {
		return Null, false
	}
	run, err := (&compiler{text: l.text, scope: &scope{}}).expr(e)
	if err != nil {
		l.fail(err)
		return Null, false
	}
	v, err := run(&exec{}, nil)
	if err != nil {
		l.failed(e, err)
		return Null, false
	}
	return v, true
}

// failed keeps the error of evaluating an expression, with its place.
func (l *lowering) failed(e expr, err error) engine.Predicate {
	at, message := e.At(), err.Error()
	var eval *EvalError
	if errors.As(err, &eval) {
		at, message = eval.Pos, eval.Message
	}
	c := &checker{text: l.text}
	c.fail(at, "InvalidArgumentValue", "%s", message)
	return l.fail(c.err)
}

// compile compiles a condition on the values of properties.
func (l *lowering) compile(e expr, names []string) (predicate, error) {
	c := &compiler{text: l.text, scope: &scope{names: names}, single: true}
	return c.predicate(e), c.failed()
}

// whereBytes is what a condition may build for one node, in bytes: many of them are
// evaluated at once, outside of any statement's share of the memory.
const whereBytes = 1 << 20

// test returns a predicate that evaluates an expression for each node that has
// the properties without which it is null.
func (l *lowering) test(e expr, want bool) engine.Predicate {
	names := freeNames(e)
	holds, err := l.compile(e, names)
	if err != nil {
		return l.fail(err)
	}
	text := exprString(e)
	states := sync.Pool{New: func() any { return &exec{} }}
	test := engine.Test{
		Properties: names,
		Holds: func(ctx context.Context, key string, values []engine.Value) (bool, error) {
			x := states.Get().(*exec)
			defer states.Put(x)
			x.ctx, x.eval.bytes = ctx, maxExprBytes-whereBytes
			r := make(row, len(values))
			for i, v := range values {
				r[i] = fromStored(v)
				if v.IsNull() && names[i] == propKey {
					r[i] = String(key)
				}
			}
			t, err := holds(x, r)
			if err != nil {
				return false, whereError(text, err)
			}
			return t == truthOf(want), nil
		},
		Text: text,
	}
	if !want {
		test.Text = exprString(&unaryExpr{Op: opNot, X: e})
	}
	var all engine.And
	for _, name := range needed(e) {
		if name != propKey {
			all = append(all, engine.Comparison{Property: name, Op: engine.OpExists})
		}
	}
	if all == nil {
		return test
	}
	return append(all, test)
}

// whereError returns the error of a node for which an expression has no value. It
// names neither the node nor its values: the filter may refuse the node.
func whereError(text string, err error) error {
	var eval *EvalError
	if !errors.As(err, &eval) {
		return err
	}
	why := eval.Code
	switch eval.Code {
	case codeType:
		why = "a value has the wrong type"
	case codeArithmetic:
		why = "an integer is divided by zero or too large"
	case codeArgument:
		why = "an argument is out of range"
	case codeResource:
		why = "it builds more than it may"
	}
	return phase.Mark(engine.ErrInvalid, "the condition %s has no value for a document or node: %s", text, why)
}

// needed returns properties without which an expression is null.
func needed(e expr) []string {
	switch e := e.(type) {
	case *variable:
		return []string{e.Name}
	case *property:
		return needed(e.X)
	case *unaryExpr:
		return needed(e.X)
	case *binaryExpr:
		switch e.Op {
		case opAnd, opOr, opXor, opIn:
			return nil
		}
		return append(needed(e.L), needed(e.R)...)
	case *funcCall:
		f := functionsByName[strings.ToLower(e.Name)]
		if f == nil || f.call == nil {
			return nil
		}
		var names []string
		for _, arg := range e.Args {
			names = append(names, needed(arg)...)
		}
		return names
	}
	return nil
}
