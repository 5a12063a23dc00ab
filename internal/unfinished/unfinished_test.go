package unfinished_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/internal/unfinished"
)

// names returns what is in a folder.
func names(t *testing.T, dir string) (out []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

func same(t *testing.T, dir string, want ...string) {
	t.Helper()
	if have := names(t, dir); !slices.Equal(have, want) {
		t.Errorf("the folder holds %q, want %q", have, want)
	}
}

func TestFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out.jsonl")
	f, err := unfinished.Create(path, 0o640)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("whole"); err != nil {
		t.Fatal(err)
	}
	same(t, dir, ".out.jsonl.ragdb-part")
	if runtime.GOOS != "windows" {
		if _, err := unfinished.Create(path, 0o640); !errors.Is(err, unfinished.ErrBusy) {
			t.Errorf("a second one: %v", err)
		}
		if err := unfinished.Sweep(path); err != nil {
			t.Error(err)
		}
		same(t, dir, ".out.jsonl.ragdb-part") // it is being written
	}
	if err := f.Commit(); err != nil {
		t.Fatal(err)
	}
	same(t, dir, "out.jsonl")
	b, err := os.ReadFile(path)
	info, err2 := os.Stat(path)
	if err := errors.Join(err, err2); err != nil || string(b) != "whole" || info.Mode().Perm() != 0o640 {
		t.Errorf("%q %v %v", b, info, err)
	}
	if f, err = unfinished.Create(path, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := f.Discard(); err != nil {
		t.Fatal(err)
	}
	same(t, dir, "out.jsonl")
}

// TestLeftFile takes over and sweeps what a process that was killed left.
func TestLeftFile(t *testing.T) {
	dir := t.TempDir()
	path, left := filepath.Join(dir, "out"), filepath.Join(dir, ".out.ragdb-part")
	write := func() {
		if err := os.WriteFile(left, []byte("a long half"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write()
	if err := unfinished.Sweep(path); err != nil {
		t.Fatal(err)
	}
	same(t, dir)
	write()
	f, err := unfinished.Create(path, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("new"); err != nil {
		t.Fatal(err)
	}
	if err := f.Commit(); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(path); err != nil || string(b) != "new" {
		t.Errorf("%q %v", b, err)
	}
	same(t, dir, "out")
}

func TestFolder(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "db")
	part := filepath.Join(dir, ".db.ragdb-part")
	begin := func() *unfinished.Folder {
		f, err := unfinished.MakeFolder(path)
		if err != nil {
			t.Fatal(err)
		}
		same(t, f.Dir)
		if err := os.WriteFile(filepath.Join(f.Dir, "table"), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		return f
	}
	f := begin()
	if runtime.GOOS != "windows" {
		if _, err := unfinished.MakeFolder(path); !errors.Is(err, unfinished.ErrBusy) {
			t.Errorf("a second one: %v", err)
		}
	}
	if err := f.Discard(); err != nil {
		t.Fatal(err)
	}
	same(t, dir)
	if err := begin().Commit(); err != nil {
		t.Fatal(err)
	}
	same(t, dir, "db")
	same(t, path, "table")

	// What a process that was killed left, at each of its steps.
	for _, left := range [][]string{{}, {"unfinished"}, {"unfinished", "data/"}, {"unfinished", "data/", "data/table"}} {
		for _, how := range []string{"sweep", "take over"} {
			if err := os.MkdirAll(part, 0o700); err != nil {
				t.Fatal(err)
			}
			for _, name := range left {
				var err error
				if at := filepath.Join(part, name); name[len(name)-1] == '/' {
					err = os.Mkdir(at, 0o700)
				} else {
					err = os.WriteFile(at, []byte("half"), 0o600)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			if how == "sweep" {
				if err := unfinished.Sweep(path); err != nil {
					t.Error(err)
				}
			} else if err := begin().Discard(); err != nil {
				t.Error(err)
			}
			same(t, dir, "db")
		}
	}
}

// TestContinueFolder goes on with what another left, which nobody else may meanwhile.
func TestContinueFolder(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "model")
	for i, holds := range [][]string{nil, {"part"}, {"part"}} {
		if have := unfinished.Begun(path); have != (i > 0) {
			t.Errorf("round %d: it is begun: %t", i, have)
		}
		f, err := unfinished.ContinueFolder(path)
		if err != nil {
			t.Fatal(err)
		}
		same(t, f.Dir, holds...)
		if err := os.WriteFile(filepath.Join(f.Dir, "part"), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		if runtime.GOOS != "windows" {
			if _, err := unfinished.ContinueFolder(path); !errors.Is(err, unfinished.ErrBusy) {
				t.Errorf("a second one: %v", err)
			}
		}
		if i < 2 {
			err = f.Leave()
		} else {
			err = f.Commit()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	same(t, dir, "model")
	same(t, path, "part")
}

// TestNotOurs leaves alone what others put where something is to be made.
func TestNotOurs(t *testing.T) {
	for name, put := range map[string]func(part string) error{
		"a folder with a file": func(part string) error {
			return errors.Join(os.Mkdir(part, 0o755), os.WriteFile(filepath.Join(part, "letter"), nil, 0o644))
		},
		"a folder with data and no marker": func(part string) error {
			return os.MkdirAll(filepath.Join(part, "data"), 0o755)
		},
		"a marked folder with more": func(part string) error {
			return errors.Join(os.Mkdir(part, 0o700), os.WriteFile(filepath.Join(part, "unfinished"), nil, 0o644), os.WriteFile(filepath.Join(part, "letter"), nil, 0o644))
		},
		"a marked folder that is open to others": func(part string) error {
			if runtime.GOOS == "windows" {
				return errors.ErrUnsupported
			}
			return errors.Join(os.Mkdir(part, 0o755), os.WriteFile(filepath.Join(part, "unfinished"), nil, 0o644))
		},
		"a symbolic link": func(part string) error { return os.Symlink("elsewhere", part) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path, part := filepath.Join(dir, "x"), filepath.Join(dir, ".x.ragdb-part")
			if err := put(part); err != nil {
				t.Skip(err)
			}
			look := func() (out []string) {
				err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
					out = append(out, p+d.Type().String())
					return err
				})
				if err != nil {
					t.Fatal(err)
				}
				return out
			}
			before := look()
			if err := unfinished.Sweep(path); err != nil {
				t.Error(err)
			}
			if f, err := unfinished.MakeFolder(path); err == nil {
				t.Errorf("a folder was made in %s", f.Dir)
			}
			if f, err := unfinished.Create(path, 0o644); err == nil {
				t.Errorf("the file %s was made", f.Name())
			}
			if after := look(); !slices.Equal(before, after) {
				t.Errorf("there was\n%q, now\n%q", before, after)
			}
		})
	}
}

// TestTempFolder: folders of one name stand side by side while they are in use;
// what a killed process left is removed by the next.
func TestTempFolder(t *testing.T) {
	dir := t.TempDir()
	begin := func() *unfinished.Folder {
		f, err := unfinished.TempFolder(dir, "work")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(f.Dir, "table"), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		return f
	}
	leave := func(i int) {
		part := filepath.Join(dir, fmt.Sprintf(".work-%d.ragdb-part", i))
		if err := errors.Join(os.MkdirAll(filepath.Join(part, "data"), 0o700), os.WriteFile(filepath.Join(part, "unfinished"), nil, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	leave(1)
	leave(7)
	f := begin()
	same(t, dir, ".work-0.ragdb-part")
	if runtime.GOOS != "windows" { // without locks the second would take the folder of the first
		g := begin()
		leave(3)
		if err := begin().Discard(); err != nil {
			t.Fatal(err)
		}
		same(t, dir, ".work-0.ragdb-part", ".work-1.ragdb-part")
		if _, err := os.Stat(filepath.Join(f.Dir, "table")); err != nil {
			t.Error(err)
		}
		if err := g.Discard(); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Discard(); err != nil {
		t.Fatal(err)
	}
	same(t, dir)
	if f, err := unfinished.TempFolder(filepath.Join(dir, "nowhere"), "work"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("in a folder that is not there: %v, %v", f, err)
	}
}
