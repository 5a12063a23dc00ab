package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// openTerminal opens a pseudo-terminal of some columns, which answers nothing
// that a program asks it. What is written to slave can be read from master, and
// what is written to master is typed.
func openTerminal(t *testing.T, columns uint16) (master, slave *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo-terminals: %v", err)
	}
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	slave, err = os.OpenFile("/dev/pts/"+strconv.Itoa(n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetWinsize(int(slave.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: columns}); err != nil {
		t.Fatal(err)
	}
	return master, slave
}

// terminal opens a pseudo-terminal of 60 columns. What is written to slave is
// returned by read, which closes it; what is typed goes to keys.
func terminal(t *testing.T) (slave, keys *os.File, read func() string) {
	t.Helper()
	master, slave := openTerminal(t, 60)
	var all bytes.Buffer
	done := make(chan struct{})
	go func() {
		defer close(done)
		// The read ends with an error when the slave is closed.
		_, _ = io.Copy(&all, master)
	}()
	return slave, master, func() string {
		slave.Close()
		<-done
		master.Close()
		return strings.ReplaceAll(all.String(), "\r\n", "\n")
	}
}

// onTerminal runs a command line on a terminal on which some keys are typed.
func onTerminal(t *testing.T, env []string, typed string, args ...string) (string, int) {
	t.Helper()
	tty, keys, read := terminal(t)
	if _, err := keys.WriteString(typed); err != nil {
		t.Fatal(err)
	}
	code := run(args, append(env, "TERM=xterm", "XDG_CONFIG_HOME="+t.TempDir()), tty, tty, tty)
	return read(), code
}

func TestTerminal(t *testing.T) {
	dir := t.TempDir()
	db, evil := filepath.Join(dir, "a.ragdb"), filepath.Join(dir, "evil.jsonl")
	long := strings.Repeat("wide words wrap at the width of the window ", 4)
	doc := `{"id":"evil","text":"The \u001b[31mtrap says that red is a colour. ` + long + `"}`
	if err := os.WriteFile(evil, []byte(doc), 0o644); err != nil {
		t.Fatal(err)
	}

	out, code := onTerminal(t, nil, "", "index", db, evil)
	if code != exitOK || !strings.Contains(out, "\r\x1b[K") || !strings.Contains(out, "████████████████████  1/1") {
		t.Errorf("no bar, or exit %d:\n%q", code, out)
	}
	if i := strings.LastIndex(out, "\r\x1b[K"); !strings.HasPrefix(out[i:], "\r\x1b[K1 added") {
		t.Errorf("the bar is left standing before the result:\n%q", out)
	}

	out, code = onTerminal(t, []string{"NO_COLOR="}, "", "ask", db, "What does the trap say?", "--no-llm", "--method", "bm25")
	if code != exitOK || !strings.Contains(out, `\x1b[31mtrap`) || strings.Contains(out, "\x1b") {
		t.Errorf("control characters reach the terminal, or exit %d:\n%q", code, out)
	}
	for _, line := range strings.Split(out, "\n") {
		if strings.Contains(line, "wide words") && len(line) > 60 {
			t.Errorf("a line is %d columns wide: %q", len(line), line)
		}
	}
	if out, _ = onTerminal(t, nil, "", "ask", db, "What does the trap say?", "--method", "bm25", "--no-llm"); !strings.Contains(out, "\x1b[1m1.\x1b[0m") {
		t.Errorf("nothing is bold:\n%q", out)
	}
	if out, _ = onTerminal(t, nil, "", "ask", "--no-color", db, "What does the trap say?", "--method", "bm25"); strings.Contains(out, "\x1b") {
		t.Errorf("--no-color and coloured:\n%q", out)
	}

	out, code = onTerminal(t, nil, "n\n", "rm", db, "evil")
	if code != exitFailed || !strings.Contains(out, "Remove 1 document from "+db+"? [y/N]") || !strings.Contains(out, "nothing was removed") {
		t.Errorf("removed without consent, or exit %d:\n%q", code, out)
	}
	if out, code = onTerminal(t, nil, "yes\n", "rm", db, "evil", "--dry-run"); code != exitOK || strings.Contains(out, "[y/N]") {
		t.Errorf("a dry run asks, or exit %d:\n%q", code, out)
	}
	if out, code = onTerminal(t, nil, "y\n", "rm", db, "evil"); code != exitOK || !strings.Contains(out, "removed evil") {
		t.Errorf("consent is not heard, exit %d:\n%q", code, out)
	}
}
