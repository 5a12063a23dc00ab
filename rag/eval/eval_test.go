package eval_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/evaldata"
	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/memkv"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/eval"
	"github.com/ragdb/ragdb/rag/methods"
	"github.com/ragdb/ragdb/rag/text"
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

func specs(t testing.TB, list ...string) []rag.Spec {
	t.Helper()
	var out []rag.Spec
	for _, s := range list {
		spec, err := rag.ParseSpec(s)
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

// expected are a method's figures, as the test works them out.
type expected struct {
	coverage, raw, word, at2, at5, perfect, mrr, tokens float64
}

// plain is the form in which answers are compared, for the ASCII texts of the
// test.
func plain(s string) []string {
	s = strings.Map(func(r rune) rune {
		switch {
		case strings.ContainsRune(".,;:!?-#'\"()", r):
			return -1
		}
		return r
	}, strings.ToLower(s))
	return slices.DeleteFunc(strings.Fields(s), func(w string) bool { return w == "the" || w == "a" || w == "an" })
}

// measure works out what a method should be reported with, from the evidence
// that it retrieves of a database that eval kept. owner names the records of
// an item.
func measure(t *testing.T, c *rag.Corpus, spec rag.Spec, questions []question, budget int, owner func(it rag.Cited) []string) expected {
	t.Helper()
	ctx := t.Context()
	sys, err := methods.All().Open(ctx, c, spec)
	check(t, err)
	m, err := rag.OpenLocal(ctx, c, false)
	check(t, err)
	var e expected
	answered, golden := 0.0, 0.0
	for _, q := range questions {
		ev, err := c.Retrieve(ctx, sys, m, rag.Question{Text: q.Question, Budget: budget})
		check(t, err)
		if ev.Tokens > budget {
			t.Errorf("%s: %d tokens of %d", spec.Title(), ev.Tokens, budget)
		}
		e.tokens += float64(ev.Tokens) / float64(len(questions))
		normal, raw, word := false, false, false
		var order []string
		for _, s := range ev.Sections {
			for _, it := range s.Items {
				words := plain(it.Text)
				for _, a := range q.Answers {
					want := plain(a)
					normal = normal || strings.Contains(strings.Join(words, " "), strings.Join(want, " "))
					raw = raw || strings.Contains(strings.ToLower(it.Text), strings.ToLower(a))
					for i := range max(0, len(words)-len(want)+1) {
						word = word || slices.Equal(words[i:i+len(want)], want)
					}
				}
				if ids := owner(it); len(ids) == 1 && !slices.Contains(order, ids[0]) {
					order = append(order, ids[0])
				}
			}
		}
		count := func(x *float64, ok bool) {
			if ok {
				*x++
			}
		}
		if len(q.Answers) > 0 {
			answered++
			count(&e.coverage, normal)
			count(&e.raw, raw)
			count(&e.word, word)
		}
		if len(q.Supporting) > 0 {
			golden++
			in := func(k int) (share float64) {
				for _, g := range q.Supporting {
					if slices.Contains(order[:min(k, len(order))], g) {
						share += 1 / float64(len(q.Supporting))
					}
				}
				return share
			}
			e.at2 += in(2)
			e.at5 += in(5)
			count(&e.perfect, in(5) > 0.999)
			if i := slices.IndexFunc(order, func(id string) bool { return slices.Contains(q.Supporting, id) }); i >= 0 {
				e.mrr += 1 / float64(i+1)
			}
		}
	}
	for _, x := range []*float64{&e.coverage, &e.raw, &e.word} {
		*x /= answered
	}
	for _, x := range []*float64{&e.at2, &e.at5, &e.perfect, &e.mrr} {
		*x /= golden
	}
	return e
}

// chunkDocs is the rule for records apart: the documents of the chunks.
func chunkDocs(it rag.Cited) []string {
	docs := map[string]bool{}
	for _, key := range it.Chunks {
		docs[key[:strings.LastIndex(key, "#")]] = true
	}
	return slices.Sorted(maps.Keys(docs))
}

// touched is the rule for joined records: those that the item's spans meet.
func touched(corpus string) func(it rag.Cited) []string {
	type place struct {
		id       string
		from, to int64
	}
	var places []place
	at := int64(0)
	for _, line := range strings.Split(strings.TrimSpace(corpus), "\n") {
		var r struct{ ID, Title, Text string }
		if json.Unmarshal([]byte(line), &r) != nil {
			continue
		}
		n := int64(len(r.Title) + 1 + len(r.Text))
		places = append(places, place{r.ID, at, at + n})
		at += n + 1
	}
	return func(it rag.Cited) []string {
		var out []string
		if len(it.Spans) < len(it.Chunks) {
			return nil
		}
		for _, s := range it.Spans {
			for _, p := range places {
				if p.from < s.Bytes[1] && s.Bytes[0] < p.to && !slices.Contains(out, p.id) {
					out = append(out, p.id)
				}
			}
		}
		return out
	}
}

func TestRun(t *testing.T) {
	t.Parallel()
	const n, budget = 16, 1000
	corpus, questions := townsOf(n)
	names := []string{"bm25", "dense", "naive", "ketrag", "ketrag:theta=0@keywords"}
	for _, join := range []string{"no", "yes"} {
		t.Run("join="+join, func(t *testing.T) {
			t.Parallel()
			data := dataSet(t, corpus, questions)
			db := filepath.Join(t.TempDir(), "kept.ragdb")
			events := map[string]int{}
			o := eval.Options{
				Data: data, DB: db, Specs: specs(t, names...), Methods: methods.All(), Join: join == "yes", Budget: budget, Seed: 1,
				Notify: func(e rag.Event) { events[e.Stage]++ },
			}
			rep, err := eval.Run(t.Context(), o)
			check(t, err)
			b, err := json.Marshal(rep)
			check(t, err)
			checkJSON(t, b, join, names, len(questions), budget)
			if events["ask bm25"] != len(questions) || events["ask keywords"] != len(questions) {
				t.Errorf("progress: %v", events)
			}

			// The figures, worked out again from the database that was kept.
			edb, err := engine.Open(t.Context(), db, nil)
			check(t, err)
			c, err := rag.OpenCorpus(t.Context(), edb, "main")
			check(t, err)
			owner, set := chunkDocs, text.ChunkSet{}
			if o.Join {
				owner, set = touched(corpus), eval.JoinedChunks()
			}
			for i, spec := range o.Specs {
				spec.Params = maps.Clone(spec.Params)
				spec.Params["chunks"] = set.String()
				want := measure(t, c, spec, questions, budget, owner)
				f := rep.Methods[i]
				got := expected{*f.Coverage, *f.CoverageRaw, *f.CoverageWord, *f.Recall2, *f.Recall5, *f.Perfect, *f.MRR, f.ContextTokens}
				if fmt.Sprintf("%.9f", got) != fmt.Sprintf("%.9f", want) {
					t.Errorf("%s: got %.4f, want %.4f", f.Name, got, want)
				}
				t.Logf("%s: %.3f", f.Name, got)
			}
			check(t, edb.Close())

			// What is indexed already is not indexed again, and says the same.
			first := maps.Clone(events)
			clear(events)
			again, err := eval.Run(t.Context(), o)
			check(t, err)
			for i, f := range again.Methods {
				if fmt.Sprint(values(f)) != fmt.Sprint(values(rep.Methods[i])) {
					t.Errorf("%s: %v, at first %v", f.Name, values(f), values(rep.Methods[i]))
				}
			}
			if !indexes(first) || indexes(events) {
				t.Errorf("stages of the first run %v, of the second %v", first, events)
			}

			// The other kind of documents does not go beside these.
			o.Join = !o.Join
			if _, err := eval.Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), "other document") {
				t.Errorf("a database of other documents: %v", err)
			}
		})
	}
}

// indexes reports whether some stage did some work.
func indexes(events map[string]int) bool {
	for stage := range events {
		if stage != "read" && !strings.HasPrefix(stage, "ask ") {
			return true
		}
	}
	return false
}

// values are the figures of a method without its times.
func values(f eval.Figure) []any {
	out := []any{f.Name, f.Questions, f.ContextTokens}
	for _, x := range []*float64{f.Coverage, f.CoverageRaw, f.CoverageWord, f.Recall2, f.Recall5, f.Perfect, f.MRR} {
		if x == nil {
			out = append(out, nil)
		} else {
			out = append(out, *x)
		}
	}
	if f.CI != nil {
		out = append(out, *f.CI)
	}
	return out
}

// checkJSON holds the report to the fields that are documented.
func checkJSON(t *testing.T, b []byte, join string, names []string, questions, budget int) {
	t.Helper()
	var rep struct {
		V       int
		Data    string
		Join    string
		Extract string
		Budget  int
		Chunks  string
		Methods []map[string]any
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	check(t, d.Decode(&rep))
	chunks := map[string]string{"no": "cl100k/150/0/paragraph", "yes": "cl100k/1200/100/window/150"}[join]
	if rep.V != 1 || rep.Data != "towns" || rep.Join != join || rep.Extract != "local" || rep.Budget != budget || rep.Chunks != chunks {
		t.Errorf("%s", b)
	}
	if len(rep.Methods) != len(names) {
		t.Fatalf("%d methods", len(rep.Methods))
	}
	for i, f := range rep.Methods {
		want := []string{
			"ci", "context_tokens", "coverage", "coverage_raw", "coverage_word", "index_cpu_s", "mrr", "ms", "name", "perfect", "questions", "recall@2", "recall@5",
		}
		if i == 0 {
			want = want[1:] // bm25 is compared with the others, not with itself
		}
		if got := slices.Sorted(maps.Keys(f)); !slices.Equal(got, want) {
			t.Errorf("%s has %q, want %q", names[i], got, want)
		}
		spec, err := rag.ParseSpec(names[i])
		check(t, err)
		if f["name"] != spec.Title() || f["questions"] != float64(questions) {
			t.Errorf("%v", f)
		}
		for _, k := range want {
			switch x := f[k].(type) {
			case float64:
				if strings.HasPrefix(k, "coverage") || strings.HasPrefix(k, "recall") || k == "mrr" || k == "perfect" {
					if x < 0 || x > 1 {
						t.Errorf("%s of %s is %v, no share", k, names[i], x)
					}
				} else if x <= 0 {
					t.Errorf("%s of %s is %v", k, names[i], x)
				}
			case []any:
				if lo, hi := x[0].(float64), x[1].(float64); len(x) != 2 || lo > hi || lo < -1 || hi > 1 {
					t.Errorf("ci of %s is %v", names[i], x)
				}
			case map[string]any:
				if p50, p99 := x["p50"].(float64), x["p99"].(float64); len(x) != 2 || p50 <= 0 || p99 < p50 {
					t.Errorf("ms of %s is %v", names[i], x)
				}
			}
		}
	}
}

// TestComparison tells which methods are compared, and with which.
func TestComparison(t *testing.T) {
	t.Parallel()
	corpus, questions := townsOf(8)
	gold, bare := slices.Clone(questions), slices.Clone(questions)
	for i := range questions {
		gold[i].Answers = nil
		bare[i].Answers, bare[i].Supporting = nil, nil
	}
	tests := []struct {
		name      string
		questions []question
		specs     []string
		ci        []bool
	}{
		{"without bm25", questions, []string{"dense", "naive"}, []bool{false, false}},
		{"bm25 last", questions, []string{"dense", "bm25"}, []bool{true, false}},
		{"bm25 by another name", questions, []string{"dense@bm25 it is not", "bm25@words"}, []bool{true, false}},
		{"bm25 twice", questions, []string{"bm25", "bm25:chunks=cl100k/100/0/paragraph"}, []bool{false, true}},
		{"gold records only", gold, []string{"bm25", "dense"}, []bool{false, true}},
		{"nothing to compare", bare, []string{"bm25", "dense"}, []bool{false, false}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			rep, err := eval.Run(t.Context(), eval.Options{Data: dataSet(t, corpus, tt.questions), Specs: specs(t, tt.specs...), Methods: methods.All(), Seed: 1, Engine: inMemory()})
			check(t, err)
			answers, golds := false, false
			for _, q := range tt.questions {
				answers, golds = answers || len(q.Answers) > 0, golds || len(q.Supporting) > 0
			}
			for i, f := range rep.Methods {
				if (f.CI != nil) != tt.ci[i] {
					t.Errorf("%s: interval %v", f.Name, f.CI)
				}
				if (f.Coverage != nil) != answers || (f.CoverageRaw != nil) != answers || (f.CoverageWord != nil) != answers ||
					(f.Recall2 != nil) != golds || (f.Recall5 != nil) != golds || (f.Perfect != nil) != golds || (f.MRR != nil) != golds {
					t.Errorf("%s: %v", f.Name, values(f))
				}
				if rep.Budget != rag.DefaultBudget {
					t.Errorf("budget %d", rep.Budget)
				}
				if f.CI != nil && !answers && rep.Methods[0].Recall5 != nil && (f.CI[0] > *f.Recall5-*rep.Methods[0].Recall5+1e-9 || f.CI[1] < *f.Recall5-*rep.Methods[0].Recall5-1e-9) {
					t.Errorf("%s: the interval %v does not hold the difference of recall@5", f.Name, *f.CI)
				}
			}
		})
	}
}

// TestChunkSets tells which chunks the methods of one run retrieve: the run's,
// or their own where their spec says so.
func TestChunkSets(t *testing.T) {
	t.Parallel()
	corpus, questions := townsOf(5)
	own := text.ChunkSet{Size: 40}
	tests := []struct {
		spec      string
		join      bool
		has, not  []text.ChunkSet
		chunkSets string
	}{
		{"bm25", false, []text.ChunkSet{{}}, []text.ChunkSet{own, eval.JoinedChunks()}, text.ChunkSet{}.String()},
		{"bm25", true, []text.ChunkSet{eval.JoinedChunks()}, []text.ChunkSet{own, {}}, eval.JoinedChunks().String()},
		{"ketrag:profile=paper", false, []text.ChunkSet{{}, eval.JoinedChunks()}, []text.ChunkSet{own}, text.ChunkSet{}.String()},
		{"dense:chunks=" + own.String(), true, []text.ChunkSet{own, eval.JoinedChunks()}, []text.ChunkSet{{}}, eval.JoinedChunks().String()},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprintf("%s/join=%t", tt.spec, tt.join), func(t *testing.T) {
			t.Parallel()
			db := filepath.Join(t.TempDir(), "kept.ragdb")
			rep, err := eval.Run(t.Context(), eval.Options{
				Data: dataSet(t, corpus, questions), DB: db, Specs: specs(t, tt.spec), Methods: methods.All(), Join: tt.join,
			})
			check(t, err)
			if rep.Chunks != tt.chunkSets || rep.Methods[0].Name != tt.spec {
				t.Errorf("%s with %s", rep.Methods[0].Name, rep.Chunks)
			}
			edb, err := engine.Open(t.Context(), db, nil)
			check(t, err)
			defer edb.Close()
			c, err := rag.OpenCorpus(t.Context(), edb, "main")
			check(t, err)
			check(t, edb.View(t.Context(), func(s *engine.Snapshot) error {
				for i, set := range append(tt.has, tt.not...) {
					n, err := c.CountChunks(s.Graph(c.Base), set)
					check(t, err)
					if want := i < len(tt.has); n > 0 != want {
						t.Errorf("%d chunks of %s", n, set)
					}
				}
				return nil
			}))
		})
	}
}

// TestOddData measures on data that is not as it should be.
func TestOddData(t *testing.T) {
	t.Parallel()
	corpus, questions := townsOf(6)
	odd := question{ID: "odd", Question: "¿?!", Answers: []string{"salt"}, Supporting: []string{"p1"}}
	tests := []struct {
		name   string
		change func(t *testing.T, dir string) eval.Options
		check  func(t *testing.T, rep *eval.Report, heard []string)
		err    string
		is     error
		apart  bool // joined records make no difference
	}{
		{name: "no folder", apart: true, change: func(_ *testing.T, dir string) eval.Options { return eval.Options{Data: filepath.Join(dir, "absent")} }, err: "neither corpus.jsonl", is: fs.ErrNotExist},
		{name: "no corpus", apart: true, change: func(t *testing.T, dir string) eval.Options {
			check(t, os.Remove(filepath.Join(dir, "corpus.jsonl.gz")))
			return eval.Options{}
		}, err: "neither corpus.jsonl", is: fs.ErrNotExist},
		{name: "no questions", apart: true, change: func(t *testing.T, dir string) eval.Options {
			check(t, os.Remove(filepath.Join(dir, "questions.jsonl")))
			return eval.Options{}
		}, err: "neither questions.jsonl", is: fs.ErrNotExist},
		{name: "no such file of questions", apart: true, change: func(_ *testing.T, dir string) eval.Options {
			return eval.Options{Questions: filepath.Join(dir, "absent.jsonl")}
		}, is: fs.ErrNotExist},
		{name: "empty questions", apart: true, change: func(t *testing.T, dir string) eval.Options {
			writeFile(t, filepath.Join(dir, "questions.jsonl"), "\n\n")
			return eval.Options{}
		}, err: "holds no questions"},
		{name: "malformed question", apart: true, change: func(t *testing.T, dir string) eval.Options {
			writeFile(t, filepath.Join(dir, "questions.jsonl"), "{\"question\":\"a\"}\n{")
			return eval.Options{}
		}, err: "questions.jsonl line 2"},
		{name: "empty corpus", change: func(t *testing.T, dir string) eval.Options {
			writeFile(t, filepath.Join(dir, "corpus.jsonl.gz"), "")
			return eval.Options{}
		}, is: rag.ErrNoDocuments},
		{name: "malformed corpus", change: func(t *testing.T, dir string) eval.Options {
			writeFile(t, filepath.Join(dir, "corpus.jsonl.gz"), "a\nb\n")
			return eval.Options{}
		}, is: rag.ErrNoDocuments},
		{name: "no method", apart: true, change: func(*testing.T, string) eval.Options { return eval.Options{Specs: []rag.Spec{}} }, is: rag.ErrMethod},
		{name: "unknown method", apart: true, change: func(*testing.T, string) eval.Options { return eval.Options{Specs: []rag.Spec{{Name: "none"}}} }, is: rag.ErrMethod},
		{name: "unknown parameter", apart: true, change: func(t *testing.T, _ string) eval.Options { return eval.Options{Specs: specs(t, "bm25:k=3")} }, is: rag.ErrMethod},
		{name: "malformed lines are left out", change: func(t *testing.T, dir string) eval.Options {
			writeFile(t, filepath.Join(dir, "corpus.jsonl.gz"), "broken\n"+corpus+"[1]\n")
			return eval.Options{}
		}, check: func(t *testing.T, rep *eval.Report, heard []string) {
			if len(heard) != 2 || *rep.Methods[0].Coverage == 0 {
				t.Errorf("heard %q, figures %v", heard, values(rep.Methods[0]))
			}
		}},
		{name: "a question without words", change: func(t *testing.T, dir string) eval.Options {
			j, err := json.Marshal(odd)
			check(t, err)
			writeFile(t, filepath.Join(dir, "odd.jsonl"), string(j))
			return eval.Options{Questions: filepath.Join(dir, "odd.jsonl"), Specs: specs(t, "bm25", "dense", "naive", "ketrag")}
		}, check: func(t *testing.T, rep *eval.Report, _ []string) {
			for _, f := range rep.Methods {
				if f.Questions != 1 || *f.Coverage != 0 || *f.Recall5 != 0 || f.ContextTokens != 0 {
					t.Errorf("%v", values(f))
				}
			}
		}},
		{name: "other questions", apart: true, change: func(t *testing.T, dir string) eval.Options {
			j, err := json.Marshal(questions[0])
			check(t, err)
			writeFile(t, filepath.Join(dir, "other.jsonl.gz"), string(j))
			return eval.Options{Questions: filepath.Join(dir, "other.jsonl.gz")}
		}, check: func(t *testing.T, rep *eval.Report, _ []string) {
			if f := rep.Methods[0]; f.Questions != 1 || *f.Coverage != 1 {
				t.Errorf("%v", values(f))
			}
		}},
		{name: "links", change: func(t *testing.T, dir string) eval.Options {
			// A store of files by their digests, and a folder of links to them.
			for _, name := range []string{"corpus.jsonl.gz", "questions.jsonl"} {
				p := filepath.Join(dir, name)
				blob := filepath.Join(t.TempDir(), "5a0c1f20")
				check(t, os.Rename(p, blob))
				if err := os.Symlink(blob, p); err != nil {
					t.Skip(err)
				}
			}
			link := filepath.Join(t.TempDir(), "link")
			check(t, os.Symlink(dir, link))
			return eval.Options{Data: link}
		}, check: func(t *testing.T, rep *eval.Report, heard []string) {
			if rep.Data != "link" || *rep.Methods[0].Coverage == 0 || len(heard) > 0 {
				t.Errorf("%v, heard %q", values(rep.Methods[0]), heard)
			}
		}},
		{name: "words only", change: func(t *testing.T, dir string) eval.Options {
			writeFile(t, filepath.Join(dir, "corpus.jsonl.gz"), `{"id":"p0","text":"of the and in it"}`+"\n"+`{"id":"p1","text":"--- ...\n!!!"}`)
			return eval.Options{Specs: specs(t, "bm25", "dense", "naive", "ketrag")}
		}, check: func(t *testing.T, rep *eval.Report, _ []string) {
			for _, f := range rep.Methods {
				if *f.Coverage != 0 {
					t.Errorf("%v", values(f))
				}
			}
		}},
	}
	for _, tt := range tests {
		for _, join := range []bool{false, true} {
			if join && tt.apart {
				continue
			}
			t.Run(fmt.Sprintf("%s/join=%t", tt.name, join), func(t *testing.T) {
				t.Parallel()
				dir := dataSet(t, corpus, questions)
				o := tt.change(t, dir)
				if o.Data == "" {
					o.Data = dir
				}
				if o.Specs == nil {
					o.Specs = specs(t, "bm25")
				}
				var heard []string
				o.Engine, o.Methods, o.Join, o.Notify = inMemory(), methods.All(), join, func(e rag.Event) {
					if e.Message != "" && e.Stage == "read" {
						heard = append(heard, e.Message)
					}
				}
				rep, err := eval.Run(t.Context(), o)
				if tt.check == nil {
					if err == nil || !strings.HasPrefix(err.Error(), "eval: ") || !strings.Contains(err.Error(), tt.err) || tt.is != nil && !errors.Is(err, tt.is) {
						t.Fatalf("%v, want %s, %v", err, tt.err, tt.is)
					}
					return
				}
				check(t, err)
				tt.check(t, rep, heard)
			})
		}
	}
}

// TestTemporary holds that a run without a database leaves nothing, whether it
// ends well or not.
func TestTemporary(t *testing.T) {
	corpus, questions := townsOf(3)
	data := dataSet(t, corpus, questions)
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	t.Setenv("TMP", temp)
	o := eval.Options{Data: data, Specs: specs(t, "bm25"), Methods: methods.All()}
	_, err := eval.Run(t.Context(), o)
	check(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	o.Notify = func(e rag.Event) {
		if strings.HasPrefix(e.Stage, "ask") {
			cancel()
		}
	}
	if _, err := eval.Run(ctx, o); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	left, err := os.ReadDir(temp)
	check(t, err)
	if len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestMusique holds the methods to the coverage that they are to have.
func TestMusique(t *testing.T) {
	if !*long {
		t.Skip("takes minutes; give -long")
	}
	data := filepath.Dir(evaldata.Shared(t, "ketrag_musique/corpus.jsonl.gz"))
	least := map[string]float64{"bm25": 0.66, "naive": 0.69, "ketrag": 0.70}
	rep, err := eval.Run(t.Context(), eval.Options{Data: data, Specs: specs(t, "bm25", "naive", "ketrag"), Methods: methods.All(), Seed: 1})
	check(t, err)
	for _, f := range rep.Methods {
		t.Logf("%s: coverage %.3f (raw %.3f, word %.3f), ci %v, tokens %.0f, index %.1f s, p50 %.1f ms, p99 %.1f ms",
			f.Name, *f.Coverage, *f.CoverageRaw, *f.CoverageWord, f.CI, f.ContextTokens, f.IndexCPU, f.Ms.P50, f.Ms.P99)
		if math.IsNaN(*f.Coverage) || *f.Coverage < least[f.Name] {
			t.Errorf("%s covers %.3f, at least %.2f is wanted", f.Name, *f.Coverage, least[f.Name])
		}
	}
}
