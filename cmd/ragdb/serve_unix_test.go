//go:build unix

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// serving is ragdb serve on a free port of this machine.
type serving struct {
	*command
	t         *testing.T
	url, host string
	token     string
}

func serveDemo(t *testing.T, p *processes, args ...string) *serving {
	t.Helper()
	p.must("demo")
	c := p.start("", append([]string{"serve", "demo.ragdb", "--addr", "127.0.0.1:0", "--json"}, args...)...)
	for until := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		var said struct{ URL string }
		if json.Unmarshal([]byte(c.out.String()), &said) == nil {
			return &serving{command: c, t: t, url: said.URL, host: strings.TrimPrefix(said.URL, "http://")}
		}
		if time.Now().After(until) {
			t.Fatalf("serve says %s %s", c.out.String(), c.err.String())
		}
	}
}

// run runs a command to its end.
func (p *processes) run(in string, args ...string) *command {
	p.t.Helper()
	c := p.start(in, args...)
	c.wait()
	return c
}

// ask sends a request within a time, and returns the status and the body.
func (s *serving) ask(method, path, body string, within time.Duration) (int, string) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if s.token != "" {
		r.Header.Set("Authorization", "Bearer "+s.token)
	}
	client := &http.Client{Timeout: within, Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(r)
	if err != nil {
		s.t.Fatalf("%s %s: %v", method, path, err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatalf("%s %s: %v", method, path, err)
	}
	return resp.StatusCode, string(b)
}

const demoCorpus = "/api/v1/corpora/demo/main"

// TestServe serves a database while other commands work on it through the server, and
// ends when it is told to.
func TestServe(t *testing.T) {
	p := newProcesses(t)
	tokens := filepath.Join(p.dir, "tokens")
	if err := os.WriteFile(tokens, []byte("a-token-for-tests-1 admin\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := serveDemo(t, p, "--token-file", tokens)
	if status, body := s.ask("GET", demoCorpus+"/status", "", patience); status != 401 {
		t.Errorf("without a token: %d %s", status, body)
	}
	s.token = "a-token-for-tests-1"
	question := "Which ship brought the telescope?"
	if status, body := s.ask("POST", demoCorpus+"/ask", fmt.Sprintf(`{"question":%q}`, question), patience); status != 200 || !strings.Contains(body, "Petrel") {
		t.Errorf("ask: %d %s", status, body)
	}
	if c := p.run("", "ask", "demo.ragdb", question); c.code != 0 || !strings.Contains(c.out.String(), "Petrel") {
		t.Errorf("ragdb ask beside it: exit %d: %s %s", c.code, c.out.String(), c.err.String())
	}
	if c := p.run("The oar of Unst is blue.", "index", "demo.ragdb", "-", "--key", "oar.txt"); c.code != 0 {
		t.Errorf("ragdb index beside it: exit %d: %s", c.code, c.err.String())
	}
	if _, body := s.ask("POST", demoCorpus+"/ask", `{"question":"What colour is the oar of Unst?"}`, patience); !strings.Contains(body, "blue") {
		t.Errorf("what another command added is not found: %s", body)
	}
	if _, body := s.ask("GET", "/metrics", "", patience); !strings.Contains(body, `ragdb_requests_total{operation="ask",status="200"} 2`) {
		t.Errorf("metrics: %s", body)
	}
	if err := s.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if code := s.wait(); code != 0 {
		t.Errorf("serve ends with %d", code)
	}
	log := s.err.String()
	if !strings.Contains(log, `"operation":"ask"`) || strings.Contains(log, "Petrel") || strings.Contains(log, "telescope") || strings.Contains(log, s.token) {
		t.Errorf("log: %s", log)
	}
	for _, args := range [][]string{
		{"--addr", "0.0.0.0:0"}, {"--addr", "nowhere"}, {"--token-file", "none"}, {"--addr", s.host, "--cors"},
	} {
		if c := p.run("", append([]string{"serve", "demo.ragdb"}, args...)...); c.code == 0 || strings.Count(strings.TrimSpace(c.err.String()), "\n") > 0 {
			t.Errorf("serve %q: exit %d: %s", args, c.code, c.err.String())
		}
	}
	if err := os.Chmod(tokens, 0o644); err != nil {
		t.Fatal(err)
	}
	if c := p.run("", "serve", "demo.ragdb", "--token-file", tokens); c.code != exitUsage || !strings.Contains(c.err.String(), "chmod 600") {
		t.Errorf("tokens that others may read: exit %d: %s", c.code, c.err.String())
	}
}

// TestServeHostile has clients that send their headers one byte at a time, bodies that do
// not end, headers that are too large, and answers that nobody reads. Others are served.
func TestServeHostile(t *testing.T) {
	p := newProcesses(t)
	s := serveDemo(t, p, "--quiet")
	n := 200
	if *long {
		n = 13_400 // of which 10,000 are slow
	}
	stop := make(chan struct{})
	var all, begun sync.WaitGroup
	defer all.Wait()
	defer close(stop)
	var open atomic.Int64
	dial := func() net.Conn {
		c, err := net.DialTimeout("tcp", s.host, patience)
		if err != nil {
			return nil // the system has no more
		}
		return c
	}
	hostile := func(begin string, drip string) {
		begun.Add(1)
		all.Go(func() {
			c := dial()
			if c == nil {
				begun.Done()
				return
			}
			defer c.Close()
			_, err := io.WriteString(c, begin)
			if err == nil {
				open.Add(1)
			}
			begun.Done()
			if err != nil {
				return
			}
			for {
				select {
				case <-stop:
					return
				case <-time.After(time.Second):
					if _, err := io.WriteString(c, drip); err != nil {
						return
					}
				}
			}
		})
	}
	head := "POST " + demoCorpus + "/ask HTTP/1.1\r\nHost: " + s.host + "\r\nContent-Type: application/json\r\n"
	unread := "POST " + demoCorpus + "/query HTTP/1.1\r\nHost: " + s.host + "\r\nContent-Type: application/json\r\nAccept: application/x-ndjson\r\n"
	rows := `{"statement":"UNWIND range(1, 90000) AS n RETURN n, 'a text that makes the row a long one, so that it fills what lies between'"}`
	for i := range n {
		switch i % 4 {
		case 0:
			hostile("GET / HTTP/1.1\r\nHost: "+s.host+"\r\nX-Slow: ", "a")
		case 1:
			hostile(head+"Content-Length: 1000000\r\n\r\n{", " ")
		case 2:
			hostile(head+"Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n", "1\r\n \r\n")
		case 3:
			if i < 40 {
				hostile(fmt.Sprintf("%sContent-Length: %d\r\n\r\n%s", unread, len(rows), rows), "")
			}
		}
	}
	begun.Wait()
	if int(open.Load()) < n*3/4 {
		t.Fatalf("%d connections of %d are open", open.Load(), n)
	}
	for range 20 {
		if status, body := s.ask("POST", demoCorpus+"/search", `{"question":"the lighthouse","method":"bm25"}`, patience); status != 200 {
			t.Fatalf("search beside hostile clients: %d %s", status, body)
		}
	}
	c := dial()
	defer c.Close()
	fmt.Fprintf(c, "GET /healthz HTTP/1.1\r\nHost: %s\r\nX-Large: %s\r\n\r\n", s.host, strings.Repeat("x", 1<<20))
	line, _ := bufio.NewReader(c).ReadString('\n')
	if !strings.Contains(line, "431") {
		t.Errorf("a header of a megabyte: %q", line)
	}
	large := strings.NewReader(`{"question":"` + strings.Repeat("x", 65<<20) + `"}`)
	resp, err := http.Post(s.url+demoCorpus+"/ask", "application/json", large)
	if err == nil {
		defer resp.Body.Close()
		if resp.StatusCode != http.StatusRequestEntityTooLarge {
			t.Errorf("a body of 65 MiB: %s", resp.Status)
		}
	}
	if status, _ := s.ask("GET", "/healthz", "", patience); status != 200 {
		t.Errorf("healthz: %d", status)
	}
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
}
