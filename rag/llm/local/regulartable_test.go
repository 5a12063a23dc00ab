package local_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/rag/llm/local"
)

// TestRegularTables trains tables on no text, on equal ones, on such that share no word
// and on such without words: what is stored is read back, whole and word by word.
func TestRegularTables(t *testing.T) {
	for name, text := range map[string]func(i int) string{
		"equal":    func(int) string { return "The lighthouse of Karrow was built in 1840." },
		"one word": func(int) string { return "tarn" },
		"repeated": func(int) string { return strings.Repeat("tarn ", 300) },
		"distinct": func(i int) string { return fmt.Sprint("word", i, " other", i) },
		"wordless": func(int) string { return "... !" },
		"empty":    func(int) string { return "" },
	} {
		for _, n := range []int{0, 1, 2, 127, 128, 129} {
			what := fmt.Sprint(n, " ", name)
			s := stored{}
			texts := func(yield func(string, error) bool) {
				for i := range n {
					if !yield(text(i), nil) {
						return
					}
				}
			}
			h, err := local.TrainTo(t.Context(), texts, local.TrainOptions{Version: 1}, func(key, value []byte) error {
				s[string(key)] = bytes.Clone(value)
				return nil
			})
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			for key, value := range s {
				if err := local.CheckEntry([]byte(key), value); err != nil {
					t.Errorf("%s: %v", what, err)
				}
			}
			table, err := local.LoadTable(s)
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			again := stored{}
			for key, value := range table.Entries() {
				again[string(key)] = value
			}
			if len(again) != len(s) {
				t.Errorf("%s: %d entries are read as %d", what, len(s), len(again))
			}
			for key, value := range s {
				if !bytes.Equal(again[key], value) {
					t.Errorf("%s: %q is read as another value", what, key)
				}
			}
			if got, err := local.LoadHead(s.Get); err != nil || got.Words != h.Words || !slices.Equal(got.Direction, h.Direction) {
				t.Errorf("%s: another head, %v", what, err)
			}
			if _, err := local.LoadWords(s, text(0), text(1)); err != nil {
				t.Errorf("%s: %v", what, err)
			}
		}
	}
}
