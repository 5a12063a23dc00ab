package api_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/ragdb/ragdb/internal/api"
)

// firstLine sends a part of a request and returns the first line of the answer, which comes
// within seconds.
func firstLine(t *testing.T, srv *httptest.Server, part string) string {
	t.Helper()
	c, err := net.Dial("tcp", srv.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(c, part)
	line, err := bufio.NewReader(c).ReadString('\n')
	if err != nil {
		t.Error(err)
	}
	return line
}

// TestLargeBodies holds that a body which is said to be too large is refused before it is
// sent, and that one whose length is not said is cut.
func TestLargeBodies(t *testing.T) {
	tools := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { _, _ = io.ReadAll(r.Body) })
	srv := newServer(t, api.Options{Limits: api.Limits{Body: 1000}, Tools: tools})
	for _, head := range []string{
		"Content-Length: 100000000000\r\n\r\n",
		"Content-Length: 1001\r\n\r\n",
		"Content-Length: 100000000000\r\nExpect: 100-continue\r\n\r\n",
		"Transfer-Encoding: chunked\r\n\r\n3e9\r\n" + strings.Repeat("x", 1001),
	} {
		for _, path := range []string{corpus + "/ask", corpus + "/documents/upload", "/v1/chat/completions", "/mcp"} {
			kind := "application/json"
			if strings.HasSuffix(path, "upload") {
				kind = "multipart/form-data; boundary=b"
			}
			line := firstLine(t, srv, fmt.Sprintf("POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: %s\r\n%s", path, kind, head))
			if !strings.HasPrefix(line, "HTTP/1.1 413 ") {
				t.Errorf("%s %.60q: %q", path, head, line)
			}
		}
	}
}

// TestUnsentBody holds that a request which is refused before its body is read, and whose
// body never comes, keeps no connection.
func TestUnsentBody(t *testing.T) {
	srv := newServer(t, api.Options{Limits: api.Limits{Idle: 200 * time.Millisecond}, Hosts: []string{"localhost"}})
	for host, want := range map[string]string{"localhost": "HTTP/1.1 404 ", "evil.example": "HTTP/1.1 421 "} {
		if line := firstLine(t, srv, "POST /nothing HTTP/1.1\r\nHost: "+host+"\r\nContent-Length: 1000\r\n\r\n"); !strings.HasPrefix(line, want) {
			t.Errorf("%s: %q, want %q", host, line, want)
		}
	}
}
