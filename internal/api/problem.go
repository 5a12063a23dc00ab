package api

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"github.com/ragdb/ragdb/internal/fault"
	"github.com/ragdb/ragdb/internal/service"
)

// Problem is an error as RFC 9457 has it.
type Problem struct {
	// Type names the kind of error: urn:ragdb:error: and its code.
	Type string `json:"type"`
	// Title is the status in words.
	Title  string `json:"title"`
	Status int    `json:"status"`
	// Detail says what is wrong.
	Detail string `json:"detail"`
	// Code is that of the command's errors.
	Code string `json:"code"`
	// Hint says what to do, if there is something to advise.
	Hint string `json:"hint,omitempty"`
	// At shows the place in a statement or a condition that cannot be read.
	At string `json:"at,omitempty"`
}

// problemType is the media type of problems.
const problemType = "application/problem+json"

// problemOf returns an error as a problem.
func problemOf(err error) *Problem {
	e := service.Explain(err)
	status := statusOf(e.Code)
	if errors.Is(err, errShape) {
		status = http.StatusBadRequest
	}
	if status == http.StatusInternalServerError {
		// Files and paths of the server are for its log.
		return &Problem{Type: "urn:ragdb:error:" + e.Code, Title: http.StatusText(status), Status: status, Detail: "the server cannot do it; its log says why", Code: e.Code}
	}
	return &Problem{Type: "urn:ragdb:error:" + e.Code, Title: http.StatusText(status), Status: status, Detail: e.Message, Code: e.Code, Hint: e.Hint, At: e.Detail}
}

// statusOf returns the status of an answer with an error of a code.
func statusOf(code string) int {
	switch code {
	case "unauthorized":
		return http.StatusUnauthorized
	case "budget":
		return http.StatusPaymentRequired
	case "forbidden", "read_only", "permission":
		return http.StatusForbidden
	case "not_found", "not_indexed", "no_documents", "no_evidence":
		return http.StatusNotFound
	case "method":
		return http.StatusMethodNotAllowed
	case "not_acceptable":
		return http.StatusNotAcceptable
	case "exists", "locked":
		return http.StatusConflict
	case "too_large":
		return http.StatusRequestEntityTooLarge
	case "media_type":
		return http.StatusUnsupportedMediaType
	case "host":
		return http.StatusMisdirectedRequest
	case "usage", "syntax", "model", "model_folder", "evaluation", "limit":
		return http.StatusUnprocessableEntity
	case "slow":
		return http.StatusRequestTimeout
	case "provider", "reply", "not_recorded":
		return http.StatusBadGateway
	case "busy", "closing", "interrupted", "unavailable":
		return http.StatusServiceUnavailable
	case "timeout":
		return http.StatusGatewayTimeout
	case "disk_full":
		return http.StatusInsufficientStorage
	}
	return http.StatusInternalServerError
}

// fail answers with an error. It says nothing to a client that has gone.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() != nil && errors.Is(err, context.Canceled) {
		record(r.Context()).gone()
		return
	}
	p := problemOf(err)
	record(r.Context()).failed(p, err)
	h := w.Header()
	h.Set("Content-Type", problemType)
	var body any = p
	if record(r.Context()).forOpenAI {
		h.Set("Content-Type", "application/json")
		body = p.forOpenAI()
	}
	b, err := service.Encode(body)
	if err != nil {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	h.Set("Cache-Control", "no-store")
	switch p.Status {
	case http.StatusUnauthorized:
		h.Set("WWW-Authenticate", `Bearer realm="ragdb"`)
	case http.StatusServiceUnavailable:
		h.Set("Retry-After", strconv.Itoa(retryAfter))
	}
	w.WriteHeader(p.Status)
	_, _ = w.Write(append(b, '\n')) // a client that does not read it is told nothing
}

// retryAfter is after how many seconds a client may try again.
const retryAfter = 1

// errShape says that a request has not the form that the document describes. One that has
// it and cannot be done, such as a statement that cannot be read, is another error.
var errShape = errors.New("the request has not the form that is described")

// refuse returns an error of this package. One of usage is about the request's form.
func refuse(code, hint, message string) error {
	e := &service.Error{Code: code, Message: fault.Bound(message), Hint: hint}
	if code == "usage" {
		e.Err = errShape
	}
	return e
}
