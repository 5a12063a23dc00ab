package api_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/internal/api"
)

// mostError is how many bytes an error may have, whatever was sent.
const mostError = 2 << 10

// described is what the test reads of the OpenAPI document.
type described struct {
	Paths map[string]map[string]struct {
		OperationID string
		Parameters  []struct {
			Name, In string
			Schema   described1
		}
		RequestBody struct {
			Content map[string]struct{ Schema described1 }
		}
	}
}

type described1 struct {
	Type       any
	Enum       []string
	Required   []string
	Properties map[string]described1
	Items      *described1
	Additional any `json:"additionalProperties"`
}

// usual is a value that a schema allows, as JSON.
func (s *described1) usual(name string) string {
	switch s.Type {
	case "string":
		switch name {
		case "model":
			return `"main/naive"`
		case "statement":
			return `"RETURN 1"`
		case "role":
			return `"user"`
		}
		if len(s.Enum) > 0 {
			return `"` + s.Enum[len(s.Enum)-1] + `"`
		}
		return `"lamp"`
	case "integer", "number":
		return "1"
	case "boolean":
		return "true"
	case "array":
		return "[" + s.Items.usual(name) + "]"
	case "object":
		return s.object("", "")
	}
	return `"lamp"`
}

// object is an object with what is needed, and with one more field.
func (s *described1) object(with, value string) string {
	var fields []string
	for _, name := range s.Required {
		if p := s.Properties[name]; name != with {
			fields = append(fields, `"`+name+`":`+p.usual(name))
		}
	}
	if with != "" {
		fields = append(fields, `"`+with+`":`+value)
	}
	return "{" + strings.Join(fields, ",") + "}"
}

// hostile yields values for a schema that are long somewhere.
func (s *described1) hostile(long string, yield func(value string)) {
	digits := strings.Repeat("9", len(long))
	for _, v := range []string{`"` + long + `"`, digits, "-" + digits, "1" + digits + "e" + digits, `["` + long + `"]`, `{"` + long + `":"` + long + `"}`, `{"` + long + `":` + digits + `}`, long} {
		yield(v)
	}
	if s.Properties != nil {
		yield(s.object(long, `"`+long+`"`))
	}
	for name, p := range s.Properties {
		p.hostile(long, func(v string) { yield(s.object(name, v)) })
	}
	if s.Items != nil && s.Items.Type == "object" {
		s.Items.hostile(long, func(v string) { yield("[" + v + "]") })
	}
}

// TestLongInput sends 50,000 bytes, with -long a million, in each place of each operation
// where a text or a number can stand: an error repeats little of it.
func TestLongInput(t *testing.T) {
	h := handler(t, api.Options{})
	ask := func(method, path, kind, body string) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(t.Context(), method, "/", strings.NewReader(body))
		u, err := url.Parse(path)
		if err != nil {
			t.Fatal(err)
		}
		r.URL = u
		if kind != "" {
			r.Header.Set("Content-Type", kind)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	var doc described
	if err := json.Unmarshal(ask("GET", "/api/v1/openapi.json", "", "").Body.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	size := 50_000
	if *long {
		size = 1_000_000
	}
	long := strings.Repeat("é", size/2)
	sent, refused := 0, 0
	check := func(method, path, kind, body, what string) {
		w := ask(method, path, kind, body)
		sent++
		said := w.Body.String()
		switch {
		case w.Code >= http.StatusInternalServerError && w.Code != http.StatusServiceUnavailable:
			t.Errorf("%s: %d %.300s", what, w.Code, said)
		case w.Code >= 400:
			refused++
			if len(said) > mostError {
				t.Errorf("%s: %d with %d bytes: %.100s ... %s", what, w.Code, len(said), said, said[len(said)-100:])
			}
		case w.Code == http.StatusAccepted && len(said) > 2*mostError:
			t.Errorf("%s: a job of %d bytes: %.300s", what, len(said), said)
		}
	}
	for path, operations := range doc.Paths {
		for method, op := range operations {
			method = strings.ToUpper(method)
			known := strings.NewReplacer("{db}", "acme", "{ns}", "main", "{id}", "j1").Replace(path)
			schema := op.RequestBody.Content["application/json"].Schema
			kind, usual := "", ""
			if schema.Type != nil {
				kind, usual = "application/json", schema.usual("")
				if op.OperationID == "dropNamespace" {
					continue
				}
				schema.hostile(long, func(v string) { check(method, known, kind, v, op.OperationID+" "+v[:min(len(v), 60)]) })
			}
			for _, p := range op.Parameters {
				for _, v := range []string{url.QueryEscape(long), strings.Repeat("9", len(long))} {
					at := known + "?" + p.Name + "=" + v
					if p.In == "path" {
						at = strings.Replace(path, "{"+p.Name+"}", v, 1)
						at = strings.NewReplacer("{db}", "acme", "{ns}", "main", "{id}", "j1").Replace(at)
					}
					check(method, at, kind, usual, op.OperationID+" "+p.Name)
				}
			}
			check(method, known+"?"+url.QueryEscape(long)+"=1", kind, usual, op.OperationID+" with a long parameter")
			check(method, known, long, usual, op.OperationID+" with a long type")
			check(strings.Repeat("X", len(long)), known, kind, usual, op.OperationID+" with a long verb")
		}
	}
	for _, part := range []string{
		"--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"" + long + ".md\"\r\n\r\nA text.\r\n--b--",
		"--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"" + strings.Repeat("n", 100_000) + ".csv\"\r\n\r\n" + long + "\r\n--b--",
		"--b\r\nContent-Disposition: form-data; name=\"" + strings.Repeat("n", 5000) + "\"\r\n\r\nA text.\r\n--b--",
		"--b\r\n" + long + "\r\n--b--",
	} {
		check("POST", corpus+"/documents/upload?wait=true", "multipart/form-data; boundary=b", part, part[:80])
	}
	check("GET", "/"+long, "", "", "a long address")
	if sent < 300 || refused < sent/2 {
		t.Errorf("%d requests, of which %d were refused", sent, refused)
	}
	t.Logf("%d requests, of which %d were refused", sent, refused)
}
