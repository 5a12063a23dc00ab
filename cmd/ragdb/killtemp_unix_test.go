//go:build unix

package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestKillTemporary kills commands that make a database for themselves, while they
// have it: the copy beside the database that index --estimate works on, and the one
// of eval among the temporary files. The next run of the command removes what is
// left.
func TestKillTemporary(t *testing.T) {
	dir := t.TempDir()
	temp, beside := filepath.Join(dir, "tmp"), filepath.Join(dir, "beside")
	docs, set, db := filepath.Join(dir, "docs"), filepath.Join(dir, "set"), filepath.Join(beside, "kept.ragdb")
	write := func(name string, line func(i int) string) {
		var b strings.Builder
		for i := range 200 {
			b.WriteString(line(i))
		}
		if err := os.WriteFile(name, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, d := range []string{temp, beside, docs, set} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(docs, "houses.txt"), func(i int) string {
		return fmt.Sprintf("House %d was built by Master Number %d of Oak%d.\n\n", i, i*7, i%13)
	})
	write(filepath.Join(set, "corpus.jsonl"), func(i int) string {
		return fmt.Sprintf(`{"id":"d%d","title":"House %d","text":"House %d was built by Master Number %d of Oak%d."}`+"\n", i, i, i, i*7, i%13)
	})
	write(filepath.Join(set, "questions.jsonl"), func(i int) string {
		return fmt.Sprintf(`{"id":"q%d","question":"Who built House %d?","answers":["Master Number %d"],"gold_docs":["d%d"]}`+"\n", i, i, i*7, i)
	})
	command := func(args ...string) (*exec.Cmd, *bytes.Buffer) {
		cmd := exec.CommandContext(t.Context(), "ragdb", args...)
		cmd.Env = append(os.Environ(), "TMPDIR="+temp, "HOME="+dir, "XDG_CONFIG_HOME="+dir, "RAGDB_DB=")
		var b bytes.Buffer
		cmd.Stdout, cmd.Stderr = &b, &b
		return cmd, &b
	}
	run := func(args ...string) {
		t.Helper()
		if cmd, out := command(args...); cmd.Run() != nil {
			t.Fatalf("%q: exit %d: %s", args, cmd.ProcessState.ExitCode(), out)
		}
	}
	left := func() (out []string) {
		for _, name := range append(list(t, temp), list(t, beside)...) {
			if name != "kept.ragdb" {
				out = append(out, name)
			}
		}
		return out
	}
	run("index", db, filepath.Join(docs, "houses.txt"), "--method", "bm25")
	n := 3
	if *long {
		n = 40
	}
	rnd := rand.New(rand.NewPCG(3, 15))
	for _, args := range [][]string{
		{"index", db, filepath.Join(docs, "houses.txt"), "--method", "ketrag", "--estimate"},
		{"eval", "--data", set, "--methods", "bm25,naive"},
	} {
		kept := 0
		for i := range n {
			cmd, out := command(args...)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			for end := time.Now().Add(time.Minute); len(left()) == 0 && time.Now().Before(end); {
				time.Sleep(100 * time.Microsecond)
			}
			time.Sleep(time.Duration(rnd.IntN(1+20*i)) * time.Millisecond)
			_ = cmd.Process.Kill()
			if cmd.Wait() == nil {
				t.Logf("%q had ended: %s", args, out)
			}
			have := left()
			kept += min(1, len(have))
			run(args...)
			if now := left(); len(now) > 0 {
				t.Errorf("%q, killed with %q left, leaves %q when it is run again", args, have, now)
			}
		}
		if kept == 0 {
			t.Errorf("%q was never killed with its database", args)
		}
		t.Logf("%s: %d of %d kills left a database", args[0], kept, n)
	}
}
