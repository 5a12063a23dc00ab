package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestPythonClient runs the tests of clients/python against this program.
func TestPythonClient(t *testing.T) {
	t.Parallel()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not there")
	}
	if err := exec.Command(python, "-c", "import sys; sys.exit(sys.version_info < (3, 10))").Run(); err != nil {
		t.Skip("python3 is older than 3.10")
	}
	program, err := exec.LookPath("ragdb") // TestMain puts it there
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("../../clients/python/*/*.py")
	if err != nil || len(files) == 0 {
		t.Fatalf("there are no tests: %v", err)
	}
	for _, f := range files {
		if _, err := os.ReadFile(f); err != nil { // so that a change of it ends a kept result
			t.Fatal(err)
		}
	}
	tests := exec.CommandContext(t.Context(), python, "-B", "-m", "unittest", "--buffer")
	tests.Dir = filepath.FromSlash("../../clients/python")
	tests.Env = append(os.Environ(), "RAGDB_PROGRAM="+program)
	if out, err := tests.CombinedOutput(); err != nil {
		t.Errorf("%s\n%v", out, err)
	}
}
