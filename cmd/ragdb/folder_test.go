package main

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestFolderOnly fails if a file other than folder.go and main.go opens files, or asks
// this process for its environment or working directory: a command may run in the process
// that holds the database, for another one.
func TestFolderOnly(t *testing.T) {
	calls := map[string][]string{
		"os": {"Stat", "Lstat", "Open", "OpenFile", "Create", "CreateTemp", "MkdirTemp", "ReadFile", "WriteFile", "ReadDir", "Mkdir", "MkdirAll", "Remove", "RemoveAll",
			"Rename", "OpenRoot", "OpenInRoot", "DirFS", "Getenv", "LookupEnv", "Environ", "Setenv", "Getwd", "Chdir", "UserConfigDir", "UserHomeDir", "UserCacheDir",
			"TempDir", "Exit", "Stdin", "Stdout", "Stderr", "Link", "Symlink", "Truncate", "Chmod"},
		"filepath":   {"Abs", "Walk", "WalkDir", "Glob", "EvalSymlinks"},
		"unfinished": {"Create", "Sweep", "MakeFolder", "TempFolder", "Lock"},
	}
	// The history and the terminal are those of the process that the user started, and what
	// the system tells of this process's memory is in memory.go.
	allowed := []string{"folder.go", "main.go", "memory.go", "shelleditor.go"}
	names, err := filepath.Glob("*.go")
	if err != nil || len(names) < 50 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") || slices.Contains(allowed, name) {
			continue
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if x, ok := sel.X.(*ast.Ident); ok && slices.Contains(calls[x.Name], sel.Sel.Name) {
				t.Errorf("%s: %s.%s: use a.dir, of folder.go, or a.env", fset.Position(n.Pos()), x.Name, sel.Sel.Name)
			}
			return true
		})
	}
}

// TestFolder says that relative names are of the folder, and that errors have the names as
// they were written.
func TestFolder(t *testing.T) {
	dir := t.TempDir()
	d := folder(dir)
	if err := d.writeWhole("a", []byte("text")); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(filepath.Join(dir, "a")); err != nil || string(b) != "text" {
		t.Errorf("%q, %v", b, err)
	}
	var p *fs.PathError
	if _, err := d.stat("b"); !errors.As(err, &p) || p.Path != "b" || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file is %v", err)
	}
	if _, err := d.open(filepath.Join(dir, "a")); err != nil {
		t.Errorf("an absolute name: %v", err)
	}
}
