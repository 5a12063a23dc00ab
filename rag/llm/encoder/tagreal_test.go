package encoder_test

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/ragdb/ragdb/rag/llm/encoder"
)

func writeJSON(t testing.TB, dir, name string, v any) {
	t.Helper()
	b, err := json.Marshal(v)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name), b, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// tagText is a text of the reference that bench/models/tagger.py wrote, and its tokens.
type tagText struct {
	Text string
	IDs  []int32
}

func tagTexts(t testing.TB, dir string) (texts []tagText) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, "tags", "texts.json"))
	if err == nil {
		err = json.Unmarshal(b, &texts)
	}
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

// TestTagReference holds what real models make of each token to what onnxruntime
// makes of it, and the tokens of the words to the reference tokenizer's. It takes
// every tenth text; -long takes all.
func TestTagReference(t *testing.T) {
	for _, dir := range realModels(t, "tags/logits.f32") {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			texts := tagTexts(t, dir)
			b, err := os.ReadFile(filepath.Join(dir, "tags", "logits.f32"))
			if err != nil {
				t.Fatal(err)
			}
			want := make([]float32, len(b)/4)
			if _, err := binary.Decode(b, binary.LittleEndian, want); err != nil {
				t.Fatal(err)
			}
			m, small := openModel(t, dir, nil), openModel(t, dir, &encoder.Options{Int8: true})
			same := 0
			read, far, tokens, differ := 0, 0., 0, 0
			width := m.LabelCount()
			for i, x := range texts {
				if i%10 > 0 && !*long {
					want = want[min(len(x.IDs)*width, len(want)):]
					continue
				}
				read++
				logits, err := m.Logits(x.IDs)
				if err != nil {
					t.Fatal(err)
				}
				low, err := small.Logits(x.IDs)
				if err != nil {
					t.Fatal(err)
				}
				for k, row := range logits {
					if most(low[k]) == most(row) {
						same++
					}
					if row == nil || len(want) < len(row) {
						t.Fatal("the reference is shorter")
					}
					for j, v := range row {
						far = max(far, math.Abs(float64(v)-float64(want[j])))
					}
					if most(row) != most(want[:len(row)]) {
						differ++
					}
					want = want[len(row):]
					tokens++
				}
				if !utf8.ValidString(x.Text) {
					continue
				}
				if got, inner := m.TextTokens(x.Text), x.IDs[1:len(x.IDs)-1]; !slices.Equal(got, inner) {
					t.Errorf("text %d: the words have the tokens %v, want %v", i, got, inner)
				}
			}
			if far > 2e-3 || differ > 0 || len(want) > 0 {
				t.Errorf("a logit is off by %v, %d of %d labels differ, %d logits are left", far, differ, tokens, len(want))
			}
			if float64(same) < .99*float64(tokens) {
				t.Errorf("int8: %d of %d tokens have the same label", same, tokens)
			}
			t.Logf("%s: %d texts, %d tokens, logits off by at most %.2g, %d labels the same in int8", m.Name(), read, tokens, far, same)
		})
	}
}

func most(v []float32) (at int) {
	for i, x := range v {
		if x > v[at] {
			at = i
		}
	}
	return at
}

// TestWordTokens says that the tokens of a text's words are those of the text, with
// the tokenizers of real models, and with -long with all but those that
// bench/models/tokens_train.py makes with pieces across white space.
func TestWordTokens(t *testing.T) {
	texts := []string{
		"Ada Kestrel, of Orsk (by the sea), wrote to ada@example.org: \"Come!\" It's 3.5 km.",
		"Der Bürgermeister von Köln-Süd, Dr. Jürgen Groß, sagte: „Nein“.", "O'Brien's AT&T e-mail costs $5, #7 – really…",
		"北京大学的李明去了上海。", "Анна Каренина живёт в Москве-реке.",
	}
	for _, dir := range realModels(t, "tokenizer.json") {
		name := filepath.Base(dir)
		_, err := os.Stat(filepath.Join(dir, "model.safetensors"))
		if err != nil && !*long || strings.HasPrefix(name, "uni-") || name == "bpe-bytes" {
			continue
		}
		for _, text := range texts {
			got, want, err := encoder.WordTokens(dir, text)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s: the words of %q have the tokens %v, want %v", name, text, got, want)
			}
		}
	}
}
