package cypher

import (
	"slices"

	"github.com/ragdb/ragdb/engine"
)

// valueTest is a condition on one property of a node or an edge.
type valueTest struct {
	name  string // of the property
	holds condition
	row   row // of holds: the value of the property

	// What is known of the values of the column at hand.
	kind  engine.Kind
	known [64]knownInt
	texts []verdict // by place in the column's strings
}

// verdict is what is known of a value.
type verdict uint8

const (
	undecided verdict = iota
	refused
	passed
)

// knownInt is an integer and its verdict.
type knownInt struct {
	n int64
	verdict
}

// of returns the verdict on a value.
func (v *valueTest) of(x *exec, value Value) (verdict, error) {
	v.row[0] = value
	ok, err := v.holds(x, v.row)
	if ok {
		return passed, err
	}
	return refused, err
}

// eachPassing calls fn with those of some rows of a column whose value passes. A value
// that came before is not computed again. value returns the value of a row; null is set if that
// is null for all rows that the column has no value of.
func (v *valueTest) eachPassing(x *exec, c *engine.Vector, rows []int, null bool, value func(row int) (Value, error), fn func(row int)) error {
	kind, _ := c.Kind()
	if kind != v.kind {
		v.kind, v.known = kind, [64]knownInt{}
	}
	var ints, codes []int64
	var dict []string
	switch kind {
	case engine.KindInt, engine.KindBool:
		ints = c.Ints()
	case engine.KindString:
		codes, dict = c.Strings()
	}
	v.texts = slices.Grow(v.texts[:0], len(dict))[:len(dict)]
	clear(v.texts)
	none, other := undecided, undecided
	for _, row := range rows {
		known := &other
		switch {
		case !c.Has(row):
			if known = &none; !null {
				none = undecided
			}
		case ints != nil:
			k := &v.known[uint64(ints[row])%uint64(len(v.known))]
			if known = &k.verdict; k.n != ints[row] {
				k.n, k.verdict = ints[row], undecided
			}
		case codes != nil:
			known = &v.texts[codes[row]]
		default:
			other = undecided
		}
		if *known == undecided {
			of, err := value(row)
			if err != nil {
				return err
			}
			if *known, err = v.of(x, of); err != nil {
				return err
			}
		}
		if *known == passed {
			fn(row)
		}
	}
	return nil
}

// valueTest returns a condition as one on the value of a single property of a node,
// nil if it depends on anything else.
func (pl *planner) valueTest(cond expr, node string) (*valueTest, error) {
	const value = " value"
	name, whole := "", true
	over := rewrite(cond, func(part expr, bound []string) expr {
		if ps, beside := patternParts(part); len(ps)+len(beside) > 0 {
			whole = false
		}
		p, ok := part.(*property)
		if !ok || slices.Contains(bound, node) {
			return nil
		}
		if v, ok := p.X.(*variable); !ok || v.Name != node || name != "" && name != p.Name {
			return nil
		}
		name = p.Name
		return &variable{Pos: p.Pos, Name: value}
	})
	if free := freeNames(over); !whole || name == "" || len(free) != 1 || free[0] != value {
		return nil, nil
	}
	c := pl.compiler()
	c.scope = &scope{names: []string{value}}
	holds, err := c.condition(over)
	if err != nil {
		return nil, err
	}
	return &valueTest{name: name, holds: holds, row: make(row, 1)}, nil
}

// neverNull reports whether a condition on a property compares it so that it never holds
// for null.
func neverNull(cond expr, name string) bool {
	is := func(e expr) bool {
		p, ok := e.(*property)
		if !ok {
			return false
		}
		v, ok := p.X.(*variable)
		return ok && v.Name == name
	}
	switch e := cond.(type) {
	case *binaryExpr:
		switch e.Op {
		case opEqual, opNotEqual, opLess, opLessEqual, opGreater, opGreaterEqual, opStartsWith, opEndsWith, opContains:
			return is(e.L) || is(e.R)
		case opIn:
			return is(e.L)
		}
	case *isNullExpr:
		return e.Not && is(e.X)
	}
	return false
}
