package cypher

// listFunctions are the functions of lists, and those shared by lists and
// strings.
var listFunctions = []function{
	{name: "size", params: "list or string", min: 1, max: 1, takes: aSequence, call: callSize},
	{name: "isEmpty", params: "list, map or string", min: 1, max: 1, call: callIsEmpty},
	{name: "head", params: "list", min: 1, max: 1, takes: aList, call: callHead},
	{name: "last", params: "list", min: 1, max: 1, takes: aList, call: callLast},
	{name: "tail", params: "list", min: 1, max: 1, takes: aList, call: callTail},
	{name: "range", params: "start, end [, step]", min: 2, max: 3, call: callRange},
	{name: "reverse", params: "list or string", min: 1, max: 1, takes: aSequence, call: callReverse},
}

// callSize returns the number of elements, or of characters.
func callSize(x *exec, at Pos, a []Value) (Value, error) {
	if a[0].kind == KindList {
		return Int(int64(len(a[0].AsList()))), nil
	}
	n, err := x.characters(a[0].AsString())
	return Int(n), err
}

func callIsEmpty(_ *exec, at Pos, a []Value) (Value, error) {
	switch a[0].kind {
	case KindList:
		return Bool(len(a[0].AsList()) == 0), nil
	case KindMap:
		return Bool(len(a[0].AsMap()) == 0), nil
	case KindString:
		return Bool(a[0].AsString() == ""), nil
	}
	return Null, wants(at, "isEmpty", "a list, a map or a string", a[0])
}

func callHead(_ *exec, at Pos, a []Value) (Value, error) {
	return element(a[0].AsList(), 0), nil
}

func callLast(_ *exec, at Pos, a []Value) (Value, error) {
	return element(a[0].AsList(), -1), nil
}

// callTail returns all elements but the first.
func callTail(x *exec, at Pos, a []Value) (Value, error) {
	list := a[0].AsList()
	return x.built(at, ListOf(list[min(1, len(list)):]))
}

// callRange returns the integers from start to end, inclusive if step leads to
// end.
func callRange(x *exec, at Pos, a []Value) (Value, error) {
	for _, v := range a {
		if v.kind != KindInt {
			return Null, evalError(at, codeArgument, "InvalidArgumentType", "range() needs integers, not %s", aKind(v))
		}
	}
	start, end, step := a[0].AsInt(), a[1].AsInt(), int64(1)
	if len(a) == 3 {
		step = a[2].AsInt()
	}
	if step == 0 {
		return Null, argumentError(at, "the step of range() cannot be 0")
	}
	if step > 0 && start > end || step < 0 && start < end {
		return ListOf(nil), nil
	}
	// The distance of two integers may need 64 bits without a sign.
	steps := (max(uint64(start), uint64(end)) - min(uint64(start), uint64(end)))
	if (start < 0) != (end < 0) {
		steps = -steps
	}
	steps /= magnitude(step)
	if steps >= uint64(maxExprBytes/valueBytes) {
		return Null, &EvalError{Pos: at, Code: codeResource, Message: "range() makes too long a list"}
	}
	n := int(steps) + 1
	if err := x.charge(at, int64(n)*valueBytes); err != nil {
		return Null, err
	}
	list, err := made[Value](x, n)
	if err != nil {
		return Null, err
	}
	for i := range list {
		if i%stepsBetweenLooks == 0 {
			if err := x.work(stepsBetweenLooks); err != nil {
				return Null, err
			}
		}
		list[i] = Int(start + int64(i)*step)
	}
	return ListOf(list), nil
}

func callReverse(x *exec, at Pos, a []Value) (Value, error) {
	if a[0].kind == KindString {
		s, err := x.reversed(at, a[0].AsString())
		return String(s), err
	}
	from := a[0].AsList()
	if err := x.charge(at, a[0].memory()); err != nil {
		return Null, err
	}
	list, err := made[Value](x, len(from))
	if err != nil {
		return Null, err
	}
	for i, v := range from {
		if i%stepsBetweenLooks == 0 {
			if err := x.work(stepsBetweenLooks); err != nil {
				return Null, err
			}
		}
		list[len(list)-1-i] = v
	}
	return listWith(list, int64(a[0].num)), nil
}
