//go:build unix

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/ragdb/ragdb/internal/llmtest"
)

// patience is how long a test waits for what must come.
const patience = time.Minute

// gate is a server of models that answers no chat until it is opened, so that a run that
// reads documents lasts as long as a test wants.
type gate struct {
	url     string
	opened  chan struct{}
	reached chan struct{} // has a token if a chat waits
}

func newGate(t *testing.T) *gate {
	t.Helper()
	models := llmtest.New(t, llmtest.Options{})
	to, err := url.Parse(models.URL)
	if err != nil {
		t.Fatal(err)
	}
	g := &gate{opened: make(chan struct{}), reached: make(chan struct{}, 1)}
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.Out.URL.Scheme, r.Out.URL.Host = to.Scheme, to.Host
	}}
	proxy.ErrorLog = log.New(io.Discard, "", 0) // of clients that are killed
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/chat/completions") {
			select {
			case g.reached <- struct{}{}:
			default:
			}
			select {
			case <-g.opened:
			case <-r.Context().Done():
				return
			}
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	t.Cleanup(g.open)
	g.url = s.URL + to.Path
	return g
}

// wait waits until a chat waits.
func (g *gate) wait(t *testing.T) {
	t.Helper()
	select {
	case <-g.reached:
	case <-time.After(patience):
		t.Fatal("no model is asked")
	}
}

// open lets the chats go on.
func (g *gate) open() {
	select {
	case <-g.opened:
	default:
		close(g.opened)
	}
}

// commands runs ragdb in processes of their own, in a folder.
type processes struct {
	t   *testing.T
	dir string
}

func newProcesses(t *testing.T) *processes { return &processes{t, t.TempDir()} }

// command is a process that was started, or has ended.
type command struct {
	p        *processes
	cmd      *exec.Cmd
	out, err safeBuffer
	done     chan struct{}
	code     int
}

// safeBuffer is a buffer that may be read while it is written.
type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *safeBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *safeBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

func (p *processes) start(in string, args ...string) *command {
	p.t.Helper()
	return p.startOn(strings.NewReader(in), args...)
}

// startOn is start with standard input that may come later.
func (p *processes) startOn(in io.Reader, args ...string) *command {
	p.t.Helper()
	bin, err := exec.LookPath("ragdb") // TestMain puts it there
	if err != nil {
		p.t.Fatal(err)
	}
	c := &command{p: p, cmd: exec.Command(bin, args...), done: make(chan struct{})}
	c.cmd.Dir, c.cmd.Stdin = p.dir, in
	home := filepath.Join(p.dir, "home")
	c.cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "XDG_CONFIG_HOME=" + home, "XDG_STATE_HOME=" + home}
	c.cmd.Stdout, c.cmd.Stderr = &c.out, &c.err
	if err := c.cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	go func() {
		defer close(c.done)
		var exit *exec.ExitError
		if err := c.cmd.Wait(); errors.As(err, &exit) {
			c.code = exit.ExitCode()
		} else if err != nil {
			c.code = -2
		}
	}()
	p.t.Cleanup(func() {
		_ = c.cmd.Process.Kill() // it has ended, or the test has failed
		<-c.done
	})
	return c
}

// wait waits for the end and returns the exit code.
func (c *command) wait() int {
	c.p.t.Helper()
	select {
	case <-c.done:
	case <-time.After(3 * patience):
		c.p.t.Fatalf("%q goes on; it wrote %q and %q", c.cmd.Args[1:], c.out.String(), c.err.String())
	}
	return c.code
}

// running fails if the process has ended.
func (c *command) running() {
	c.p.t.Helper()
	select {
	case <-c.done:
		c.p.t.Fatalf("%q ended with %d; it wrote %q and %q", c.cmd.Args[1:], c.code, c.out.String(), c.err.String())
	default:
	}
}

// says waits until standard error has a text.
func (c *command) says(text string) {
	c.p.t.Helper()
	for end := time.Now().Add(patience); !strings.Contains(c.err.String(), text); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			c.p.t.Fatalf("%q did not say %q but %q", c.cmd.Args[1:], text, c.err.String())
		}
	}
}

func (c *command) signal(s os.Signal) {
	c.p.t.Helper()
	if err := c.cmd.Process.Signal(s); err != nil {
		c.p.t.Fatal(err)
	}
}

// must runs a command that succeeds, and returns what it printed.
func (p *processes) must(args ...string) string {
	p.t.Helper()
	c := p.start("", args...)
	if code := c.wait(); code != 0 {
		p.t.Fatalf("%q ended with %d: %s", args, code, c.err.String())
	}
	return c.out.String()
}

// hold indexes a document into the namespace other of a database by a model that does not
// answer until the gate is opened.
func (p *processes) hold(g *gate, db string, more ...string) *command {
	p.t.Helper()
	if err := os.WriteFile(filepath.Join(p.dir, "held.md"), fmt.Appendf(nil, "Keeper Anna Berg served at Skarholm. Inspector Vale praised lamp %d.", time.Now().UnixNano()), 0o644); err != nil {
		p.t.Fatal(err)
	}
	c := p.start("", append([]string{"index", db, "held.md", "--ns", "other", "--model", "m", "--base-url", g.url, "-y"}, more...)...)
	select {
	case <-g.reached:
	case <-c.done:
		p.t.Fatalf("the holder ended with %d: %s", c.code, c.err.String())
	case <-time.After(patience):
		p.t.Fatalf("the holder asks no model: %s", c.err.String())
	}
	return c
}

// unlike are the parts of outputs that differ from run to run.
var unlike = []struct {
	re *regexp.Regexp
	to string
}{
	{regexp.MustCompile(`(under )?[\d.,]+ (ms|s|µs)\b`), "TIME"},
	{regexp.MustCompile(`"[a-z_]*(ms|us)":\s*(\{[^}]*\}|[\d.]+)`), "MS"},
	{regexp.MustCompile(`"(epoch|bytes|files|key_bytes|value_bytes)":\s*\d+`), "SIZE"},
	{regexp.MustCompile(`t:[0-9a-zA-Z]+`), "TRACE"},
	{regexp.MustCompile(`\b[0-9a-f]{16,}\b`), "ID"},
	{regexp.MustCompile(`"at":\s*"[^"]*"`), "AT"},
	{regexp.MustCompile(`commit [\d,]+`), "COMMIT"},
	{regexp.MustCompile(`[\d.,]+ (kB|MB|B)\b`), "SIZE"},
	{regexp.MustCompile(`\d+ files`), "FILES"},
}

func alike(s string) string {
	for _, u := range unlike {
		s = u.re.ReplaceAllString(s, u.to)
	}
	return s
}

// TestBesideIndex says that commands print the same, and exit with the same code, while
// another process indexes into their database as they do alone.
func TestBesideIndex(t *testing.T) {
	p := newProcesses(t)
	p.must("demo", "-q")
	for _, name := range []string{"sub/deeper", "home"} {
		if err := os.MkdirAll(filepath.Join(p.dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{
		"script": ".mode csv\nMATCH (d:document)\nRETURN count(*) > 1 AS some;\nRETURN 1 +;\n", "q.yaml": "method: bm25\n",
	} {
		if err := os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	const question = "Who built the lighthouse?"
	runs := []struct {
		in   string
		args []string
	}{
		{"", []string{"ask", "demo.ragdb", question}},
		{"", []string{"ask", "demo.ragdb", question, "--json", "--method", "bm25"}},
		{"", []string{"ask", "demo.ragdb", question, "--no-llm", "--config", "q.yaml"}},
		{"", []string{"-r", "ask", "demo.ragdb", question}},
		{"", []string{"ask", "demo.ragdb", "xyzzy plugh", "--method", "bm25"}},
		{"", []string{"status", "demo.ragdb"}},
		{"", []string{"status", "demo.ragdb", "--jsonl"}},
		{"", []string{"status", "./sub/../demo.ragdb"}},
		{"", []string{"show", "demo.ragdb", "people/ottilie-brandt.md"}},
		{"", []string{"show", "demo.ragdb", "nothing", "--json"}},
		{"", []string{"why", "demo.ragdb", question, "c:people/ottilie-brandt.md#0"}},
		{"", []string{"stats", "demo.ragdb", "--method", "ketrag"}},
		{"", []string{"check", "demo.ragdb", "--level", "quick"}},
		{"", []string{"check", "demo.ragdb", "--json"}},
		{"", []string{"demo.ragdb", "-c", "MATCH (d:document) RETURN d.key ORDER BY d.key LIMIT 5", "-o", "markdown"}},
		{"RETURN 1 AS a;\nRETURN 2 AS b;\n", []string{"demo.ragdb"}},
		{"RETURN 3 AS c;\n", []string{"demo.ragdb", "-f", "script", "-f", "-", "--bail=false"}},
		{"", []string{"demo.ragdb", "-f", "missing"}},
		{"", []string{"-r", "demo.ragdb", "-c", "CREATE (x:X {key: 'a'})"}},
		{"", []string{"-r", "rm", "demo.ragdb", "people/ottilie-brandt.md"}},
		{"", []string{"-r", "index", "demo.ragdb", "script", "--format", "text"}},
		{"", []string{"rm", "demo.ragdb", "people/**", "--dry-run"}},
		{"", []string{"rm", "demo.ragdb", "**"}}, // needs consent
		{"", []string{"export", "demo.ragdb", "jsonl", "-", "--canonical"}},
		{"", []string{"export", "demo.ragdb", "jsonl", "sub/NAME.jsonl"}},
		{"", []string{"export", "demo.ragdb", "graphml", "script"}}, // exists
		{"", []string{"export", "demo.ragdb", "jsonl", "nowhere/x.jsonl"}},
		{"", []string{"backup", "demo.ragdb", "sub/NAME"}},
		{"", []string{"index", "demo.ragdb", "missing"}},
		{"A text about Per Lund.\n", []string{"index", "demo.ragdb", "-", "--estimate", "--key", "notes/a"}},
		{"", []string{"sync", "demo.ragdb"}},
		{"", []string{"status", "demo.ragdb", "--nonsense"}},
		{"", []string{"compact", "-r", "demo.ragdb"}},
		{"", []string{"ns", "list", "demo.ragdb", "--none"}},
	}
	type result struct {
		code     int
		out, err string
	}
	all := func(name string) (out []result) {
		for _, r := range runs {
			args := make([]string, len(r.args))
			for i, a := range r.args {
				args[i] = strings.ReplaceAll(a, "NAME", name)
			}
			c := p.start(r.in, args...)
			out = append(out, result{c.wait(), alike(strings.ReplaceAll(c.out.String(), name, "NAME")), alike(strings.ReplaceAll(c.err.String(), name, "NAME"))})
		}
		return out
	}
	// The namespace is there in both cases.
	if err := os.WriteFile(filepath.Join(p.dir, "one.md"), []byte("One text."), 0o644); err != nil {
		t.Fatal(err)
	}
	p.must("index", "demo.ragdb", "one.md", "--ns", "other", "--method", "bm25")
	direct := all("zzdirect")
	g := newGate(t)
	holder := p.hold(g, "demo.ragdb", "--method", "ketrag")
	beside := all("zzbeside")
	for i, want := range direct {
		if got := beside[i]; got != want {
			a, b := strings.Split(want.out, "\n"), strings.Split(got.out, "\n")
			for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
				a, b = a[1:], b[1:]
			}
			t.Errorf("%q: alone it exits with %d, says %q, and prints from a place on\n%s\nand beside an index with %d, %q:\n%s", runs[i].args,
				want.code, want.err, first(a), got.code, got.err, first(b))
		}
	}
	if p.must("check", "sub/zzbeside/data"); list(t, filepath.Join(p.dir, "demo.ragdb"))[0] == "" {
		t.Error("no files")
	}
	for _, name := range list(t, filepath.Join(p.dir, "sub", "zzbeside", "data")) {
		if strings.HasPrefix(name, "HOLDER") {
			t.Errorf("the backup has %s", name)
		}
	}

	// Writers: other documents come and go while the run lasts.
	if err := os.WriteFile(filepath.Join(p.dir, "two.md"), []byte("Per Lund repaired the foghorn of Skarholm."), 0o644); err != nil {
		t.Fatal(err)
	}
	if out := p.must("index", "demo.ragdb", "two.md"); !strings.HasPrefix(out, "1 added") {
		t.Errorf("a second index prints %q", out)
	}
	if out := p.must("ask", "demo.ragdb", "Who repaired the foghorn?", "--method", "bm25"); !strings.Contains(out, "Per Lund") {
		t.Errorf("what was added is not found: %q", out)
	}
	if out := p.must("rm", "demo.ragdb", "two.md"); !strings.Contains(out, "removed two.md") {
		t.Errorf("rm prints %q", out)
	}
	p.must("demo.ragdb", "-c", "CALL db.createGraph('g')", "-c", "USE g CREATE (x:X {key: 'a'})")
	holder.running()
	g.open()
	if code := holder.wait(); code != 0 {
		t.Errorf("the holder exits with %d: %s", code, holder.err.String())
	}
	p.must("check", "demo.ragdb")
	for _, name := range list(t, filepath.Join(p.dir, "demo.ragdb")) {
		if strings.HasPrefix(name, "HOLDER") {
			t.Errorf("%s is left", name)
		}
	}
}

// first returns the first lines.
func first(lines []string) string { return strings.Join(lines[:min(len(lines), 5)], "\n") }

// TestNoAttach says that --no-attach keeps a database to one process, on both sides.
func TestNoAttach(t *testing.T) {
	t.Parallel() // it waits most of its time
	p := newProcesses(t)
	p.must("demo", "-q")
	g := newGate(t)
	holder := p.hold(g, "demo.ragdb")
	c := p.start("", "--no-attach", "status", "demo.ragdb")
	if code := c.wait(); code != exitLocked || !strings.Contains(c.err.String(), "demo.ragdb is open in process") {
		t.Errorf("a command that does not attach exits with %d: %s", code, c.err.String())
	}
	g.open()
	holder.wait()
	g = newGate(t)
	holder = p.hold(g, "demo.ragdb", "--no-attach", "--method", "ketrag:unit=900")
	c = p.start("", "status", "demo.ragdb", "--json")
	if code := c.wait(); code != exitLocked || !strings.Contains(c.err.String(), `"code":"locked"`) {
		t.Errorf("a command beside one that lets nobody in exits with %d: %s", code, c.err.String())
	}
	holder.running()
}

// TestAttachedInterrupt says that Ctrl-C ends an attached command as it does one that runs
// alone, that the holder goes on, and that a second Ctrl-C ends it at once.
func TestAttachedInterrupt(t *testing.T) {
	t.Parallel() // it waits most of its time
	p := newProcesses(t)
	p.must("demo", "-q")
	g := newGate(t)
	holder := p.hold(g, "demo.ragdb")
	const forever = "UNWIND range(1, 100000) AS x UNWIND range(1, 100000) AS y RETURN count(*)"
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		c := p.start("", "demo.ragdb", "-c", forever)
		time.Sleep(2 * time.Second) // a busy machine takes long to start it
		c.signal(s)
		if code := c.wait(); code != exitInterrupted || !strings.Contains(c.err.String(), "ragdb: interrupted") {
			t.Errorf("after %v it exits with %d: %s", s, code, c.err.String())
		}
	}
	if err := os.WriteFile(filepath.Join(p.dir, "more.md"), []byte("Per Lund repaired the foghorn of Skarholm."), 0o644); err != nil {
		t.Fatal(err)
	}
	c := p.start("", "index", "demo.ragdb", "more.md", "--ns", "third", "--model", "m", "--base-url", g.url, "-y", "--method", "ketrag")
	g.wait(t)
	c.signal(os.Interrupt)
	if code := c.wait(); code != exitInterrupted || !strings.Contains(c.err.String(), "run the same command to go on") {
		t.Errorf("an interrupted index exits with %d: %s", code, c.err.String())
	}

	// A client that is killed takes its command with it: its namespace is free.
	c = p.start("", "index", "demo.ragdb", "more.md", "--ns", "third", "--model", "m", "--base-url", g.url, "-y", "--method", "ketrag")
	g.wait(t)
	c.signal(syscall.SIGKILL)
	c.wait()
	p.must("index", "demo.ragdb", "more.md", "--ns", "third", "--method", "bm25", "--model", "local")

	// The holder does not answer.
	c = p.start("", "demo.ragdb", "-c", forever)
	time.Sleep(300 * time.Millisecond)
	holder.signal(syscall.SIGSTOP)
	c.signal(os.Interrupt)
	time.Sleep(100 * time.Millisecond)
	c.running()
	c.signal(os.Interrupt)
	if code := c.wait(); code != exitInterrupted {
		t.Errorf("interrupted twice it exits with %d: %s", code, c.err.String())
	}
	holder.signal(syscall.SIGCONT)
	holder.running()
	g.open()
	if code := holder.wait(); code != 0 {
		t.Errorf("the holder exits with %d: %s", code, holder.err.String())
	}
}

// TestWriterWaits says that a second writer waits for the first and names it.
func TestWriterWaits(t *testing.T) {
	t.Parallel() // it waits most of its time
	p := newProcesses(t)
	p.must("demo", "-q")
	g := newGate(t)
	holder := p.hold(g, "demo.ragdb")
	if err := os.WriteFile(filepath.Join(p.dir, "more.md"), []byte("Per Lund repaired the foghorn of Skarholm."), 0o644); err != nil {
		t.Fatal(err)
	}
	c := p.start("", "index", "demo.ragdb", "more.md", "--ns", "other", "--model", "local")
	c.says(fmt.Sprintf("waiting for ragdb index (process %d), which changes the documents", holder.cmd.Process.Pid))
	c.running()
	g.open()
	if a, b := holder.wait(), c.wait(); a != 0 || b != 0 {
		t.Errorf("the first exits with %d, the second with %d: %s", a, b, c.err.String())
	}
}

// TestHolderEnds says that a command goes on in its own process if the holder ends before
// it, that one that cannot is waited for, and that a long command waits for a short one in
// place of attaching to it.
func TestHolderEnds(t *testing.T) {
	t.Parallel() // it waits most of its time
	p := newProcesses(t)
	p.must("demo", "-q")
	g := newGate(t)
	holder := p.hold(g, "demo.ragdb")
	other := newGate(t)
	if err := os.WriteFile(filepath.Join(p.dir, "more.md"), []byte("Per Lund repaired the foghorn of Skarholm."), 0o644); err != nil {
		t.Fatal(err)
	}
	moves := p.start("", "index", "demo.ragdb", "more.md", "--ns", "third", "--model", "m", "--base-url", other.url, "-y", "--method", "ketrag")
	other.wait(t)
	stays := p.start("", "ask", "demo.ragdb", "Who built the lighthouse?", "--model", "m", "--base-url", other.url, "--method", "bm25")
	time.Sleep(500 * time.Millisecond)
	g.open()
	holder.says(fmt.Sprintf("waiting for ragdb ask (process %d) to end, which works through this process", stays.cmd.Process.Pid))
	holder.running()
	moves.running()
	waits := p.start("", "status", "demo.ragdb")
	waits.says(fmt.Sprintf("waiting for process %d (ragdb index) to end", holder.cmd.Process.Pid))
	other.open()
	for name, c := range map[string]*command{"the holder": holder, "the command that moves": moves, "the one that stays": stays, "the one that waits": waits} {
		if code := c.wait(); code != 0 {
			t.Errorf("%s exits with %d: %s", name, code, c.err.String())
		}
	}
	if n := strings.Count(moves.out.String(), "1 added") + strings.Count(moves.out.String(), "1 unchanged"); n != 1 {
		t.Errorf("the command that moves prints %q", moves.out.String())
	}

	third := newGate(t)
	brief := p.start("", "ask", "demo.ragdb", "Who was the harbour master?", "--model", "m", "--base-url", third.url, "--method", "bm25")
	third.wait(t)
	p.must("status", "demo.ragdb")
	c := p.start("", "backup", "demo.ragdb", "saved")
	c.says(fmt.Sprintf("waiting for process %d (ragdb ask) to end", brief.cmd.Process.Pid))
	third.open()
	if a, b := brief.wait(), c.wait(); a != 0 || b != 0 {
		t.Errorf("ask exits with %d, backup with %d: %s", a, b, c.err.String())
	}
}

// TestManyClients has many commands ask, add and remove while another one indexes.
func TestManyClients(t *testing.T) {
	p := newProcesses(t)
	records, clients, rounds := 300, 12, 1
	if *long {
		records, clients, rounds = 2000, 50, 3
	}
	var b bytes.Buffer
	for i := range records {
		fmt.Fprintf(&b, `{"id":"r%d","text":"Keeper Number%d served at Post%d from %d. Inspector Vale%d praised the lamp of Post%d."}`+"\n", i, i, i%97, 1700+i%200, i%31, i%97)
	}
	if err := os.WriteFile(filepath.Join(p.dir, "big.jsonl"), b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	p.must("demo", "-q")
	holder := p.start("", "index", "demo.ragdb", "big.jsonl", "--method", "ketrag,bm25")
	holder.says("read")
	var wg sync.WaitGroup
	for i := range clients {
		wg.Go(func() {
			for j := range rounds {
				key := fmt.Sprintf("notes/%d-%d", i, j)
				for _, args := range [][]string{
					{"ask", "demo.ragdb", "Who built the lighthouse?", "--method", "bm25"},
					{"index", "demo.ragdb", "-", "--key", key, "--method", "bm25"},
					{"show", "demo.ragdb", key},
					{"ask", "demo.ragdb", fmt.Sprintf("Who met Visitor%d?", i), "--method", "bm25"},
					{"rm", "demo.ragdb", key},
				} {
					c := p.start(fmt.Sprintf("Keeper Lund met Visitor%d in the year 19%02d.", i, j), args...)
					if code := c.wait(); code != 0 {
						t.Errorf("%q exits with %d: %s", args, code, c.err.String())
					}
				}
			}
		})
	}
	wg.Wait()
	if code := holder.wait(); code != 0 {
		t.Errorf("the index exits with %d: %s", code, holder.err.String())
	}
	p.must("index", "demo.ragdb") // what the removals left to do
	if out := p.must("check", "demo.ragdb"); !strings.Contains(out, "is sound") {
		t.Errorf("check prints %q", out)
	}
	if out := p.must("demo.ragdb", "-c", "MATCH (d:document) RETURN count(*) AS n", "-o", "csv"); !strings.Contains(out, fmt.Sprint(records+32)) {
		t.Errorf("it has other documents: %q", out)
	}
}

// TestKilledHolder kills the holder at random moments: each client gets its answer, or one
// clear error, the next command opens the database and goes on, and it stays sound.
func TestKilledHolder(t *testing.T) {
	p := newProcesses(t)
	n := 6
	if *long {
		n = 200
	}
	p.must("demo", "-q")
	var b bytes.Buffer
	for i := range 400 {
		fmt.Fprintf(&b, `{"id":"r%d","text":"Keeper Number%d served at Post%d from %d. Inspector Vale%d praised the lamp of Post%d."}`+"\n", i, i, i%97, 1700+i%200, i%31, i%97)
	}
	if err := os.WriteFile(filepath.Join(p.dir, "big.jsonl"), b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	rnd := rand.New(rand.NewPCG(3, 20))
	gone, locked, fine := 0, 0, 0
	for i := range n {
		holder := p.start("", "index", "demo.ragdb", "big.jsonl", "--method", "bm25,naive", "--ns", fmt.Sprintf("n%d", i%4))
		time.Sleep(time.Duration(rnd.Int64N(int64(60 * time.Millisecond))))
		var clients []*command
		for j := range 5 {
			args := [][]string{
				{"ask", "demo.ragdb", "Who built the lighthouse?", "--method", "bm25"},
				{"status", "demo.ragdb"},
				{"index", "demo.ragdb", "-", "--key", "note", "--method", "bm25"},
				{"check", "demo.ragdb"},
				{"export", "demo.ragdb", "jsonl", "-"},
			}[j]
			clients = append(clients, p.start("A note of Keeper Lund.", args...))
		}
		time.Sleep(time.Duration(rnd.Int64N(int64(250 * time.Millisecond))))
		_ = holder.cmd.Process.Kill() // it may have ended
		holder.wait()
		for _, c := range clients {
			switch code := c.wait(); {
			case code == 0:
				fine++
			case code == exitFailed && strings.Count(c.err.String(), "ragdb: ") == 1 && strings.Contains(c.err.String(), "ended before this command did; what was done is saved; run the same command again"):
				gone++
			case code == exitLocked && strings.Count(c.err.String(), "ragdb: ") == 1: // the next one takes its time to open it
				locked++
			default:
				t.Errorf("%q exits with %d: %s", c.cmd.Args[1:], code, c.err.String())
			}
		}
		p.must("status", "demo.ragdb")
		if i%10 == n%10 || i == n-1 {
			if out := p.must("check", "demo.ragdb"); !strings.Contains(out, "is sound") {
				t.Fatalf("check prints %q", out)
			}
		}
	}
	t.Logf("%d kills: %d commands ended well, %d were told that the holder is gone, %d that it is locked", n, fine, gone, locked)
}
