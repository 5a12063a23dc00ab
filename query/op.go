package query

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
)

// ErrLimit says that a run would exceed the bound of rows of its [Env].
var ErrLimit = errors.New("over the limit of a query")

// Op is an operator of a plan. It keeps no state; a plan is run by [Run].
// Operators are told apart by ==: they are pointers to structs with fields.
type Op interface {
	// Run computes the operator's set, which then is the run's. It gets its
	// inputs' by [Env.Eval], which alone calls it: Eval refuses an operator and
	// an Env that Run could not work with, and takes out of the set what the
	// query may not see.
	Run(ctx context.Context, e *Env) (Set, error)
	// Explain describes the operator without its inputs.
	Explain() Explanation
	// Inputs are the operators whose sets it takes.
	Inputs() []Op
}

// Env is what a plan runs in.
type Env struct {
	// Snap is the state that is read; nil reads as one that is closed.
	Snap *engine.Snapshot
	// Graphs caches projections; nil if no operator needs one.
	Graphs *graphops.Cache
	// Tokens counts the tokens of a text.
	Tokens func(text string) int
	// Analyze turns a text into the terms of the postings.
	Analyze func(text string) []string
	// Names returns the names that a question holds, given which keys exist.
	Names func(question string, has func(key string) bool) []string
	// Embed turns a question into a vector. If it returns nil, vector searches find
	// nothing.
	Embed func(ctx context.Context, text string) ([]float32, error)
	// Allow returns the nodes of a graph that the query may see, nil for all.
	// It is asked once for each graph. If it is set, the sets of all operators
	// lack what may not be seen, and all items of graphs that no operator of the
	// plan has in a field Graph. Operators need not check this themselves.
	Allow func(ctx context.Context, v *engine.View) (*roaring.Bitmap, error)
	// AllowAny lets the query see an edge if it may see any of its sources; false
	// wants all. It sees an edge without sources if it may see both ends.
	AllowAny bool
	// NoSteps leaves out the steps of items ([Item].Why) if they cost time or memory,
	// for callers that want scores alone.
	NoSteps bool
	// Rows bounds the items of any one set; 0 is 1,000,000.
	Rows int
	// Trace records what the operators did; nil records nothing.
	Trace *Trace

	sets    map[Op]Set
	running map[Op]bool
	vectors map[string][]float32
	graphs  map[engine.GraphID]*engine.Graph // of the plan, under Allow
	allowed map[engine.GraphID]*roaring.Bitmap
	edges   map[Ref]bool                                       // whether edges may be seen, of those that were looked at
	types   map[engine.GraphID]map[engine.NodeID]engine.TypeID // of nodes that were looked at
	nodes   map[Ref]engine.Node                                // what Node has read
	labels  map[Ref]string
	degrees map[degreeOf]int
	coming  []Item // what is packed next
	looked  looked // for tests
	depth   int
	at      int // the running operator's place in the trace
}

// Item is a node or an edge of a graph in a set.
type Item struct {
	Graph engine.GraphID
	// ID is the node, 0 for an edge.
	ID engine.NodeID
	// Edge is the edge if ID is 0.
	Edge  engine.Edge
	Score float64
	// Layer is the layer of the vector space in which [VectorSearch] found it, if it was asked for layers.
	Layer uint8
	// Why tells how the item came to be there, first cause first. In the set
	// of an operator it has no spare capacity: appending copies.
	Why []Step
	// Text and Tokens are what Pack made of the item.
	Text   string
	Tokens int
}

// Ref names an item regardless of how it was found.
type Ref struct {
	Graph engine.GraphID
	ID    engine.NodeID
	Edge  engine.Edge // weight 0
}

// Ref returns the item's name.
func (i *Item) Ref() Ref {
	r := Ref{Graph: i.Graph, ID: i.ID}
	if i.ID == 0 {
		r.Edge = i.Edge
		r.Edge.Weight = 0
	}
	return r
}

// Step is one reason for an item: the operator that found or kept it, what it
// came from, and the score that it had there.
type Step struct {
	Op    string  `json:"op"`
	From  Ref     `json:"-"`
	Note  string  `json:"note,omitempty"`
	Score float64 `json:"score"`
	// Rank is the place that an item had among the items of its type that a walk started
	// at ([PPR]), 1 for the first; 0 in all other steps.
	Rank int `json:"rank,omitempty"`
}

// Set is an ordered set of items, each once.
type Set struct {
	Items []Item
	// Used is the number of tokens that Pack used, headers included.
	Used int
}

// Run runs a plan. A second run with the same Env starts afresh. A plan that
// lacks an operator or leads back to itself, and an Env that lacks what an
// operator needs, are [engine.ErrInvalid].
func Run(ctx context.Context, e *Env, plan Op) (Set, error) {
	if err := e.check(); err != nil {
		return Set{}, phase.At("", err)
	}
	e.sets, e.running, e.vectors, e.allowed, e.edges, e.graphs = nil, nil, nil, nil, nil, nil
	e.types = map[engine.GraphID]map[engine.NodeID]engine.TypeID{}
	e.nodes, e.labels, e.degrees = map[Ref]engine.Node{}, nil, nil
	e.coming, e.depth, e.at = nil, 0, 0
	if e.Trace != nil {
		*e.Trace = Trace{}
	}
	if e.Allow != nil {
		e.graphs = map[engine.GraphID]*engine.Graph{}
		e.nameGraphs(plan, map[Op]bool{})
	}
	s, err := e.Eval(ctx, plan)
	if err != nil {
		return Set{}, phase.At("", err)
	}
	return s, nil
}

// nameGraphs notes the graphs that the operators of a plan read: what they have
// in a field Graph.
func (e *Env) nameGraphs(op Op, seen map[Op]bool) {
	if checkOp(op) != nil || seen[op] {
		return
	}
	seen[op] = true
	if v := reflect.Indirect(reflect.ValueOf(op)); v.Kind() == reflect.Struct {
		if f := v.FieldByName("Graph"); f.IsValid() && f.CanInterface() {
			if g, ok := f.Interface().(*engine.Graph); ok && g != nil {
				e.graphs[g.ID()] = g
			}
		}
	}
	for _, in := range op.Inputs() {
		e.nameGraphs(in, seen)
	}
}

// Eval returns the set of an operator, running it the first time. Operators
// get the sets of their inputs by it; the caller must not change the items.
func (e *Env) Eval(ctx context.Context, op Op) (Set, error) {
	if err := errors.Join(e.check(), checkOp(op)); err != nil {
		return Set{}, err
	}
	if s, ok := e.sets[op]; ok {
		return s, nil
	}
	if err := ctx.Err(); err != nil {
		return Set{}, err
	}
	if e.running[op] {
		return Set{}, invalid("the operator takes its own set: the plan goes round")
	}
	if e.running == nil {
		e.sets, e.running = map[Op]Set{}, map[Op]bool{}
	}
	e.running[op] = true
	defer delete(e.running, op)
	start := time.Now()
	outer, at := e.at, e.Trace.begin(op, e.depth)
	e.depth++
	e.at = at
	s, err := op.Run(ctx, e)
	if err == nil {
		s.Items, err = e.seen(ctx, s.Items)
	}
	e.depth--
	e.at = outer
	if err != nil {
		return Set{}, fmt.Errorf("%s: %w", op.Explain().Op, err)
	}
	limit := e.Rows
	if limit == 0 {
		limit = 1_000_000
	}
	if len(s.Items) > limit {
		return Set{}, fmt.Errorf("%s: %w: %d items, at most %d", op.Explain().Op, ErrLimit, len(s.Items), limit)
	}
	for i := range s.Items {
		s.Items[i].Why = slices.Clip(s.Items[i].Why)
	}
	e.Trace.end(at, s, time.Since(start))
	e.sets[op] = s
	return s, nil
}

// check refuses an Env that is nil.
func (e *Env) check() error {
	if e == nil {
		return invalid("there is no Env to run in")
	}
	return nil
}

// checkOp refuses a missing operator and one that cannot run.
func checkOp(op Op) error {
	if op == nil {
		return invalid("an operator is missing in the plan")
	}
	if v := reflect.ValueOf(op); v.Kind() == reflect.Pointer && v.IsNil() || !v.Comparable() {
		return invalid("an operator of the plan is a %T without a value", op)
	}
	return nil
}

func invalid(format string, args ...any) error {
	return phase.Mark(engine.ErrInvalid, format, args...)
}

// view returns the snapshot's view of a graph.
func (e *Env) view(ctx context.Context, g *engine.Graph) *engine.View {
	return e.Snap.Graph(g).WithContext(ctx)
}

// vector returns the vector of a text, asking the model once.
func (e *Env) vector(ctx context.Context, text string) ([]float32, error) {
	if v, ok := e.vectors[text]; ok {
		return v, nil
	}
	if e.Embed == nil {
		return nil, invalid("no embedding model")
	}
	start := time.Now()
	v, err := e.Embed(ctx, text)
	if err == nil {
		if e.vectors == nil {
			e.vectors = map[string][]float32{}
		}
		e.vectors[text] = v
		e.Trace.embedded(time.Since(start))
	}
	return v, err
}

// warn notes what the running operator could not do, and tells it once for all of the
// plan.
func (e *Env) warn(err error) {
	e.note("%v", err)
	if e.Trace != nil && !slices.Contains(e.Trace.Warnings, err.Error()) {
		e.Trace.Warnings = append(e.Trace.Warnings, err.Error())
	}
}

// note adds to the trace what the running operator did beside its set.
func (e *Env) note(format string, args ...any) {
	if e.Trace != nil && e.at < len(e.Trace.Ops) {
		o := &e.Trace.Ops[e.at]
		o.Notes = append(o.Notes, fmt.Sprintf(format, args...))
	}
}
