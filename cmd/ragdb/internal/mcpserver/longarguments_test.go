package mcpserver

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// TestLongArguments gives each argument of each tool 200,000 bytes, in all forms of JSON:
// an error repeats little of them.
func TestLongArguments(t *testing.T) {
	t.Parallel()
	cs := connect(t, Options{Databases: dbs(open(t, map[string]string{"a.md": "The lamp of Brae is green."})), QueryTime: 5 * time.Second}, caller{ns: "main", write: true})
	tools, err := cs.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("é", 100_000)
	sent, refused := 0, 0
	check := func(tool string, args m) {
		text, js, failed := call(t, cs, tool, args)
		sent++
		if !failed {
			return
		}
		refused++
		b, err := json.Marshal(js)
		if err != nil || len(text) > 2048 || len(b) > 2048 {
			t.Errorf("%s: an error of %d and %d bytes: %.200s", tool, len(text), len(b), text)
		}
	}
	for _, tool := range tools.Tools {
		schema := tool.InputSchema.(m)
		usual := m{}
		for _, name := range schema["required"].([]any) {
			usual[name.(string)] = map[string]any{"id": "a.md", "ids": []any{"a.md"}, "statement": "RETURN 1", "text": "The lamp.", "question": "Which lamp?"}[name.(string)]
		}
		names := []string{long}
		for name := range schema["properties"].(m) {
			names = append(names, name)
		}
		for _, name := range names {
			for _, v := range []any{long, json.Number(strings.Repeat("9", len(long))), []any{long}, m{long: long}, m{"x": json.Number("-" + strings.Repeat("9", len(long)))}} {
				args := m{name: v}
				for k, u := range usual {
					if k != name {
						args[k] = u
					}
				}
				if tool.Name == "add" && name != "id" {
					args["id"] = "a.pdf" // otherwise a long text is a document
				}
				check(tool.Name, args)
			}
		}
	}
	check(long[:1000], m{})
	if refused < sent/2 {
		t.Errorf("%d calls, of which %d were refused", sent, refused)
	}
}
