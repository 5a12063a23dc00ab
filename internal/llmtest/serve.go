package llmtest

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// wireRequest are the parts of a request that the server reads.
type wireRequest struct {
	Model    string `json:"model"`
	Messages []struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	} `json:"messages"`
	Stream         bool `json:"stream"`
	ResponseFormat *struct {
		Type       string   `json:"type"`
		JSONSchema schemaOf `json:"json_schema"`
	} `json:"response_format"`
	StreamOptions       *json.RawMessage `json:"stream_options"`
	MaxTokens           *json.RawMessage `json:"max_tokens"`
	MaxCompletionTokens *json.RawMessage `json:"max_completion_tokens"`
	Temperature         *json.RawMessage `json:"temperature"`
	Input               json.RawMessage  `json:"input"`
	Dimensions          int              `json:"dimensions"`
}

// texts returns the texts to embed.
func (r *wireRequest) texts() []string {
	var list []string
	var one string
	if json.Unmarshal(r.Input, &list) != nil && json.Unmarshal(r.Input, &one) == nil {
		list = []string{one}
	}
	return list
}

// parameter returns the first parameter of a request that is refused.
func (s *Server) parameter(r *wireRequest) string {
	if f := r.ResponseFormat; f != nil && slices.Contains(s.o.RefuseFormats, f.Type) {
		return "response_format"
	}
	for name, v := range map[string]*json.RawMessage{"stream_options": r.StreamOptions, "max_tokens": r.MaxTokens,
		"max_completion_tokens": r.MaxCompletionTokens, "temperature": r.Temperature} {
		if v != nil && slices.Contains(s.o.RefuseParameters, name) {
			return name
		}
	}
	return ""
}

func (s *Server) serveModels(w http.ResponseWriter, r *http.Request) {
	if s.o.Key != "" && r.Header.Get("Authorization") != "Bearer "+s.o.Key {
		fail(w, http.StatusUnauthorized, "invalid_api_key", "Incorrect API key provided")
		return
	}
	models := s.o.Models
	if models == nil {
		models = []string{"test"}
	}
	var data []map[string]any
	for _, m := range models {
		o := map[string]any{"id": m, "object": "model"}
		if s.o.ContextLength > 0 {
			o["max_model_len"] = s.o.ContextLength
		}
		data = append(data, o)
	}
	b, _ := json.Marshal(map[string]any{"object": "list", "data": data})
	write(w, http.StatusOK, b)
}

// serve answers a request and reports whether all of the answer was written.
func (s *Server) serve(w http.ResponseWriter, r *http.Request, c *call, f *Fault) bool {
	auth := r.Header.Get("Authorization")
	switch {
	case c.on == "" || r.Method != http.MethodPost:
		return fail(w, http.StatusNotFound, "", "no such path")
	case c.malformed != nil:
		return fail(w, http.StatusBadRequest, "", "malformed: "+c.malformed.Error())
	case s.o.Key != "" && auth != "Bearer "+s.o.Key:
		return fail(w, http.StatusUnauthorized, "invalid_api_key", "Incorrect API key provided: "+strings.TrimPrefix(auth, "Bearer "))
	case s.o.Models != nil && !slices.Contains(s.o.Models, c.request.Model):
		return fail(w, http.StatusNotFound, "model_not_found", fmt.Sprintf("The model %q does not exist", c.request.Model))
	}
	if f != nil {
		if done, whole := s.failEarly(w, r, f, c.Stream); done {
			return whole
		}
	} else {
		f = &Fault{}
	}
	if c.on == "embeddings" {
		return s.serveEmbeddings(w, c, f.Failure)
	}
	if p := s.parameter(&c.request); p != "" {
		return fail(w, http.StatusBadRequest, "unsupported_parameter", "Unsupported parameter: '"+p+"'")
	}
	return s.serveChat(w, r, c, f)
}

// failEarly answers by a failure that concerns the whole request.
func (s *Server) failEarly(w http.ResponseWriter, r *http.Request, f *Fault, stream bool) (done, whole bool) {
	if f.RetryAfter > 0 {
		v := strconv.Itoa(int(math.Ceil(f.RetryAfter.Seconds())))
		if f.Date {
			v = time.Now().Add(f.RetryAfter).UTC().Format(http.TimeFormat)
		}
		w.Header().Set("Retry-After", v)
	}
	switch f.Failure {
	case TooMany:
		return true, fail(w, 429, "rate_limit_exceeded", "Rate limit reached")
	case NoQuota:
		return true, fail(w, 429, "insufficient_quota", "You exceeded your current quota")
	case ServerError:
		return true, fail(w, 500, "", "The server had an error")
	case Unavailable:
		return true, fail(w, 503, "", "The model is loading")
	case Unauthorized:
		key := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		return true, fail(w, 401, "invalid_api_key", "Incorrect API key provided: "+key+" instead of sk-other-0123456789")
	case Forbidden:
		return true, fail(w, 403, "", "Not allowed")
	case NotFound:
		return true, fail(w, 404, "model_not_found", "The model does not exist")
	case Refused:
		return true, fail(w, 400, "context_length_exceeded", "This model's maximum context length is exceeded")
	case Invalid:
		return true, fail(w, 400, "invalid_value", "The request is not valid")
	case NotJSON:
		w.WriteHeader(http.StatusOK)
		fmt.Fprint(w, "<html>Welcome to the proxy</html>")
		return true, true
	case Redirect:
		http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
		return true, true
	case Hangup:
		panic(http.ErrAbortHandler)
	case Stall:
		if !stream {
			s.hang(r)
		}
	case Slow:
		if !stream && !s.wait(r.Context(), f.delay()) {
			panic(http.ErrAbortHandler)
		}
	case LimitHeaders:
		w.Header().Set("X-Ratelimit-Limit-Requests", "60")
		w.Header().Set("X-Ratelimit-Remaining-Requests", "0")
		w.Header().Set("X-Ratelimit-Reset-Requests", "3s")
	}
	return false, false
}

// hang waits until the client goes or the server ends, and cuts the connection.
func (s *Server) hang(r *http.Request) {
	select {
	case <-r.Context().Done():
	case <-s.over:
	}
	panic(http.ErrAbortHandler)
}

func (s *Server) usage(in, out int) map[string]int {
	return map[string]int{"prompt_tokens": in, "completion_tokens": out, "total_tokens": in + out}
}

// tokens counts tokens as the server's usage does: words.
func tokens(s string) int { return len(strings.Fields(s)) }

func (s *Server) serveChat(w http.ResponseWriter, r *http.Request, c *call, fault *Fault) bool {
	f := fault.Failure
	text := spoil(f, s.answer(c.chat))
	var heat float64
	if raw := c.request.Temperature; raw != nil && json.Unmarshal(*raw, &heat) == nil && heat > 0 && heat < tooCold {
		text = "of the and by it to as"
	}
	in := 0
	for _, m := range c.request.Messages {
		in += tokens(m.Content)
	}
	if most := s.o.MaxWords; most > 0 && in > most {
		return fail(w, http.StatusBadRequest, "context_length_exceeded",
			fmt.Sprintf("This model's maximum context length is %d tokens. However, your messages resulted in %d tokens.", most, in))
	}
	if c.request.Stream {
		return s.serveStream(w, r, c, fault, text, in)
	}
	choices := []any{map[string]any{"index": 0, "message": map[string]any{"role": "assistant", "content": text}, "finish_reason": ending(f)}}
	if f == NoChoice {
		choices = []any{}
	}
	o := map[string]any{"id": "c" + strconv.Itoa(c.N), "object": "chat.completion", "model": c.request.Model, "choices": choices}
	if !s.o.NoUsage {
		o["usage"] = s.usage(in, tokens(text))
	}
	b, _ := json.Marshal(o)
	return writeOrCut(w, f, b)
}

// tooCold is a temperature under which a server that divides by it gets no number, and
// draws words at random, as llama.cpp does.
const tooCold = 1e-37

// writeOrCut writes an answer, or half of it if the failure is [Cut].
func writeOrCut(w http.ResponseWriter, f Failure, b []byte) bool {
	if f != Cut {
		return write(w, http.StatusOK, b)
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(b)))
	w.WriteHeader(http.StatusOK)
	w.Write(b[:len(b)/2])
	http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}

// serveStream answers by events, one for each word.
func (s *Server) serveStream(w http.ResponseWriter, r *http.Request, c *call, fault *Fault, text string, in int) bool {
	f := fault.Failure
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	flush := http.NewResponseController(w).Flush
	event := func(o map[string]any) error {
		o["id"], o["object"], o["model"] = "c"+strconv.Itoa(c.N), "chat.completion.chunk", c.request.Model
		b, _ := json.Marshal(o)
		if _, err := fmt.Fprintf(w, "data: %s\n\n", b); err != nil {
			return err
		}
		return flush()
	}
	pieces := strings.SplitAfter(text, " ")
	for i, p := range pieces {
		if f == Slow && !s.wait(r.Context(), fault.delay()) {
			return false
		}
		if i == len(pieces)/2 && f == Stall {
			s.hang(r)
		}
		if i == len(pieces)/2 && f == Short {
			return true
		}
		if i == len(pieces)/2 && f == Cut {
			panic(http.ErrAbortHandler)
		}
		if event(map[string]any{"choices": []any{map[string]any{"index": 0, "delta": map[string]any{"content": p}}}}) != nil {
			return false
		}
	}
	if event(map[string]any{"choices": []any{map[string]any{"index": 0, "delta": map[string]any{}, "finish_reason": ending(f)}}}) != nil {
		return false
	}
	if !s.o.NoUsage && c.request.StreamOptions != nil {
		if event(map[string]any{"choices": []any{}, "usage": s.usage(in, tokens(text))}) != nil {
			return false
		}
	}
	s.finish(c)
	if _, err := fmt.Fprint(w, "data: [DONE]\n\n"); err != nil {
		return false
	}
	return flush() == nil
}

// ending is why a model stopped.
func ending(f Failure) string {
	if f == AtLimit {
		return "length"
	}
	return "stop"
}

// spoil turns a model's text into what a failure makes of it.
func spoil(f Failure, text string) string {
	switch f {
	case BadJSON:
		return strings.TrimSuffix(text, "}") + `, "more": nil}`
	case AtLimit:
		return strings.ToValidUTF8(text[:len(text)/2], "")
	case Prose:
		return "Certainly! Here it is:\n```json\n" + text + "\n```\nAsk me for {more}."
	case Empty:
		return ""
	case Think:
		return "<think>The user wants {something}. [1]</think>\n" + text
	case OnlyThink:
		return "<think>" + text
	}
	return text
}

func (s *Server) serveEmbeddings(w http.ResponseWriter, c *call, f Failure) bool {
	if s.o.MaxTexts > 0 && len(c.texts) > s.o.MaxTexts {
		return fail(w, http.StatusRequestEntityTooLarge, "", fmt.Sprintf("batch size %d > maximum allowed batch size %d", len(c.texts), s.o.MaxTexts))
	}
	dim := s.o.Dim
	if c.request.Dimensions > 0 {
		dim = c.request.Dimensions
	}
	b := []byte(`{"object":"list","model":"` + c.request.Model + `","data":[`)
	bad := len(c.texts) / 2
	in, first := 0, true
	for k := range c.texts {
		i := k
		if f == Shuffled {
			i = len(c.texts) - 1 - k
		}
		in += tokens(c.texts[i])
		if f == NoChoice || f == NoVector && i == bad {
			continue
		}
		if !first {
			b = append(b, ',')
		}
		first = false
		b = append(b, `{"object":"embedding",`...)
		if f != NoIndex {
			b = append(strconv.AppendInt(append(b, `"index":`...), int64(i), 10), ',')
		}
		b = append(b, `"embedding":[`...)
		v := Vector(c.texts[i], dim)
		if f == WrongDim && i == bad {
			v = append(v, 1)
		}
		for j, x := range v {
			if j > 0 {
				b = append(b, ',')
			}
			switch {
			case f == ZeroVector && i == bad:
				b = append(b, '0')
			case f == NaNVector && i == bad && j == 0:
				b = append(b, "NaN"...)
			default:
				b = strconv.AppendFloat(b, float64(x), 'g', -1, 32)
			}
		}
		b = append(b, "]}"...)
	}
	b = append(b, ']')
	if !s.o.NoUsage {
		b = fmt.Appendf(b, `,"usage":{"prompt_tokens":%d,"total_tokens":%d}`, in, in)
	}
	return writeOrCut(w, f, append(b, '}'))
}
