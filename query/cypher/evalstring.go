package cypher

import "strings"

// substringTest compiles STARTS WITH, ENDS WITH and CONTAINS. If a side is not
// a string, the result is null.
func (c *compiler) substringTest(e *binaryExpr) predicate {
	left, right := c.eval(e.L), c.eval(e.R)
	contains := e.Op == opContains
	test := strings.HasPrefix
	if e.Op == opEndsWith {
		test = strings.HasSuffix
	}
	return func(x *exec, r row) (truth, error) {
		a, b, err := both(x, r, left, right)
		if err != nil || a.kind != KindString || b.kind != KindString {
			return isUnknown, err
		}
		if contains {
			at, err := x.index(a.AsString(), b.AsString())
			return truthOf(at >= 0), err
		}
		return truthOf(test(a.AsString(), b.AsString())), x.work(a.weight())
	}
}
