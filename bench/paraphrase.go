package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// paraphraseLines are questions whose content words are not in the passage that
// answers them. See paraphrase/README.md.
//
//go:embed paraphrase/questions.jsonl
var paraphraseLines []byte

// paraphrased is a question about a record of a set.
type paraphrased struct {
	ID         string   `json:"id"`
	Question   string   `json:"question"`
	Supporting []string `json:"supporting"`
	Set        string   `json:"set"`
}

// paraphrases returns the questions of all sets, in the file's order.
func paraphrases() ([]paraphrased, error) {
	var out []paraphrased
	for d := json.NewDecoder(bytes.NewReader(paraphraseLines)); ; {
		var q paraphrased
		err := d.Decode(&q)
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, fmt.Errorf("question %d: %w", len(out)+1, err)
		}
		out = append(out, q)
	}
}

// paraphraseBench writes folders that ragdb eval takes as data sets: the records
// of a set, and the paraphrased questions about them.
type paraphraseBench struct{ data, out string }

func paraphraseFlags(fs *flag.FlagSet) func(ctx context.Context, r *report) error {
	b := &paraphraseBench{}
	fs.StringVar(&b.data, "data", "", "`folder` with a folder for each set")
	fs.StringVar(&b.out, "out", "", "`folder` that gets a folder for each set, with -paraphrased after its name")
	return func(_ context.Context, r *report) error { return b.run(r) }
}

func (b *paraphraseBench) run(r *report) error {
	if b.data == "" || b.out == "" {
		return inputError{errors.New("-data and -out are needed")}
	}
	all, err := paraphrases()
	if err != nil {
		return err
	}
	var sets []string
	for _, q := range all {
		if !slices.Contains(sets, q.Set) {
			sets = append(sets, q.Set)
		}
	}
	t := table{Title: "Paraphrased questions", Columns: []string{"set", "questions", "folder"}}
	for _, set := range sets {
		dir := filepath.Join(b.out, set+"-paraphrased")
		n, err := writeParaphrased(dir, filepath.Join(b.data, set), set, all)
		if err != nil {
			return inputError{fmt.Errorf("%s: %w", set, err)}
		}
		t.Rows = append(t.Rows, []string{set, strconv.Itoa(n), dir})
	}
	r.Input = strings.Join(sets, ",") + " of " + filepath.Base(filepath.Clean(b.data))
	r.Tables = append(r.Tables, t)
	return nil
}

// writeParaphrased makes the folder of a set, and returns how many questions it
// has.
func writeParaphrased(dir, data, set string, all []paraphrased) (n int, err error) {
	name := "corpus.jsonl.gz"
	records, err := os.ReadFile(filepath.Join(data, name))
	if errors.Is(err, os.ErrNotExist) {
		name = "corpus.jsonl"
		records, err = os.ReadFile(filepath.Join(data, name))
	}
	if err != nil {
		return 0, err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return 0, err
	}
	if err := os.WriteFile(filepath.Join(dir, name), records, 0o666); err != nil {
		return 0, err
	}
	var lines bytes.Buffer
	e := json.NewEncoder(&lines)
	for _, q := range all {
		if q.Set != set {
			continue
		}
		n++
		if err := e.Encode(&q); err != nil {
			return 0, err
		}
	}
	return n, os.WriteFile(filepath.Join(dir, "questions.jsonl"), lines.Bytes(), 0o666)
}
