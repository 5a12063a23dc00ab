package main

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestDirectoryToRead asks a database that the user may only read: commands that
// read need no flag, and nothing in the directory changes; one that writes says
// that it may not.
func TestDirectoryToRead(t *testing.T) {
	dir := t.TempDir()
	db := filepath.Join(dir, "notes.ragdb")
	doc := filepath.Join(dir, "pump.md")
	if err := os.WriteFile(doc, []byte("# Pumps\n\nThe pump was designed by Ada Kestrel.\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "ragdb") // the name by which the test program is it
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	copyTo(t, self, program)
	ragdb := func(stranger bool, args ...string) (string, error) {
		cmd := exec.CommandContext(t.Context(), program, args...)
		cmd.Dir = dir
		cmd.Env = []string{"HOME=" + filepath.Join(dir, "home"), "GOCOVERDIR=" + os.TempDir()}
		if stranger && os.Getuid() == 0 {
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		}
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := ragdb(false, "index", db, doc, "--method", "bm25"); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	// The directories above must let a stranger through.
	for d := dir; d != os.TempDir() && len(d) > 1; d = filepath.Dir(d) {
		_ = os.Chmod(d, 0o755)
	}
	chmod(t, db, 0o555, 0o444)
	defer chmod(t, db, 0o755, 0o644)
	for _, lock := range []bool{true, false} {
		if !lock {
			if err := os.Chmod(db, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.Remove(filepath.Join(db, "LOCK")); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(db, 0o555); err != nil {
				t.Fatal(err)
			}
		}
		before := modes(t, db)
		for _, c := range []struct {
			args []string
			want string
		}{
			{[]string{"ask", db, "Who designed the pump?", "--method", "bm25"}, "Ada Kestrel"},
			{[]string{"status", db}, "1 document"},
			{[]string{"check", db}, "is sound"},
			{[]string{db, "-c", "MATCH (n) RETURN count(n) > 0"}, "true"},
		} {
			out, err := ragdb(true, c.args...)
			if err != nil || !strings.Contains(out, c.want) {
				t.Errorf("lock %v, %v: %v: %s", lock, c.args[0], err, out)
			}
		}
		out, err := ragdb(true, "rm", db, "pump.md")
		if err == nil || !strings.Contains(out, "permission denied") || strings.Contains(out, "--readonly") {
			t.Errorf("lock %v, rm: %v: %s", lock, err, out)
		}
		if after := modes(t, db); after != before {
			t.Errorf("changed:\n%s\nto\n%s", before, after)
		}
	}
}

func copyTo(t *testing.T, from, to string) {
	t.Helper()
	b, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, b, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// chmod sets the modes of a directory and of the files in it.
func chmod(t *testing.T, path string, dir, file fs.FileMode) {
	t.Helper()
	entries, err := os.ReadDir(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if err := os.Chmod(filepath.Join(path, e.Name()), file); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(path, dir); err != nil {
		t.Fatal(err)
	}
}

// modes describes the files of a directory.
func modes(t *testing.T, path string) string {
	t.Helper()
	entries, err := os.ReadDir(path)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(&b, e.Name(), info.Size(), info.ModTime().UnixNano(), info.Mode())
	}
	return b.String()
}
