package encoder_test

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/ragdb/ragdb/rag/llm/encoder"
)

// TestStatic holds the vectors of tables to means worked out here.
func TestStatic(t *testing.T) {
	for name, c := range map[string]struct {
		normalize, weights, module bool
		dtype                      string
	}{
		"model2vec":                  {normalize: true, dtype: "F32"},
		"not normalised":             {dtype: "F32"},
		"16 bits":                    {normalize: true, dtype: "F16"},
		"weights":                    {normalize: true, weights: true, dtype: "F32"},
		"sentence-transformers' own": {module: true, dtype: "F32"},
	} {
		t.Run(name, func(t *testing.T) {
			made := newMade(func(m *made) { m.hidden, m.dtype = 30, c.dtype })
			table := made.tensors["embeddings.word_embeddings.weight"]
			dir := made.write(t)
			made.tensors = map[string]tensor{"embeddings": table}
			if c.weights {
				made.tensors["weights"] = tensor{[]int{45}, table.v[100:145]}
			}
			put := func(name string, b []byte) {
				path := filepath.Join(dir, name)
				if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, b, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			at := ""
			if c.module {
				at = "0_StaticEmbedding/"
				made.tensors = map[string]tensor{"embedding.weight": table}
				put("modules.json", []byte(`[{"path":"0_StaticEmbedding","type":"sentence_transformers.models.StaticEmbedding"}]`))
				b, _ := json.Marshal(made.tokenizer())
				put(at+"tokenizer.json", b)
				_ = os.Remove(filepath.Join(dir, "tokenizer.json"))
				_ = os.Remove(filepath.Join(dir, "config.json"))
			} else {
				b, _ := json.Marshal(map[string]any{"model_type": "model2vec", "normalize": c.normalize})
				put("config.json", b)
			}
			put(at+"model.safetensors", made.safetensors())

			ids := []int{8, 5, 5, 44}
			text := word(3) + " " + word(0) + " nowhere " + word(0) + " " + word(39)
			want, size := make([]float64, 30), 0.
			for j := range want {
				for _, id := range ids {
					weight := 1.
					if c.weights {
						weight = table.v[100+id]
					}
					want[j] += weight * table.v[id*30+j] / 4
				}
				size += want[j] * want[j]
			}
			for _, i8 := range []bool{false, true} {
				m := openModel(t, dir, &encoder.Options{Int8: i8})
				v := embed(t, m, []string{text, "nowhere", ""}, encoder.Query)
				if v[1] != nil || v[2] != nil {
					t.Error("a text without known words has a vector")
				}
				for j, x := range v[0] {
					slack, e := 1e-6, want[j]
					if c.normalize {
						e /= math.Sqrt(size)
					}
					if i8 {
						slack = .02
					}
					if math.Abs(float64(x)-e) > slack {
						t.Fatalf("int8 %v: element %d is %v, want %v", i8, j, x, e)
					}
				}
				if m.Dim() != 30 || m.Scores() {
					t.Errorf("dimension %d, scores %v", m.Dim(), m.Scores())
				}
			}
		})
	}
}

// TestStaticMapping says that a table with fewer rows than tokens is read through
// its mapping, and that a mapping that leads out of it is refused.
func TestStaticMapping(t *testing.T) {
	made := newMade(func(m *made) { m.hidden = 32 })
	dir := made.write(t)
	table := made.tensors["embeddings.word_embeddings.weight"]
	write := func(row func(i int) byte) {
		header := `{"embeddings":{"dtype":"F32","shape":[9,32],"data_offsets":[0,1152]},"mapping":{"dtype":"I32","shape":[45],"data_offsets":[1152,1332]}}`
		b := append([]byte{byte(len(header)), 0, 0, 0, 0, 0, 0, 0}, header...)
		b = append(b, made.bytes(table.v[:9*32])...)
		for i := range 45 {
			b = append(b, row(i), 0, 0, 0)
		}
		if err := os.WriteFile(filepath.Join(dir, "model.safetensors"), b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "config.json"), []byte(`{"model_type":"model2vec","normalize":false}`), 0o666); err != nil {
		t.Fatal(err)
	}
	write(func(i int) byte { return byte(i % 9) })
	m := openModel(t, dir, nil)
	v, err := m.Embed(context.Background(), []string{word(6)}, encoder.Query) // token 11
	if err != nil {
		t.Fatal(err)
	}
	for j, x := range v[0] {
		if float64(x) != table.v[2*32+j] {
			t.Fatalf("element %d is %v, want %v", j, x, table.v[2*32+j])
		}
	}
	write(func(i int) byte { return byte(i % 10) })
	if _, err := encoder.Open(dir, nil); err == nil {
		t.Error("a mapping to row 9 of 9 is read")
	}
}
