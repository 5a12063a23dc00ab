package api

import (
	"bytes"
	"encoding/json"
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write comments.json")

// TestComments holds comments.json against the source: it has what the comments of the
// types say that stand in the OpenAPI document.
func TestComments(t *testing.T) {
	found := map[string]string{}
	for _, dir := range []string{".", "../service", "../../rag", "../../rag/internal/corpus", "../../rag/internal/queue", "../../rag/cost", "../../rag/llm", "../../rag/method", "../../query", "../../engine"} {
		readComments(t, dir, found)
	}
	want := map[string]string{}
	seen := map[reflect.Type]bool{}
	var walk func(reflect.Type)
	walk = func(ty reflect.Type) {
		switch ty.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Array:
			walk(ty.Elem())
			return
		case reflect.Struct:
		default:
			return
		}
		if seen[ty] {
			return
		}
		seen[ty] = true
		name := ty.PkgPath()[strings.LastIndexByte(ty.PkgPath(), '/')+1:] + "." + ty.Name()
		keep := func(key string) {
			if c := found[key]; c != "" {
				want[key] = c
			}
		}
		keep(name)
		for i := range ty.NumField() {
			keep(name + "." + ty.Field(i).Name)
			walk(ty.Field(i).Type)
		}
	}
	for _, op := range operations() {
		walk(op.in)
		walk(op.out)
	}
	walk(reflect.TypeFor[Problem]())
	b, err := json.MarshalIndent(want, "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	b = append(b, '\n')
	if *update {
		if err := os.WriteFile("comments.json", b, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(b, comments) {
		t.Error("comments.json is not what the source says; run go test ./internal/api -run TestComments -update")
	}
}

// readComments reads what the comments of the structs of a package say.
func readComments(t *testing.T, dir string, found map[string]string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			d, ok := n.(*ast.GenDecl)
			if !ok || d.Tok != token.TYPE {
				return true
			}
			for _, s := range d.Specs {
				spec := s.(*ast.TypeSpec)
				st, ok := spec.Type.(*ast.StructType)
				if !ok {
					continue
				}
				key := f.Name.Name + "." + spec.Name.Name
				doc := spec.Doc
				if doc == nil {
					doc = d.Doc
				}
				found[key] = sentence(doc)
				for _, field := range st.Fields.List {
					c := field.Doc
					if c == nil {
						c = field.Comment
					}
					for _, n := range field.Names {
						found[key+"."+n.Name] = sentence(c)
					}
				}
			}
			return false
		})
	}
}

// sentence is a comment on one line.
func sentence(c *ast.CommentGroup) string {
	if c == nil {
		return ""
	}
	s := strings.Join(strings.Fields(c.Text()), " ")
	return strings.NewReplacer("[", "", "]", "").Replace(s)
}
