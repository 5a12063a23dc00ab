package local_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/rag/internal/text"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/llm/encoder"
	"github.com/ragdb/ragdb/rag/llm/local"
)

// TestNamesTagged prints what the models for names below RAGDB_MODELS are worth on the
// labelled names, alone and beside the rules, also in texts written in small letters:
// the table in docs/models.md. Beside the rules no name that they found may be lost.
func TestNamesTagged(t *testing.T) {
	root := os.Getenv("RAGDB_MODELS")
	if root == "" {
		t.Skip("RAGDB_MODELS names no folder of models: bench/models/fetch.sh DIR rampart makes one")
	}
	folders, err := filepath.Glob(filepath.Join(root, "*", "model.safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	measured := false
	for _, file := range folders {
		m, err := encoder.Open(filepath.Dir(file), nil)
		if err != nil || m.Types() == nil {
			continue
		}
		defer m.Close()
		measured = true
		rules := local.New(local.Options{Names: labelledCases(t)})
		both := local.New(local.Options{Names: labelledCases(t), Tagger: m})
		t.Logf("%s: types %v", m.Name(), m.Types())
		found := map[string]score{}
		for _, file := range labelledFiles {
			for _, small := range []bool{false, true} {
				as := func(s string) string {
					if small {
						return strings.ToLower(s)
					}
					return s
				}
				for _, way := range []struct {
					name string
					find func(string) []string
				}{
					{"rules", func(s string) []string { return entities(t, rules, as(s)) }},
					{"model", func(s string) []string {
						keys, err := both.TaggedNames(t.Context(), as(s))
						if err != nil {
							t.Fatal(err)
						}
						slices.Sort(keys)
						return slices.Compact(keys)
					}},
					{"both", func(s string) []string { return entities(t, both, as(s)) }},
				} {
					s, names := measureNames(t, file, way.find)
					row := file
					if small {
						row += " in small letters"
					}
					found[row+way.name] = s
					t.Logf("RESULT %s, %s: precision %.3f, recall %.3f of %d", row, way.name, s.precision(), s.recall(names), names)
				}
			}
			typed, all := 0, 0
			for _, x := range namedTexts(t, file) {
				for _, e := range do[llm.Extraction](t, both, llm.Extract, llm.ExtractInput{Text: x.text}).Entities {
					isName := slices.ContainsFunc(x.names, func(keys []string) bool { return slices.Contains(keys, text.Key(e.Name)) })
					if isName {
						all++
					}
					if isName && e.Type != "" {
						typed++
					}
				}
			}
			t.Logf("RESULT %s: %d of %d names that were found have a type", file, typed, all)
			if found[file+"both"].missed > found[file+"rules"].missed {
				t.Errorf("%s: the model beside the rules misses %d names, the rules alone %d", file, found[file+"both"].missed, found[file+"rules"].missed)
			}
		}
	}
	if !measured {
		t.Skipf("no model below %s tags names", root)
	}
}
