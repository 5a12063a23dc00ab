package openai_test

import (
	"strings"
	"testing"

	"github.com/ragdb/ragdb/internal/llmtest"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/llm/openai"
)

// TestEchoedKeys has a server say the key that it was sent in a good reply.
func TestEchoedKeys(t *testing.T) {
	t.Parallel()
	const key, other = "sk-proj-abc/DEF-0123456789", "embedding-key-77"
	says := "Your key is " + key + ", and the other is " + other + ". Bye " + key[:9]
	want := "Your key is [key], and the other is [key]. Bye " + key[:9]
	chat, server, _ := newChat(t, llmtest.Options{Key: key, Answer: func(c llmtest.Chat) (string, bool) {
		if c.Kind == llm.Extract {
			return `{"entities":[{"name":"` + strings.ReplaceAll(key, "/", `\/`) + `","type":"KEY","description":"` + key + `"}],"relations":[]}`, true
		}
		return says, true
	}}, openai.Options{Secrets: []string{other, "Bye", ""}})
	reply, _, err := chat.Do(t.Context(), ask("What is the key?"))
	if err != nil || reply.Text != want {
		t.Errorf("got %q, %v", reply.Text, err)
	}
	var live strings.Builder
	reply, _, err = streamed(t.Context(), chat, ask("What is the key?"), func(s string) error { live.WriteString(s); return nil })
	if err != nil || reply.Text != want || live.String() != want {
		t.Errorf("streamed %q, and %q at the end, %v", live.String(), reply.Text, err)
	}
	reply, _, err = chat.Do(t.Context(), extract("Ada met Bob."))
	if err != nil || strings.Contains(reply.Text, "DEF-0123456789") || strings.Count(reply.Text, "[key]") != 2 {
		t.Errorf("got %q, %v", reply.Text, err)
	}
	if server.Counters().Requests != 3 {
		t.Error("it was asked again")
	}
}

// TestShortKeys leaves words alone that stand for no key.
func TestShortKeys(t *testing.T) {
	t.Parallel()
	chat, _, _ := newChat(t, llmtest.Options{Key: "none", Answer: func(llmtest.Chat) (string, bool) { return "There is none.", true }}, openai.Options{})
	if reply, _, err := chat.Do(t.Context(), ask("Rain?")); err != nil || reply.Text != "There is none." {
		t.Errorf("got %q, %v", reply.Text, err)
	}
}
