package cypher_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"testing"
	"time"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query/cypher"
)

// noPanic runs fn and fails the test if it panics.
func noPanic(t *testing.T, what string, fn func()) {
	t.Helper()
	defer func() {
		if p := recover(); p != nil {
			t.Errorf("%s: panic: %v", what, p)
		}
	}()
	fn()
}

// kinds are statements of each kind.
var kindsOfStatements = []string{
	"RETURN 1", "MATCH (n)-[r]->(m) RETURN n, r, m", "MATCH p = (a)-[*..3]-(b) RETURN p", "UNWIND $rows AS row RETURN row.x",
	"CREATE (:P {key: 'new'})", "MERGE (p:P {key: 'a'}) SET p.x = 1", "MATCH (n:P {key: 'b'}) DETACH DELETE n", "MATCH ()-[r]->() SET r.x = 2",
	"CREATE INDEX ix FOR (p:P) ON (p.x)", "DROP INDEX ix IF EXISTS",
	"CREATE VECTOR INDEX v IF NOT EXISTS FOR (p:P) ON (p.v) OPTIONS {dimensions: 2}", "DROP VECTOR INDEX v IF EXISTS",
	"USE town", "USE nowhere", "USE town RETURN 1", "EXPLAIN MATCH (n) RETURN n", "PROFILE MATCH (n) RETURN n",
	"COPY P FROM 'p.csv'", "COPY (MATCH (n) RETURN n.key AS k) TO 'out.jsonl'", "CALL db.labels()", "CALL db.createGraph('g2')", "CALL db.dropGraph('g2')",
	"CALL graph.wcc() YIELD node RETURN node", "CALL graph.pagerank.write({property: 'pr'})", "CALL db.stats()", "CALL db.check()", "",
	";", "RETURN", "\xff", "RETURN $missing",
	"MATCH (n) CALL (n) { MATCH (n)--(m) RETURN m } RETURN n, m", "MATCH (n) CALL { WITH n SET n.x = 1 }", "FOREACH (i IN [1, 2] | CREATE (:P))",
	"UNWIND [1, 2, 3] AS i CALL (i) { CREATE (:P {i: i}) } IN TRANSACTIONS OF 1 ROW RETURN count(*)", "LOAD CSV FROM 'p.csv' AS row RETURN row",
	"RETURN EXISTS { MATCH (n) RETURN n }, COUNT { MATCH (n)-->(m) RETURN m }, COLLECT { MATCH (n) RETURN n.key }", "RETURN rand(), randomUUID()",
}

// states are the states of a database, a session and a context that a call may
// meet.
var states = map[string]func(t *testing.T, s *cypher.Session, db *engine.DB) (context.Context, *cypher.Session){
	"open": func(t *testing.T, s *cypher.Session, _ *engine.DB) (context.Context, *cypher.Session) {
		return t.Context(), s
	},
	"closed": func(t *testing.T, s *cypher.Session, db *engine.DB) (context.Context, *cypher.Session) {
		_ = db.Close()
		return t.Context(), s
	},
	"graph dropped": func(t *testing.T, s *cypher.Session, _ *engine.DB) (context.Context, *cypher.Session) {
		if err := s.Namespace().Drop(t.Context(), "town"); err != nil {
			t.Fatal(err)
		}
		return t.Context(), s
	},
	"graph replaced": func(t *testing.T, s *cypher.Session, _ *engine.DB) (context.Context, *cypher.Session) {
		if err := s.Namespace().Drop(t.Context(), "town"); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Namespace().Graph(t.Context(), "town"); err != nil {
			t.Fatal(err)
		}
		return t.Context(), s
	},
	"namespace dropped": func(t *testing.T, s *cypher.Session, db *engine.DB) (context.Context, *cypher.Session) {
		if err := db.DropNamespace(t.Context(), s.Namespace().Name()); err != nil {
			t.Fatal(err)
		}
		return t.Context(), s
	},
	"cancelled": func(t *testing.T, s *cypher.Session, _ *engine.DB) (context.Context, *cypher.Session) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		return ctx, s
	},
	"read-only": func(t *testing.T, s *cypher.Session, db *engine.DB) (context.Context, *cypher.Session) {
		return t.Context(), session(t, cypher.Options{DB: db, Namespace: s.Namespace(), Graph: "town", ReadOnly: true, Procedures: allProcedures(t)})
	},
	"bare": func(t *testing.T, s *cypher.Session, db *engine.DB) (context.Context, *cypher.Session) {
		return t.Context(), session(t, cypher.Options{DB: db, Namespace: s.Namespace()})
	},
	"least limits": func(t *testing.T, s *cypher.Session, db *engine.DB) (context.Context, *cypher.Session) {
		return t.Context(), session(t, cypher.Options{DB: db, Namespace: s.Namespace(), Graph: "town", Procedures: allProcedures(t),
			Limits: cypher.Limits{Rows: 1, Bytes: 1, Timeout: 1}})
	},
	"beside open rows": func(t *testing.T, s *cypher.Session, _ *engine.DB) (context.Context, *cypher.Session) {
		res, err := s.Run(t.Context(), "UNWIND range(1, 100) AS x MATCH (n) RETURN x, n", nil)
		if err != nil {
			t.Fatal(err)
		}
		return context.WithValue(t.Context(), openRows{}, res), s
	},
}

// openRows is the key of a result in a context that is to be closed before its
// database, which waits for it.
type openRows struct{}

func session(t *testing.T, o cypher.Options) *cypher.Session {
	t.Helper()
	s, err := cypher.NewSession(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// noFiles are files that are not there, and one that takes everything.
type noFiles struct{}

func (noFiles) Open(string) (io.ReadCloser, error)    { return nil, errors.New("no such file") }
func (noFiles) Create(string) (io.WriteCloser, error) { return discard{}, nil }

type discard struct{}

func (discard) Write(b []byte) (int, error) { return len(b), nil }
func (discard) Close() error                { return nil }

// TestStates: every kind of statement in every state gives a result or an error,
// and no call on a result, in any order, panics.
func TestStates(t *testing.T) {
	params := []map[string]cypher.Value{nil, {}, {"rows": cypher.Null}, {"rows": cypher.ListOf(nil), "missing": {}}}
	for name, state := range states {
		t.Run(name, func(t *testing.T) {
			for i, text := range kindsOfStatements {
				db, s := stateSession(t)
				ctx, s := state(t, s, db)
				noPanic(t, text, func() {
					res, err := s.Run(ctx, text, params[i%len(params)])
					if (res == nil) == (err == nil) {
						t.Errorf("%q: the result is %v and the error %v", text, res, err)
					}
					if err != nil && err.Error() == "" {
						t.Errorf("%q: an error without words", text)
					}
					if err != nil && name == "closed" && !typed(err) {
						t.Errorf("%q: the error is %v", text, err)
					}
					if err == nil {
						walk(t, res, i)
					}
					_ = s.Graph()
					if err := s.Use(ctx, "nowhere"); err == nil {
						t.Error("a graph that is not there is in use")
					}
				})
				if res, ok := ctx.Value(openRows{}).(*cypher.Result); ok {
					_ = res.Close()
				}
				_ = db.Close()
			}
		})
	}
}

// typed reports whether an error says by its type or a sentinel what is wrong.
func typed(err error) bool {
	var syntax *cypher.SyntaxError
	var eval *cypher.EvalError
	for _, is := range []error{engine.ErrClosed, engine.ErrInvalid, engine.ErrNotFound, engine.ErrReadOnly, cypher.ErrLimit, context.Canceled} {
		if errors.Is(err, is) {
			return true
		}
	}
	return errors.As(err, &syntax) || errors.As(err, &eval)
}

func stateSession(t *testing.T) (*engine.DB, *cypher.Session) {
	t.Helper()
	ctx := context.Background()
	db, err := engine.Open(ctx, engine.Memory, stores["memkv"])
	if err != nil {
		t.Fatal(err)
	}
	ns, err := db.Namespace(ctx, "main")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ns.Graph(ctx, "town"); err != nil {
		t.Fatal(err)
	}
	s := session(t, cypher.Options{DB: db, Namespace: ns, Graph: "town", Procedures: allProcedures(t), Files: noFiles{}})
	give(t, s, "CREATE (:P {key: 'a', x: 1})-[:T {x: 1}]->(:P {key: 'b'});")
	return db, s
}

// walk calls what a result has, in an order that depends on i.
func walk(t *testing.T, res *cypher.Result, i int) {
	var kept []cypher.Value
	rows := func() {
		for row, err := range res.Rows() {
			if err != nil {
				return
			}
			kept = append(kept, row...)
			if i%3 == 0 {
				break
			}
		}
	}
	steps := []func(){rows, func() { _ = res.Close() }, func() { _ = res.Elapsed(); _ = res.Graph(); _ = res.Counts.Any() }}
	for j := range 2 * len(steps) {
		steps[(i+j)%len(steps)]()
	}
	// Values outlive their result: they are shown, if by their ids only.
	for _, v := range kept {
		_ = v.String()
		_, _ = v.MarshalJSON()
		_ = v.Go()
		_ = v.Equal(v)
	}
}

// TestZeroValues: zero values give a result or an error.
func TestZeroValues(t *testing.T) {
	db, s := stateSession(t)
	defer db.Close()
	ctx := t.Context()
	for _, o := range []cypher.Options{{}, {DB: db}, {Namespace: s.Namespace()}} {
		if _, err := cypher.NewSession(o); !errors.Is(err, engine.ErrInvalid) {
			t.Errorf("a session of nothing: the error is %v", err)
		}
	}
	noPanic(t, "limits", func() {
		o := cypher.Options{DB: db, Namespace: s.Namespace(), Graph: "town", Limits: cypher.Limits{Rows: -1, Bytes: math.MinInt64, Timeout: -time.Second}}
		if err := drain(ctx, session(t, o), "MATCH (n) RETURN n ORDER BY n.key"); err != nil {
			t.Errorf("negative limits: %v", err)
		}
	})
	noPanic(t, "value", func() {
		var v cypher.Value
		_, _, _, _ = v.String(), v.Go(), v.Kind(), v.Equal(v)
		if b, err := v.MarshalJSON(); err != nil || string(b) != "null" {
			t.Errorf("the zero value is %s, %v", b, err)
		}
		for _, w := range []cypher.Value{{}, cypher.Int(1), cypher.String(""), cypher.ListOf(nil), cypher.MapOf(nil), cypher.Bool(true), cypher.Float(math.NaN())} {
			_, _, _, _, _ = w.AsList(), w.AsMap(), w.AsString(), w.AsEdge(), w.AsPath()
			_, _, _, _, _ = w.AsInt(), w.AsFloat(), w.AsBool(), w.AsTemporal(), w.AsNode()
			_ = w.Equal(v)
		}
	})
	for _, x := range []any{nil, (*int)(nil), []any(nil), map[string]any(nil), []any{nil, []any{nil}}, struct{}{}, func() {}, make(chan int),
		uint64(math.MaxUint64), []byte(nil), error(nil), fmt.Errorf("x"), time.Time{}, [3]int{}, map[int]string{1: "x"}} {
		noPanic(t, fmt.Sprintf("ValueOf(%T)", x), func() { _, _ = cypher.ValueOf(x) })
	}
	noPanic(t, "registry", func() {
		var r cypher.Registry
		_, _ = r.Get(""), r.Names()
		_ = r.Add()
		var none *cypher.Registry
		_, _ = none.Get("x"), none.Names()
		for _, p := range []*cypher.Procedure{nil, {}, {Name: "x"}} {
			if err := r.Add(p); err == nil {
				t.Errorf("the procedure %v was taken", p)
			}
		}
	})
	noPanic(t, "projections", func() {
		var p cypher.Projections
		_, _ = p.Get("x")
		_, _ = p.Drop("x"), p.Names()
		p.Set("x", cypher.NamedProjection{})
	})
	noPanic(t, "texts", func() {
		for _, text := range []string{"", ";", "\x00", "\xff", "'", "`", "/*", "$", "MATCH (", "RETURN [", "CALL "} {
			for _, at := range []int{-1, 0, len(text), len(text) + 1, math.MaxInt, math.MinInt} {
				_ = cypher.Expecting(text, at)
			}
			_, _, _ = cypher.Split(text)
			_, _ = cypher.ParseWhere(text)
			_ = cypher.OneLine(text)
		}
	})
	noPanic(t, "result", func() {
		var res cypher.Result
		for range res.Rows() {
			t.Error("a row of nothing")
		}
		_, _, _, _ = res.Close(), res.Close(), res.Elapsed(), res.Graph()
	})
	noPanic(t, "errors", func() {
		_ = (&cypher.SyntaxError{}).Error() + (&cypher.SyntaxError{}).Caret() + (&cypher.EvalError{}).Error() + (&cypher.LimitError{}).Error()
		_ = (&cypher.PlanStep{}).String() + (&cypher.Procedure{}).Signature() + cypher.Kind(255).String()
	})
}
