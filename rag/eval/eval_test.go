package eval_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/evaldata"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/eval"
	"github.com/ragdb/ragdb/rag/internal/text"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/methods"
)

// joinedSet is the chunk set of joined runs.
var joinedSet = text.ChunkSet{Size: 1200, Overlap: 100, Rule: text.Window, Sub: 150}

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
			c, err := rag.OpenCorpus(t.Context(), edb, "main", nil)
			check(t, err)
			owner, set := chunkDocs, text.ChunkSet{}
			if o.Join {
				owner, set = touched(corpus), joinedSet
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
		V        int
		Data     string
		Join     string
		Extract  string
		Budget   int
		Chunks   string
		Methods  []map[string]any
		Manifest map[string]any
		Shared   int64 `json:"shared_bytes"`
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	check(t, d.Decode(&rep))
	chunks := map[string]string{"no": "cl100k/300/0/paragraph", "yes": "cl100k/1200/100/window/150"}[join]
	if rep.V != 1 || rep.Data != "towns" || rep.Join != join || rep.Extract != "local" || rep.Budget != budget || rep.Chunks != chunks {
		t.Errorf("%s", b)
	}
	if len(rep.Methods) != len(names) {
		t.Fatalf("%d methods", len(rep.Methods))
	}
	for i, f := range rep.Methods {
		want := []string{
			"ci", "context_tokens", "coverage", "coverage_raw", "coverage_word", "evidence", "hit@1", "hit@10", "hit@5", "index", "index_cpu_s", "index_s",
			"mrr", "ms", "name", "perfect", "questions", "recall@10", "recall@2", "recall@5",
		}
		if i == 0 {
			want = want[1:] // bm25 is compared with the others, not with itself
		}
		if got := slices.Sorted(maps.Keys(f)); !slices.Equal(got, want) {
			t.Errorf("%s has %q, want %q", names[i], got, want)
		}
		spec, err := method.ParseSpec(names[i])
		check(t, err)
		if f["name"] != spec.Title() || f["questions"] != float64(questions) {
			t.Errorf("%v", f)
		}
		for _, k := range want {
			switch x := f[k].(type) {
			case float64:
				if slices.ContainsFunc([]string{"coverage", "recall", "hit", "mrr", "perfect"}, func(p string) bool { return strings.HasPrefix(k, p) }) {
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
				if k == "index" {
					if x["calls"] == nil || x["embed_calls"].(float64) == 0 || x["usd"] != 0.0 {
						t.Errorf("index of %s is %v", names[i], x)
					}
					continue
				}
				if p50, p99 := x["p50"].(float64), x["p99"].(float64); len(x) != 3 || p50 <= 0 || p99 < p50 {
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
				if rep.Budget != method.DefaultBudget {
					t.Errorf("budget %d", rep.Budget)
				}
			}
		})
	}
}

// TestComparisonByRecall compares methods on questions without answers. All
// five records are among the first five of each method, so that there is no
// difference, though there is one among the first two.
func TestComparisonByRecall(t *testing.T) {
	t.Parallel()
	corpus, questions := "", []question{}
	for i, body := range []string{
		"town", "town town harbour and much more that is said of boats", "town mill miller flour", "the old town hall of the town, built of oak", "harbour town",
	} {
		corpus += fmt.Sprintf("{\"id\":\"r%d\",\"text\":%q}\n", i, body)
		questions = append(questions, question{Question: "town " + []string{"harbour", "mill", "oak", "boats", "hall"}[i], Supporting: []string{fmt.Sprint("r", i)}})
	}
	rep, err := eval.Run(t.Context(), eval.Options{Data: dataSet(t, corpus, questions), Specs: specs(t, "bm25", "dense"), Methods: methods.All(), Engine: inMemory()})
	check(t, err)
	bm25, dense := rep.Methods[0], rep.Methods[1]
	if *bm25.Recall5 != 1 || *dense.Recall5 != 1 || *bm25.Recall2 == *dense.Recall2 {
		t.Fatalf("the data is no test: %v, %v", values(bm25), values(dense))
	}
	if dense.CI == nil || *dense.CI != [2]float64{} {
		t.Errorf("interval %v", dense.CI)
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
		{"bm25", false, []text.ChunkSet{{}}, []text.ChunkSet{own, joinedSet}, text.ChunkSet{}.String()},
		{"bm25", true, []text.ChunkSet{joinedSet}, []text.ChunkSet{own, {}}, joinedSet.String()},
		{"ketrag:profile=paper", false, []text.ChunkSet{{}, joinedSet}, []text.ChunkSet{own}, text.ChunkSet{}.String()},
		{"dense:chunks=" + own.String(), true, []text.ChunkSet{own, joinedSet}, []text.ChunkSet{{}}, joinedSet.String()},
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
			c, err := rag.OpenCorpus(t.Context(), edb, "main", nil)
			check(t, err)
			check(t, edb.View(t.Context(), func(s *engine.Snapshot) error {
				for i, set := range append(tt.has, tt.not...) {
					n, err := c.CountChunks(s.Graph(c.Base()), set)
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
