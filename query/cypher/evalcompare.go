package cypher

// comparison compiles = <> < <= > >=.
func (c *compiler) comparison(e *binaryExpr) predicate {
	left := c.eval(e.L)
	test := comparisonTest(e.Op)
	if k, ok := c.fold(e.R); ok {
		return func(x *exec, r row) (truth, error) {
			v, err := left(x, r)
			if err != nil {
				return isUnknown, err
			}
			return test(v, k), x.work(v.weight())
		}
	}
	right := c.eval(e.R)
	return func(x *exec, r row) (truth, error) {
		v, w, err := both(x, r, left, right)
		if err != nil {
			return isUnknown, err
		}
		return test(v, w), x.work(v.weight())
	}
}

// comparisonTest returns the test of a comparison operator.
func comparisonTest(op binaryOp) func(a, b Value) truth {
	switch op {
	case opEqual:
		return equal
	case opNotEqual:
		return func(a, b Value) truth { return equal(a, b).not() }
	case opLess:
		return func(a, b Value) truth { return compare(a, b).is(before, before) }
	case opLessEqual:
		return func(a, b Value) truth { return compare(a, b).is(before, same) }
	case opGreater:
		return func(a, b Value) truth { return compare(a, b).is(after, after) }
	}
	return func(a, b Value) truth { return compare(a, b).is(same, after) }
}

// is reports whether the relation lies between two.
func (c relation) is(lo, hi relation) truth {
	if c == incomparable {
		return isUnknown
	}
	return truthOf(lo <= c && c <= hi)
}

// in compiles x IN list. It is true if an element equals x. Otherwise it is
// null if x or an element is null, so that it could be equal, and else false.
// For an empty list it is false.
func (c *compiler) in(e *binaryExpr) predicate {
	left := c.eval(e.L)
	if k, ok := c.fold(e.R); ok && k.kind == KindList {
		return inConstant(left, k.AsList())
	}
	right := c.eval(e.R)
	at, single := e.Pos, c.single
	return func(x *exec, r row) (truth, error) {
		v, list, err := both(x, r, left, right)
		switch {
		case err != nil || list.IsNull():
			return isUnknown, err
		case list.kind != KindList && single:
			return member(x, v, []Value{list})
		case list.kind != KindList:
			return isUnknown, typeError(at, "IN needs a list, not %s", aKind(list))
		}
		return member(x, v, list.AsList())
	}
}

// member reports whether a list has an element that equals a value.
func member(x *exec, v Value, list []Value) (truth, error) {
	result, weight := isFalse, v.weight()
	for i := range list {
		switch equal(v, list[i]) {
		case isTrue:
			return isTrue, nil
		case isUnknown:
			result = isUnknown
		}
		if err := x.work(1 + weight); err != nil {
			return isUnknown, err
		}
	}
	return result, nil
}

// inConstant compiles IN for a constant list. It looks up scalars by their key.
// It compares lists and maps one by one, since null in them matters.
func inConstant(left evaluator, list []Value) predicate {
	const few = 8
	known := make(map[string]bool, len(list))
	scalars, absent := true, isFalse
	for _, v := range list {
		switch v.kind {
		case KindNull:
			absent = isUnknown
		case KindList, KindMap:
			scalars = false
		default:
			if equal(v, v) == isTrue { // not NaN
				known[string(v.appendScalarKey(nil))] = true
			}
		}
	}
	return func(x *exec, r row) (truth, error) {
		v, err := left(x, r)
		if err != nil {
			return isUnknown, err
		}
		if len(list) <= few || !scalars || v.kind == KindNull {
			return member(x, v, list)
		}
		if v.kind > KindPoint { // equals no scalar
			return absent, nil
		}
		var buf [96]byte
		if known[string(v.appendScalarKey(buf[:0]))] {
			return isTrue, nil
		}
		return absent, nil
	}
}
