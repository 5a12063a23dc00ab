package cypher

import (
	"fmt"
	"slices"
	"strings"
)

// function is a scalar (non-aggregate) function.
type function struct {
	name     string // as openCypher writes it; case does not count
	params   string // for people
	min, max int    // arguments; max -1 is any number
	// takes is what every argument must be, nil if call decides. If an argument is
	// null, so is the result.
	takes *argument
	// volatile marks a function whose result differs from call to call.
	volatile bool
	// call computes the result from arguments, which it must not keep. It is
	// nil for functions that the compiler handles itself.
	call func(x *exec, at Pos, a []Value) (Value, error)
}

// argument is what functions take.
type argument struct {
	kinds []Kind
	what  string // for messages
}

var (
	aNumber   = &argument{[]Kind{KindInt, KindFloat}, "a number"}
	numbers   = &argument{[]Kind{KindInt, KindFloat}, "numbers"}
	integers  = &argument{[]Kind{KindInt}, "integers"}
	aString   = &argument{[]Kind{KindString}, "a string"}
	someTexts = &argument{[]Kind{KindString}, "strings"}
	aList     = &argument{[]Kind{KindList}, "a list"}
	aSequence = &argument{[]Kind{KindList, KindString}, "a list or a string"}
	aNode     = &argument{[]Kind{KindNode}, "a node"}
	anEdge    = &argument{[]Kind{KindEdge}, "an edge"}
	anElement = &argument{[]Kind{KindNode, KindEdge}, "a node or an edge"}
	anEntity  = &argument{[]Kind{KindNode, KindEdge, KindMap}, "a node, an edge or a map"}
	aPath     = &argument{[]Kind{KindPath}, "a path"}
)

// usage returns how the function is written.
func (f *function) usage() string { return f.name + "(" + f.params + ")" }

// functionsByName holds the functions under their names in lower case.
var functionsByName = byName(
	lazyFunctions, graphFunctions, listFunctions, stringFunctions,
	mathFunctions, conversionFunctions, vectorFunctions, randomFunctions, temporalFunctions(), pointFunctions)

func byName(lists ...[]function) map[string]*function {
	m := map[string]*function{}
	for _, list := range lists {
		for i := range list {
			m[strings.ToLower(list[i].name)] = &list[i]
		}
	}
	return m
}

// lazyFunctions do not evaluate all their arguments.
var lazyFunctions = []function{
	{name: "coalesce", params: "value, ...", min: 1, max: -1},
	{name: "exists", params: "x.property", min: 1, max: 1},
}

// Functions returns how the functions of the language are written, aggregates
// among them, in order of name.
func Functions() []string {
	var out []string
	for _, f := range functionsByName {
		out = append(out, f.usage())
	}
	for _, a := range aggregates {
		out = append(out, a.usage())
	}
	slices.SortFunc(out, func(a, b string) int { return strings.Compare(strings.ToLower(a), strings.ToLower(b)) })
	return out
}

// checkFunction returns an error if a call names an unknown function, or has
// too few or too many arguments.
func (c *compiler) checkFunction(e *funcCall) error {
	lower := strings.ToLower(e.Name)
	if a := aggregates[lower]; a != nil {
		return c.checkArguments(e, a.name, a.params, a.args, a.args)
	}
	f := functionsByName[lower]
	if f == nil {
		return c.unknownFunction(e)
	}
	if what := refusedForm(lower, e.Args); what != "" {
		return c.unsupported(e.Pos, e.Name, "InvalidArgumentExpression", what)
	}
	if e.Distinct {
		return c.refuse(e.Pos, e.Name, "InvalidAggregation", fmt.Sprintf("DISTINCT stands only in an aggregate, which %s() is not", f.name))
	}
	return c.checkArguments(e, f.name, f.params, f.min, f.max)
}

func (c *compiler) checkArguments(e *funcCall, name, params string, lo, hi int) error {
	if e.Star || len(e.Args) >= lo && (hi < 0 || len(e.Args) <= hi) {
		return nil
	}
	return c.refuse(e.Pos, e.Name, "InvalidNumberOfArguments",
		fmt.Sprintf("%s() has %s here; it is written %s(%s)", name, count(len(e.Args), "argument"), name, params))
}

// unknownFunction refuses a function with the reason, or with the name that was
// probably meant.
func (c *compiler) unknownFunction(e *funcCall) error {
	lower := strings.ToLower(e.Name)
	if why := refusedFunction(lower); why != "" {
		return c.unsupported(e.Pos, e.Name, "UnknownFunction", e.Name+"() ("+why+")")
	}
	what := "there is no function " + e.Name + "()"
	if near := nearest(e.Name, functionNames()); near != "" {
		what += "; did you mean " + near + "()?"
	}
	return c.refuse(e.Pos, e.Name, "UnknownFunction", what)
}

// functionNames returns the names of functions and aggregates in order.
func functionNames() []string {
	var names []string
	for _, f := range functionsByName {
		names = append(names, f.name)
	}
	for _, a := range aggregates {
		names = append(names, a.name)
	}
	slices.Sort(names)
	return names
}

// call compiles a call of a scalar function.
func (c *compiler) call(e *funcCall) evaluator {
	if err := c.checkFunction(e); err != nil {
		return c.fail(err)
	}
	lower := strings.ToLower(e.Name)
	f := functionsByName[lower]
	if f == nil {
		return c.fail(c.refuse(e.Pos, e.Name, "InvalidAggregation",
			fmt.Sprintf("%s() is an aggregate: it stands in WITH and RETURN, and in no other aggregate", e.Name)))
	}
	switch lower {
	case "coalesce":
		return c.coalesce(e)
	case "exists":
		return c.existsProperty(e)
	}
	args := c.evalAll(e.Args)
	run := callOf(f, args, e.Pos)
	if !f.volatile && c.allFold(e.Args) {
		// Lists and maps are not kept: they may be long.
		x := &exec{}
		v, err := run(x, nil)
		if err == nil && x.eval.now.IsZero() /* the clock was not asked */ && v.kind != KindList && v.kind != KindMap {
			return constant(v)
		}
	}
	c.builds = true
	return run
}

// allFold reports whether all expressions are the same for every row.
func (c *compiler) allFold(list []expr) bool {
	for _, e := range list {
		if _, ok := c.fold(e); !ok {
			return false
		}
	}
	return true
}

// callOf returns the evaluator of a call. Arguments stand on a stack that all
// calls of a statement share, so that a call needs no memory.
func callOf(f *function, args []evaluator, at Pos) evaluator {
	call := f.call
	return func(x *exec, r row) (Value, error) {
		base := len(x.eval.stack)
		null, weight := false, int64(0)
		for _, arg := range args {
			v, err := arg(x, r)
			if err != nil {
				x.eval.stack = x.eval.stack[:base]
				return Null, err
			}
			null = null || v.kind == KindNull
			weight += v.weight()
			x.eval.stack = append(x.eval.stack, v)
		}
		if null {
			x.eval.stack = x.eval.stack[:base]
			return Null, nil
		}
		v, err := Null, f.check(at, x.eval.stack[base:])
		if err == nil {
			v, err = call(x, at, x.eval.stack[base:])
		}
		x.eval.stack = x.eval.stack[:base]
		if err == nil {
			err = x.work(weight)
		}
		return v, err
	}
}

// check returns the TypeError of an argument that the function does not take.
func (f *function) check(at Pos, args []Value) error {
	if f.takes == nil {
		return nil
	}
	for i := range args {
		if !slices.Contains(f.takes.kinds, args[i].kind) {
			return wants(at, f.name, f.takes.what, args[i])
		}
	}
	return nil
}

// coalesce compiles coalesce: the first argument that is not null. It does not
// evaluate the arguments after it.
func (c *compiler) coalesce(e *funcCall) evaluator {
	args := c.evalAll(e.Args)
	return func(x *exec, r row) (Value, error) {
		for _, arg := range args {
			v, err := arg(x, r)
			if err != nil || !v.IsNull() {
				return v, err
			}
		}
		return Null, nil
	}
}

// existsProperty compiles exists(x.property), the older IS NOT NULL.
func (c *compiler) existsProperty(e *funcCall) evaluator {
	switch e.Args[0].(type) {
	case *property, *indexExpr:
	default:
		return c.fail(c.refuse(e.Pos, e.Name, "InvalidArgumentExpression",
			"exists() needs a property or a pattern; write IS NOT NULL for other values"))
	}
	return c.eval(&isNullExpr{Pos: e.Pos, X: e.Args[0], Not: true})
}

// wants returns the TypeError of an argument.
func wants(at Pos, function, what string, v Value) error {
	return evalError(at, codeType, "InvalidArgumentValue", "%s() needs %s, not %s", function, what, aKind(v))
}

// count returns a number with its noun.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
