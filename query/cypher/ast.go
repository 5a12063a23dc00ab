package cypher

// Pos is a place in the text of a statement, in bytes from its start.
type Pos int

// Mode says what is done with a statement.
type Mode uint8

// The modes. EXPLAIN prints the plan and runs nothing; PROFILE runs the
// statement and prints the plan with rows and times.
const (
	ModeRun Mode = iota
	ModeExplain
	ModeProfile
)

// Statement is one statement as it was parsed. Exactly one of its parts is set.
type Statement struct {
	Text string
	Mode Mode

	Query *Query       // reading or writing clauses
	Use   *Use         // USE graph alone: the session's graph from here on
	Index *IndexClause // CREATE or DROP of an index
	Copy  *Copy        // COPY FROM or COPY TO
}

// Query is a union of parts; most have one.
type Query struct {
	Parts []*Part // joined by UNION
	All   []bool  // All[i]: between Parts[i] and Parts[i+1] stands UNION ALL
}

// Part is a row of clauses. Its last clause is a Return unless it writes or
// calls a procedure alone.
type Part struct {
	Use     *Use // in front of the clauses, nil for the session's graph
	Clauses []Clause
}

// Clause is one clause: *Match, *Unwind, *Projection, *Call, *Create, *Merge,
// *Set, *Remove or *Delete.
type Clause interface{ At() Pos }

// Use names the graph that a query reads.
type Use struct {
	Pos   Pos
	Graph string
}

// Match is MATCH or OPTIONAL MATCH.
type Match struct {
	Pos      Pos
	Optional bool
	Patterns []*Pattern
	Where    Expr // nil for none
}

// Pattern is a chain of nodes and edges: Nodes has one more than Edges.
type Pattern struct {
	Pos      Pos
	Variable string // of the path, "" for none
	Shortest Shortest
	Nodes    []*NodePattern
	Edges    []*EdgePattern
}

// Shortest says whether a pattern is a function of shortest paths.
type Shortest uint8

// The kinds: an ordinary pattern, shortestPath((a)-[*]-(b)) and
// allShortestPaths((a)-[*]-(b)).
const (
	NotShortest Shortest = iota
	ShortestOne
	ShortestAll
)

// NodePattern is (variable:Label {key: value}).
type NodePattern struct {
	Pos      Pos
	Variable string
	// Labels are alternatives where Any is set (:A|B), else all are wanted
	// (:A:B).
	Labels []string
	Any    bool
	Props  Expr // *MapLit, *Param or nil
}

// EdgePattern is -[variable:TYPE|OTHER*1..3 {key: value}]->.
type EdgePattern struct {
	Pos      Pos
	Variable string
	Types    []string // alternatives; none is any type
	Dir      Dir
	Props    Expr // *MapLit, *Param or nil
	// Var says that the length is variable, from Min to Max edges; Max is -1
	// where it is open.
	Var      bool
	Min, Max int
}

// Dir is the direction in which a pattern is written.
type Dir uint8

// The directions: -[]->, <-[]- and -[]-.
const (
	DirOut Dir = iota
	DirIn
	DirBoth
)

// Unwind is UNWIND list AS variable.
type Unwind struct {
	Pos      Pos
	List     Expr
	Variable string
}

// Projection is WITH or RETURN.
type Projection struct {
	Pos      Pos
	Return   bool
	Distinct bool
	Star     bool // WITH * or RETURN *, before Items
	Items    []*ProjectionItem
	Order    []*SortItem
	Skip     Expr // nil for none
	Limit    Expr // nil for none
	Where    Expr // of WITH, nil for none
}

// ProjectionItem is expression AS name. Name is the alias, or the expression
// as it is written.
type ProjectionItem struct {
	Pos     Pos
	Expr    Expr
	Name    string
	Aliased bool
}

// SortItem is a key of ORDER BY.
type SortItem struct {
	Expr Expr
	Desc bool
}

// Call is CALL procedure(arguments) YIELD columns WHERE condition. Without
// parentheses Args is nil and Implicit set: the arguments are parameters of the
// statement by name.
type Call struct {
	Pos       Pos
	Procedure string // with its namespace: graph.ppr
	Args      []Expr
	Implicit  bool
	Yield     []*YieldItem // nil where the call stands alone
	Star      bool         // YIELD *
	Where     Expr         // nil for none
}

// YieldItem is column AS variable.
type YieldItem struct {
	Pos      Pos
	Column   string
	Variable string
}

// Create is CREATE patterns.
type Create struct {
	Pos      Pos
	Patterns []*Pattern
}

// Merge is MERGE pattern with what is set where it was made or found.
type Merge struct {
	Pos      Pos
	Pattern  *Pattern
	OnCreate []*SetItem
	OnMatch  []*SetItem
}

// Set is SET items.
type Set struct {
	Pos   Pos
	Items []*SetItem
}

// SetItem is one of target.name = value, variable = map, variable += map and
// variable:Label.
type SetItem struct {
	Pos    Pos
	Target Expr // *Property or *Variable
	Value  Expr // nil for labels
	Add    bool // +=
	Labels []string
}

// Remove is REMOVE items: of a property, or of labels.
type Remove struct {
	Pos   Pos
	Items []*RemoveItem
}

// RemoveItem is target.name or variable:Label.
type RemoveItem struct {
	Pos    Pos
	Target Expr // *Property, or *Variable with Labels
	Labels []string
}

// Delete is DELETE or DETACH DELETE.
type Delete struct {
	Pos    Pos
	Detach bool
	Exprs  []Expr
}

// IndexClause is CREATE [VECTOR] INDEX or DROP [VECTOR] INDEX.
type IndexClause struct {
	Pos      Pos
	Use      *Use // nil for the session's graph
	Drop     bool
	Vector   bool
	Name     string // "" where CREATE INDEX gives none
	IfExists bool   // IF EXISTS, or IF NOT EXISTS
	Label    string
	Property string
	Options  *MapLit // nil for none
}

// Copy is COPY label FROM 'file', COPY label FROM 'file' with edges, or
// COPY (query) TO 'file'.
type Copy struct {
	Pos   Pos
	Use   *Use
	To    bool
	Query *Query // COPY (query) TO
	// Label is the node's label that COPY FROM makes; or, where From and Into
	// are set, the type of the edges between nodes of those labels:
	// COPY KNOWS FROM 'file' (FROM Person TO Person).
	Label      string
	From, Into string
	File       Expr // *Literal or *Param
	Options    *MapLit
}

// At implements [Clause].
func (c *Match) At() Pos      { return c.Pos }
func (c *Unwind) At() Pos     { return c.Pos }
func (c *Projection) At() Pos { return c.Pos }
func (c *Call) At() Pos       { return c.Pos }
func (c *Create) At() Pos     { return c.Pos }
func (c *Merge) At() Pos      { return c.Pos }
func (c *Set) At() Pos        { return c.Pos }
func (c *Remove) At() Pos     { return c.Pos }
func (c *Delete) At() Pos     { return c.Pos }
