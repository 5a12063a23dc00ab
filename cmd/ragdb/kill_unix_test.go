//go:build unix

package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ragdb/ragdb/engine"
)

var long = flag.Bool("long", false, "kill 500 commands, and not 26")

// killed is a command that is killed and run again. OUT in its arguments stands for what
// it makes or changes, in a folder of its own.
type killed struct {
	name string
	args []string
	// from is a database of which a copy is at OUT, if the command changes one.
	from string
	// look returns what is at OUT, so that two runs can be compared.
	look func(t *testing.T, path string) string
}

// TestKill kills ragdb at random moments while it restores, backs up, exports,
// imports, removes, purges, merges, compacts. Then the same command succeeds; what is
// there is equal to what an undisturbed run makes, nothing else is left in its folder or
// in the one for temporary files, no work is owed, and the database that it read is
// sound.
func TestKill(t *testing.T) {
	dir := t.TempDir()
	source, lines := filepath.Join(dir, "source.ragdb"), filepath.Join(dir, "source.jsonl")
	saved := filepath.Join(dir, "saved")
	makeSource(t, source)
	content := contentOf(t, source)
	r := &killer{t: t, dir: dir, rnd: rand.New(rand.NewPCG(1, 15))}
	r.must("backup", source, saved)
	r.must("export", source, "jsonl", lines)
	file := func(t *testing.T, path string) string {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	restored := func(t *testing.T, backup string) string {
		path := filepath.Join(t.TempDir(), "restored")
		if err := engine.Restore(t.Context(), backup, path); err != nil {
			t.Fatal(err)
		}
		return contentOf(t, path)
	}
	docs := r.makeCorpus()
	rows := "COPY (MATCH (n:thing) RETURN n.text AS text) TO 'OUT' OPTIONS {format: 'csv'};"
	commands := []killed{
		{"restore", []string{"restore", saved, "OUT"}, "", contentOf},
		{"backup", []string{"backup", source, "OUT"}, "", restored},
		{"export", []string{"export", "--canonical", "--yes", source, "jsonl", "OUT"}, "", file},
		{"cache export", []string{"cache", "export", "--yes", source, "OUT"}, "", file},
		{"COPY TO", []string{source, "--yes", "-c", rows}, "", file},
		{"import", []string{"import", "OUT", "jsonl", lines}, "", contentOf},
		{"rm", []string{"rm", "OUT", "b.md", "a1.md", "a*.md", "--yes"}, docs, settled},
		{"rm --purge", []string{"rm", "OUT", "c.md", "a1.md", "a2.md", "--purge"}, docs, settled},
		{"merge", []string{"merge", "OUT", "Merrick Comet Club", "Merrick Comet Circle", "--apply"}, docs, settled},
		{"merge all", []string{"merge", "OUT", "--top", "1", "--apply", "--yes"}, docs, settled},
		{"merge --undo", []string{"merge", "OUT", "--undo", "Merrick Comet Club"}, docs + "-merged", settled},
		{"compact", []string{"compact", "OUT"}, docs, settled},
		{"restore over", []string{"restore", saved, "OUT"}, source, contentOf},
	}
	n := 2
	if *long {
		n = 39
	}
	for _, c := range commands {
		r.kill(c, n)
	}
	if got := contentOf(t, source); got != content {
		t.Error("the source has another content")
	}
}

// makeSource makes a database of some megabytes, with kept replies.
func makeSource(t *testing.T, path string) {
	t.Helper()
	db, err := engine.Open(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	ns, err := db.Namespace(t.Context(), "main")
	if err != nil {
		t.Fatal(err)
	}
	g, err := ns.Graph(t.Context(), engine.Base)
	if err != nil {
		t.Fatal(err)
	}
	rnd := rand.New(rand.NewPCG(2, 15))
	noise := func(n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte('!' + rnd.IntN(90))
		}
		return string(b)
	}
	for from := range 10 {
		err := db.Update(t.Context(), func(tx *engine.Tx) error {
			v := tx.Graph(g)
			thing, err := v.MakeNodeType("thing")
			if err != nil {
				return err
			}
			near, err := v.MakeEdgeType("near", false)
			if err != nil {
				return err
			}
			replies, err := v.MakeBucket("replies")
			if err != nil {
				return err
			}
			last := engine.NodeID(0)
			for i := range 60 {
				id, _, err := v.PutNode(thing, fmt.Sprintf("%d-%d", from, i), engine.Props{"text": engine.String(noise(3000))})
				if err != nil {
					return err
				}
				if last > 0 {
					if err := v.AddEdge(last, id, near, 1); err != nil {
						return err
					}
				}
				last = id
				reply, err := json.Marshal(map[string]any{"kind": "answer", "model": "m", "text": noise(500), "usage": map[string]int{"calls": 1}})
				if err != nil {
					return err
				}
				key := sha256.Sum256(reply)
				if err := replies.Set(key[:], reply); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// contentOf returns the canonical export of a database, buckets included, which
// must be sound.
func contentOf(t *testing.T, path string) string {
	t.Helper()
	return soundExport(t, path, nil, engine.ExportOptions{Canonical: true}, func(*engine.DB) {})
}

// soundExport returns an export of a database, which must be sound, and calls fn with it.
func soundExport(t *testing.T, path string, encodings []engine.Encoding, o engine.ExportOptions, fn func(db *engine.DB)) string {
	t.Helper()
	db, err := engine.Open(t.Context(), path, &engine.Options{MustExist: true, Encodings: encodings})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}()
	for f, err := range db.Check(t.Context(), engine.CheckOptions{Full: true}) {
		t.Fatalf("a check finds %s %v", f, err)
	}
	fn(db)
	var b bytes.Buffer
	err = db.View(t.Context(), func(s *engine.Snapshot) error { return s.Export(t.Context(), "main", &b, o) })
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// killer kills commands.
type killer struct {
	t   *testing.T
	dir string
	rnd *rand.Rand
}

// run runs ragdb with a folder for temporary files of its own, which must be empty
// afterwards. It kills it when wait returns, if there is a wait.
func (r *killer) run(wait func(), args ...string) (code int, out string) {
	r.t.Helper()
	temp := filepath.Join(r.dir, "tmp")
	if err := os.MkdirAll(temp, 0o700); err != nil {
		r.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(r.t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "ragdb", args...)
	cmd.Env = append(os.Environ(), "TMPDIR="+temp, "HOME="+r.dir, "XDG_CONFIG_HOME="+r.dir, "RAGDB_DB=")
	var b bytes.Buffer
	cmd.Stdout, cmd.Stderr = &b, &b
	if err := cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	if wait != nil {
		wait()
		if err := cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
			r.t.Fatal(err)
		}
	}
	err := cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		r.t.Fatal(err)
	}
	if left := list(r.t, temp); len(left) > 0 {
		r.t.Errorf("%q leaves temporary files: %q", args, left)
	}
	return cmd.ProcessState.ExitCode(), b.String()
}

// kill kills a command n times.
func (r *killer) kill(c killed, n int) {
	t := r.t
	t.Helper()
	place := func(i int) (out string, args []string) {
		folder := filepath.Join(r.dir, strings.ReplaceAll(c.name, " ", "-"), fmt.Sprint(i))
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		out = filepath.Join(folder, "out")
		for _, arg := range c.args {
			args = append(args, strings.ReplaceAll(arg, "OUT", out))
		}
		if c.from != "" {
			if err := os.CopyFS(out, os.DirFS(c.from)); err != nil {
				t.Fatal(err)
			}
		}
		return out, args
	}
	out, args := place(0)
	start := time.Now()
	if code, said := r.run(nil, args...); code != 0 {
		t.Fatalf("%s: exit %d: %s", c.name, code, said)
	}
	took := time.Since(start)
	want := c.look(t, out)
	halves, ended, owing := 0, 0, 0
	for i := 1; i <= n && !t.Failed(); i++ {
		out, args := place(i)
		folder := filepath.Dir(out)
		// At any moment, or shortly after the first file is there.
		after, begun := time.Duration(r.rnd.Int64N(int64(took))), i%2 == 0 && c.from == ""
		if begun {
			after /= 4
		}
		code, _ := r.run(func() {
			for end := time.Now().Add(2 * took); begun && len(list(t, folder)) == 0 && time.Now().Before(end); {
				time.Sleep(100 * time.Microsecond)
			}
			time.Sleep(after)
		}, args...)
		if code == 0 {
			ended++
		}
		left := list(t, folder)
		if len(left) > 0 && !slices.Equal(left, []string{"out"}) {
			halves++
		}
		if strings.Contains(c.from, "docs.ragdb") && i%2 == 0 {
			if _, owed := corpusOf(t, out); owed != nil {
				owing++
			}
		}
		if code, said := r.run(nil, args...); code != 0 {
			t.Errorf("%s: killed after %v with %q left, the same command ends with %d: %s", c.name, after, left, code, said)
			continue
		}
		if have := list(t, folder); !slices.Equal(have, []string{"out"}) {
			t.Errorf("%s: killed after %v with %q left, the same command leaves %q", c.name, after, left, have)
		}
		if got := c.look(t, out); got != want {
			t.Errorf("%s: killed after %v with %q left, the same command makes something else", c.name, after, left)
		}
		if err := os.RemoveAll(folder); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%s: %d kills within %v: %d left a half beside its place, %d of every second one owed work, %d commands had ended",
		c.name, n, took.Round(time.Millisecond), halves, owing, ended)
}

// list returns the names in a folder.
func list(t *testing.T, dir string) (out []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}
