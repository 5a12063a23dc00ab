package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestUnicodeWhere filters by metadata of odd characters on the command line: an
// ask finds the document that has them and no other, and a value that only looks
// alike finds none.
func TestUnicodeWhere(t *testing.T) {
	dir := t.TempDir()
	values := []string{
		"\u02bb", "\u202e\u202d", "a\u200db", "\u0130", "e\u0301", "\U0001f468\u200d\U0001f469", "\U0010ffff",
		`say "so"`, `back\slash`, "a = 'b' OR key = 'c'", "x\u0000y",
	}
	var lines bytes.Buffer
	enc := json.NewEncoder(&lines)
	for i, v := range values {
		if err := enc.Encode(map[string]string{"id": fmt.Sprint("d", i), "text": fmt.Sprintf("Keeper number %d trimmed the lamp.", i), "team": v}); err != nil {
			t.Fatal(err)
		}
	}
	file, db := filepath.Join(dir, "keepers.jsonl"), filepath.Join(dir, "a.ragdb")
	if err := os.WriteFile(file, lines.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	ragdb := func(args ...string) (code int, out string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "ragdb", args...)
		cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+dir, "RAGDB_DB=")
		b, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		return cmd.ProcessState.ExitCode(), string(b)
	}
	if code, out := ragdb("index", db, file, "--method", "bm25"); code != 0 {
		t.Fatalf("index: exit %d: %s", code, out)
	}
	const question = "Who trimmed the lamp?"
	for i, v := range values {
		quoted, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		code, out := ragdb("ask", db, question, "--method", "bm25", "--no-llm", "--json", "--where", "team = "+string(quoted))
		found := strings.Count(out, "Keeper number")
		if code != 0 || found == 0 || found != strings.Count(out, fmt.Sprintf("Keeper number %d trimmed", i)) {
			t.Errorf("team %+q: exit %d, %s", v, code, out)
		}
	}
	if code, out := ragdb("ask", db, question, "--method", "bm25", "--no-llm", "--json", "--where", `team = "\u02bc" OR team = "i"`); code != 0 || strings.Contains(out, "Keeper number") {
		t.Errorf("values that are nobody's: exit %d, %s", code, out)
	}
}
