package tokenizer_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/rag/llm/encoder/internal/tokenizer"
)

// referenceText is a text of the reference's file: as it is, or in base64 if it
// is not UTF-8.
type referenceText struct {
	T string `json:"t"`
	B []byte `json:"b"`
}

func (r referenceText) text() string {
	if r.B != nil {
		return string(r.B)
	}
	return r.T
}

type referenceRow struct {
	referenceText
	Reference string         `json:"reference"`
	IDs       []int32        `json:"ids"`
	Plain     []int32        `json:"plain"`
	Max       int            `json:"max"`
	Pair      *referenceText `json:"pair"`
	Types     []int32        `json:"types"`
}

// models returns the folders below RAGDB_MODELS that have a reference's file.
func models(t testing.TB) []string {
	t.Helper()
	root := os.Getenv("RAGDB_MODELS")
	if root == "" {
		t.Skip("RAGDB_MODELS names no directory of models (see bench/models/tokens.py)")
	}
	files, err := filepath.Glob(filepath.Join(root, "*", "tokens.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Skipf("no folder of %s has a tokens.jsonl.gz (see bench/models/tokens.py)", root)
	}
	for i, f := range files {
		files[i] = filepath.Dir(f)
	}
	return files
}

func readReference(t testing.TB, dir string, f func(row referenceRow)) {
	t.Helper()
	file, err := os.Open(filepath.Join(dir, "tokens.jsonl.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	z, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(bufio.NewReaderSize(z, 1<<20))
	for d.More() {
		var row referenceRow
		if err := d.Decode(&row); err != nil {
			t.Fatal(err)
		}
		f(row)
	}
}

// Every text has the tokens that the reference gives it, whole, cut and in
// pairs.
func TestAsReference(t *testing.T) {
	for _, dir := range models(t) {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			t.Parallel()
			tok, err := tokenizer.Load(os.DirFS(dir))
			if err != nil {
				t.Fatal(err)
			}
			version, texts, differ := "", 0, 0
			readReference(t, dir, func(row referenceRow) {
				if row.Reference != "" {
					version = row.Reference
					return
				}
				text := row.text()
				var ids, types []int32
				if row.Pair != nil {
					ids, types = tok.EncodePair(text, row.Pair.text(), row.Max)
				} else {
					ids = tok.Encode(text, row.Max)
				}
				if row.Max == 0 {
					texts++
				}
				same := slices.Equal(ids, row.IDs) && slices.Equal(types, row.Types)
				if row.Plain != nil {
					same = same && slices.Equal(tok.EncodePlain(text, 0), row.Plain)
				}
				if !same {
					if differ++; differ <= 5 {
						t.Errorf("%.120q (at most %d):\n got %v\nwant %v", text, row.Max, head(ids, row.IDs), head(row.IDs, ids))
					}
				}
				if n := tok.VocabSize(); len(ids) > 0 && int(slices.Max(ids)) >= n {
					t.Errorf("token %d of a vocabulary of %d", slices.Max(ids), n)
				}
			})
			t.Logf("%s: %d texts, %d differ", version, texts, differ)
		})
	}
}

// head returns the part of a list around its first difference from another.
func head(list, other []int32) []int32 {
	i := 0
	for i < len(list) && i < len(other) && list[i] == other[i] {
		i++
	}
	return list[max(i-3, 0):min(i+12, len(list))]
}
