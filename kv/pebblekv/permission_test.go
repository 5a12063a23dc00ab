package pebblekv_test

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/kvtest"
	"github.com/ragdb/ragdb/kv/pebblekv"
)

// A new store is its owner's alone. In one that was opened to others, files that
// are written later are open to them too.
func TestModes(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("it has other permissions")
	}
	path := filepath.Join(t.TempDir(), "above", "db")
	st := open(t, path, small(nil))
	put(t, st, "k", "v")
	wantModes(t, path, 0o700, 0o600)
	if err := st.Checkpoint(t.Context(), filepath.Join(path, "..", "copy")); err != nil {
		t.Fatal(err)
	}
	closeStore(t, st)
	wantModes(t, path, 0o700, 0o600)
	wantModes(t, filepath.Join(path, "..", "copy"), 0o700, 0o600)
	if info, err := os.Stat(filepath.Dir(path)); err != nil || info.Mode().Perm()&0o500 != 0o500 || info.Mode().Perm() == 0o700 {
		t.Errorf("the directory above has the mode %v, %v", info.Mode(), err)
	}

	if err := os.Chmod(path, 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(path, "SYNCED")); err != nil {
		t.Fatal(err)
	}
	closeStore(t, open(t, path, small(nil)))
	info, err := os.Stat(filepath.Join(path, "SYNCED"))
	if err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

func wantModes(t *testing.T, path string, dir, file fs.FileMode) {
	t.Helper()
	err := filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		want := file
		if d.IsDir() {
			want = dir
		}
		if info.Mode().Perm() != want {
			t.Errorf("%s has the mode %v, want %v", name, info.Mode().Perm(), want)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// unwritable is a file system that may only be read.
type unwritable struct{ vfs.FS }

func refused(op, name string) error { return &fs.PathError{Op: op, Path: name, Err: syscall.EACCES} }

func (unwritable) Create(name string, _ vfs.DiskWriteCategory) (vfs.File, error) {
	return nil, refused("create", name)
}

func (unwritable) OpenReadWrite(name string, _ vfs.DiskWriteCategory, _ ...vfs.OpenOption) (vfs.File, error) {
	return nil, refused("open", name)
}

func (unwritable) ReuseForWrite(_, name string, _ vfs.DiskWriteCategory) (vfs.File, error) {
	return nil, refused("open", name)
}

func (unwritable) Remove(name string) error                  { return refused("remove", name) }
func (unwritable) RemoveAll(name string) error               { return refused("remove", name) }
func (unwritable) Rename(name, _ string) error               { return refused("rename", name) }
func (unwritable) Link(_, name string) error                 { return refused("link", name) }
func (unwritable) MkdirAll(name string, _ os.FileMode) error { return refused("mkdir", name) }
func (unwritable) Lock(name string) (io.Closer, error)       { return nil, refused("open", name) }
func (u unwritable) Unwrap() vfs.FS                          { return u.FS }

// A directory that may only be read opens for reading, with and without a LOCK
// file, and whatever state its last session left; nothing in it changes.
func TestUnwritableDirectory(t *testing.T) {
	t.Parallel()
	mem := vfs.NewCrashableMem()
	st := open(t, "db", small(mem))
	put(t, st, "k", "v")
	states := map[string]files{"killed": readFiles(t, killed(t, mem), "db")}
	closeStore(t, st)
	states["closed"] = readFiles(t, mem, "db")
	for name, left := range states {
		for _, lock := range []bool{true, false} {
			dir := filepath.Join(t.TempDir(), "db")
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			for file, b := range left {
				if file == "LOCK" && !lock {
					continue
				}
				if err := os.WriteFile(filepath.Join(dir, file), b, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			before := listing(t, dir)
			o := small(unwritable{vfs.Default})
			if _, err := pebblekv.Open(t.Context(), dir, kvtest.Schema(), o); !errors.Is(err, fs.ErrPermission) {
				t.Errorf("%s: opened for writing: %v", name, err)
			}
			o.ReadOnly = true
			st := open(t, dir, o)
			if v := value(t, st, "k"); v != "v" {
				t.Errorf("%s: k is %q", name, v)
			}
			closeStore(t, st)
			if after := listing(t, dir); after != before {
				t.Errorf("%s: changed:\n%s\nto\n%s", name, before, after)
			}
		}
	}
}

// A reader that may not write is held off by a writer in another process.
func TestUnwritableDirectoryLocked(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("it has no locks that readers share")
	}
	path := filepath.Join(t.TempDir(), "db")
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), holdDir+"="+path)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "open\n" {
		t.Fatalf("the other process says %q, %v", line, err)
	}
	o := small(unwritable{vfs.Default})
	o.ReadOnly = true
	if _, err := pebblekv.Open(t.Context(), path, kvtest.Schema(), o); !errors.Is(err, kv.ErrLocked) {
		t.Errorf("open beside a writer: %v", err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	st := open(t, path, o)
	if v := value(t, st, "k"); v != "durable" {
		t.Errorf("after a kill k is %q", v)
	}
	closeStore(t, st)
}
