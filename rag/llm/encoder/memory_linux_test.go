package encoder_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/rag/llm/encoder"
)

// TestMemory says what a process with MiniLM takes, in float32 and in 8 bits, after
// it has embedded some texts: its own memory and the pages of the file.
func TestMemory(t *testing.T) {
	if form := os.Getenv("ENCODER_MEMORY_TEST"); form != "" {
		memoryOf(t, os.Getenv("RAGDB_MODELS"), form == "int8")
		return
	}
	for _, dir := range realModels(t, "reference/vectors.f32") {
		if filepath.Base(dir) != "minilm" {
			continue
		}
		for form, limit := range map[string]int{"f32": 120, "int8": 40} {
			c := exec.Command(os.Args[0], "-test.run=^TestMemory$", "-test.v")
			c.Env = append(os.Environ(), "ENCODER_MEMORY_TEST="+form, "RAGDB_MODELS="+dir, "GODEBUG=madvdontneed=1")
			out, err := c.CombinedOutput()
			if err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			at := strings.Index(string(out), "resident ")
			var kb int
			if at < 0 {
				t.Fatalf("no figure in %s", out)
			}
			if _, err := fmt.Sscanf(string(out[at:]), "resident %d", &kb); err != nil {
				t.Fatal(err)
			}
			t.Logf("%s: %d MB", form, kb>>10)
			if kb>>10 > limit {
				t.Errorf("%s takes %d MB, want %d or less", form, kb>>10, limit)
			}
		}
	}
}

func memoryOf(t *testing.T, dir string, i8 bool) {
	texts, _ := reference(t, dir)
	m := openModel(t, dir, &encoder.Options{Int8: i8, Threads: 1})
	embed(t, m, texts[:32], encoder.Passage)
	debug.FreeOSMemory()
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(b), "VmRSS:")
	var kb int
	if _, err := fmt.Sscan(rest, &kb); err != nil {
		t.Fatal(err)
	}
	t.Logf("resident %d kB", kb)
}
