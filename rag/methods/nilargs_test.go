package methods_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/methods"
)

// TestNilFunctions gives each exported call of rag and rag/method that takes a function,
// alone or as the last of many, a nil one, also at a snapshot. A call that has no row here
// fails the test.
func TestNilFunctions(t *testing.T) {
	t.Parallel()
	var none func(*engine.Snapshot, *rag.Evidence) error
	asked := func(fn func(w *world, c *rag.Corpus, sys *method.System, m *rag.Models) error) call {
		return func(w *world) error {
			sys, err := methods.All().Open(w.open, w.c.Docs(), method.Spec{Name: "naive"})
			if err != nil {
				return err
			}
			m, err := w.c.OpenLocal(w.ctx, false, rag.Parts{})
			if err != nil {
				return err
			}
			return fn(w, w.c, sys, m)
		}
	}
	at := func(fn func(w *world, c *rag.Corpus) error) call {
		return func(w *world) error { return w.c.AtLatest(w.ctx, func(c *rag.Corpus) error { return fn(w, c) }) }
	}
	rows := map[string][]call{
		"Ask": {asked(func(w *world, c *rag.Corpus, sys *method.System, m *rag.Models) error {
			_, err := c.Ask(w.ctx, sys, m, w.question(), none, none)
			return err
		})},
		"Retrieve": {asked(func(w *world, c *rag.Corpus, sys *method.System, m *rag.Models) error {
			_, err := c.Retrieve(w.ctx, sys, m, w.question(), none)
			return err
		})},
		"AtLatest": {
			func(w *world) error { return w.c.AtLatest(w.ctx, nil) },
			at(func(w *world, c *rag.Corpus) error { return c.AtLatest(w.ctx, nil) }),
			at(func(w *world, c *rag.Corpus) error { return c.View(w.ctx, nil) }), // of Docs
		},
		"Steps": {func(*world) error { method.Steps(nil, nil); return nil }},
	}
	w := newWorld(t, engine.Memory)
	w.index(t, nil)
	for name, calls := range rows {
		for _, call := range calls {
			watch(t, name, func() error { return call(w) })
		}
	}
	for _, dir := range []string{"..", "../cost", "../ledger", "../method"} {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatal(err)
		}
		for _, name := range files {
			f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range f.Decls {
				fn, ok := d.(*ast.FuncDecl)
				if ok && fn.Name.IsExported() && !strings.HasSuffix(name, "_test.go") && takesNil(fn) && rows[fn.Name.Name] == nil {
					t.Errorf("%s: %s takes a function and has no row here", name, fn.Name.Name)
				}
			}
		}
	}
}

// takesNil reports whether a parameter is a function, or many of what may be nil.
func takesNil(fn *ast.FuncDecl) bool {
	for _, p := range fn.Type.Params.List {
		typ := p.Type
		many, ok := typ.(*ast.Ellipsis)
		if ok {
			typ = many.Elt
		}
		switch typ.(type) {
		case *ast.FuncType:
			return true
		case *ast.StarExpr, *ast.InterfaceType:
			if ok {
				return true
			}
		}
	}
	return false
}
