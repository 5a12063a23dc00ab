package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// typist is a shell in a process of its own, on a terminal on which a test
// types.
type typist struct {
	t    *testing.T
	keys *os.File
	cmd  *exec.Cmd
	done chan error

	mu   sync.Mutex
	all  bytes.Buffer
	seen int // how much of all was expected already
}

// startShell starts ragdb on a terminal of 100 columns. dir is its working
// folder, and holds its history.
func startShell(t *testing.T, dir string, env []string, args ...string) *typist {
	t.Helper()
	return startShellOn(t, 100, dir, env, args...)
}

func startShellOn(t *testing.T, columns uint16, dir string, env []string, args ...string) *typist {
	t.Helper()
	master, slave := openTerminal(t, columns)
	bin, err := exec.LookPath("ragdb") // TestMain puts it there
	if err != nil {
		t.Fatal(err)
	}
	s := &typist{t: t, keys: master, done: make(chan error, 1)}
	s.cmd = exec.Command(bin, args...)
	s.cmd.Dir = dir
	s.cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TERM=xterm", "XDG_STATE_HOME=" + filepath.Join(dir, "state"), "XDG_CONFIG_HOME=" + filepath.Join(dir, "config")}, env...)
	s.cmd.Stdin, s.cmd.Stdout, s.cmd.Stderr = slave, slave, slave
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	slave.Close()
	read := make(chan struct{})
	go func() {
		defer close(read)
		b := make([]byte, 4096)
		for {
			n, err := master.Read(b)
			s.mu.Lock()
			s.all.Write(b[:n])
			s.mu.Unlock()
			if err != nil {
				return // the terminal is closed
			}
		}
	}()
	go func() {
		err := s.cmd.Wait()
		<-read
		s.done <- err
	}()
	t.Cleanup(func() {
		// It has ended, or the test has failed.
		_ = s.cmd.Process.Kill()
		master.Close()
	})
	return s
}

func (s *typist) typed(keys string) {
	s.t.Helper()
	if _, err := s.keys.WriteString(keys); err != nil {
		s.t.Fatal(err)
	}
}

// unseen is the output that was not expected yet.
func (s *typist) unseen() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all.String()[s.seen:]
}

// expect waits until the output goes on with a text, somewhere, and returns what
// stood before it.
func (s *typist) expect(text string) string {
	s.t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if before, _, ok := strings.Cut(s.unseen(), text); ok {
			s.mu.Lock()
			s.seen += len(before) + len(text)
			s.mu.Unlock()
			return before
		}
	}
	s.t.Fatalf("%q did not come; there was %q", text, s.unseen())
	return ""
}

// exit waits for the end and returns the exit code.
func (s *typist) exit() int {
	s.t.Helper()
	select {
	case err := <-s.done:
		var exit *exec.ExitError
		switch {
		case err == nil:
			return 0
		case errors.As(err, &exit):
			return exit.ExitCode()
		}
		s.t.Fatal(err)
	case <-time.After(patience):
		s.t.Fatalf("the shell goes on: %q", s.unseen())
	}
	return -1
}

const (
	keyUp    = "\x1b[A"
	keyCtrlC = "\x03"
	keyCtrlD = "\x04"
	prompt   = "ragdb:main> "
)

func TestShellAtATerminal(t *testing.T) {
	shellAtATerminal(t, t.TempDir())
}

// TestAttachedShell types the same in a shell that runs in the process of another one.
func TestAttachedShell(t *testing.T) {
	dir := t.TempDir()
	other := startShell(t, t.TempDir(), nil, filepath.Join(dir, "new.ragdb"))
	other.expect(prompt)
	shellAtATerminal(t, dir)
	other.typed("RETURN 'still ' + 'here' AS x;\r")
	other.expect("still here\r\n")
	other.typed(".quit\r")
	if code := other.exit(); code != 0 {
		t.Errorf("the other shell exits with %d", code)
	}
}

// TestAttachedQuestions says that an attached command asks at its own terminal, and that an
// attached shell, its line half typed, goes on by itself when the other process ends.
func TestAttachedQuestions(t *testing.T) {
	dir := t.TempDir()
	p := &processes{t, dir}
	p.must("demo", "-q")
	other := startShell(t, t.TempDir(), nil, filepath.Join(dir, "demo.ragdb"))
	other.expect(prompt)
	rm := startShell(t, dir, nil, "rm", "demo.ragdb", "ships/ferry.md")
	rm.expect("Remove 1 document from demo.ragdb? [y/N] ")
	rm.typed("n\r")
	rm.expect("nothing was removed")
	if code := rm.exit(); code != exitFailed {
		t.Errorf("declined, it exits with %d", code)
	}
	rm = startShell(t, dir, nil, "rm", "demo.ragdb", "ships/ferry.md")
	rm.expect("[y/N] ")
	rm.typed(keyCtrlC)
	if code := rm.exit(); code != exitInterrupted {
		t.Errorf("interrupted, it exits with %d", code)
	}

	s := startShell(t, dir, nil, "demo.ragdb")
	s.expect(prompt)
	s.typed("RETURN 1 + 1 AS two;\r")
	s.expect("  2\r\n")
	s.expect(prompt)
	s.typed("MATCH (d:doc\t")
	s.expect("ument")
	s.typed(keyCtrlC)
	s.expect(prompt)
	s.typed("RETURN 'half")
	s.expect("'half")
	other.typed(".quit\r")
	if code := other.exit(); code != 0 {
		t.Errorf("the other shell exits with %d", code)
	}
	s.expect("a new session begins")
	s.expect(prompt)
	s.typed(" whole' AS x;\r")
	s.expect("half whole\r\n")
	s.expect(prompt)
	p.must("status", "demo.ragdb") // through this shell now
	s.typed(keyUp)
	s.expect("half whole")
	s.typed(keyCtrlC)
	s.expect(prompt)
	s.typed(keyCtrlD)
	if code := s.exit(); code != 0 {
		t.Errorf("exit %d", code)
	}
}

func shellAtATerminal(t *testing.T, dir string) {
	s := startShell(t, dir, nil, "new.ragdb")
	s.expect(" · new.ragdb · 0 nodes · .help for help\r\n")
	s.expect(prompt)

	// A statement over several lines.
	s.typed("RETURN 1 AS a,\r")
	s.expect("        ..> ")
	s.typed("  'x;y' AS b;\r")
	s.expect("x;y\r\n")
	s.expect("1 row · ")
	s.expect(prompt)

	// Errors are told and end nothing.
	s.typed("RETRUN 1;\r")
	s.expect("did you mean RETURN?\r\n  RETRUN 1\r\n  ^^^^^^\r\n")
	s.expect(prompt)

	// Ctrl-C drops what is typed, over all its lines.
	s.typed("RETURN nonsense")
	s.expect("nonsense")
	s.typed(keyCtrlC)
	s.expect(prompt)
	s.typed("RETURN more,\r")
	s.expect("..> ")
	s.typed("nonsense" + keyCtrlC)
	s.expect(prompt)
	s.typed("RETURN 'still ' + 'here' AS x;\r")
	s.expect("still here\r\n")
	s.expect(prompt)

	// Ctrl-C ends a statement that runs, and not the shell.
	s.typed("UNWIND range(1, 100000) AS x UNWIND range(1, 100000) AS y RETURN count(*);\r")
	s.expect("count(*);")
	time.Sleep(200 * time.Millisecond)
	start := time.Now()
	s.typed(keyCtrlC)
	s.expect("interrupted\r\n")
	if took := time.Since(start); took > time.Minute {
		t.Errorf("the statement ran on for %v", took)
	} else {
		t.Logf("the statement ended after %v", took)
	}
	s.expect(prompt)

	// The graph is in the prompt if it is not the base graph.
	s.typed("CALL db.createGraph('mine');\r")
	s.expect(prompt)
	s.typed("USE mine;\r")
	s.expect("ragdb:main/mine> ")
	s.typed("CREATE (:P {key: 'a', text: 'red \\u001b[31m alarm'})-[:KNOWS]->(:P {key: 'b'});\r")
	s.expect("2 nodes created · 1 edge created")
	s.expect("/mine> ")

	// Control characters of texts are shown.
	s.typed("MATCH (p:P {key: 'a'}) RETURN p.text;\r")
	s.expect(`red \x1b[31m alarm`)
	s.expect("/mine> ")

	// A table has the width of the terminal.
	s.typed("RETURN reduce(s = '', i IN range(1, 60) | s + 'wide') AS long;\r")
	row := s.expect("…\r\n")
	if row = row[strings.LastIndexByte(row, '\n')+1:]; len(row) != 99 {
		t.Errorf("a row of a table has %d columns: %q", len(row)+1, row)
	}
	s.expect("/mine> ")

	s.typed(keyCtrlD)
	if code := s.exit(); code != 0 {
		t.Errorf("exit %d", code)
	}
	if rest := s.unseen(); strings.Contains(rest, prompt) {
		t.Errorf("it leaves with %q", rest)
	}
}

func TestShellHistory(t *testing.T) {
	dir := t.TempDir()
	s := startShell(t, dir, nil, ":memory:")
	s.expect(prompt)
	s.typed("RETURN 'first', // why\r")
	s.expect("..> ")
	s.typed("2 AS n;\r")
	s.expect("1 row")
	s.expect(prompt)
	s.typed(".param set api_key 'sk-secret'\r")
	s.expect(prompt)
	s.typed(keyUp)
	s.expect("RETURN 'first', 2 AS n;") // the key is not remembered
	s.typed("\r")
	s.expect("1 row")
	s.expect(prompt)
	s.typed(".quit\r")
	if code := s.exit(); code != 0 {
		t.Errorf("exit %d", code)
	}
	name := filepath.Join(dir, "state", "ragdb", "history")
	b, err := os.ReadFile(name)
	if want := "RETURN 'first', 2 AS n;\nRETURN 'first', 2 AS n;\n.quit\n"; string(b) != want {
		t.Errorf("the history is %q, %v; want %q", b, err, want)
	}
	if info, err := os.Stat(name); err == nil && info.Mode().Perm() != 0o600 {
		t.Errorf("others may read the history: %v", info.Mode())
	}

	s = startShell(t, dir, nil, ":memory:")
	s.expect(prompt)
	s.typed(keyUp)
	s.expect(".quit")
	s.typed(keyUp)
	s.expect("RETURN 'first'")
	s.typed(keyCtrlC)
	s.expect(prompt)
	s.typed(keyCtrlD)
	s.exit()
}

func TestShellCompletion(t *testing.T) {
	dir := t.TempDir()
	setup := exec.Command("ragdb", "new.ragdb", "-q", "-c", "CALL db.createGraph('mine')", "-c", "USE mine",
		"-c", "CREATE (:Person {key: 'a', nickname: 'x'})-[:ADMIRES]->(:Person {key: 'b'})")
	setup.Dir = dir
	if out, err := setup.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if err := os.WriteFile(filepath.Join(dir, "people.csv"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	s := startShell(t, dir, nil, "new.ragdb")
	s.expect(prompt)
	for _, c := range []struct{ typed, want string }{
		{"mat\t", "MATCH "},
		{"USE mi\t", "USE mine"},
		{".graph mi\t", ".graph mine"},
		{".mode mark\t", ".mode markdown"},
		{".hel\t", ".help "},
		{".read peo\t", ".read people.csv"},
		{"CALL graph.pp\t", "CALL graph.ppr"},
		{"CALL graph.ppr(\t\t", "YIELD node :: node, score :: float"},
		{"CALL vec.search('a', 'b', 3) YIELD no\t", "YIELD node"},
		{"MATCH (p) RETURN siz\t", "RETURN size("},
		{"COPY x FROM 'peo\t", "'people.csv"},
	} {
		s.typed(c.typed)
		s.expect(c.want)
		s.typed(keyCtrlC)
		s.expect(prompt)
	}
	s.typed("USE mine;\r")
	s.expect("/mine> ")
	for _, c := range []struct{ typed, want string }{
		{"MATCH (p:Per\t", "(p:Person"},
		{"MATCH (p)-[:ADM\t", "[:ADMIRES"},
		{"MATCH (p:Person) RETURN p.nick\t", "p.nickname"},
		{"MATCH (p:Person)\r MATCH (q) RETURN p.nick\t", "p.nickname"},
	} {
		s.typed(c.typed)
		s.expect(c.want)
		s.typed(keyCtrlC)
		s.expect("/mine> ")
	}
	s.typed(keyCtrlD)
	s.exit()
}

// A terminal that can do little, and one that is hardly wide enough for the
// prompt.
func TestShellPlainTerminals(t *testing.T) {
	for name, c := range map[string]struct {
		columns uint16
		env     []string
	}{"dumb": {80, []string{"TERM=dumb"}}, "narrow": {15, nil}, "no size": {0, nil}, "no colour": {80, []string{"NO_COLOR=1", "TERM=vt100"}}} {
		t.Run(name, func(t *testing.T) {
			s := startShellOn(t, c.columns, t.TempDir(), c.env, ":memory:")
			s.expect(prompt)
			s.typed("RETURN 'a' + 'b' AS x;\n")
			s.expect("ab\r\n")
			s.expect(prompt)
			s.typed(".quit\n")
			if code := s.exit(); code != 0 {
				t.Errorf("exit %d", code)
			}
			if out := s.all.String(); name == "dumb" && strings.Contains(out, "\x1b") {
				t.Errorf("escape sequences for a dumb terminal: %q", out)
			} else if strings.Contains(out, "\x1b[6n") {
				t.Errorf("it asks the terminal where the cursor is: %q", out)
			} else if name == "no colour" && (strings.Contains(out, "\x1b[1m") || strings.Contains(out, "\x1b[2m")) {
				t.Errorf("colours: %q", out)
			}
		})
	}
}

func TestShellStartScript(t *testing.T) {
	dir := t.TempDir()
	rc := filepath.Join(dir, "state", "ragdb", "shellrc")
	if err := os.MkdirAll(filepath.Dir(rc), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(rc, []byte(".mode line\n.timer off\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	s := startShell(t, dir, nil, ":memory:")
	s.expect(prompt)
	s.typed("RETURN 1 AS n;\r")
	s.expect("n = 1\r\n")
	if after := s.expect(prompt); strings.Contains(after, " ms") {
		t.Errorf("a time in spite of .timer off: %q", after)
	}
	// A script of statements at a terminal has no prompt and does not run it.
	s.typed(keyCtrlD)
	s.exit()
	s = startShell(t, dir, nil, ":memory:", "-c", "RETURN 1 AS n")
	if s.exit(); strings.Contains(s.all.String(), "n = 1") || strings.Contains(s.all.String(), prompt) {
		t.Errorf("-c printed %q", s.all.String())
	}
}

func TestShellTerminated(t *testing.T) {
	s := startShell(t, t.TempDir(), nil, "new.ragdb")
	s.expect(prompt)
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code := s.exit(); code != exitInterrupted {
		t.Errorf("exit %d", code)
	}
}
