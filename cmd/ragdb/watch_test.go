//go:build unix

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ragdb/ragdb/internal/llmtest"
)

// watching is a watch that runs.
type watching struct {
	t            *testing.T
	db, docs     string
	cmd          *exec.Cmd
	syncs, lines chan string // of stdout and stderr
}

// startWatch makes a folder of n documents, d0.md and on, and watches it.
func startWatch(t *testing.T, n int, env []string, flags ...string) *watching {
	t.Helper()
	dir := t.TempDir()
	w := &watching{t: t, db: filepath.Join(dir, "a.ragdb"), docs: filepath.Join(dir, "docs"), syncs: make(chan string, 100), lines: make(chan string, 100)}
	if err := os.Mkdir(w.docs, 0o755); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		w.write(fmt.Sprintf("d%d.md", i), fmt.Sprintf("Document %d says something of boats.", i))
	}
	w.start(env, flags...)
	return w
}

func (w *watching) start(env []string, flags ...string) {
	w.t.Helper()
	w.cmd = exec.CommandContext(w.t.Context(), "ragdb", append([]string{"watch", w.db, w.docs, "--method", "bm25", "--jsonl"}, flags...)...)
	w.cmd.Env = append(append(os.Environ(), "HOME="+w.docs, "XDG_CONFIG_HOME="+w.docs, "RAGDB_DB="), env...)
	out, err := w.cmd.StdoutPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	errs, err := w.cmd.StderrPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	if err := w.cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	for _, p := range []struct {
		from io.Reader
		to   chan string
	}{{out, w.syncs}, {errs, w.lines}} {
		go func() {
			for s := bufio.NewScanner(p.from); s.Scan(); {
				p.to <- s.Text()
			}
		}()
	}
	w.t.Cleanup(func() {
		if w.cmd.ProcessState == nil {
			w.cmd.Process.Kill()
			w.cmd.Wait()
		}
	})
}

func (w *watching) write(name, text string) {
	w.t.Helper()
	if err := os.WriteFile(filepath.Join(w.docs, name), []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

func (w *watching) remove(names ...string) {
	w.t.Helper()
	for _, name := range names {
		if err := os.Remove(filepath.Join(w.docs, name)); err != nil {
			w.t.Fatal(err)
		}
	}
}

// sync waits for a sync that comes to its end and compares its counts: "added replaced
// removed unchanged documents".
func (w *watching) sync(want string) {
	w.t.Helper()
	var r struct{ V, Added, Replaced, Removed, Unchanged, Docs int }
	select {
	case line := <-w.syncs:
		if err := json.Unmarshal([]byte(line), &r); err != nil || r.V != 1 {
			w.t.Fatalf("%s: %v", line, err)
		}
		if got := fmt.Sprint(r.Added, r.Replaced, r.Removed, r.Unchanged, r.Docs); got != want {
			w.t.Fatalf("it did %s, want %s: %s", got, want, line)
		}
	case <-time.After(time.Minute):
		select {
		case line := <-w.lines:
			w.t.Fatalf("no sync; it says %s", line)
		default:
			w.t.Fatal("no sync")
		}
	}
}

// says waits for an error line that holds the texts.
func (w *watching) says(texts ...string) {
	w.t.Helper()
	select {
	case line := <-w.lines:
		for _, text := range texts {
			if !strings.Contains(line, text) {
				w.t.Fatalf("it says %s, and not %s", line, text)
			}
		}
	case <-time.After(time.Minute):
		w.t.Fatal("it says nothing")
	}
}

// silent fails if it syncs or says something.
func (w *watching) silent() {
	w.t.Helper()
	select {
	case line := <-w.lines:
		w.t.Fatalf("it says %s", line)
	case line := <-w.syncs:
		w.t.Fatalf("it synced: %s", line)
	case <-time.After(1500 * time.Millisecond):
	}
}

// stop ends it with Ctrl-C. It says that the same command goes on only if something is
// left to do.
func (w *watching) stop(left string) {
	w.t.Helper()
	if err := w.cmd.Process.Signal(syscall.SIGINT); err != nil {
		w.t.Fatal(err)
	}
	w.says(`"code":"interrupted"`, left)
	if w.cmd.Wait(); w.cmd.ProcessState.ExitCode() != exitInterrupted {
		w.t.Fatalf("%v", w.cmd.ProcessState)
	}
}

// TestWatch changes a folder under watch.
func TestWatch(t *testing.T) {
	t.Parallel()
	w := startWatch(t, 12, nil)
	w.sync("12 0 0 0 12")
	w.write(".d1.md.tmp", "Document 1 is edited.")
	if err := os.Rename(filepath.Join(w.docs, ".d1.md.tmp"), filepath.Join(w.docs, "d1.md")); err != nil {
		t.Fatal(err)
	}
	w.write("new.md", "A new one says something of ink.")
	w.remove("d2.md", "d3.md")
	w.sync("1 1 2 9 11")
	w.silent()

	// A file that cannot be read is said once, and nothing is removed meanwhile.
	w.write("bad.md", "\xff\xfe\x00")
	w.remove("d4.md")
	w.sync("0 0 0 10 11")
	w.says(`"code":"partial"`)
	w.remove("d5.md")
	w.sync("0 0 0 9 11")
	w.silent()
	w.remove("bad.md")
	w.sync("0 0 2 9 9")

	// Five may go, and many may not.
	w.remove("d0.md", "d1.md", "d6.md", "d7.md", "d8.md", "d9.md", "d10.md")
	w.says("this would remove 7 of 9 documents; nothing was changed", "sync", "--yes")
	w.write("d0.md", "Document 0 is back.")
	w.write("d1.md", "Document 1 is back.")
	w.sync("0 2 5 2 4")
	w.stop("docs was left to do")

	// What it left is taken up by the next one.
	w.write("d6.md", "Document 6 is back.")
	w.start(nil)
	w.sync("1 0 0 4 5")
	w.stop("docs was left to do")
}

// TestWatchEmptied takes all documents away, in four ways: none is removed from the
// database.
func TestWatchEmptied(t *testing.T) {
	t.Parallel()
	for _, yes := range []bool{false, true} {
		t.Run(fmt.Sprint("yes=", yes), func(t *testing.T) {
			t.Parallel()
			flags := []string{"--poll", "200ms"}
			if yes {
				flags = append(flags, "--yes")
			}
			w := startWatch(t, 3, nil, flags...)
			w.sync("3 0 0 0 3")
			away := w.docs + "-away"
			move := func(from, to string) {
				t.Helper()
				if err := os.Rename(from, to); err != nil {
					t.Fatal(err)
				}
			}

			// The folder goes, and comes back.
			move(w.docs, away)
			w.says(`"code":"gone"`, "no document is removed")
			w.silent()
			move(away, w.docs)
			w.sync("0 0 0 3 3")

			// An empty one is in its place, as where a volume was.
			move(w.docs, away)
			if err := os.Mkdir(w.docs, 0o755); err != nil {
				t.Fatal(err)
			}
			w.says(`"code":"gone"`)
			w.silent()
			if err := os.Remove(w.docs); err != nil {
				t.Fatal(err)
			}
			move(away, w.docs)
			w.sync("0 0 0 3 3")

			// Its documents go, in one step and one by one.
			w.remove("d0.md", "d1.md", "d2.md")
			if yes {
				w.sync("0 0 3 0 0") // as it was told to
				w.stop("docs was left to do")
				return
			}
			w.says("this would remove all 3 documents; nothing was changed")
			w.silent()
			w.write("other.md", "Another one says something of ink.")
			w.silent() // the same would go, as it said
			w.write("d0.md", "Document 0 is back.")
			w.sync("1 1 2 0 2")
			w.stop("docs was left to do")
		})
	}
}

// TestWatchProvider watches with a model that is away at first, and with a limit.
func TestWatchProvider(t *testing.T) {
	t.Parallel()
	s, err := llmtest.Listen("127.0.0.1:0", llmtest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	w := startWatch(t, 3, []string{"OPENAI_BASE_URL=" + s.URL}, "--method", "naive", "--embed-model", "m", "--max-tokens", "60")
	w.says(`"code":"provider"`)
	w.write("d0.md", "Document 0 is another.")
	w.silent() // it was said
	if s, err = llmtest.Listen(strings.TrimSuffix(strings.TrimPrefix(s.URL, "http://"), "/v1"), llmtest.Options{}); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	w.write("d1.md", "Document 1 is another.")
	w.sync("3 0 0 0 3")
	long := strings.Repeat("It says something of boats and ink. ", 10)
	w.write("long.md", long)
	w.says(`"code":"budget"`, "the limit of what this watch may spend")
	w.write("long.md", long+"More.")
	w.silent() // it was said
	w.stop("run the same command to go on")
}
