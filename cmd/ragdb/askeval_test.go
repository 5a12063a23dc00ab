package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/ragdb/ragdb/internal/llmtest"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/methods"
)

// TestAskDoesWhatEvalDoes answers a question by every method with eval, which
// keeps what a model replied, and then with ask: it must send nothing, because
// all of its prompts, with the evidence in them, were sent by eval, and give the
// answer that eval got.
func TestAskDoesWhatEvalDoes(t *testing.T) {
	dir := t.TempDir()
	data := filepath.Join(dir, "qa")
	if err := os.Mkdir(data, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"corpus.jsonl": `{"id":"a","title":"Depot","text":"Acme opened Depot Ash in 1950. Keeper Vale repairs Model A there."}
{"id":"b","title":"Vale","text":"Keeper Vale was born in Port Elm. Acme made Keeper Vale the head of Depot Ash."}
{"id":"c","title":"Elm","text":"Port Elm lies by the sea. Acme built a harbour in Port Elm in 1961."}
`,
		"questions.jsonl": `{"id":"q","question":"When did Acme open Depot Ash?","answers":["1950"],"supporting":["a"]}`,
	} {
		if err := os.WriteFile(filepath.Join(data, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var mu sync.Mutex
	said := map[string]bool{} // the answers that the server gave
	style := ""
	server, err := llmtest.Listen("127.0.0.1:0", llmtest.Options{Answer: func(c llmtest.Chat) (string, bool) {
		// A question without evidence asks what the model knows.
		if c.Kind != llm.Answer && !strings.HasPrefix(c.Text, "When did Acme") || c.Kind.JSON() {
			return "", false
		}
		answer := fmt.Sprintf("It is the year %x.", sha256.Sum256([]byte(fmt.Sprint(c.Messages))))
		mu.Lock()
		defer mu.Unlock()
		said[answer] = true
		if last := c.Messages[len(c.Messages)-1].Content; strings.Contains(last, "in several paragraphs") != (style == "paragraphs") {
			t.Errorf("style %q: %s", style, last)
		}
		return answer, true
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	db := filepath.Join(dir, "a.ragdb")
	ragdb := func(args ...string) []byte {
		t.Helper()
		var out, errs bytes.Buffer
		env := []string{"HOME=" + dir, "OPENAI_BASE_URL=" + server.URL}
		if code := run(args, env, nil, &out, &errs); code != 0 {
			t.Fatalf("ragdb %q: exit %d: %s%s", args, code, &out, &errs)
		}
		return out.Bytes()
	}
	names := methods.All().Names()
	// No style is the default; its replies are asked for before the others.
	for _, style = range []string{"", "paragraphs"} {
		clear(said)
		given := []string{}
		if style != "" {
			given = append(given, "--style", style)
		}
		ragdb(append([]string{"eval", "--data", data, "--methods", strings.Join(names, ","), "--extract", "model", "--model", "m",
			"--answers", "--own-prompts", "--db", db, "--json"}, given...)...)
		if len(said) < 8 {
			t.Fatalf("the model was asked for %d different answers", len(said))
		}
		for _, name := range names {
			before := server.Counters().Requests
			var got struct {
				Answer   string
				Answered bool
			}
			args := append([]string{"ask", db, "When did Acme open Depot Ash?", "--method", name, "--model", "m", "--json"}, given...)
			if err := json.Unmarshal(ragdb(args...), &got); err != nil {
				t.Fatal(err)
			}
			if n := server.Counters().Requests - before; n != 0 {
				t.Errorf("%s, style %q: ask sends %d requests that eval did not send", name, style, n)
			}
			if !got.Answered || !said[got.Answer] {
				t.Errorf("%s, style %q: ask answers %q, %v, which eval was not told", name, style, got.Answer, got.Answered)
			}
		}
	}
}
