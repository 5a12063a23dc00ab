package encoder_test

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/rag/llm/encoder"
)

// realModels are the folders below RAGDB_MODELS, which bench/models/fetch.sh
// fills, that have a file.
func realModels(t testing.TB, file string) []string {
	t.Helper()
	root := os.Getenv("RAGDB_MODELS")
	if root == "" {
		t.Skip("RAGDB_MODELS names no folder of models: bench/models/fetch.sh makes one")
	}
	found, err := filepath.Glob(filepath.Join(root, "*", filepath.FromSlash(file)))
	if err != nil || len(found) == 0 {
		t.Skipf("no model below %s has %s", root, file)
	}
	for i, f := range found {
		found[i] = f[:len(f)-len(file)-1]
	}
	return found
}

// reference is what bench/models/reference.py wrote: texts, and their vectors by
// onnxruntime.
func reference(t testing.TB, dir string) (texts []string, vectors []float32) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, "reference", "texts.json"))
	if err == nil {
		err = json.Unmarshal(b, &texts)
	}
	if err != nil {
		t.Fatal(err)
	}
	b, err = os.ReadFile(filepath.Join(dir, "reference", "vectors.f32"))
	if err != nil {
		t.Fatal(err)
	}
	vectors = make([]float32, len(b)/4)
	if _, err := binary.Decode(b, binary.LittleEndian, vectors); err != nil {
		t.Fatal(err)
	}
	return texts, vectors
}

// TestReference holds each text's vector of real models to that of onnxruntime: a
// cosine of .99999 in float32, and of .995 in 8 bits. It takes every tenth text;
// -long takes all.
func TestReference(t *testing.T) {
	for _, dir := range realModels(t, "reference/vectors.f32") {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			texts, want := reference(t, dir)
			step := 10
			if *long {
				step = 1
			}
			for _, i8 := range []bool{false, true} {
				m := openModel(t, dir, &encoder.Options{Int8: i8})
				var some []string
				for i := 0; i < len(texts); i += step {
					some = append(some, texts[i])
				}
				low, sum := 2., 0.
				for n, v := range embed(t, m, some, encoder.Passage) {
					cosine := 0.
					for j, x := range v {
						cosine += float64(x) * float64(want[n*step*m.Dim()+j])
					}
					low, sum = min(low, cosine), sum+cosine
					if least := map[bool]float64{false: .99999, true: .995}[i8]; cosine < least {
						t.Errorf("int8 %v: text %d has cosine %v, want %v or more", i8, n*step, cosine, least)
					}
				}
				t.Logf("%s, %d texts: cosine lowest %.6f, mean %.6f", m.Name(), len(some), low, sum/float64(len(some)))
			}
		})
	}
}

// TestRealFolders opens every folder of a real model, and takes two texts that
// mean the same, and one that does not, through it.
func TestRealFolders(t *testing.T) {
	for _, dir := range realModels(t, "model.safetensors") {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			m := openModel(t, dir, nil)
			a, b, c := "How do I bake bread at home?", "A recipe for homemade loaves.", "The stock market fell sharply on Monday."
			if m.Types() != nil {
				const text = "Please write to Maria Gonzalez in Chicago."
				spans, err := m.Tag(context.Background(), text)
				if err != nil || len(spans) == 0 || !strings.Contains(text[spans[0].Start:spans[0].End], "Maria") {
					t.Errorf("spans %v, %v", spans, err)
				}
				return
			}
			if m.Scores() {
				s, err := m.Score(context.Background(), a, []string{b, c})
				if err != nil || s[0] <= s[1] {
					t.Errorf("scores %v, %v", s, err)
				}
				return
			}
			v := embed(t, m, []string{a, b, c}, encoder.Passage)
			near, far := 0., 0.
			for j := range v[0] {
				near += float64(v[0][j]) * float64(v[1][j])
				far += float64(v[0][j]) * float64(v[2][j])
			}
			if near <= far+.1 {
				t.Errorf("cosine of like texts %v, of unlike ones %v", near, far)
			}
			if _, err := os.Stat(filepath.Join(dir, "config.json")); errors.Is(err, fs.ErrNotExist) {
				t.Error("opened without config.json")
			}
		})
	}
}
