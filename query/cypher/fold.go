package cypher

// folds are the values of constant expressions, each computed once.
type folds struct {
	byExpr map[expr]folded
	x      *exec // that computes them
}

// folded is the result of folding an expression.
type folded struct {
	value Value
	ok    bool
}

// fold returns the value of an expression that is the same for every row and
// statement: literals under arithmetic, in lists and in maps. If its evaluation
// fails, it is not folded, since it may never be evaluated.
func (c *compiler) fold(e expr) (Value, bool) {
	switch e := e.(type) {
	case *literal:
		return e.Value, true
	case *unaryExpr:
		if e.Op == opNot {
			return Null, false
		}
	case *binaryExpr:
		if !isArithmetic(e.Op) {
			return Null, false
		}
	case *listLit, *mapLit:
	default:
		return Null, false
	}
	if c.folds == nil {
		c.folds = &folds{byExpr: map[expr]folded{}, x: &exec{ctx: c.watch.context()}}
	}
	f, known := c.folds.byExpr[e]
	if !known {
		f.value, f.ok = c.compute(e)
		c.folds.byExpr[e] = f
	}
	return f.value, f.ok
}

// compute folds an expression after its parts. If a part is not constant or
// fails, neither is the whole.
func (c *compiler) compute(e expr) (Value, bool) {
	in := *c // whose errors do not count, nor what it builds
	in.failure = nil
	var run evaluator
	var x []expr
	ok := false
	switch e := e.(type) {
	case *unaryExpr:
		if x, ok = c.constants(e.X); ok {
			run = in.sign(&unaryExpr{Pos: e.Pos, Op: e.Op, X: x[0]})
		}
	case *binaryExpr:
		if x, ok = c.constants(e.R, e.L); ok {
			run = in.arithmetic(&binaryExpr{Pos: e.Pos, Op: e.Op, L: x[1], R: x[0]})
		}
	case *listLit:
		if x, ok = c.constants(e.Items...); ok {
			run = in.listLiteral(&listLit{Pos: e.Pos, Items: x})
		}
	case *mapLit:
		if x, ok = c.constants(e.Values...); ok {
			run = in.mapLiteral(&mapLit{Pos: e.Pos, Keys: e.Keys, Values: x})
		}
	}
	if !ok || in.failed() != nil {
		return Null, false
	}
	v, err := run(c.folds.x, nil)
	return v, err == nil
}

// constants returns the values of expressions as literals, false if one is not
// constant.
func (c *compiler) constants(list ...expr) ([]expr, bool) {
	out := make([]expr, len(list))
	for i, e := range list {
		if _, ok := e.(*literal); ok {
			out[i] = e
			continue
		}
		v, ok := c.fold(e)
		if !ok {
			return nil, false
		}
		out[i] = &literal{Pos: e.At(), Value: v}
	}
	return out, true
}
