package openai

import (
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"github.com/ragdb/ragdb/rag/llm"
)

// ProviderError is what a server, or the way to it, answered instead of a
// reply. It is an [llm.ErrProvider]; if Refused is set, an [llm.ErrRefused].
type ProviderError struct {
	// Status is the HTTP status, or the one that an error names which came with the
	// HTTP status 200; 0 if there was no answer.
	Status int
	// Host is the server, with its port if it has one.
	Host  string
	Model string
	// Message says what happened, in one line, without the key.
	Message string
	// Retryable says that it may work at another time.
	Retryable bool
	// Refused says that the server refuses this request for what it holds, and
	// may take another.
	Refused bool

	in200 bool // Status is not that of HTTP
}

// Error says what happened, in one sentence.
func (e *ProviderError) Error() string {
	status := ""
	switch {
	case e.in200:
		status = fmt.Sprintf(" (status %d in an answer with HTTP 200)", e.Status)
	case e.Status != 0:
		status = fmt.Sprintf(" (HTTP %d)", e.Status)
	}
	return fmt.Sprintf("model %s at %s: %s%s", e.Model, e.Host, e.Message, status)
}

// Is reports whether target is [llm.ErrProvider] or [llm.ErrRefused].
func (e *ProviderError) Is(target error) bool {
	if e.Refused {
		return target == llm.ErrRefused
	}
	return target == llm.ErrProvider
}

// Temporary returns Retryable.
func (e *ProviderError) Temporary() bool { return e.Retryable }

// action is what to do about a failed request.
type action int

const (
	tryAgain action = iota
	deny            // the key, the model or the address is wrong: it counts towards the end of all calls
	stop            // no call will succeed
	refuse          // this request will not succeed
	giveUp          // nor will this one, and it is not its fault
)

// failure is a failed request.
type failure struct {
	*ProviderError
	action action
	// detail is what the server said, in small letters, with its code and the
	// name of the parameter.
	detail string
}

// classify says what a failed request means. proven says that a call has
// succeeded before.
func (c *client) classify(err error, x *exchange, proven bool) *failure {
	f := &failure{ProviderError: &ProviderError{Status: x.status, Host: c.host, Model: c.model}}
	var said *refusal
	message := ""
	if errors.As(err, &said) {
		f.detail = strings.ToLower(said.code + " " + said.message)
		message = c.oneLine(said.message)
		if f.in200 = x.answered() && said.status != 0; f.in200 {
			f.Status = said.status
		}
	}
	switch s := f.Status; {
	case s == 0, errors.Is(err, errTimeout):
		f.Message = c.unreachable(err, x)
		if unreachable(err) && !proven {
			f.action = stop
		}
	case s < 300 && said != nil:
		f.Message = "the server gives an error in place of a reply: " + message
	case s < 300:
		f.Message = "the reply broke off or is of no use: " + c.oneLine(err.Error())
	case s < 400:
		f.action, f.Message = stop, "the server redirects to another address, which is not followed"
	case s == http.StatusTooManyRequests && has(f.detail, "insufficient_quota", "exceeded your current quota", "billing"):
		f.action, f.Message = stop, "the account has no quota left: "+message
	case s == http.StatusTooManyRequests:
		f.Message = "too many requests: " + message
	case s == http.StatusForbidden && has(f.detail, "moderation", "flagged", "content_policy", "content policy"):
		f.action, f.Message = refuse, "the text is refused: "+message
	case s == http.StatusUnauthorized, s == http.StatusForbidden, s == http.StatusBadRequest && has(f.detail, "no_db_connection"):
		// LiteLLM looks up in its database every key but one, and may have none.
		f.action, f.Message = deny, "the key is refused: "+message
	case s == http.StatusPaymentRequired:
		f.action, f.Message = stop, "the account cannot pay: "+message
	case s == http.StatusNotFound, s == http.StatusMethodNotAllowed, s == http.StatusBadRequest && has(f.detail, "invalid model name", "model_not_found"):
		f.action, f.Message = deny, "there is no such model or address; does the base URL end in /v1?: "+message
	case s == http.StatusBadRequest, s == http.StatusRequestEntityTooLarge, s == http.StatusUnprocessableEntity:
		f.action, f.Message = refuse, "the request is refused: "+message
	case s == http.StatusRequestTimeout, s == http.StatusConflict, s == http.StatusTooEarly, s >= 500 && s != http.StatusNotImplemented:
		f.Message = "the server fails: " + message
	default:
		f.action, f.Message = giveUp, "the server does not answer as expected: "+message
	}
	f.Message = strings.TrimSuffix(strings.TrimSpace(f.Message), ":")
	f.Retryable = f.action == tryAgain
	f.Refused = f.action == refuse
	return f
}

func has(s string, words ...string) bool {
	for _, w := range words {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

// maxMessage bounds what is shown of a server's message, in bytes.
const maxMessage = 200

// oneLine returns a server's words as one short line without the key.
func (c *client) oneLine(s string) string {
	s = c.redact(s)
	s = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(s, "?"), func(r rune) bool { return r <= ' ' || r == 0x7f }), " ")
	if len(s) > maxMessage {
		s = strings.ToValidUTF8(s[:maxMessage], "") + "..."
	}
	return s
}

// redactor returns a function that takes a key, and what looks like one, out of
// a text.
func redactor(key string) func(string) string {
	like := regexp.MustCompile(`\b(sk|pk|key|gsk|hf|xai)[-_][A-Za-z0-9_*.\-]{8,}|(?i:bearer)\s+[^\s"']+`)
	return func(s string) string {
		if key != "" {
			s = strings.ReplaceAll(s, key, "[key]")
		}
		return like.ReplaceAllString(s, "[key]")
	}
}

// VectorError is a vector that cannot be used, with the text that it is of. It
// is an [llm.ErrReply].
type VectorError struct {
	// Text is the position of the text in the call of Embed, from 0.
	Text int
	Why  string
}

// Error says what was wrong.
func (e *VectorError) Error() string {
	return fmt.Sprintf("vector of text %d: %s: %s", e.Text, llm.ErrReply, e.Why)
}

// Is reports whether target is [llm.ErrReply].
func (e *VectorError) Is(target error) bool { return target == llm.ErrReply }
