package ragdb_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

// A program in a module of its own, made of the README's code as it stands there,
// compiles and prints what the README says.
func TestOutsideModule(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it builds a program")
	}
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	parts := regexp.MustCompile("(?s)```go\n(package main\n.*?)```\n+```\n(.*?)```").FindSubmatch(readme)
	if parts == nil {
		t.Fatal("the README has no program with its output")
	}
	dir := t.TempDir()
	write := func(name, content string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// A workspace of two modules compiles the packages as they are here. The go command
	// may fetch modules that only other systems need.
	write("go.mod", "module example.com/ask\n\ngo 1.26.0\n")
	write("go.work", fmt.Sprintf("go 1.26.0\n\nuse (\n\t.\n\t%q\n)\n", root))
	write("main.go", string(parts[1]))
	cmd := exec.CommandContext(t.Context(), "go", "run", ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK="+filepath.Join(dir, "go.work"))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if string(out) != string(parts[2]) {
		t.Errorf("the program printed\n%s\nand the README says\n%s", out, parts[2])
	}
	if n := len(exportedNames(string(parts[1]))); n > 10 {
		t.Errorf("the README's program meets %d exported names of ragdb: %v", n, exportedNames(string(parts[1])))
	}
}

// exportedNames returns the exported names of ragdb that a program mentions.
func exportedNames(program string) []string {
	seen := map[string]bool{}
	var out []string
	for _, m := range regexp.MustCompile(`\b(?:ragdb|db|answer|s)\.([A-Z]\w*)|\b(ID|Text|Meta):`).FindAllStringSubmatch(program, -1) {
		name := m[1] + m[2]
		if !seen[name] {
			seen[name] = true
			out = append(out, name)
		}
	}
	return out
}
