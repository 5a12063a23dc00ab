package api

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/ragdb/ragdb/internal/memory"
	"github.com/ragdb/ragdb/internal/service"
)

// entry is what is noted of a request while it is served.
type entry struct {
	start     time.Time
	op        string
	code      string // of an error
	why       string // of an error whose reason the client is not told
	left      bool   // the client had gone
	forOpenAI bool   // errors are as its clients read them
	text      string // the question or statement, for logs that want it

	// memory is what the body and the answer take while the request lasts.
	memory *memory.Share
}

type entryKey struct{}

// record returns the notes of a request.
func record(ctx context.Context) *entry {
	if e, ok := ctx.Value(entryKey{}).(*entry); ok {
		return e
	}
	return &entry{}
}

// failed notes an error that was told as a problem.
func (e *entry) failed(p *Problem, err error) {
	e.code = p.Code
	if p.Status == http.StatusInternalServerError {
		e.why = service.Explain(err).Message
	}
}

func (e *entry) gone() { e.left = true }

// log writes the record of a request.
func (s *Server) log(r *http.Request, e *entry, w *patientWriter) {
	if s.o.Log == nil {
		return
	}
	from, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		from = r.RemoteAddr
	}
	attrs := []slog.Attr{
		slog.String("operation", e.op), slog.String("method", r.Method), slog.Int("status", w.status),
		slog.Float64("ms", float64(time.Since(e.start).Microseconds())/1000), slog.Int64("bytes", w.bytes), slog.String("from", from),
	}
	if e.code != "" {
		attrs = append(attrs, slog.String("code", e.code))
	}
	level := slog.LevelInfo
	if e.why != "" {
		level = slog.LevelError
		attrs = append(attrs, slog.String("why", e.why))
	}
	if e.left {
		attrs = append(attrs, slog.Bool("left", true))
	}
	if s.o.Content && e.text != "" {
		attrs = append(attrs, slog.String("text", e.text))
	}
	s.o.Log.LogAttrs(r.Context(), level, "request", attrs...)
}

// buckets are the bounds of the histogram of times, in seconds.
var buckets = []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60}

// metrics count requests, in the text format of Prometheus.
type metrics struct {
	mu      sync.Mutex
	now     int
	byClass map[[2]string]int // by operation and status
	byOp    map[string]*histogram
}

type histogram struct {
	counts []int
	sum    float64
	n      int
}

func (m *metrics) begin() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.now++
}

func (m *metrics) end(e *entry, status int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.now--
	if m.byClass == nil {
		m.byClass, m.byOp = map[[2]string]int{}, map[string]*histogram{}
	}
	op := e.op
	if op == "" {
		op = "none"
	}
	m.byClass[[2]string{op, fmt.Sprint(status)}]++
	h := m.byOp[op]
	if h == nil {
		h = &histogram{counts: make([]int, len(buckets))}
		m.byOp[op] = h
	}
	took := time.Since(e.start).Seconds()
	h.sum += took
	h.n++
	for i, b := range buckets {
		if took <= b {
			h.counts[i]++
		}
	}
}

// write writes the metrics.
func (m *metrics) write(w io.Writer) {
	m.mu.Lock()
	defer m.mu.Unlock()
	fmt.Fprintf(w, "# HELP ragdb_requests_now Requests that are being served.\n# TYPE ragdb_requests_now gauge\nragdb_requests_now %d\n", m.now)
	fmt.Fprint(w, "# HELP ragdb_requests_total Requests that were served, by operation and status.\n# TYPE ragdb_requests_total counter\n")
	keys := slices.SortedFunc(maps.Keys(m.byClass), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) })
	for _, k := range keys {
		fmt.Fprintf(w, "ragdb_requests_total{operation=%q,status=%q} %d\n", k[0], k[1], m.byClass[k])
	}
	fmt.Fprint(w, "# HELP ragdb_request_seconds The time that requests took.\n# TYPE ragdb_request_seconds histogram\n")
	for _, op := range slices.Sorted(maps.Keys(m.byOp)) {
		h := m.byOp[op]
		for i, b := range buckets {
			fmt.Fprintf(w, "ragdb_request_seconds_bucket{operation=%q,le=\"%g\"} %d\n", op, b, h.counts[i])
		}
		fmt.Fprintf(w, "ragdb_request_seconds_bucket{operation=%q,le=\"+Inf\"} %d\n", op, h.n)
		fmt.Fprintf(w, "ragdb_request_seconds_sum{operation=%q} %g\nragdb_request_seconds_count{operation=%q} %d\n", op, h.sum, op, h.n)
	}
	var mem runtime.MemStats
	runtime.ReadMemStats(&mem)
	fmt.Fprintf(w, "# HELP go_goroutines Goroutines that exist.\n# TYPE go_goroutines gauge\ngo_goroutines %d\n", runtime.NumGoroutine())
	fmt.Fprintf(w, "# HELP go_memstats_heap_inuse_bytes Bytes of the heap in use.\n# TYPE go_memstats_heap_inuse_bytes gauge\ngo_memstats_heap_inuse_bytes %d\n", mem.HeapInuse)
}
