package lint_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

// mostNames bounds the exported names of all packages that a program outside of the
// module can import: types, functions and values, without methods and fields.
// mostNamesEach bounds those of a package, mostNamesOf those of some packages.
const (
	mostNames     = 960
	mostNamesEach = 60
)

var mostNamesOf = map[string]int{"engine": 125, "graphops": 100, "query": 62, "rag": 30, "rag/llm": 72, "rag/method": 45}

// TestNames says that the packages do not grow names without a decision.
func TestNames(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	err = filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			if file != root && (strings.HasPrefix(name, ".") || name == "internal" || name == "testdata" || name == "cmd" || name == "bench") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		rel, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		count[path.Dir(filepath.ToSlash(rel))] += exported(f)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for pkg, n := range count {
		total += n
		most := mostNamesOf[pkg]
		if most == 0 {
			most = mostNamesEach
		}
		if n > most {
			t.Errorf("package %s exports %d names, more than %d", pkg, n, most)
		}
	}
	if total > mostNames {
		t.Errorf("all packages export %d names, more than %d", total, mostNames)
	}
	if len(count) < 20 {
		t.Errorf("%d packages were looked at", len(count))
	}
}

// exported counts the names that a file exports.
func exported(f *ast.File) (n int) {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil && d.Name.IsExported() {
				n++
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					if s.Name.IsExported() {
						n++
					}
				case *ast.ValueSpec:
					for _, name := range s.Names {
						if name.IsExported() {
							n++
						}
					}
				}
			}
		}
	}
	return n
}
