package methods_test

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/cost"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/internal/text"
	"github.com/ragdb/ragdb/rag/ledger"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/llm/local"
	"github.com/ragdb/ragdb/rag/load"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/methods"
)

// world is a corpus in one of the states that a call may meet.
type world struct {
	c    *rag.Corpus
	sys  []*method.System // naive and ketrag
	docs []ragtest.Doc
	ctx  context.Context
	// open is not cancelled, for what a call is prepared with.
	open context.Context
}

// asks is how long a call may take before it counts as hung: far more than any
// needs on a machine that is busy.
const asks = 2 * time.Minute

// states make the worlds. Each has had its documents indexed by naive and
// ketrag, or as much of that as its name says.
func states() map[string]func(t *testing.T) *world {
	indexed := func(t *testing.T) *world {
		w := newWorld(t, engine.Memory)
		w.index(t, nil)
		return w
	}
	return map[string]func(t *testing.T) *world{
		"empty": func(t *testing.T) *world { return newWorld(t, engine.Memory) },
		"documents": func(t *testing.T) *world {
			w := newWorld(t, engine.Memory)
			w.c = w.c.With(rag.Options{NoWords: true, Models: func(context.Context, *rag.Corpus) (*rag.Models, error) { return nil, llm.ErrProvider }})
			w.index(t, llm.ErrProvider)
			w.c = w.c.With(rag.Options{})
			return w
		},
		"half embedded": func(t *testing.T) *world {
			w := newWorld(t, engine.Memory)
			w.interrupt(t, "embed")
			return w
		},
		"half built": func(t *testing.T) *world {
			w := newWorld(t, engine.Memory)
			w.interrupt(t, "ketrag")
			return w
		},
		"indexed": indexed,
		"dropped": func(t *testing.T) *world {
			w := indexed(t)
			if err := w.c.DB().DropNamespace(w.open, "main"); err != nil {
				t.Fatal(err)
			}
			return w
		},
		"closed": func(t *testing.T) *world {
			w := indexed(t)
			if err := w.c.DB().Close(); err != nil {
				t.Fatal(err)
			}
			return w
		},
		"read-only": func(t *testing.T) *world {
			dir := filepath.Join(t.TempDir(), "db")
			w := newWorld(t, dir)
			w.index(t, nil)
			if err := w.c.DB().Close(); err != nil {
				t.Fatal(err)
			}
			return openWorld(t, dir, &engine.Options{ReadOnly: true})
		},
		"read-only and empty": func(t *testing.T) *world {
			dir := filepath.Join(t.TempDir(), "db")
			if err := newWorld(t, dir).c.DB().Close(); err != nil {
				t.Fatal(err)
			}
			return openWorld(t, dir, &engine.Options{ReadOnly: true})
		},
		"other embedder": func(t *testing.T) *world {
			w := newWorld(t, engine.Memory)
			w.c = w.c.With(rag.Options{Models: ragtest.Fixed})
			w.index(t, nil)
			w.c = w.c.With(rag.Options{})
			return w
		},
		"cancelled": func(t *testing.T) *world {
			w := indexed(t)
			ctx, cancel := context.WithCancel(w.open)
			cancel()
			w.ctx = ctx
			return w
		},
	}
}

func newWorld(t *testing.T, path string) *world { return openWorld(t, path, nil) }

func openWorld(t *testing.T, path string, o *engine.Options) *world {
	t.Helper()
	db, err := engine.Open(t.Context(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil && !errors.Is(err, engine.ErrClosed) {
			t.Error(err)
		}
	})
	w := &world{c: ragtest.OpenIn(t, db), docs: ragtest.Docs(81, 5), ctx: t.Context(), open: t.Context()}
	for _, name := range []string{"naive", "ketrag"} {
		sys, err := methods.All().Open(w.open, w.c.Docs(), method.Spec{Name: name})
		if err != nil && !errors.Is(err, engine.ErrReadOnly) {
			t.Fatal(err)
		}
		if err == nil {
			w.sys = append(w.sys, sys)
		}
	}
	return w
}

func (w *world) indexer() *rag.Indexer {
	return &rag.Indexer{Corpus: w.c, Methods: methods.All(), Systems: slices.Clone(w.sys)}
}

func (w *world) inputs(n int) []rag.Input {
	return []rag.Input{{FS: ragtest.Files(w.docs[:n]...), Root: "."}}
}

func (w *world) index(t *testing.T, want error) {
	t.Helper()
	if _, err := w.indexer().Run(w.open, w.inputs(4)); !errors.Is(err, want) {
		t.Fatalf("index: %v, want %v", err, want)
	}
}

// interrupt indexes up to the first stage of a name.
func (w *world) interrupt(t *testing.T, stage string) {
	t.Helper()
	ctx, cancel := context.WithCancel(w.open)
	defer cancel()
	x := w.indexer()
	x.Options.Notify = func(e rag.Event) {
		if strings.Contains(e.Stage, stage) || stage == "ketrag" && strings.HasPrefix(e.Stage, "e") && !strings.HasPrefix(e.Stage, "embed") {
			cancel()
		}
	}
	if _, err := x.Run(ctx, w.inputs(4)); !errors.Is(err, context.Canceled) {
		t.Fatalf("the run was not interrupted: %v", err)
	}
}

// typed reports whether a program can tell an error from others: it wraps a
// sentinel or is a type of the packages.
func typed(err error) bool {
	for _, target := range []error{
		rag.ErrArgument, cost.ErrBudget, method.ErrMethod, rag.ErrModel, rag.ErrNoDocuments, method.ErrNotIndexed, rag.ErrPartial, local.ErrUntrained,
		engine.ErrClosed, engine.ErrConflict, engine.ErrCorrupt, engine.ErrExists, kv.ErrForeign, engine.ErrFormat, kv.ErrIncompatible,
		engine.ErrInvalid, kv.ErrLocked, engine.ErrMemory, engine.ErrNotFound, engine.ErrReadOnly, engine.ErrTxTooLarge,
		llm.ErrKind, llm.ErrNoEvidence, llm.ErrProvider, llm.ErrReply, load.ErrOption, text.ErrChunkSet,
		context.Canceled, context.DeadlineExceeded, fs.ErrNotExist,
	} {
		if errors.Is(err, target) {
			return true
		}
	}
	var file *load.FileError
	return errors.As(err, &file)
}

// watch runs a call, and tells of a panic, a hang, and an error that a program
// cannot tell from others.
func watch(t *testing.T, name string, call func() error) {
	t.Helper()
	done := make(chan error, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				done <- fmt.Errorf("panic: %v: %w\n%s", p, fs.ErrInvalid, debug.Stack())
			}
		}()
		done <- call()
	}()
	select {
	case err := <-done:
		if err != nil && !typed(err) {
			t.Errorf("%s: %v", name, err)
		}
	case <-time.After(asks):
		t.Fatalf("%s hangs", name)
	}
}

// inner are the calls that the packages which rag is made of make of each other,
// always with what belongs there.
var inner = []string{
	"Corpus.AddChunks", "Corpus.Aliases", "Corpus.Existing", "Corpus.Graphs", "Corpus.Manifests", "Corpus.Outlines", "Corpus.Put",
	"Corpus.ReadAs", "Corpus.Ready", "Corpus.Remember", "Corpus.Rereads",
	"Ledger.Begin", "Ledger.Keep", "Ledger.KeepVectors", "Ledger.Reply", "Ledger.Vectors", "Ledger.WrittenByKind",
	"Models.At", "Models.Choose", "Models.CountSelection", "Models.Crew", "Models.Ensure", "Models.ForWorker", "Models.In",
	"Models.Reopen", "Models.Reranked", "Models.Spent", "Models.Unkept", "Plan.Reranked",
	"Step.Apply", "Step.Do", "Step.Graph", "Step.Items", "Step.Name",
}

// TestMatrix makes every exported call of rag and of what it is made of in every state, with what belongs
// there and with nothing: each gives a result or an error that a program can
// tell from others. A call that has no row here fails the test.
func TestMatrix(t *testing.T) {
	t.Parallel()
	rows := matrixRows()
	var all []string
	for _, dir := range []string{"..", "../cost", "../ledger", "../method"} {
		all = append(all, exported(t, dir)...)
	}
	for name, typ := range map[string]reflect.Type{
		"Corpus": reflect.TypeFor[*rag.Corpus](), "Models": reflect.TypeFor[*rag.Models](), "ModelError": reflect.TypeFor[*rag.ModelError](),
		"Ledger": reflect.TypeFor[*ledger.Ledger](), "Step": reflect.TypeFor[method.Step](),
	} {
		for i := range typ.NumMethod() {
			all = append(all, name+"."+typ.Method(i).Name)
		}
	}
	slices.Sort(all)
	all = slices.DeleteFunc(slices.Compact(all), func(name string) bool { return slices.Contains(inner, name) })
	for _, name := range all {
		if rows[name] == nil {
			t.Errorf("rag.%s has no row in the matrix", name)
		}
		delete(rows, name)
	}
	for name := range rows {
		t.Errorf("the matrix has a row for rag.%s, which is not exported", name)
	}
	rows = matrixRows()
	names := slices.Sorted(maps.Keys(rows))
	// What changes the corpus comes last, so that the other calls meet the state.
	slices.SortStableFunc(names, func(a, b string) int { return slices.Index(changing, a) - slices.Index(changing, b) })
	for state, make := range states() {
		t.Run(state, func(t *testing.T) {
			w := make(t)
			for _, name := range names {
				for i, call := range rows[name] {
					watch(t, fmt.Sprintf("%s, call %d", name, i), func() error { return call(w) })
				}
			}
		})
	}
}

// TestMatrixMethods has every method asked and indexed in every state.
func TestMatrixMethods(t *testing.T) {
	t.Parallel()
	for state, make := range states() {
		t.Run(state, func(t *testing.T) {
			w := make(t)
			for _, name := range methods.All().Names() {
				watch(t, name, func() error {
					sys, err := methods.All().Open(w.ctx, w.c.Docs(), method.Spec{Name: name})
					if err != nil {
						return err
					}
					m, err := w.c.OpenLocal(w.ctx, false, rag.Parts{})
					if err != nil {
						return err
					}
					_, err = w.c.Ask(w.ctx, sys, m, method.Question{Text: "Who knew " + w.docs[1].Hero + "?"})
					return err
				})
				watch(t, name+" with nil", func() error {
					sys, err := methods.All().Open(w.open, w.c.Docs(), method.Spec{Name: name})
					if err != nil {
						return err
					}
					sys.Stages(nil)
					plan, err := sys.Plan(w.ctx, nil, method.Question{Text: "Who?"})
					if err == nil {
						plan.Op()
					}
					if sys.Changed == nil {
						return err
					}
					_, changed := sys.Changed(w.ctx, nil, nil)
					return errors.Join(err, changed)
				})
				watch(t, name+" with a wrong parameter", func() error {
					_, err := methods.All().Open(w.open, w.c.Docs(), method.Spec{Name: name, Params: map[string]string{"": "", "k": "x"}})
					return err
				})
			}
		})
	}
}

// exported returns the exported functions and methods of the package in a
// folder, as Func and Type.Method.
func exported(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	var out []string
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || !fn.Name.IsExported() {
				continue
			}
			if fn.Recv == nil {
				out = append(out, fn.Name.Name)
				continue
			}
			recv := fn.Recv.List[0].Type
			if p, ok := recv.(*ast.StarExpr); ok {
				recv = p.X
			}
			if id, ok := recv.(*ast.Ident); ok && id.IsExported() {
				out = append(out, id.Name+"."+fn.Name.Name)
			}
		}
	}
	return out
}
