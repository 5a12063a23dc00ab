package eval_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/eval"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/methods"
)

// reading is a provider that reads one entity in every text.
type reading struct{ llm.Provider }

func (reading) Do(context.Context, llm.Task) (llm.Reply, llm.Usage, error) {
	return llm.Reply{Text: `{"entities":[{"name":"Marshal Ney"}],"relations":[]}`}, llm.Usage{Calls: 1}, nil
}
func (reading) Name() string { return "reading/1" }

// TestExtract tells what entities are read with, by those that a kept database
// has.
func TestExtract(t *testing.T) {
	t.Parallel()
	corpus, questions := townsOf(6)
	recorded := `{"passage_id":"p0","entities":["Kingdom of Norr"],"triples":[["Kingdom of Norr","ends at","Loira"]]}` + "\n"
	all := recorded
	for i := range 6 {
		all += fmt.Sprintf("{\"passage_id\":\"t%d\"}\n", i)
	}
	models := func(ctx context.Context, c *rag.Corpus, forIndex bool) (*rag.Models, error) {
		m, err := c.OpenLocal(ctx, forIndex, rag.Parts{})
		if err != nil {
			return nil, err
		}
		return m.With(rag.Parts{Provider: reading{m.Provider()}, Free: true}), nil
	}
	tests := []struct {
		name, file, extract string
		join                bool
		want                string
		has, not            []string
		err                 string
	}{
		{name: "by itself", file: recorded, want: "recorded", has: []string{"kingdom of norr", "loira"}, not: []string{"marshal ney"}},
		{name: "asked for", file: recorded, extract: "recorded", want: "recorded", has: []string{"kingdom of norr"}},
		{name: "joined", file: all, join: true, want: "recorded", has: []string{"kingdom of norr"}},
		{name: "no file", want: "local", not: []string{"kingdom of norr"}},
		{name: "local", file: recorded, extract: "local", want: "local", not: []string{"kingdom of norr"}},
		{name: "model", file: recorded, extract: "model", want: "model", has: []string{"marshal ney"}, not: []string{"kingdom of norr"}},
		{name: "no file to read", extract: "recorded", err: "neither openie.jsonl"},
		{name: "unknown", extract: "guess", err: `"guess" is none of recorded, local, model`},
		{name: "malformed", file: recorded + "{\n", err: "openie.jsonl:2: "},
		{name: "of no record", file: `{"passage_id":"x"}`, err: `openie.jsonl:1: records the passage "x"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := dataSet(t, corpus, questions)
			if tt.file != "" {
				writeFile(t, filepath.Join(dir, "openie.jsonl"), tt.file)
			}
			o := eval.Options{
				Data: dir, DB: filepath.Join(t.TempDir(), "kept.ragdb"), Specs: specs(t, "ketrag:beta=1"), Methods: methods.All(),
				Join: tt.join, Extract: tt.extract, Models: models,
			}
			rep, err := eval.Run(t.Context(), o)
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Errorf("%v", err)
				}
				return
			}
			check(t, err)
			if rep.Extract != tt.want {
				t.Errorf("extract %q", rep.Extract)
			}
			got := entitiesOf(t, o.DB)
			for _, k := range tt.has {
				if !slices.Contains(got, k) {
					t.Errorf("no %q in %v", k, got)
				}
			}
			for _, k := range tt.not {
				if slices.Contains(got, k) {
					t.Errorf("%q in %v", k, got)
				}
			}
		})
	}
}

// entitiesOf returns the keys of the entities in a kept database.
func entitiesOf(t *testing.T, path string) (out []string) {
	t.Helper()
	db, err := engine.Open(t.Context(), path, nil)
	check(t, err)
	defer db.Close()
	c, err := rag.OpenCorpus(t.Context(), db, "main", nil)
	check(t, err)
	names, err := c.Namespace().Graphs(t.Context())
	check(t, err)
	for _, name := range names {
		g, err := c.Graph(t.Context(), name)
		check(t, err)
		check(t, db.View(t.Context(), func(s *engine.Snapshot) error {
			v := s.Graph(g)
			nt, ok := v.NodeType("entity")
			if !ok {
				return nil
			}
			set, err := v.Nodes(nt)
			check(t, err)
			for it := set.Iterator(); it.HasNext(); {
				n, err := v.Node(engine.NodeID(it.Next()))
				check(t, err)
				out = append(out, n.Key)
			}
			return nil
		}))
	}
	return out
}

// TestKeptExtraction measures on a kept database again: with the same
// extraction, with another, and with methods that extract nothing.
func TestKeptExtraction(t *testing.T) {
	t.Parallel()
	corpus, questions := townsOf(4)
	dir := dataSet(t, corpus, questions)
	writeFile(t, filepath.Join(dir, "openie.jsonl.gz"), `{"passage_id":"p0","entities":["Kingdom of Norr"]}`)
	o := eval.Options{Data: dir, DB: filepath.Join(t.TempDir(), "kept.ragdb"), Methods: methods.All()}
	run := func(spec, extract string) error {
		o.Specs, o.Extract = specs(t, spec), extract
		_, err := eval.Run(t.Context(), o)
		return err
	}
	check(t, run("bm25", "local"))
	check(t, run("ketrag", ""))
	check(t, run("ketrag", "recorded"))
	check(t, run("bm25", "local"))
	for _, spec := range []string{"ketrag", "ketrag:beta=0.5"} {
		if err := run(spec, "local"); err == nil || !strings.Contains(err.Error(), "was indexed with extraction recorded ") {
			t.Errorf("%s: %v", spec, err)
		}
	}
	o.Models = nil
	if err := run("ketrag", "model"); err == nil || errors.Is(err, method.ErrMethod) {
		t.Error(err)
	}
	writeFile(t, filepath.Join(dir, "openie.jsonl.gz"), `{"passage_id":"p0","entities":["Republic of Norr"]}`)
	if err := run("ketrag", ""); err == nil || !strings.Contains(err.Error(), "name another database") {
		t.Errorf("other recordings: %v", err)
	}
}
