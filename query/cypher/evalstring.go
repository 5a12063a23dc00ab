package cypher

import "strings"

// substringTest compiles STARTS WITH, ENDS WITH and CONTAINS. If a side is not
// a string, the result is null.
func (c *compiler) substringTest(e *binaryExpr) (predicate, error) {
	left, err := c.eval(e.L)
	if err != nil {
		return nil, err
	}
	right, err := c.eval(e.R)
	if err != nil {
		return nil, err
	}
	contains := e.Op == opContains
	test := strings.HasPrefix
	if e.Op == opEndsWith {
		test = strings.HasSuffix
	}
	return func(x *exec, r row) (truth, error) {
		a, err := left(x, r)
		if err != nil {
			return isUnknown, err
		}
		b, err := right(x, r)
		if err != nil || a.kind != KindString || b.kind != KindString {
			return isUnknown, err
		}
		if contains {
			at, err := x.index(a.AsString(), b.AsString())
			return truthOf(at >= 0), err
		}
		return truthOf(test(a.AsString(), b.AsString())), x.work(a.weight())
	}, nil
}
