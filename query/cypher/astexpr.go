package cypher

// expr is an expression. At is where it starts.
type expr interface{ At() Pos }

// literal is null, a boolean, a number or a string.
type literal struct {
	Pos
	Value Value
}

// param is $name.
type param struct {
	Pos
	Name string
}

// variable is the name of something that a clause bound.
type variable struct {
	Pos
	Name string
}

// property is x.name.
type property struct {
	Pos
	X    expr
	Name string
}

// labelsExpr is x:Label. Of an edge, it is about the edge's type.
type labelsExpr struct {
	Pos
	X      expr
	Labels *labelExpr
}

// indexExpr is x[i].
type indexExpr struct {
	Pos
	X, I expr
}

// sliceExpr is x[from..to]; a bound may be nil.
type sliceExpr struct {
	Pos
	X, From, To expr
}

// listLit is [a, b].
type listLit struct {
	Pos
	Items []expr
}

// mapLit is {name: value}.
type mapLit struct {
	Pos
	Keys   []string
	Values []expr
}

// mapProjection is x {.name, .*, name: value, variable}.
type mapProjection struct {
	Pos
	X     expr
	Items []mapProjectionItem
}

// mapProjectionItem is one of .* (All), .name (Value nil) and name: value.
type mapProjectionItem struct {
	All   bool
	Name  string
	Value expr
}

// unaryExpr is NOT x, -x or +x.
type unaryExpr struct {
	Pos
	Op unaryOp
	X  expr
}

// unaryOp is an operator with one operand.
type unaryOp uint8

// The operators.
const (
	opNot unaryOp = iota
	opNegative
	opPositive
)

// binaryExpr is l op r.
type binaryExpr struct {
	Pos
	Op   binaryOp
	L, R expr
}

// binaryOp is an operator with two operands.
type binaryOp uint8

// The operators. A chain such as a < b <= c is parsed as a < b AND b <= c.
const (
	opOr binaryOp = iota
	opXor
	opAnd
	opEqual
	opNotEqual
	opLess
	opLessEqual
	opGreater
	opGreaterEqual
	opAdd
	opSubtract
	opMultiply
	opDivide
	opModulo
	opPower
	opIn
	opStartsWith
	opEndsWith
	opContains
	opMatches // =~
)

// isNullExpr is x IS NULL, or x IS NOT NULL with Not.
type isNullExpr struct {
	Pos
	X   expr
	Not bool
}

// funcCall is name(arguments); the name is as written. Star is count(*).
type funcCall struct {
	Pos
	Name     string
	Distinct bool
	Star     bool
	Args     []expr
}

// caseExpr is CASE. X is its operand, or nil.
type caseExpr struct {
	Pos
	X    expr
	When []caseWhen
	Else expr // nil is null
}

// caseWhen is WHEN condition THEN value.
type caseWhen struct{ When, Then expr }

// listComprehension is [variable IN list WHERE condition | value].
type listComprehension struct {
	Pos
	Variable string
	List     expr
	Where    expr // nil for none
	Value    expr // nil is the variable
}

// quantifier is all, any, none or single(variable IN list WHERE condition).
type quantifier struct {
	Pos
	Kind     quantifierKind
	Variable string
	List     expr
	Where    expr
}

// quantifierKind is how many elements must satisfy a condition.
type quantifierKind uint8

// The kinds.
const (
	allOf quantifierKind = iota
	anyOf
	noneOf
	singleOf
)

// name returns the name of the function.
func (k quantifierKind) name() string {
	return [...]string{allOf: "all", anyOf: "any", noneOf: "none", singleOf: "single"}[k]
}

// reduceExpr is reduce(accumulator = start, variable IN list | value).
type reduceExpr struct {
	Pos
	Accumulator string
	Start       expr
	Variable    string
	List        expr
	Value       expr
}

// existsExpr is a pattern as a condition: WHERE (a)-->(b), exists((a)-->(b)) or
// EXISTS { MATCH pattern WHERE condition }.
type existsExpr struct {
	Pos
	// Bare marks a pattern without EXISTS. It may stand only as a condition and
	// binds no variable.
	Bare     bool
	Patterns []*pattern
	Where    expr // nil for none
}

// countMatches is COUNT { MATCH pattern WHERE condition }: how many matches
// there are.
type countMatches struct {
	Pos
	Patterns []*pattern
	Where    expr
}

// patternComprehension is [variable = (a)-->(b) WHERE condition | value].
type patternComprehension struct {
	Pos
	Pattern *pattern
	Where   expr
	Value   expr
}

// pathExpr is shortestPath((a)-[*]-(b)) or allShortestPaths as a value.
type pathExpr struct {
	Pos
	Pattern *pattern
}
