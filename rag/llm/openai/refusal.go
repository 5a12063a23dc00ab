package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"math"
	"net/http"
	"strconv"
	"strings"
)

// refusal is what a server says in place of a reply.
type refusal struct {
	message string
	// code is its code, its type and the name of the parameter.
	code string
	// status is the HTTP status that it names, 0 if it names none.
	status int

	where string // the field that the next words are about
}

// Error says what the server says.
func (r *refusal) Error() string { return r.message }

// refusalOf returns what the body of an answer says that is no reply: an error object of
// any form, a page, or words.
func refusalOf(body []byte) *refusal {
	body = bytes.TrimSpace(bytes.TrimPrefix(body, []byte("\xef\xbb\xbf")))
	if r := errorIn(body); r != nil {
		return r
	}
	return &refusal{message: words(string(body[:min(len(body), maxDetail)]))}
}

// errorIn returns what an error object says, nil if it says nothing.
func errorIn(data []byte) *refusal {
	r := &refusal{}
	var v any
	if len(data) > maxErrorBody || json.Unmarshal(data, &v) != nil {
		return nil
	}
	r.read(v, maxNested)
	if r.message == "" && r.status == 0 {
		return nil
	}
	if r.message == "" {
		r.message = string(data[:min(len(data), maxDetail)])
	}
	if r.status == 0 {
		r.status = statusOf(strings.ToLower(r.code))
	}
	if r.status == 0 && strings.HasPrefix(r.message, "Unexpected endpoint or method") {
		r.status = http.StatusNotFound // of LM Studio, which has the status 200 for all
	}
	return r
}

// maxDetail bounds the words of a server that are looked at, in bytes.
const maxDetail = 4 << 10

// maxNested bounds how deep an error in an error is looked for, and maxListed how many
// of a list are told.
const (
	maxNested = 6
	maxListed = 3
)

// read looks for words and codes in an error.
func (r *refusal) read(v any, depth int) {
	if depth == 0 {
		return
	}
	switch v := v.(type) {
	case string:
		r.say(v, depth)
	case []any:
		for _, x := range v[:min(len(v), maxListed)] {
			r.read(x, depth-1)
		}
	case map[string]any:
		for _, name := range []string{"code", "type", "status", "param", "status_code", "statusCode", "http_status_code", "http_code", "error_code", "error_type"} {
			r.note(v[name])
		}
		if loc, ok := v["loc"].([]any); ok { // of FastAPI
			r.where = strings.Trim(fmt.Sprint(loc), "[]") + ": "
		}
		before := r.message
		for _, name := range []string{"error", "errors", "detail", "message", "msg", "error_msg", "error_message", "base_resp", "status_msg"} {
			if r.read(v[name], depth-1); r.message != before {
				break
			}
		}
		r.where = ""
		if more, ok := v["metadata"].(map[string]any); ok { // of OpenRouter: what the server behind it said
			r.read(more["raw"], depth-1)
		}
	}
}

// say adds words, which may be an error in JSON themselves.
func (r *refusal) say(s string, depth int) {
	var v any
	if s = strings.TrimSpace(s); strings.HasPrefix(s, "{") || strings.HasPrefix(s, "[") {
		if before := r.message; json.Unmarshal([]byte(s), &v) == nil {
			if r.read(v, depth-1); r.message != before {
				return
			}
		}
	}
	if s == "" {
		return
	}
	if s = r.where + s; strings.Contains(r.message, s) || len(r.message) > maxDetail {
		return
	}
	if r.message != "" {
		r.message += "; "
	}
	r.message += s[:min(len(s), maxDetail)]
}

// note keeps a code.
func (r *refusal) note(v any) {
	s := ""
	switch v := v.(type) {
	case string:
		s = v[:min(len(v), maxMessage)]
	case float64:
		s = strconv.FormatFloat(v, 'f', -1, 64)
	default:
		return
	}
	if n, err := strconv.ParseFloat(s, 64); err == nil && n >= 400 && n < 600 && r.status == 0 {
		r.status = int(math.Floor(n))
	}
	r.code = strings.TrimPrefix(r.code+" "+s, " ")
}

// statusOf returns the HTTP status that a code in small letters stands for, 0 for none.
func statusOf(code string) int {
	for _, c := range []struct {
		status int
		words  []string
	}{
		{429, []string{"rate_limit", "ratelimit", "resource_exhausted", "too_many_requests", "throttl", "quota"}},
		{402, []string{"insufficient_balance", "billing", "payment"}},
		{401, []string{"authentication", "unauthenticated", "unauthorized", "api_key", "apikey"}},
		{403, []string{"permission", "forbidden"}},
		{404, []string{"not_found", "notfound"}},
		{413, []string{"too_large"}},
		{400, []string{"context_length", "content_filter", "content_policy", "invalid_request", "invalid_argument", "failed_precondition", "bad_request", "badrequest", "validation"}},
		{504, []string{"timeout", "deadline_exceeded"}},
		{503, []string{"overloaded", "unavailable", "loading"}},
		{500, []string{"server_error", "internal", "api_error"}},
	} {
		if has(code, c.words...) {
			return c.status
		}
	}
	return 0
}

// noJSON says what a body is that is not JSON.
func noJSON(body []byte) error {
	if body = bytes.TrimSpace(body); len(body) == 0 {
		return errors.New("it is empty")
	}
	return errors.New("it is no JSON: " + words(string(body[:min(len(body), maxDetail)])))
}

// words returns a body that is no JSON, of a page its title.
func words(s string) string {
	if !strings.HasPrefix(s, "<") {
		return s
	}
	for _, tag := range []string{"title", "h1"} {
		lower := strings.ToLower(s)
		from := strings.Index(lower, "<"+tag)
		if len(lower) != len(s) || from < 0 {
			continue
		}
		from += strings.IndexByte(s[from:], '>') + 1
		if to := strings.Index(lower[from:], "<"); to > 0 {
			if title := strings.TrimSpace(html.UnescapeString(s[from : from+to])); title != "" {
				return "a web page, " + title
			}
		}
	}
	return "a web page"
}
