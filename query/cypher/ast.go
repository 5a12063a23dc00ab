package cypher

import "github.com/ragdb/ragdb/engine"

// Pos is a place in the text of a statement, in bytes from its start.
type Pos int

// At returns the place itself; nodes of the tree embed it.
func (p Pos) At() Pos { return p }

// mode is how a statement is run.
type mode uint8

// The modes. EXPLAIN prints the plan and runs nothing; PROFILE runs the
// statement and prints the plan with rows and times.
const (
	modeRun mode = iota
	modeExplain
	modeProfile
)

// statement is a parsed statement. Exactly one of its parts is set.
type statement struct {
	Text string
	Mode mode

	Query *regularQuery // reading or writing clauses
	Use   *useClause    // USE graph alone: the session's graph from here on
	Index *indexClause  // CREATE or DROP of an index
	Copy  *copyClause   // COPY FROM or COPY TO
	Graph *graphClause  // CREATE GRAPH or DROP GRAPH

	// reads are the properties of nodes and edges that each part reads, once check has
	// found them.
	reads map[*singleQuery][]string
}

// regularQuery is a union of parts; most have one.
type regularQuery struct {
	Parts []*singleQuery // joined by UNION
	All   []bool         // All[i]: between Parts[i] and Parts[i+1] stands UNION ALL
}

// singleQuery is a row of clauses. Its last clause is a Return unless it writes or
// calls a procedure alone.
type singleQuery struct {
	Use     *useClause // in front of the clauses, nil for the session's graph
	Clauses []clause
}

// clause is one clause: *matchClause, *unwindClause, *projection, *callClause, *createClause, *mergeClause,
// *setClause, *removeClause, *deleteClause, *subqueryClause, *foreachClause or *loadClause.
type clause interface{ At() Pos }

// useClause names the graph that a query reads.
type useClause struct {
	Pos
	Graph string
}

// matchClause is MATCH or OPTIONAL MATCH.
type matchClause struct {
	Pos
	Optional bool
	Patterns []*pattern
	Where    expr // nil for none
}

// pattern is a chain of nodes and edges: Nodes has one more than Edges.
type pattern struct {
	Pos
	Variable string // of the path, "" for none
	Shortest shortestKind
	Nodes    []*nodePattern
	Edges    []*edgePattern
}

// shortestKind is the function of shortest paths that a pattern stands in, if
// any.
type shortestKind uint8

// The kinds: an ordinary pattern, shortestPath((a)-[*]-(b)) and
// allShortestPaths((a)-[*]-(b)).
const (
	notShortest shortestKind = iota
	shortestOne
	shortestAll
)

// nodePattern is (variable:Label {key: value} WHERE condition).
type nodePattern struct {
	Pos
	Variable string
	Labels   *labelExpr // nil for none
	Props    expr       // *mapLit, *param or nil
	Where    expr       // nil for none
}

// edgePattern is -[variable:TYPE|OTHER*1..3 {key: value}]-> or
// -[variable:TYPE|OTHER {key: value} WHERE condition]->{1,3}.
type edgePattern struct {
	Pos
	Variable string
	Types    []string // alternatives; none is any type
	Dir      direction
	Props    expr // *mapLit, *param or nil
	// Where is nil for none. In a quantified pattern the variable stands for each
	// single edge in it.
	Where expr
	// Var marks a variable length of Min to Max edges. If there is no upper
	// bound, Max is -1.
	Var      bool
	Min, Max int
	// Quantified marks a variable length that stands behind the arrow.
	Quantified bool
}

// direction is the direction in which a pattern is written.
type direction uint8

// The directions: -[]->, <-[]- and -[]-.
const (
	dirOut direction = iota
	dirIn
	dirBoth
)

// unwindClause is UNWIND list AS variable.
type unwindClause struct {
	Pos
	List     expr
	Variable string
}

// projection is WITH or RETURN.
type projection struct {
	Pos
	Return   bool
	Distinct bool
	Star     bool // WITH * or RETURN *, before Items
	Items    []*projectionItem
	Order    []*sortItem
	Skip     expr // nil for none
	Limit    expr // nil for none
	Where    expr // of WITH, nil for none
}

// projectionItem is expression AS name. Name is the alias, or the text of the
// expression.
type projectionItem struct {
	Pos
	Expr    expr
	Name    string
	Aliased bool
}

// sortItem is a key of ORDER BY.
type sortItem struct {
	Expr  expr
	Desc  bool
	Nulls nullsPlace
}

// with returns the key with another expression.
func (s *sortItem) with(e expr) *sortItem { return &sortItem{e, s.Desc, s.Nulls} }

// suffix is what stands behind the expression.
func (s *sortItem) suffix() string {
	text := ""
	if s.Desc {
		text = " DESC"
	}
	return text + [...]string{"", " NULLS FIRST", " NULLS LAST"}[s.Nulls]
}

// nullsPlace is where null stands in an order.
type nullsPlace uint8

// The places: null is the greatest value, NULLS FIRST and NULLS LAST.
const (
	nullsGreatest nullsPlace = iota
	nullsFirst
	nullsLast
)

// callClause is CALL procedure(arguments) YIELD columns WHERE condition. Without
// parentheses Args is nil and Implicit set: the arguments are parameters of the
// statement by name.
type callClause struct {
	Pos
	Procedure string // with its namespace: graph.ppr
	Args      []expr
	Implicit  bool
	Yield     []*yieldItem // nil if the call stands alone
	Star      bool         // YIELD *
	Where     expr         // nil for none
}

// yieldItem is column AS variable.
type yieldItem struct {
	Pos
	Column   string
	Variable string
}

// createClause is CREATE patterns.
type createClause struct {
	Pos
	Patterns []*pattern
}

// mergeClause is MERGE pattern ON CREATE SET ... ON MATCH SET ....
type mergeClause struct {
	Pos
	Pattern  *pattern
	OnCreate []*setClauseItem
	OnMatch  []*setClauseItem
}

// setClause is SET items.
type setClause struct {
	Pos
	Items []*setClauseItem
}

// setClauseItem is one of target.name = value, variable = map, variable += map and
// variable:Label.
type setClauseItem struct {
	Pos
	Target expr // *property or *variable
	Value  expr // nil for labels
	Add    bool // +=
	Labels []string
}

// removeClause is REMOVE items: of a property, or of labels.
type removeClause struct {
	Pos
	Items []*removeClauseItem
}

// removeClauseItem is target.name or variable:Label.
type removeClauseItem struct {
	Pos
	Target expr // *property, or *variable with Labels
	Labels []string
}

// deleteClause is DELETE or DETACH DELETE.
type deleteClause struct {
	Pos
	Detach bool
	Exprs  []expr
}

// indexClause is CREATE or DROP of an INDEX or a CONSTRAINT.
type indexClause struct {
	Pos
	Use      *useClause // nil for the session's graph
	Drop     bool
	Vector   bool
	Name     string // "" if CREATE INDEX gives none
	IfExists bool   // IF EXISTS, or IF NOT EXISTS
	Label    string // or the edge type, "" for all nodes
	Property string
	Options  *mapLit // nil for none

	Kind       string // TEXT, POINT, LOOKUP or FULLTEXT; "" for others
	Constraint bool
	Edges      bool
	Labels     []string        // after Label
	Properties []string        // after Property
	Rule       engine.RuleKind // of a constraint
	ValueType  string          // of a constraint
}

// copyClause is COPY label FROM 'file', COPY label FROM 'file' with edges, or
// COPY (query) TO 'file'.
type copyClause struct {
	Pos
	Use   *useClause
	To    bool
	Query *regularQuery // COPY (query) TO
	// Label is the label of the nodes that COPY FROM makes. If From and Into
	// are set, it is the type of the edges that it makes between nodes of those
	// labels: COPY KNOWS FROM 'file' (FROM Person TO Person).
	Label      string
	From, Into string
	File       expr // *literal or *param
	Options    *mapLit
}
