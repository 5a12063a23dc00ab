package pebblekv_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ragdb/ragdb/internal/memorybound"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/kvtest"
	"github.com/ragdb/ragdb/kv/pebblekv"
)

// holdDir tells a copy of the test program to open a directory and wait.
const holdDir = "PEBBLEKV_TEST_HOLD"

func TestMain(m *testing.M) {
	if dir := os.Getenv(holdDir); dir != "" {
		os.Exit(hold(dir))
	}
	memorybound.Run(m, memorybound.Tests)
}

// hold opens dir, writes one durable key, says so and waits to be killed.
func hold(dir string) int {
	ctx, stop := testContext()
	defer stop()
	st, err := pebblekv.Open(ctx, dir, kvtest.Schema(), small(nil))
	if err != nil {
		fmt.Println(err)
		return 1
	}
	b := st.NewBatch()
	b.Set([]byte("k"), []byte("durable"))
	if err := st.Apply(ctx, b, kv.Sync); err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println("open")
	_, _ = bufio.NewReader(os.Stdin).ReadByte()
	return 0
}

func put(t *testing.T, st kv.Store, k, v string) {
	t.Helper()
	b := st.NewBatch()
	b.Set([]byte(k), []byte(v))
	if err := st.Apply(t.Context(), b, kv.Sync); err != nil {
		t.Fatal(err)
	}
}

func closeStore(t *testing.T, st kv.Store) {
	t.Helper()
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
}

func value(t *testing.T, r kv.Reader, k string) string {
	t.Helper()
	v, err := r.Get(t.Context(), []byte(k), nil)
	if err != nil {
		return err.Error()
	}
	return string(v)
}

func wantLocked(t *testing.T, path string, pid int) {
	t.Helper()
	st, err := pebblekv.Open(t.Context(), path, kvtest.Schema(), small(nil))
	if err == nil {
		_ = st.Close()
	}
	var le *kv.LockedError
	if !errors.As(err, &le) || !errors.Is(err, kv.ErrLocked) || le.Path != path || le.PID != pid {
		t.Errorf("second open of %s: %v, want locked by %d", path, err, pid)
	}
}

func TestLockedInProcess(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "db")
	st := open(t, path, small(nil))
	wantLocked(t, path, os.Getpid())
	wantLocked(t, filepath.Join(dir, ".", "x", "..", "db"), os.Getpid())
	link := filepath.Join(dir, "link")
	if err := os.Symlink("db", link); err == nil {
		wantLocked(t, link, os.Getpid())
		wantLocked(t, filepath.Join(link, "."), os.Getpid())
	}
	put(t, st, "k", "v")
	closeStore(t, st)
	st = open(t, path, small(nil))
	if v := value(t, st, "k"); v != "v" {
		t.Errorf("k is %q", v)
	}
	closeStore(t, st)
}

// Many goroutines open one directory that does not exist yet: one gets it.
func TestLockedRace(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "new", "db")
	const openers = 8
	got := make(chan *pebblekv.Store, openers)
	for range openers {
		go func() {
			st, err := pebblekv.Open(t.Context(), path, kvtest.Schema(), small(nil))
			if err != nil && !errors.Is(err, kv.ErrLocked) {
				t.Error(err)
			}
			got <- st
		}()
	}
	n := 0
	for range openers {
		if st := <-got; st != nil {
			n++
			defer closeStore(t, st)
		}
	}
	if n != 1 {
		t.Errorf("%d of %d opens succeed", n, openers)
	}
}

func TestLockedByOtherProcess(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "db")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self)
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
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || line != "open\n" {
		t.Fatalf("the other process says %q, %v", line, err)
	}
	pid := cmd.Process.Pid
	if os.PathSeparator == '\\' {
		pid = 0 // Windows does not tell
	}
	wantLocked(t, path, pid)
	wantLocked(t, path, pid)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	st := open(t, path, small(nil))
	if v := value(t, st, "k"); v != "durable" {
		t.Errorf("after a kill k is %q", v)
	}
	closeStore(t, st)
}

// listing describes a directory: names, sizes and times.
func listing(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		fmt.Fprintln(&b, path, info.Size(), info.ModTime().UnixNano(), info.Mode())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// besideLock returns a listing without the LOCK file, which is locked before the
// files are read, since another process may be writing them.
func besideLock(listing string) string {
	lines := slices.DeleteFunc(strings.Split(listing, "\n"), func(line string) bool { return strings.Contains(line, "LOCK") })
	return strings.Join(lines, "\n")
}

func TestForeign(t *testing.T) {
	t.Parallel()
	for name, names := range map[string][]string{
		"document":            {"notes.txt"},
		"document beside":     {"LOCK", "notes.txt"},
		"subdirectory":        {"photos/1.jpg"},
		"rocksdb":             {"CURRENT", "MANIFEST-000001", "000003.log", "LOCK"},
		"tables without head": {"000004.sst", "OPTIONS-000003"},
		"log without head":    {"000004.log", "LOCK"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for _, n := range names {
				file := filepath.Join(dir, n)
				if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte("mine"), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			before := listing(t, dir)
			for _, o := range []*pebblekv.Options{nil, {ReadOnly: true}, {MustExist: true}} {
				if _, err := pebblekv.Open(t.Context(), dir, kvtest.Schema(), o); !errors.Is(err, kv.ErrForeign) {
					t.Errorf("open: %v", err)
				}
			}
			if after := listing(t, dir); after != before {
				t.Errorf("changed:\n%s\nto\n%s", before, after)
			}
		})
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := pebblekv.Open(t.Context(), file, kvtest.Schema(), nil); !errors.Is(err, kv.ErrForeign) {
		t.Errorf("open of a file: %v", err)
	}
}

// A first open that was interrupted leaves files that do not stop the next.
func TestInterruptedCreation(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, n := range []string{"LOCK", "MANIFEST-000001", "temporary.000002.dbtmp"} {
		if err := os.WriteFile(filepath.Join(dir, n), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	st := open(t, dir, small(nil))
	put(t, st, "k", "v")
	closeStore(t, st)
}

func TestIncompatible(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	closeStore(t, open(t, dir, small(nil)))
	for _, change := range []func(s *kv.Schema){
		func(s *kv.Schema) { s.ComparerName += "x" },
		func(s *kv.Schema) { s.MergerName += "x" },
	} {
		s := kvtest.Schema()
		change(s)
		before := besideLock(listing(t, dir))
		_, err := pebblekv.Open(t.Context(), dir, s, small(nil))
		if !errors.Is(err, kv.ErrIncompatible) || errors.Is(err, kv.ErrForeign) {
			t.Errorf("open: %v", err)
		}
		if besideLock(listing(t, dir)) != before {
			t.Error("the directory has changed")
		}
	}
	closeStore(t, open(t, dir, small(nil)))
}

func TestMustExist(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, path := range []string{filepath.Join(dir, "none"), dir} {
		for _, o := range []*pebblekv.Options{{ReadOnly: true}, {MustExist: true}} {
			if _, err := pebblekv.Open(t.Context(), path, kvtest.Schema(), o); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("open: %v", err)
			}
		}
	}
	if names, err := os.ReadDir(dir); err != nil || len(names) > 0 {
		t.Errorf("left behind: %v, %v", names, err)
	}
}

func TestReadOnly(t *testing.T) {
	t.Parallel()
	mem := vfs.NewMem()
	st := open(t, "db", small(mem))
	put(t, st, "table", "1")
	if err := st.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	put(t, st, "log", "2")
	closeStore(t, st)
	before := readFiles(t, mem, "db")

	o := small(mem)
	o.ReadOnly = true
	st = open(t, "db", o)
	if a, b := value(t, st, "table"), value(t, st, "log"); a != "1" || b != "2" {
		t.Errorf("read %q and %q", a, b)
	}
	b := st.NewBatch()
	b.Set([]byte("k"), nil)
	for op, err := range map[string]error{
		"apply":      st.Apply(t.Context(), b, kv.Sync),
		"flush":      st.Flush(t.Context()),
		"compact":    st.Compact(t.Context(), nil, nil),
		"checkpoint": st.Checkpoint(t.Context(), "copy"),
		"ingest":     st.Ingest(t.Context(), func(w kv.SortedWriter) error { return w.Set([]byte("k"), nil) }),
	} {
		if !errors.Is(err, kv.ErrReadOnly) {
			t.Errorf("%s: %v", op, err)
		}
	}
	if err := st.Check(t.Context()); err != nil {
		t.Errorf("check: %v", err)
	}
	closeStore(t, st)
	after := readFiles(t, mem, "db")
	for name, b := range before {
		if !bytes.Equal(after[name], b) {
			t.Errorf("%s has changed", name)
		}
		delete(after, name)
	}
	if len(after) > 0 {
		t.Errorf("new files %v", after)
	}
}

// Close flushes the log, so that the logs hold no data that the tables lack and the next open has
// nothing to replay. A close without commits writes no table.
func TestCloseFlushes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		size  int
		flush bool
	}{{2 << 20, true}, {1, true}, {0, false}} {
		mem := vfs.NewMem()
		st := open(t, "db", &pebblekv.Options{FS: mem})
		if c.size > 0 {
			put(t, st, "k", strings.Repeat("v", c.size))
		}
		closeStore(t, st)
		tables := 0
		for name := range readFiles(t, mem, "db") {
			if strings.HasSuffix(name, ".sst") {
				tables++
			}
		}
		if (tables > 0) != c.flush {
			t.Errorf("%d bytes: %d tables after close", c.size, tables)
		}
		st = open(t, "db", &pebblekv.Options{FS: mem})
		if v := value(t, st, "k"); c.size > 0 && len(v) != c.size {
			t.Errorf("%d bytes come back as %d", c.size, len(v))
		}
		closeStore(t, st)
	}
}

func TestLogger(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	o := small(vfs.NewMem())
	o.Logger = slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug}))
	closeStore(t, open(t, "db", o))
	if !strings.Contains(out.String(), "level=DEBUG") || strings.Contains(out.String(), "level=WARN") {
		t.Errorf("log: %s", out.String())
	}
}
