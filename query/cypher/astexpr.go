package cypher

// Expr is an expression. At is where it starts.
type Expr interface{ At() Pos }

// Literal is null, a boolean, a number or a string.
type Literal struct {
	Pos   Pos
	Value Value
}

// Param is $name.
type Param struct {
	Pos  Pos
	Name string
}

// Variable is the name of something that a clause bound.
type Variable struct {
	Pos  Pos
	Name string
}

// Property is x.name.
type Property struct {
	Pos  Pos
	X    Expr
	Name string
}

// HasLabels is x:Label, true where x has all labels, or any with Any (x:A|B).
type HasLabels struct {
	Pos    Pos
	X      Expr
	Labels []string
	Any    bool
}

// Index is x[i].
type Index struct {
	Pos  Pos
	X, I Expr
}

// Slice is x[from..to]; a bound may be nil.
type Slice struct {
	Pos         Pos
	X, From, To Expr
}

// ListLit is [a, b].
type ListLit struct {
	Pos   Pos
	Items []Expr
}

// MapLit is {name: value}.
type MapLit struct {
	Pos    Pos
	Keys   []string
	Values []Expr
}

// MapProjection is x {.name, .*, name: value, variable}.
type MapProjection struct {
	Pos   Pos
	X     Expr
	Items []MapProjectionItem
}

// MapProjectionItem is one of .* (All), .name (Value nil) and name: value.
type MapProjectionItem struct {
	All   bool
	Name  string
	Value Expr
}

// Unary is NOT x, -x or +x.
type Unary struct {
	Pos Pos
	Op  UnaryOp
	X   Expr
}

// UnaryOp is an operator with one operand.
type UnaryOp uint8

// The operators.
const (
	OpNot UnaryOp = iota
	OpNegative
	OpPositive
)

// Binary is l op r.
type Binary struct {
	Pos  Pos // of the operator
	Op   BinaryOp
	L, R Expr
}

// BinaryOp is an operator with two operands.
type BinaryOp uint8

// The operators. A chain such as a < b <= c is parsed as a < b AND b <= c.
const (
	OpOr BinaryOp = iota
	OpXor
	OpAnd
	OpEqual
	OpNotEqual
	OpLess
	OpLessEqual
	OpGreater
	OpGreaterEqual
	OpAdd
	OpSubtract
	OpMultiply
	OpDivide
	OpModulo
	OpPower
	OpIn
	OpStartsWith
	OpEndsWith
	OpContains
	OpMatches // =~
)

// IsNull is x IS NULL, or x IS NOT NULL with Not.
type IsNull struct {
	Pos Pos
	X   Expr
	Not bool
}

// FuncCall is name(arguments); the name is as written. Star is count(*).
type FuncCall struct {
	Pos      Pos
	Name     string
	Distinct bool
	Star     bool
	Args     []Expr
}

// Case is CASE with an operand, or without where X is nil.
type Case struct {
	Pos  Pos
	X    Expr
	When []CaseWhen
	Else Expr // nil is null
}

// CaseWhen is WHEN condition THEN value.
type CaseWhen struct{ When, Then Expr }

// ListComprehension is [variable IN list WHERE condition | value].
type ListComprehension struct {
	Pos      Pos
	Variable string
	List     Expr
	Where    Expr // nil for none
	Value    Expr // nil is the variable
}

// Quantifier is all, any, none or single(variable IN list WHERE condition).
type Quantifier struct {
	Pos      Pos
	Kind     QuantifierKind
	Variable string
	List     Expr
	Where    Expr
}

// QuantifierKind says how many elements must fulfil a condition.
type QuantifierKind uint8

// The kinds.
const (
	All QuantifierKind = iota
	Any
	None
	Single
)

// Reduce is reduce(accumulator = start, variable IN list | value).
type Reduce struct {
	Pos         Pos
	Accumulator string
	Start       Expr
	Variable    string
	List        Expr
	Value       Expr
}

// Exists is a pattern as a condition: WHERE (a)-->(b), exists((a)-->(b)) or
// EXISTS { MATCH pattern WHERE condition }.
type Exists struct {
	Pos Pos
	// Bare says that the pattern stands alone: it is a condition only where one
	// is wanted, and binds no variable.
	Bare     bool
	Patterns []*Pattern
	Where    Expr // nil for none
}

// CountMatches is COUNT { MATCH pattern WHERE condition }: how many matches
// there are.
type CountMatches struct {
	Pos      Pos
	Patterns []*Pattern
	Where    Expr
}

// PatternComprehension is [variable = (a)-->(b) WHERE condition | value].
type PatternComprehension struct {
	Pos     Pos
	Pattern *Pattern
	Where   Expr
	Value   Expr
}

// PathExpr is shortestPath((a)-[*]-(b)) or allShortestPaths as a value.
type PathExpr struct {
	Pos     Pos
	Pattern *Pattern
}

// At implements [Expr].
func (e *Literal) At() Pos              { return e.Pos }
func (e *Param) At() Pos                { return e.Pos }
func (e *Variable) At() Pos             { return e.Pos }
func (e *Property) At() Pos             { return e.Pos }
func (e *HasLabels) At() Pos            { return e.Pos }
func (e *Index) At() Pos                { return e.Pos }
func (e *Slice) At() Pos                { return e.Pos }
func (e *ListLit) At() Pos              { return e.Pos }
func (e *MapLit) At() Pos               { return e.Pos }
func (e *MapProjection) At() Pos        { return e.Pos }
func (e *Unary) At() Pos                { return e.Pos }
func (e *Binary) At() Pos               { return e.Pos }
func (e *IsNull) At() Pos               { return e.Pos }
func (e *FuncCall) At() Pos             { return e.Pos }
func (e *Case) At() Pos                 { return e.Pos }
func (e *ListComprehension) At() Pos    { return e.Pos }
func (e *Quantifier) At() Pos           { return e.Pos }
func (e *Reduce) At() Pos               { return e.Pos }
func (e *Exists) At() Pos               { return e.Pos }
func (e *CountMatches) At() Pos         { return e.Pos }
func (e *PatternComprehension) At() Pos { return e.Pos }
func (e *PathExpr) At() Pos             { return e.Pos }
