package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/internal/llmtest"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/pebblekv"
)

var rewrite = flag.Bool("rewrite", false, "rewrite the golden parts of the scripts")

// TestScripts runs the transcripts in testdata. Each starts with a copy of the
// demo's database, demo.ragdb.
func TestScripts(t *testing.T) {
	demo := filepath.Join(t.TempDir(), "demo")
	if err := os.Mkdir(demo, 0o755); err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	if code := run([]string{"demo", "-q", "--dir", demo}, nil, nil, io.Discard, &stderr); code != 0 {
		t.Fatalf("demo: exit %d: %s", code, &stderr)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       *rewrite,
		Setup: func(e *testscript.Env) error {
			// Neither the developer's settings nor the terminal's width matter.
			e.Setenv("HOME", filepath.Join(e.WorkDir, "home"))
			e.Setenv("XDG_CONFIG_HOME", filepath.Join(e.WorkDir, "xdg"))
			e.Setenv("RAGDB_DB", "")
			return os.CopyFS(filepath.Join(e.WorkDir, "demo.ragdb"), os.DirFS(filepath.Join(demo, "demo.ragdb")))
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"code":      code,
			"shape":     shape,
			"capture":   capture,
			"from":      from,
			"lock":      lock,
			"setformat": setFormat,
			"losekey":   loseKey,
			"ruin":      ruin, "owe": owe,
			"corpus":    corpus,
			"interrupt": interrupt,
			"bytes":     writeBytes,
			"server":    server, "staticmodel": staticModel, "taggermodel": taggerModel, "modelhub": modelHub,
			"asked":   asked,
			"nowhere": nowhere,
			"damage":  damage,
			"remove":  removeFiles,
		},
	})
}

// damage GLOB changes a byte in the middle of each of the files, and in no other
// that is linked to them, as a backup's are.
func damage(ts *testscript.TestScript, neg bool, args []string) {
	for _, name := range matchingFiles(ts, neg, args) {
		b, err := os.ReadFile(name)
		ts.Check(err)
		b[len(b)/2] ^= 0x55
		ts.Check(os.Remove(name))
		ts.Check(os.WriteFile(name, b, 0o600))
	}
}

// remove GLOB removes the files.
func removeFiles(ts *testscript.TestScript, neg bool, args []string) {
	for _, name := range matchingFiles(ts, neg, args) {
		ts.Check(os.Remove(name))
	}
}

func matchingFiles(ts *testscript.TestScript, neg bool, args []string) []string {
	if neg || len(args) != 1 {
		ts.Fatalf("it takes a pattern of file names")
	}
	names, err := filepath.Glob(ts.MkAbs(args[0]))
	ts.Check(err)
	if len(names) == 0 {
		ts.Fatalf("no file is %s", args[0])
	}
	return names
}

// code N ARG... runs ragdb and fails unless it exits with N.
func code(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: code N ARG...")
	}
	err := ts.Exec("ragdb", args[1:]...)
	got := 0
	if err != nil {
		var exit *exec.ExitError
		if !asExit(err, &exit) {
			ts.Fatalf("ragdb: %v", err)
		}
		got = exit.ExitCode()
	}
	if strconv.Itoa(got) != args[0] {
		ts.Fatalf("exit code %d, want %s", got, args[0])
	}
}

func asExit(err error, target **exec.ExitError) bool {
	e, ok := err.(*exec.ExitError)
	if ok {
		*target = e
	}
	return ok
}

// shape FILE writes the shape of the JSON in stdout or stderr to FILE.shape:
// the keys and kinds of values, the version, and of an array its first element.
func shape(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: shape stdout|stderr")
	}
	line, _, _ := strings.Cut(ts.ReadFile(args[0]), "\n")
	var v any
	ts.Check(json.Unmarshal([]byte(line), &v))
	b, err := json.MarshalIndent(reduce(v), "", " ")
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]+".shape"), append(b, '\n'), 0o644))
}

// capture NAME REGEXP sets a variable to what first matches in stdout.
func capture(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: capture NAME REGEXP")
	}
	re, err := regexp.Compile(args[1])
	ts.Check(err)
	found := re.FindString(ts.ReadFile("stdout"))
	if found == "" {
		ts.Fatalf("nothing in stdout matches %s", args[1])
	}
	ts.Setenv(args[0], found)
}

// from LINE FILE writes stdout from the first line that reads LINE to FILE.
func from(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: from LINE FILE")
	}
	_, rest, ok := strings.Cut(ts.ReadFile("stdout"), "\n"+args[0]+"\n")
	if !ok {
		ts.Fatalf("no line of stdout reads %s", args[0])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(rest), 0o644))
}

func reduce(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, x := range v {
			if out[k] = reduce(x); k == "v" {
				out[k] = x
			}
		}
		return out
	case []any:
		if len(v) == 0 {
			return []any{}
		}
		return []any{reduce(v[0])}
	case float64:
		return 0
	case string:
		return ""
	}
	return v
}

// lock DB holds the database open, in the process of the test, to the script's
// end.
func lock(ts *testscript.TestScript, neg bool, args []string) {
	db, err := engine.Open(context.Background(), ts.MkAbs(args[0]), nil)
	ts.Check(err)
	ts.Setenv("LOCKPID", strconv.Itoa(os.Getpid()))
	ts.Defer(func() { db.Close() })
}

// edit changes a database below the engine.
func edit(ts *testscript.TestScript, path string, fn func(s kv.Store, b kv.Batch)) {
	s, err := pebblekv.Open(context.Background(), ts.MkAbs(path), layout.Schema(), nil)
	ts.Check(err)
	b := s.NewBatch()
	fn(s, b)
	ts.Check(s.Apply(context.Background(), b, kv.Sync))
	ts.Check(s.Close())
}

// setformat DB N makes a database look like one of format N.
func setFormat(ts *testscript.TestScript, neg bool, args []string) {
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	edit(ts, args[0], func(_ kv.Store, b kv.Batch) {
		b.Set(layout.Meta("format"), []byte{0, 0, 0, byte(n), 0, 0, 0, byte(n)})
	})
}

// ruin DB writes a count into the case statistics of the namespace main that cannot be
// read.
func ruin(ts *testscript.TestScript, neg bool, args []string) {
	put(ts, args[0], "words", map[string]string{"00000001/case/beach": "\xff"})
}

// losekey DB removes a key of the in-adjacency, which a full check misses and a
// repair restores.
func loseKey(ts *testscript.TestScript, neg bool, args []string) {
	edit(ts, args[0], func(s kv.Store, b kv.Batch) {
		lo := []byte{byte(layout.TagIn)}
		it, err := s.Iter(context.Background(), lo, layout.Next(lo))
		ts.Check(err)
		if !it.First() {
			ts.Fatalf("no key to lose")
		}
		b.Delete(append([]byte(nil), it.Key()...))
		ts.Check(it.Close())
	})
}

// corpus FILE N writes N records of a made-up corpus.
func corpus(ts *testscript.TestScript, neg bool, args []string) {
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	var b bytes.Buffer
	for i := range n {
		fmt.Fprintf(&b, `{"id":"r%d","title":"Post %d","text":"Keeper Number%d served at Post%d from %d. Inspector Vale%d praised the lamp of Post%d."}`+"\n",
			i, i, i, i%97, 1700+i%200, i%31, i%97)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), b.Bytes(), 0o644))
}

// bytes FILE HEX writes a file of bytes that are not text.
func writeBytes(ts *testscript.TestScript, neg bool, args []string) {
	b, err := hex.DecodeString(args[1])
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), b, 0o644))
}

// interrupt REGEXP ARG... runs ragdb, sends it an interrupt when a line of its
// stderr matches, and keeps what it wrote in the files out and err. It must
// exit with 130.
func interrupt(ts *testscript.TestScript, neg bool, args []string) {
	when, err := regexp.Compile(args[0])
	ts.Check(err)
	// The script's PATH holds the command under test.
	bin := ""
	for _, dir := range filepath.SplitList(ts.Getenv("PATH")) {
		if p := filepath.Join(dir, "ragdb"); bin == "" && exists(p) {
			bin = p
		}
	}
	cmd := exec.Command(bin, args[1:]...)
	cmd.Dir = ts.MkAbs(".")
	cmd.Env = append(os.Environ(), "HOME="+ts.Getenv("HOME"), "XDG_CONFIG_HOME="+ts.Getenv("XDG_CONFIG_HOME"), "RAGDB_DB=")
	var out, all bytes.Buffer
	cmd.Stdout = &out
	pipe, err := cmd.StderrPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	sent := false
	lines := bufio.NewScanner(pipe)
	for lines.Scan() {
		all.WriteString(lines.Text() + "\n")
		if !sent && when.Match(lines.Bytes()) {
			sent = true
			ts.Check(cmd.Process.Signal(os.Interrupt))
		}
	}
	err = cmd.Wait()
	ts.Check(os.WriteFile(ts.MkAbs("out"), out.Bytes(), 0o644))
	ts.Check(os.WriteFile(ts.MkAbs("err"), all.Bytes(), 0o644))
	var exit *exec.ExitError
	if !sent || !asExit(err, &exit) || exit.ExitCode() != exitInterrupted {
		ts.Fatalf("sent %v, ended with %v, stderr:\n%s", sent, err, &all)
	}
}

// servers are the servers of models that the scripts have, by address.
var servers sync.Map

// server [key=KEY] [FAILURE=TEXT,N] starts a server of models, whose first N
// chats with TEXT in them fail. Its address is in $URL.
func server(ts *testscript.TestScript, neg bool, args []string) {
	o := llmtest.Options{}
	for _, a := range args {
		name, value, ok := strings.Cut(a, "=")
		text, count, more := strings.Cut(value, ",")
		if name == "key" && ok {
			o.Key = value
			continue
		}
		n, err := strconv.Atoi(count)
		if neg || !ok || !more || err != nil {
			ts.Fatalf("usage: server [key=KEY] [FAILURE=TEXT,N]")
		}
		o.Plan = append(o.Plan, llmtest.Fault{Failure: llmtest.Failure(name), First: n, Text: text, On: "chat"})
	}
	s, err := llmtest.Listen("127.0.0.1:0", o)
	ts.Check(err)
	servers.Store(s.URL, s)
	ts.Setenv("URL", s.URL)
	ts.Setenv("ASKED", "0")
	ts.Defer(func() {
		servers.Delete(s.URL)
		s.Close()
	})
}

// asked [MIN MAX] fails unless the server got so many requests since the last
// asked.
func asked(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: asked MIN MAX")
	}
	s, ok := servers.Load(ts.Getenv("URL"))
	if !ok {
		ts.Fatalf("there is no server")
	}
	least, err := strconv.Atoi(args[0])
	ts.Check(err)
	most, err := strconv.Atoi(args[1])
	ts.Check(err)
	// The server's own counters are not reset: that would start its plan again.
	before, _ := strconv.Atoi(ts.Getenv("ASKED"))
	all := s.(*llmtest.Server).Counters().Requests
	ts.Setenv("ASKED", strconv.Itoa(all))
	if n := all - before; n < least || n > most {
		ts.Fatalf("%d requests, want %d to %d", n, least, most)
	}
}

// nowhere DIR TEXT fails if a file below DIR holds TEXT, or has none.
func nowhere(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: nowhere DIR TEXT")
	}
	files := 0
	ts.Check(filepath.WalkDir(ts.MkAbs(args[0]), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		b, err := os.ReadFile(path)
		if bytes.Contains(b, []byte(args[1])) {
			return fmt.Errorf("%s holds %s", path, args[1])
		}
		return err
	}))
	if files == 0 {
		ts.Fatalf("there is no file in %s", args[0])
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
