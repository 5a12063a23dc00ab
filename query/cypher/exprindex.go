package cypher

// exprIndex finds expressions whose texts differ only in space, brackets and
// the case of keywords. Writing an expression takes time in proportion to its
// size, so only those are written whose size equals that of one in the index;
// that way all parts of an expression can be looked up.
type exprIndex struct {
	sizes  map[expr]int           // of what was looked up
	bySize map[int]map[string]int // the places of the expressions
	n      int
}

// newExprIndex returns an index of expressions.
func newExprIndex(list ...expr) *exprIndex {
	x := &exprIndex{}
	for _, e := range list {
		x.add(e)
	}
	return x
}

// add appends an expression, unless it is there already.
func (x *exprIndex) add(e expr) {
	if x.bySize == nil {
		x.bySize = map[int]map[string]int{}
		x.sizes = map[expr]int{}
	}
	size := x.size(e)
	if x.bySize[size] == nil {
		x.bySize[size] = map[string]int{}
	}
	text := exprString(e)
	if _, ok := x.bySize[size][text]; !ok {
		x.bySize[size][text] = x.n
	}
	x.n++
}

// find returns the place of an expression.
func (x *exprIndex) find(e expr) (int, bool) {
	if x == nil || x.n == 0 {
		return 0, false
	}
	same := x.bySize[x.size(e)]
	if same == nil {
		return 0, false
	}
	at, ok := same[exprString(e)]
	return at, ok
}

// size returns how many expressions one is made of, itself included.
func (x *exprIndex) size(e expr) int {
	switch e.(type) {
	case *literal, *param, *variable:
		return 1
	}
	if n := x.sizes[e]; n > 0 {
		return n
	}
	n := 1
	walkExpr(e, func(part expr) bool {
		if part == e {
			return true
		}
		n += x.size(part)
		return false
	})
	x.sizes[e] = n
	return n
}
