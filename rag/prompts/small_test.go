package prompts_test

import (
	"bytes"
	"encoding/json"
	"testing"
	"testing/fstest"

	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/prompts"
)

// TestSmall: the prompts for small models are shorter, every text and list of their
// schemas ends, and what they write out is read again as an equal set.
func TestSmall(t *testing.T) {
	small, err := prompts.Small()
	if err != nil {
		t.Fatal(err)
	}
	usual := defaults(t)
	own := 0
	for _, task := range cases() {
		a, b := fill(t, small, task), fill(t, usual, task)
		if small.HashOf(promptOf(task)) == usual.HashOf(promptOf(task)) {
			continue
		}
		own++
		if x, y := length(a.Prompt), length(b.Prompt); x >= y {
			t.Errorf("%s: %d bytes, the usual prompt has %d", task.Kind, x, y)
		}
		if a.MaxTokens > b.MaxTokens {
			t.Errorf("%s: %d tokens, usually %d", task.Kind, a.MaxTokens, b.MaxTokens)
		}
		if a.Schema == nil {
			continue
		}
		var schema any
		if err := json.Unmarshal(a.Schema, &schema); err != nil {
			t.Fatal(err)
		}
		bounded(t, task.Kind, schema)
	}
	if own < 6 || small.Hash() == usual.Hash() {
		t.Errorf("%d tasks have prompts of their own", own)
	}
	for _, k := range []llm.Kind{llm.Extract, llm.CommunityReport, llm.SummaryEntities} {
		_, a := small.File(k)
		_, b := usual.File(k)
		if bytes.Equal(a, b) {
			t.Errorf("%s has the usual schema", k)
		}
	}
	list := fstest.MapFS{}
	for name, b := range small.Files() {
		list[name] = &fstest.MapFile{Data: b}
	}
	if again, err := prompts.Load(list); err != nil || again.Hash() != small.Hash() {
		t.Errorf("what was written out is read as another set: %v", err)
	}
}

func length(list []llm.Message) (n int) {
	for _, m := range list {
		n += len(m.Content)
	}
	return n
}

// bounded checks that a schema bounds each list and text.
func bounded(t *testing.T, k llm.Kind, schema any) {
	t.Helper()
	m, ok := schema.(map[string]any)
	if !ok {
		return
	}
	for typ, bound := range map[string]string{"string": "maxLength", "array": "maxItems"} {
		if m["type"] == typ && m[bound] == nil {
			t.Errorf("%s: a %s without %s", k, typ, bound)
		}
	}
	for _, v := range m {
		if sub, ok := v.(map[string]any); ok {
			bounded(t, k, sub)
			for _, x := range sub {
				bounded(t, k, x)
			}
		}
	}
}
