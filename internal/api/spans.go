package api

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Tracer sends a span of each request to a collector of OpenTelemetry, as JSON over HTTP
// (OTLP 1.x). It needs none of OpenTelemetry's packages: a span of a request is a dozen
// fields. The caller closes it.
type Tracer struct {
	endpoint, name string
	headers        http.Header
	client         *http.Client
	log            *slog.Logger
	mu             sync.Mutex
	waiting        []spanData
	lost           int
	wake, done     chan struct{}
	stop           context.CancelFunc
}

// The bounds of what waits to be sent.
const (
	mostSpans  = 4096
	spansEvery = 2 * time.Second
)

// NewTracer begins to send spans to endpoint/v1/traces, under a service's name, with
// headers of their own. Spans that a slow collector does not take are dropped and
// counted in the log, which may be nil.
func NewTracer(endpoint, name string, headers http.Header, log *slog.Logger) *Tracer {
	ctx, stop := context.WithCancel(context.Background())
	t := &Tracer{endpoint: strings.TrimSuffix(endpoint, "/") + "/v1/traces", name: name, headers: headers, log: log,
		client: &http.Client{Timeout: 10 * time.Second}, wake: make(chan struct{}, 1), done: make(chan struct{}), stop: stop}
	go t.run(ctx)
	return t
}

// Close sends what waits and ends. A nil tracer has nothing to end.
func (t *Tracer) Close() {
	if t == nil {
		return
	}
	t.stop()
	<-t.done
}

// spanData is a span as OTLP writes it.
type spanData struct {
	TraceID    string      `json:"traceId"`
	SpanID     string      `json:"spanId"`
	Parent     string      `json:"parentSpanId,omitempty"`
	Name       string      `json:"name"`
	Kind       int         `json:"kind"`
	Start      string      `json:"startTimeUnixNano"`
	End        string      `json:"endTimeUnixNano"`
	Attributes []spanField `json:"attributes"`
	Status     struct {
		Code int `json:"code,omitempty"`
	} `json:"status"`
}

type spanField struct {
	Key   string         `json:"key"`
	Value map[string]any `json:"value"`
}

// span is a request that is being served; nil is none.
type span struct {
	t    *Tracer
	data spanData
}

// serverSpan is the kind of a span that serves a request, failedSpan the status of one
// that could not.
const (
	serverSpan = 2
	failedSpan = 2
)

// start begins the span of a request, below that of the client if it names one.
func (t *Tracer) start(ctx context.Context, r *http.Request) (context.Context, *span) {
	if t == nil {
		return ctx, nil
	}
	s := &span{t: t, data: spanData{TraceID: random(16), SpanID: random(8), Kind: serverSpan, Name: r.Method, Start: nanos(time.Now())}}
	// traceparent is 00-TRACE-SPAN-FLAGS.
	if p := strings.Split(r.Header.Get("Traceparent"), "-"); len(p) >= 4 && isHex(p[1], 32) && isHex(p[2], 16) {
		s.data.TraceID, s.data.Parent = p[1], p[2]
	}
	s.data.Attributes = append(s.data.Attributes, text("http.request.method", r.Method), text("url.path", r.URL.Path))
	return ctx, s
}

// end ends the span of a request.
func (s *span) end(e *entry, status int) {
	if s == nil {
		return
	}
	s.data.End = nanos(time.Now())
	if e.op != "" {
		s.data.Name = e.op
	}
	s.data.Attributes = append(s.data.Attributes, spanField{"http.response.status_code", map[string]any{"intValue": strconv.Itoa(status)}})
	if e.code != "" {
		s.data.Attributes = append(s.data.Attributes, text("error.type", e.code))
	}
	if status >= http.StatusInternalServerError {
		s.data.Status.Code = failedSpan
	}
	s.t.mu.Lock()
	if len(s.t.waiting) < mostSpans {
		s.t.waiting = append(s.t.waiting, s.data)
	} else {
		s.t.lost++
	}
	full := len(s.t.waiting) >= mostSpans/4
	s.t.mu.Unlock()
	if full {
		select {
		case s.t.wake <- struct{}{}:
		default:
		}
	}
}

// run sends spans until the tracer is closed.
func (t *Tracer) run(ctx context.Context) {
	defer close(t.done)
	tick := time.NewTicker(spansEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-t.wake:
		case <-ctx.Done():
			t.send(context.WithoutCancel(ctx))
			return
		}
		t.send(ctx)
	}
}

// send sends what waits. What the collector does not take is lost.
func (t *Tracer) send(ctx context.Context) {
	t.mu.Lock()
	spans, lost := t.waiting, t.lost
	t.waiting, t.lost = nil, 0
	t.mu.Unlock()
	if len(spans) == 0 {
		return
	}
	if err := t.post(ctx, spans); err != nil && t.log != nil {
		t.log.Warn("spans are lost", "spans", len(spans)+lost, "error", err.Error())
	}
}

func (t *Tracer) post(ctx context.Context, spans []spanData) error {
	body, err := json.Marshal(map[string]any{"resourceSpans": []any{map[string]any{
		"resource":   map[string]any{"attributes": []spanField{text("service.name", t.name)}},
		"scopeSpans": []any{map[string]any{"scope": map[string]any{"name": "ragdb"}, "spans": spans}},
	}}})
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, t.endpoint, bytes.NewReader(body))
	if err != nil {
		return err
	}
	for k, v := range t.headers {
		req.Header[k] = v
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := t.client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode/100 != 2 {
		return fmt.Errorf("the collector answers %s", resp.Status)
	}
	return nil
}

func text(key, value string) spanField {
	return spanField{key, map[string]any{"stringValue": value}}
}

func nanos(t time.Time) string { return strconv.FormatInt(t.UnixNano(), 10) }

func random(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // it does not fail
	return hex.EncodeToString(b)
}

func isHex(s string, n int) bool {
	b, err := hex.DecodeString(s)
	return err == nil && len(s) == n && strings.ToLower(s) == s && len(bytes.Trim(b, "\x00")) > 0
}
