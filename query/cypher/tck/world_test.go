package tck_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/memkv"
	"github.com/ragdb/ragdb/query/cypher"
)

// world is the state of a scenario.
type world struct {
	ctx    context.Context
	kit    string // the folder of the kit
	reg    *cypher.Registry
	s      *cypher.Session
	params map[string]cypher.Value

	query   string
	columns []string
	rows    [][]*val
	err     error
	before  *state
	open    bool // the database stays open
}

// Outcomes of scenarios, in the order in which the table shows them.
const (
	pass    = "pass"
	refused = "refused" // "not supported: ..." in place of a result
	wrong   = "wrong"   // rows or columns differ
	effects = "effects" // side effects differ
	noError = "noerror" // an expected error did not come
	errDiff = "errdiff" // an error of another type, phase or detail
	failed  = "error"   // an error in place of a result
	crash   = "crash"   // a panic, or no end within 20 s
	harness = "harness" // this test does not understand the scenario
)

// failure is why a scenario does not pass.
type failure struct{ status, detail string }

func (f *failure) Error() string { return f.status + ": " + f.detail }

func failf(status, format string, args ...any) error {
	return &failure{status, fmt.Sprintf(format, args...)}
}

// runScenario runs a scenario in a database of its own. It returns nil or a *failure.
func runScenario(kit string, sc *scenario) (query string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	w := &world{ctx: ctx, kit: kit, reg: &cypher.Registry{}, params: map[string]cypher.Value{}}
	db, err := engine.Open(ctx, engine.Memory, &engine.Options{NoBackground: true,
		OpenStore: func(_ context.Context, _ string, s *kv.Schema) (kv.Store, error) { return memkv.New(s), nil }})
	if err != nil {
		return "", failf(harness, "%v", err)
	}
	defer func() {
		if !w.open {
			db.Close()
		}
	}()
	ns, err := db.Namespace(ctx, "main")
	if err != nil {
		return "", failf(harness, "%v", err)
	}
	if _, err = ns.Graph(ctx, "tck"); err != nil {
		return "", failf(harness, "%v", err)
	}
	w.s, err = cypher.NewSession(cypher.Options{DB: db, Namespace: ns, Graph: "tck", Procedures: w.reg})
	if err != nil {
		return "", failf(harness, "%v", err)
	}
	err = w.run(sc)
	return w.query, err
}

// run runs the steps, also to a panic: the database could then not be closed.
func (w *world) run(sc *scenario) (err error) {
	defer func() {
		if x := recover(); x != nil {
			w.open = true
			err = failf(crash, "panic: %v\n%s", x, debug.Stack())
		}
	}()
	for _, st := range sc.steps {
		if err := w.step(st); err != nil {
			return err
		}
	}
	return nil
}

var raised = regexp.MustCompile(`^an? (\w+) should be raised at (runtime|compile time|any time): ?(.*)$`)

func (w *world) step(st step) error {
	t := st.text
	switch {
	case t == "an empty graph", t == "any graph":
		return nil
	case strings.HasPrefix(t, "the binary-tree-"):
		name := strings.TrimSuffix(strings.TrimPrefix(t, "the "), " graph")
		b, err := os.ReadFile(filepath.Join(w.kit, "graphs", name, name+".cypher"))
		if err != nil {
			return failf(harness, "%v", err)
		}
		return w.setup(string(b))
	case t == "having executed:":
		return w.setup(st.doc)
	case t == "parameters are:":
		for _, r := range st.table {
			v, err := parseVal(r[1])
			if err != nil {
				return failf(harness, "%v", err)
			}
			w.params[r[0]] = v.param()
		}
		return nil
	case strings.HasPrefix(t, "there exists a procedure "):
		return w.procedure(strings.TrimPrefix(t, "there exists a procedure "), st.table)
	case t == "executing query:", t == "executing control query:":
		w.query = st.doc
		if t == "executing query:" {
			var err error
			if w.before, err = w.snapshot(); err != nil {
				return err
			}
		}
		w.columns, w.rows, w.err = w.exec(st.doc, w.params)
		return nil
	case strings.HasPrefix(t, "the result should be"):
		return w.result(t, st.table)
	case t == "no side effects", t == "the side effects should be:":
		want := map[string]int{}
		for _, r := range st.table {
			n, err := strconv.Atoi(r[1])
			if err != nil {
				return failf(harness, "%v", err)
			}
			want[r[0]] = n
		}
		return w.effects(want)
	}
	if m := raised.FindStringSubmatch(t); m != nil {
		return w.raised(m[1], m[2], m[3])
	}
	return failf(harness, "unknown step %q", t)
}

func (w *world) setup(q string) error {
	if _, _, err := w.exec(q, w.params); err != nil {
		w.query = q
		return refusal(err)
	}
	return nil
}

// refusal is the failure for an error in place of a result.
func refusal(err error) error {
	var se *cypher.SyntaxError
	switch {
	case errors.As(err, &se) && se.Unsupported:
		return failf(refused, "%v", err)
	case errors.Is(err, context.DeadlineExceeded):
		return failf(crash, "no end within 20 s")
	}
	return failf(failed, "%v", err)
}

// exec runs a statement.
func (w *world) exec(q string, params map[string]cypher.Value) (columns []string, rows [][]*val, err error) {
	res, err := w.s.Run(w.ctx, q, params)
	if err != nil {
		return nil, nil, err
	}
	defer res.Close()
	for row, err := range res.Rows() {
		if err != nil {
			return nil, nil, err
		}
		r := make([]*val, len(row))
		for i, x := range row {
			if r[i], err = fromValue(x); err != nil {
				return nil, nil, err
			}
		}
		rows = append(rows, r)
	}
	return res.Columns, rows, nil
}

// result compares the rows. Columns match by name.
func (w *world) result(t string, expected [][]string) error {
	if w.err != nil {
		return refusal(w.err)
	}
	if t == "the result should be empty" {
		if len(w.rows) > 0 {
			return failf(wrong, "%d rows where none are expected", len(w.rows))
		}
		return nil
	}
	loose := strings.Contains(t, "ignoring element order")
	var want []string
	for _, r := range expected[1:] {
		line := make([]string, len(r))
		for i, c := range r {
			v, err := parseVal(c)
			if err != nil {
				return failf(harness, "%v", err)
			}
			line[i] = v.canon(loose)
		}
		want = append(want, strings.Join(line, " | "))
	}
	at := make([]int, len(expected[0]))
	for i, h := range expected[0] {
		if at[i] = slices.Index(w.columns, h); at[i] < 0 || len(w.columns) != len(at) {
			return failf(wrong, "the columns are %q, not %q", w.columns, expected[0])
		}
	}
	var got []string
	for _, r := range w.rows {
		line := make([]string, len(at))
		for i, from := range at {
			line[i] = r[from].canon(loose)
		}
		got = append(got, strings.Join(line, " | "))
	}
	shown, due := strings.Join(got, "\n  "), strings.Join(want, "\n  ")
	if !strings.Contains(t, "in order") {
		slices.Sort(got)
		slices.Sort(want)
	}
	if !slices.Equal(got, want) {
		return failf(wrong, "%s\n  %s\nnot\n  %s", t, shown, due)
	}
	return nil
}

// raised compares the error.
func (w *world) raised(kind, phase, detail string) error {
	if w.err == nil {
		return failf(noError, "no %s: %s", kind, detail)
	}
	var se *cypher.SyntaxError
	var ee *cypher.EvalError
	gotKind, gotDetail, gotPhase := "other", "", "runtime"
	switch {
	case errors.As(w.err, &se):
		gotKind, gotDetail, gotPhase = se.Type(), se.Code, "compile time"
	case errors.As(w.err, &ee):
		gotKind, gotDetail = ee.Code, ee.Detail
	}
	if gotKind != kind || phase != "any time" && phase != gotPhase || detail != "*" && detail != gotDetail || se != nil && se.Unsupported {
		return failf(errDiff, "%s at %s: %s (%v), not %s at %s: %s", gotKind, gotPhase, gotDetail, w.err, kind, phase, detail)
	}
	return nil
}
