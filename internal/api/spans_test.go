package api_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/ragdb/ragdb/internal/api"
)

// TestSpans has requests told to a collector, below the span of the client, without what
// was asked.
func TestSpans(t *testing.T) {
	got := make(chan []byte, 8)
	collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		if r.URL.Path == "/v1/traces" && r.Header.Get("X-Key") == "k" {
			got <- b
		}
	}))
	defer collector.Close()
	tracer := api.NewTracer(collector.URL+"/", "acme", http.Header{"X-Key": {"k"}}, nil)
	srv := newServer(t, api.Options{Spans: tracer})
	trace, parent := "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
	request(t, srv, "POST", corpus+"/ask", `{"question":"Who made the lamp of Brae?"}`, "Traceparent", "00-"+trace+"-"+parent+"-01")
	request(t, srv, "GET", corpus+"/jobs/none", "", "Traceparent", "00-wrong-wrong-01")
	tracer.Close()
	var doc struct {
		ResourceSpans []struct {
			ScopeSpans []struct {
				Spans []struct {
					TraceID, SpanID, ParentSpanID, Name, StartTimeUnixNano, EndTimeUnixNano string
					Kind                                                                    int
				}
			}
		}
	}
	b := <-got
	if err := json.Unmarshal(b, &doc); err != nil {
		t.Fatal(err)
	}
	spans := doc.ResourceSpans[0].ScopeSpans[0].Spans
	if len(spans) != 2 || spans[0].TraceID != trace || spans[0].ParentSpanID != parent || spans[0].Name != "ask" || spans[0].Kind != 2 ||
		spans[1].Name != "readJob" || spans[1].ParentSpanID != "" || len(spans[1].TraceID) != 32 || spans[0].EndTimeUnixNano <= spans[0].StartTimeUnixNano {
		t.Errorf("spans %s", b)
	}
}
