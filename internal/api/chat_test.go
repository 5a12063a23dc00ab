package api_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/internal/api"
)

func TestModels(t *testing.T) {
	srv := newServer(t, api.Options{})
	_, body := request(t, srv, "GET", "/v1/models", "")
	for _, id := range []string{"main/bridge", "other/bridge", "main/bm25"} {
		if !strings.Contains(body, `"id":"`+id+`"`) {
			t.Errorf("models lack %s: %s", id, body)
		}
	}
	var one, many struct {
		Choices []struct {
			Message struct {
				Content     string
				Annotations []struct {
					Citation struct {
						URL        string
						StartIndex int `json:"start_index"`
						EndIndex   int `json:"end_index"`
					} `json:"url_citation"`
				}
			}
			Delta        struct{ Content string }
			FinishReason *string `json:"finish_reason"`
		}
		Usage struct {
			Prompt int `json:"prompt_tokens"`
			Total  int `json:"total_tokens"`
		}
	}
	_, body = request(t, srv, "POST", "/v1/chat/completions", `{"model":"main/bridge","temperature":0.5,"messages":[{"role":"system","content":"Be kind."},{"role":"user","content":"Who made the lamp of Brae?"}]}`)
	if err := json.Unmarshal([]byte(body), &one); err != nil || len(one.Choices) != 1 {
		t.Fatal(err, body)
	}
	m := one.Choices[0].Message
	if !strings.Contains(m.Content, "Ada Kestrel") || !strings.HasSuffix(m.Content, "\n\n---\nSources:\n[1] lamp.md §The lamp") && !strings.HasSuffix(m.Content, "\n\n---\nSources:\n[1] lamp.md") {
		t.Errorf("content %q", m.Content)
	}
	if len(m.Annotations) == 0 || string([]rune(m.Content)[m.Annotations[0].Citation.StartIndex:m.Annotations[0].Citation.EndIndex]) != "[1]" ||
		!strings.Contains(m.Annotations[0].Citation.URL, "/#/acme/main/document?from=0&id=lamp.md&to=") {
		t.Errorf("annotations %+v", m.Annotations)
	}
	if one.Usage.Prompt == 0 || one.Usage.Total <= one.Usage.Prompt {
		t.Errorf("usage %+v", one.Usage)
	}
	// The question of a conversation is made whole, and what is streamed is the same.
	talk := `{"model":"main","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"What colour is the lamp of Brae?"},
		{"role":"assistant","content":"Green. [1]\n\n---\nSources:\n[1] lamp.md"},{"role":"user","content":[{"type":"text","text":"Who made it?"}]}]}`
	_, body = request(t, srv, "POST", "/v1/chat/completions", talk)
	var content string
	lines := strings.Split(strings.TrimSpace(body), "\n\n")
	for _, l := range lines {
		if l == "data: [DONE]" {
			continue
		}
		many.Choices = nil
		if err := json.Unmarshal([]byte(strings.TrimPrefix(l, "data: ")), &many); err != nil {
			t.Fatal(err, l)
		}
		for _, ch := range many.Choices {
			content += ch.Delta.Content
		}
	}
	if !strings.Contains(content, "Ada Kestrel") || !strings.Contains(content, "Sources:\n[1]") || lines[len(lines)-1] != "data: [DONE]" || many.Usage.Total == 0 {
		t.Errorf("stream: %s", body)
	}
	for _, tt := range []struct {
		path, body string
		status     int
	}{
		{"/v1/chat/completions", `{"model":"none/bridge","messages":[{"role":"user","content":"x"}]}`, 404},
		{"/v1/chat/completions", `{"model":"main/magic","messages":[{"role":"user","content":"x"}]}`, 404},
		{"/v1/chat/completions", `{"model":"main","messages":[{"role":"assistant","content":"x"}]}`, 422},
		{"/v1/chat/completions", `{"model":"main","messages":[]}`, 400},
		{"/v1/embeddings", `{"model":"main","input":[1,2]}`, 422},
	} {
		status, body := request(t, srv, "POST", tt.path, tt.body)
		if status != tt.status || !strings.HasPrefix(body, `{"error":{"message":"`) {
			t.Errorf("%s: %d %s, want %d", tt.body, status, body, tt.status)
		}
	}
	_, unknown := request(t, srv, "POST", "/v1/chat/completions", `{"model":"gpt-4o-mini","messages":[{"role":"user","content":"x"}]}`)
	if !strings.Contains(unknown, `there is no model \"gpt-4o-mini\"; there are main/bridge, main/`) || !strings.Contains(unknown, "other/bridge") {
		t.Errorf("an unknown model: %s", unknown)
	}
	if status, body := request(t, srv, "POST", "/v1/responses", `{}`); status != 404 || !strings.HasPrefix(body, `{"error":{"message":"`) {
		t.Errorf("responses: %d %s", status, body)
	}
	_, floats := request(t, srv, "POST", "/v1/embeddings", `{"model":"main/bridge","input":["lamp","mast"]}`)
	_, packed := request(t, srv, "POST", "/v1/embeddings", `{"model":"main","input":"lamp","encoding_format":"base64"}`)
	if !strings.Contains(floats, `"index":1,"embedding":[`) || !strings.Contains(packed, `"embedding":"`) {
		t.Errorf("embeddings: %.200s %.200s", floats, packed)
	}
}
