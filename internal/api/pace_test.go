package api_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ragdb/ragdb/internal/api"
)

// connection is the side of a client that sends a part of a body at a steady pace. It keeps
// the deadline for reading, as a connection of the network does.
type connection struct {
	*httptest.ResponseRecorder
	parts int
	part  int           // in bytes
	every time.Duration // between two parts

	deadline time.Time
	come     int // bytes that have come and were not read
}

// SetReadDeadline serves [http.ResponseController].
func (c *connection) SetReadDeadline(t time.Time) error {
	c.deadline = t
	return nil
}

// Read implements [io.Reader].
func (c *connection) Read(p []byte) (int, error) {
	if c.come == 0 {
		if c.parts == 0 {
			return 0, io.EOF
		}
		if left := time.Until(c.deadline); left < c.every {
			time.Sleep(left)
			return 0, os.ErrDeadlineExceeded
		}
		time.Sleep(c.every)
		c.parts--
		c.come = c.part
	}
	n := min(len(p), c.come)
	c.come -= n
	return n, nil
}

// TestSlowBodies holds that a body may take as long as it likes at 1 KiB a second, and that
// a slower one is refused once it is behind by the time that is allowed.
func TestSlowBodies(t *testing.T) {
	tools := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	for _, tt := range []struct {
		name   string
		part   int
		every  time.Duration
		parts  int
		status int
		after  time.Duration
	}{
		{"1 KiB a second", 512, 500 * time.Millisecond, 1200, 200, 10 * time.Minute},
		{"half of it", 512, time.Second, 1200, 408, 59500 * time.Millisecond},
		{"nothing", 512, time.Hour, 1, 408, 30 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, err := api.New(api.Options{Tools: tools, Limits: api.Limits{Idle: 30 * time.Second}})
				if err != nil {
					t.Fatal(err)
				}
				c := &connection{ResponseRecorder: httptest.NewRecorder(), parts: tt.parts, part: tt.part, every: tt.every}
				begun := time.Now()
				s.ServeHTTP(c, httptest.NewRequest("POST", "/mcp", c))
				if took := time.Since(begun); c.Code != tt.status || took != tt.after {
					t.Errorf("%d %s after %v, want %d after %v", c.Code, c.Body, took, tt.status, tt.after)
				}
			})
		})
	}
}

// TestWaitForPlace holds that a request beyond those that run at once waits so long for one
// of them to end, and is refused then.
func TestWaitForPlace(t *testing.T) {
	for _, tt := range []struct {
		name   string
		runs   time.Duration // of the request that has the place
		status int
		after  time.Duration
	}{
		{"a place in time", 6 * time.Second, 200, 12 * time.Second},
		{"no place in time", time.Minute, 503, 7 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tools := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { time.Sleep(tt.runs) })
				s, err := api.New(api.Options{Tools: tools, Limits: api.Limits{Asks: 1, Wait: 7 * time.Second}})
				if err != nil {
					t.Fatal(err)
				}
				post := func() *httptest.ResponseRecorder {
					w := httptest.NewRecorder()
					s.ServeHTTP(w, httptest.NewRequest("POST", "/mcp", http.NoBody))
					return w
				}
				var first sync.WaitGroup
				defer first.Wait()
				first.Go(func() { post() })
				synctest.Wait()
				begun := time.Now()
				w := post()
				if took := time.Since(begun); w.Code != tt.status || took != tt.after {
					t.Errorf("%d %s after %v, want %d after %v", w.Code, w.Body, took, tt.status, tt.after)
				}
			})
		})
	}
}
