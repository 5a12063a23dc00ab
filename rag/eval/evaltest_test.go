package eval_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/memkv"
	"github.com/ragdb/ragdb/rag/method"
)

var long = flag.Bool("long", false, "measure the methods on the evaluation data")

// writeFile writes a file of a data set, packed where its name ends in .gz.
func writeFile(t testing.TB, path, text string) {
	t.Helper()
	data := []byte(text)
	if strings.HasSuffix(path, ".gz") {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, err := z.Write(data)
		check(t, errors.Join(err, z.Close()))
		data = b.Bytes()
	}
	check(t, os.WriteFile(path, data, 0o666))
}

// question is a question as the test writes it.
type question struct {
	ID         string   `json:"id"`
	Question   string   `json:"question"`
	Answers    []string `json:"answers,omitempty"`
	Supporting []string `json:"supporting,omitempty"`
}

// townsOf makes a data set of n made-up people and towns. Every third question
// wants two records, and some have answers that are nowhere, or none. Some
// towns have texts of several chunks.
func townsOf(n int) (corpus string, questions []question) {
	var b strings.Builder
	line := func(v any) {
		j, err := json.Marshal(v)
		if err != nil {
			panic(err) // strings only
		}
		b.Write(j)
		b.WriteByte('\n')
	}
	name := func(i int) string {
		return []string{"Arvo", "Berit", "Cosmo", "Dunja", "Edvin"}[i%5] + " " + []string{"Quill", "Ruck", "Senft", "Tarn"}[i/5%4] + []string{"", "er", "man"}[i/20%3]
	}
	town := func(i int) string {
		return []string{"Loir", "Morv", "Nerd", "Osk"}[i%4] + []string{"a", "en", "ish", "ovar", "ulm"}[i/4%5]
	}
	for i := range n {
		line(map[string]string{
			"id": fmt.Sprint("p", i), "title": name(i),
			"text": fmt.Sprintf("%s was born in %s in %d. %s designed the bridge of %s and kept bees.", name(i), town(i), 1800+i, name(i), town(i+3)),
		})
		about := fmt.Sprintf("%s %d is a town on the river %s. Its market sells %s.", town(i), i, name(i + 7)[:4]+"au", []string{"salt", "wool", "tin"}[i%3])
		if i%2 == 1 {
			for j := range 25 {
				about += fmt.Sprintf(" House %d of %s stands by the old mill and has %d rooms with a view of the quay.", j, town(i), i+j)
			}
		}
		about += fmt.Sprintf("\n\nThe mayor of %s %d is %s.", town(i), i, name(i+1))
		line(map[string]string{"id": fmt.Sprint("t", i), "title": town(i) + " " + fmt.Sprint(i), "text": about})
		q := question{ID: fmt.Sprint("q", i), Question: "Where was " + name(i) + " born?", Answers: []string{"the " + town(i) + "!"}, Supporting: []string{fmt.Sprint("p", i)}}
		switch i % 3 {
		case 1:
			q.Question = fmt.Sprintf("Who is the mayor of %s %d?", town(i), i)
			q.Answers, q.Supporting = []string{"nobody at all", name(i + 1)}, []string{fmt.Sprint("t", i), fmt.Sprint("p", i+1)}
		case 2:
			q.Question, q.Answers = "What did "+name(i)+" design?", []string{"an opera"}
		}
		switch i % 7 {
		case 5:
			q.Answers = nil
		case 6:
			q.Supporting = nil
		}
		questions = append(questions, q)
	}
	return b.String(), questions
}

// dataSet writes a data set and returns its folder.
func dataSet(t testing.TB, corpus string, questions []question) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "towns")
	check(t, os.Mkdir(dir, 0o777))
	writeFile(t, filepath.Join(dir, "corpus.jsonl.gz"), corpus)
	var b strings.Builder
	for _, q := range questions {
		j, err := json.Marshal(q)
		check(t, err)
		b.Write(append(j, '\n'))
	}
	writeFile(t, filepath.Join(dir, "questions.jsonl"), b.String())
	return dir
}

func specs(t testing.TB, list ...string) []method.Spec {
	t.Helper()
	var out []method.Spec
	for _, s := range list {
		spec, err := method.ParseSpec(s)
		check(t, err)
		out = append(out, spec)
	}
	return out
}

// inMemory opens databases that are in memory, whatever their path.
func inMemory() *engine.Options {
	return &engine.Options{OpenStore: func(context.Context, string, *kv.Schema) (kv.Store, error) {
		return memkv.New(layout.Schema()), nil
	}}
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
