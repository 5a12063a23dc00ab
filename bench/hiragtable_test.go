package main

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"flag"
	"os"
	"testing"

	"github.com/ragdb/ragdb"
	"github.com/ragdb/ragdb/rag/hirag"
)

var (
	hiragIndex     = flag.String("index", "", "measure what the bridge covers in the index of this database")
	hiragQuestions = flag.String("questions", "", "the questions to measure it with: JSON lines, packed")
	hiragSpec      = flag.String("spec", "hirag", "the method with its parameters")
)

// TestHiRAGTable7 measures, in an index that is given, which share of the local and of the
// global part of a context its bridge covers (paper, Table 7).
func TestHiRAGTable7(t *testing.T) {
	if *hiragIndex == "" {
		t.Skip("no -index is given")
	}
	db, err := ragdb.Open(t.Context(), *hiragIndex, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	f, err := os.Open(*hiragQuestions)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var local, global float64
	n := 0
	items, tokens := map[string]int{}, map[string]int{}
	for lines := bufio.NewScanner(z); lines.Scan(); n++ {
		var q struct{ Question string }
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			t.Fatal(err)
		}
		a, err := db.Ask(t.Context(), q.Question, ragdb.Method(*hiragSpec), ragdb.WithoutModel())
		if err != nil {
			t.Fatal(err)
		}
		l, g := hirag.Coverage(a.Evidence, db.Corpus().Analyze)
		local, global = local+l, global+g
		for _, sec := range a.Evidence.Sections {
			for _, it := range sec.Items {
				items[sec.Name]++
				tokens[sec.Name] += it.Tokens
			}
		}
	}
	for name := range items {
		t.Logf("%s: %d items of %d tokens a question", name, items[name]/n, tokens[name]/n)
	}
	t.Logf("the bridge covers %.1f %% of local and %.1f %% of global terms, of %d questions", 100*local/float64(n), 100*global/float64(n), n)
}
