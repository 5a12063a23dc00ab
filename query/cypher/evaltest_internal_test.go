package cypher

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/engine/temporal"
)

// evalRun is what expressions of a test see.
type evalRun struct {
	params map[string]Value
	names  []string // variables
	row    row
}

// parseExpr parses an expression.
func parseExpr(text string) (expr, error) {
	st, err := parse("RETURN "+text, nil)
	if err != nil {
		return nil, err
	}
	p := st.Query.Parts[0].Clauses[0].(*projection)
	if len(p.Items) != 1 {
		return nil, errors.New("not one expression")
	}
	return p.Items[0].Expr, nil
}

// eval computes an expression that is written in the language.
func (run evalRun) eval(text string) (Value, error) {
	e, err := parseExpr(text)
	if err != nil {
		return Null, err
	}
	c := &compiler{text: "RETURN " + text, scope: &scope{names: run.names}, pattern: noPatterns}
	ev, err := c.expr(e)
	if err != nil {
		return Null, err
	}
	x := &exec{ctx: context.Background(), params: run.params}
	x.eval.now = time.Unix(1e9, 5) // one clock for all
	return ev(x, run.row)
}

// noPatterns is for expressions without patterns.
func noPatterns(*compiler, []*pattern, expr) (patternMatcher, error) {
	return patternMatcher{}, errors.New("no patterns here")
}

// evalCase is an expression and what its value is written as, or the code of
// its error with a "!" before it.
type evalCase struct{ expr, want string }

// checkCases evaluates expressions. Strings are in quotes.
func checkCases(t *testing.T, run evalRun, cases []evalCase) {
	t.Helper()
	for _, tc := range cases {
		if got := run.outcome(tc.expr); got != tc.want {
			t.Errorf("%s = %s, want %s", tc.expr, got, tc.want)
		}
	}
}

// outcome returns the value of an expression as it stands in a list, or the
// code of its error.
func (run evalRun) outcome(text string) string {
	v, err := run.eval(text)
	var failed *EvalError
	var syntax *SyntaxError
	switch {
	case errors.As(err, &failed):
		if failed.Message == "" || failed.Pos < 0 || int(failed.Pos) > len("RETURN "+text) {
			return "an error without message or place"
		}
		return "!" + failed.Code
	case errors.As(err, &syntax):
		return "!" + syntax.Code
	case err != nil:
		return "error " + err.Error()
	}
	s := ListOf([]Value{v}).String()
	return s[1 : len(s)-1]
}

// people is a small graph: ann knows bob and cy, bob and cy are friends, which
// has no direction, and a pet belongs to ann.
func people(t testing.TB) (run evalRun, g *graph) {
	t.Helper()
	ctx := context.Background()
	db, err := engine.Open(ctx, engine.Memory, nil)
	must(t, err)
	ns, err := db.Namespace(ctx, "main")
	must(t, err)
	eg, err := ns.Graph(ctx, "town")
	must(t, err)
	g = &graph{g: eg}
	var ids []engine.NodeID
	var knows, friend engine.EdgeType
	must(t, db.Update(ctx, func(tx *engine.Tx) error {
		v := tx.Graph(eg)
		person, err := v.MakeNodeType("Person")
		must(t, err)
		pet, err := v.MakeNodeType("Pet")
		must(t, err)
		knows, err = v.MakeEdgeType("KNOWS", true)
		must(t, err)
		friend, err = v.MakeEdgeType("FRIEND", false)
		must(t, err)
		put := func(kind engine.TypeID, key string, props engine.Props) {
			id, _, err := v.PutNode(kind, key, props)
			must(t, err)
			ids = append(ids, id)
		}
		born := time.Date(1990, 2, 3, 4, 5, 6, 789e6, time.UTC)
		put(person, "ann", engine.Props{"name": engine.String("Ann"), "age": engine.Int(36),
			"height": engine.Float(1.5), "born": engine.Time(born), "tags": engine.Strings("x", "y")})
		put(person, "bob", engine.Props{"name": engine.String("Bob"), "age": engine.Int(30)})
		put(person, "cy/d", engine.Props{"name": engine.String("Cy")})
		put(pet, "rex", nil)
		must(t, v.AddEdge(ids[0], ids[1], knows, 2.5))
		must(t, v.SetEdgeProps(engine.Edge{From: ids[0], To: ids[1], Type: knows}, engine.Props{"since": engine.Int(2001)}))
		must(t, v.AddEdge(ids[1], ids[2], friend, 1))
		return nil
	}))
	snap, err := db.Snapshot(ctx)
	must(t, err)
	t.Cleanup(func() {
		must(t, snap.Close())
		must(t, db.Close())
	})
	g.r = snap.Graph(eg)
	k := &Edge{Edge: engine.Edge{From: ids[0], To: ids[1], Type: knows, Weight: 2.5}, graph: g}
	f := &Edge{Edge: engine.Edge{From: ids[1], To: ids[2], Type: friend, Weight: 1}, graph: g}
	back := &Edge{Edge: engine.Edge{From: ids[2], To: ids[1], Type: friend, Weight: 1}, graph: g}
	return evalRun{
		params: map[string]Value{"n": Int(7), "list": ListOf([]Value{Int(1), Null})},
		names:  []string{"ann", "bob", "cy", "rex", "k", "f", "back", "p", "none"},
		row: row{node(g, ids[0]), node(g, ids[1]), node(g, ids[2]), node(g, ids[3]),
			edge(k), edge(f), edge(back),
			path(&Path{Nodes: ids[:3], Edges: []*Edge{k, f}, graph: g}), Null},
	}, g
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func mustTime(t testing.TB, s string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339Nano, s)
	must(t, err)
	return at
}

// at returns a point in time as a datetime.
func at(t time.Time) Value {
	v, err := temporal.KindDateTime.At(t)
	if err != nil {
		panic(err)
	}
	return Temporal(v)
}

// temporalValue reads a value of the kind that a function makes.
func temporalValue(function, text string) Value {
	for k := temporal.KindDate; k <= temporal.KindDuration; k++ {
		if k.String() == function {
			v, err := k.Parse(text, nil)
			if err != nil {
				panic(err)
			}
			return Temporal(v)
		}
	}
	panic(function)
}

// engineList returns a list as it is stored.
func engineList(t *testing.T, list ...engine.Value) engine.Value {
	t.Helper()
	v, err := engine.ListOf(list)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
