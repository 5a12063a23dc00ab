package cypher

import (
	"context"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/memory"
	"github.com/ragdb/ragdb/query"
)

// scope maps the variables of a clause to the places of a row.
type scope struct {
	outer *scope // whose first places are the scope's own
	base  int    // how many of them
	names []string
	last  map[string]int // the last place of each of the first names, if they are many
	known int            // how many those are
}

// fewNames is how many names are searched one by one.
const fewNames = 16

// slot returns the place of a variable, of the last one if an expression's own
// variable hides another.
func (s *scope) slot(name string) (int, bool) {
	if len(s.names) <= fewNames {
		for i := len(s.names) - 1; i >= 0; i-- {
			if s.names[i] == name {
				return s.base + i, true
			}
		}
	} else {
		if s.last == nil {
			s.last = map[string]int{}
		}
		for ; s.known < len(s.names); s.known++ {
			s.last[s.names[s.known]] = s.base + s.known
		}
		if i, ok := s.last[name]; ok {
			return i, true
		}
	}
	if s.outer != nil {
		if i, ok := s.outer.slot(name); ok && i < s.base {
			return i, true
		}
	}
	return 0, false
}

// add gives a variable a place.
func (s *scope) add(name string) int {
	s.names = append(s.names, name)
	return s.size() - 1
}

// size returns the number of places.
func (s *scope) size() int { return s.base + len(s.names) }

// all returns the variables in the order of their places.
func (s *scope) all() []string {
	if s.outer == nil {
		return s.names
	}
	return append(append(make([]string, 0, s.size()), s.outer.all()[:s.base]...), s.names...)
}

// fork returns a scope that begins with the places of s; additions to it do not
// show in s. Nothing may be added to s while the fork is used.
func (s *scope) fork() *scope { return &scope{outer: s, base: s.size()} }

// row holds the values of a scope's variables.
type row = []Value

// evaluator computes an expression for a row. It keeps no state of its own.
type evaluator func(x *exec, r row) (Value, error)

// compiler turns expressions into evaluators.
type compiler struct {
	text  string // of the statement, for errors
	scope *scope
	// pattern compiles the matches of patterns that stand in an expression.
	pattern func(c *compiler, patterns []*pattern, where expr) (patternMatcher, error)
	// query compiles a query that stands in an expression.
	query func(c *compiler, q *queryExpr) (*subquery, error)
	// builds is set if the compiled code builds lists, maps or strings.
	builds bool
	folds  *folds // what fold knows
	// single lets IN treat a value that is not a list as a list of that value.
	single bool
	watch  *watch
	graph  *graph // whose columns are read; nil for none
	// failure is the first error of eval and predicate, which compilers for parts of
	// an expression share.
	failure *error
}

// patternMatcher finds the matches of patterns for a row: it calls found with a
// row of the wider scope for each until found returns false.
type patternMatcher struct {
	scope *scope // the row's variables and those of the patterns
	match func(x *exec, r row, found func(r row) (bool, error)) error
}

// exec is the state of one run of a statement.
type exec struct {
	ctx    context.Context
	watch  *watch // of reading and planning the statement
	params map[string]Value
	graph  *graph
	eval   evalState

	// Other state that the steps of a statement share.
	text     string
	session  *Session
	result   *Result
	env      *query.Env             // of operators, at the statement's snapshot
	view     *engine.View           // of the graph, at the statement's snapshot
	tx       *engine.TxView         // of the graph, if the statement writes
	epoch    uint64                 // of the transaction's commit
	batches  int                    // transactions that CALL IN TRANSACTIONS has committed
	made     int                    // keys that were made for nodes without one
	vectored map[engine.NodeID]bool // nodes whose vectors were written
	limits   Limits
	held     int64 // bytes that steps keep
	carried  int64 // bytes of large values of rows under way
	share    *memory.Share
	ticks    uint32
	profile  bool
}
