package procedure_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/query/cypher"
	"github.com/ragdb/ragdb/query/procedure"
	"github.com/ragdb/ragdb/vecindex"
)

// callsTake is how long a call may take before it counts as hung: far more than
// any needs on a machine that is busy.
const callsTake = time.Minute

// matrixWorld is a session and a context in one of the states that a call may
// meet.
type matrixWorld struct {
	ctx context.Context
	db  *engine.DB
	s   *cypher.Session
}

// matrixStates make the worlds.
var matrixStates = map[string]func(t *testing.T) *matrixWorld{
	"open": func(t *testing.T) *matrixWorld { return newMatrixWorld(t, true, cypher.Options{}) },
	"with vectors of text": func(t *testing.T) *matrixWorld {
		return newMatrixWorld(t, true, cypher.Options{Query: func(s *engine.Snapshot) *query.Env {
			return &query.Env{Snap: s, Analyze: strings.Fields, Embed: func(_ context.Context, s string) ([]float32, error) {
				return [][]float32{nil, {1}, {1, 0}, {float32(math.NaN()), 0}}[len(s)%4], nil
			}}
		}})
	},
	"an Env of nothing": func(t *testing.T) *matrixWorld {
		return newMatrixWorld(t, true, cypher.Options{Query: func(*engine.Snapshot) *query.Env { return &query.Env{} }})
	},
	"empty": func(t *testing.T) *matrixWorld { return newMatrixWorld(t, false, cypher.Options{}) },
	"closed": func(t *testing.T) *matrixWorld {
		m := newMatrixWorld(t, true, cypher.Options{})
		if err := m.db.Close(); err != nil {
			t.Fatal(err)
		}
		return m
	},
	"graph dropped": func(t *testing.T) *matrixWorld {
		m := newMatrixWorld(t, true, cypher.Options{})
		if err := m.s.Namespace().Drop(m.ctx, "g"); err != nil {
			t.Fatal(err)
		}
		return m
	},
	"namespace dropped": func(t *testing.T) *matrixWorld {
		m := newMatrixWorld(t, true, cypher.Options{})
		if err := m.db.DropNamespace(m.ctx, "main"); err != nil {
			t.Fatal(err)
		}
		return m
	},
	"base graph": func(t *testing.T) *matrixWorld { return newMatrixWorld(t, true, cypher.Options{Graph: engine.Base}) },
	"read-only":  func(t *testing.T) *matrixWorld { return newMatrixWorld(t, true, cypher.Options{ReadOnly: true}) },
	"least limits": func(t *testing.T) *matrixWorld {
		return newMatrixWorld(t, true, cypher.Options{Limits: cypher.Limits{Rows: 1, Bytes: 1, Timeout: time.Nanosecond}})
	},
	"cancelled": func(t *testing.T) *matrixWorld {
		m := newMatrixWorld(t, true, cypher.Options{})
		ctx, cancel := context.WithCancel(m.ctx)
		cancel()
		m.ctx = ctx
		return m
	},
}

func newMatrixWorld(t *testing.T, full bool, o cypher.Options) *matrixWorld {
	t.Helper()
	ctx := t.Context()
	db, err := engine.Open(ctx, engine.Memory, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	ns, err := db.Namespace(ctx, "main")
	if err != nil {
		t.Fatal(err)
	}
	g, err := ns.Graph(ctx, "g")
	if err != nil {
		t.Fatal(err)
	}
	if full {
		if err := db.Update(ctx, func(tx *engine.Tx) error { return fill(tx.Graph(g)) }); err != nil {
			t.Fatal(err)
		}
	}
	o.DB, o.Namespace, o.Procedures = db, ns, &cypher.Registry{}
	if o.Graph == "" {
		o.Graph = "g"
	}
	if err := procedure.Add(o.Procedures); err != nil {
		t.Fatal(err)
	}
	s, err := cypher.NewSession(o)
	if err != nil {
		t.Fatal(err)
	}
	return &matrixWorld{ctx, db, s}
}

// arguments are what a call is given in the places of a type, nothing first. They
// are written as the language has them; n and e are a node and an edge.
var arguments = map[string][]string{
	"string":                          {"null", "''", "'place'", "'nowhere'", "'g'", "'red mill'", "'x.y'", "7", "n", "'" + strings.Repeat("y", 600) + "'"},
	"integer":                         {"null", "0", "-1", "3", "9223372036854775807", "'x'", "1.5"},
	"map":                             {"null", "{}", "{unknown: 1}", "[1]", "{k: 2, seed: 1}", "{k: 0}", "{k: 9223372036854775807}", "{labels: 'nothing'}", "{types: ['road', 7]}", "{direction: 'up'}", "{projection: 'none'}", "{nodes: [n, null]}", "{property: ''}", "{property: 'p'}", "{field: 'none'}", "{field: 'notes'}", "{method: 'kmeans', k: 3}", "{method: 'lsh', planes: 2000000}", "{method: 'gmm', k: 100}", "{filter: 'a = '}", "{alpha: -1, iters: 0}", "{hops: 2147483647, max: 0}", "{full: true}", "{ef: 1, exact: true}"},
	"node":                            {"null", "n", "e", "7", "{}"},
	"list of nodes":                   {"null", "[]", "n", "[n, n]", "[n, 7]", "[null]", "e"},
	"string, list of numbers or node": {"null", "'ab'", "'abc'", "[1, 0]", "[1]", "[]", "['x']", "[0, 0]", "[0.0/0, 1]", "n", "e", "{}"},
	"integer or list of integers":     {"null", "0", "2", "[1, 1]", "[]", "[-1]", "['x']", "9223372036854775807", "[9223372036854775807]"},
}

// statements call a procedure with arguments of each kind in each place, side by
// side in the first pass and mixed in the second, and with too few and too many.
func statements(t *testing.T, p *cypher.Procedure, passes int) []string {
	t.Helper()
	most := 1
	for _, a := range p.Args {
		if arguments[a.Type] == nil {
			t.Fatalf("%s: the matrix has nothing to give for a %q: add it to arguments", p.Name, a.Type)
		}
		most = max(most, len(arguments[a.Type]))
	}
	const with = "OPTIONAL MATCH (n)-[e]->() WITH n, e ORDER BY n.key LIMIT 1 "
	yields := " YIELD " + p.Columns[0].Name + " AS c RETURN c"
	var out []string
	for k := range passes * most {
		given := make([]string, len(p.Args))
		for i, a := range p.Args {
			pool := arguments[a.Type]
			at := k % len(pool)
			if k >= most {
				at = (k*(i+3) + i) % len(pool)
			}
			given[i] = pool[at]
		}
		out = append(out, with+"CALL "+p.Name+"("+strings.Join(given, ", ")+")"+yields)
	}
	return append(out, with+"CALL "+p.Name+"("+strings.TrimSuffix(strings.Repeat("null, ", len(p.Args)+1), ", ")+")"+yields, "CALL "+p.Name+"()", "CALL "+p.Name,
		"EXPLAIN "+out[len(out)-1])
}

// typedError reports whether a program can tell an error from others.
func typedError(err error) bool {
	for _, target := range []error{
		engine.ErrClosed, engine.ErrInvalid, engine.ErrNotFound, engine.ErrExists, engine.ErrReadOnly, engine.ErrMemory, engine.ErrConflict, cypher.ErrLimit, query.ErrLimit,
		graphops.ErrTooLarge, vecindex.ErrRange, vecindex.ErrDimension, vecindex.ErrVector, vecindex.ErrKind, context.Canceled,
	} {
		if errors.Is(err, target) {
			return true
		}
	}
	var syntax *cypher.SyntaxError
	var eval *cypher.EvalError
	var index *engine.NoIndexError
	return errors.As(err, &syntax) || errors.As(err, &eval) || errors.As(err, &index)
}

// watchCall makes a call and tells of a panic, a hang and an error that a program
// cannot tell from others.
func watchCall(t *testing.T, name string, call func() error) {
	t.Helper()
	done := make(chan error, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				done <- fmt.Errorf("panic: %v\n%s", p, debug.Stack())
			}
		}()
		done <- call()
	}()
	select {
	case err := <-done:
		if err != nil && !typedError(err) {
			t.Errorf("%s: %v", name, err)
		}
	case <-time.After(callsTake):
		t.Fatalf("%s hangs", name)
	}
}

// TestMatrix calls every procedure of the registry in every state, with nothing
// and with odd arguments in each place: each gives rows or an error that a
// program can tell from others.
func TestMatrix(t *testing.T) {
	t.Parallel()
	for _, state := range slices.Sorted(maps.Keys(matrixStates)) {
		t.Run(state, func(t *testing.T) {
			m := matrixStates[state](t)
			r := &cypher.Registry{}
			if err := procedure.Add(r); err != nil {
				t.Fatal(err)
			}
			names, passes := r.Names(), 1
			if *long || state == "open" {
				passes = 2
			}
			slices.SortStableFunc(names, func(a, b string) int { return strings.Count(a, "drop") - strings.Count(b, "drop") }) // last
			for _, name := range names {
				for _, text := range statements(t, r.Get(name), passes) {
					watchCall(t, text, func() error { _, err := tryRun(m.ctx, m.s, text); return err })
				}
			}
		})
	}
}

// TestMatrixAdd adds the procedures to nothing, and twice.
func TestMatrixAdd(t *testing.T) {
	t.Parallel()
	r := &cypher.Registry{}
	watchCall(t, "Add", func() error { return procedure.Add(r) })
	for name, to := range map[string]*cypher.Registry{"twice": r, "to nothing": nil} {
		watchCall(t, "Add "+name, func() error {
			if err := procedure.Add(to); !errors.Is(err, engine.ErrInvalid) {
				return fmt.Errorf("the error is %w", err)
			}
			return nil
		})
	}
}
