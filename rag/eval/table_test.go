package eval_test

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/internal/evaldata"
	"github.com/ragdb/ragdb/rag/eval"
	"github.com/ragdb/ragdb/rag/methods"
)

// stable returns a report as JSON without what differs from run to run.
func stable(t *testing.T, rep *eval.Report) string {
	t.Helper()
	for i := range rep.Methods {
		rep.Methods[i].Times = eval.Times{}
	}
	rep.SharedBytes = 0
	b, err := json.MarshalIndent(rep, "", " ")
	check(t, err)
	return string(b)
}

// TestTwice holds that two runs in two databases say the same to the byte, the
// times left out.
func TestTwice(t *testing.T) {
	t.Parallel()
	corpus, questions := townsOf(9)
	data := dataSet(t, corpus, questions)
	run := func() *eval.Report {
		rep, err := eval.Run(t.Context(), eval.Options{Data: data, Specs: specs(t, "bm25", "naive", "noderag", "erarag"), Methods: methods.All(), Seed: 3, At: []int{300, 100}})
		check(t, err)
		return rep
	}
	one, two := run(), run()
	if len(one.Manifest.Files) != 2 || one.Manifest.Documents != 18 || one.Manifest.Instances[2].Nodes == 0 || one.Manifest.Instances[2].Bytes == 0 {
		t.Errorf("manifest: %+v", one.Manifest)
	}
	if a, b := stable(t, one), stable(t, two); a != b {
		x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
		for i := range min(len(x), len(y)) {
			if x[i] != y[i] {
				t.Errorf("line %d: %s, then %s", i, x[i], y[i])
			}
		}
	}
	if one.Methods[0].Evidence == one.Methods[2].Evidence {
		t.Error("two methods with the same evidence")
	}
}

// TestKeptCost holds that the cost of an index is that of making it, also in a
// run that finds it made.
func TestKeptCost(t *testing.T) {
	t.Parallel()
	corpus, questions := townsOf(9)
	o := eval.Options{Data: dataSet(t, corpus, questions), DB: filepath.Join(t.TempDir(), "kept.ragdb"), Specs: specs(t, "naive", "ketrag", "ketrag:theta=0"), Methods: methods.All()}
	one, err := eval.Run(t.Context(), o)
	check(t, err)
	two, err := eval.Run(t.Context(), o)
	check(t, err)
	for i, f := range one.Methods {
		g := two.Methods[i]
		if f.IndexCPU == 0 || f.IndexCPU != g.IndexCPU || f.IndexWall != g.IndexWall || fmt.Sprint(*f.Index.USD, f.Index.Calls) != fmt.Sprint(*g.Index.USD, g.Index.Calls) {
			t.Errorf("%s: %v %+v, at first %v %+v", f.Name, g.IndexCPU, g.Index, f.IndexCPU, f.Index)
		}
	}
	naive, ketrag, again := one.Methods[0], one.Methods[1], one.Methods[2]
	if naive.Index.Calls != 0 || ketrag.Index.Calls == 0 || ketrag.Index.OutTokens == 0 || *ketrag.Index.USD != 0 || ketrag.IndexCPU <= naive.IndexCPU {
		t.Errorf("naive %+v, ketrag %+v", naive.Index, ketrag.Index)
	}
	if again.Index.Calls != ketrag.Index.Calls || math.Abs(again.IndexCPU-ketrag.IndexCPU) > 1e-5 {
		t.Errorf("of one index %+v and %+v", again.Index, ketrag.Index)
	}
}

func TestSweep(t *testing.T) {
	t.Parallel()
	corpus, questions := townsOf(4)
	data := dataSet(t, corpus, questions)
	sweeps := func(list ...string) (out []eval.Sweep) {
		for _, s := range list {
			w, err := eval.ParseSweep(s)
			check(t, err)
			out = append(out, w)
		}
		return out
	}
	tests := []struct {
		name   string
		specs  []string
		sweeps []eval.Sweep
		rows   []string
		err    string
	}{
		{"one", []string{"bm25", "ketrag"}, sweeps("theta=0:1:0.5"), []string{"bm25", "ketrag:theta=0.0", "ketrag:theta=0.5", "ketrag:theta=1.0"}, ""},
		{"two", []string{"ketrag:k=4@four"}, sweeps("theta=0|1", "beta=0.5|1"), []string{"four theta=0 beta=0.5", "four theta=0 beta=1", "four theta=1 beta=0.5", "four theta=1 beta=1"}, ""},
		{"set already", []string{"ketrag:theta=0.3", "ketrag"}, sweeps("theta=0|1"), []string{"ketrag:theta=0.3", "ketrag:theta=0", "ketrag:theta=1"}, ""},
		{"profile", []string{"ketrag", "bm25"}, sweeps("profile=low|high"), []string{"ketrag:profile=low", "ketrag:profile=high", "bm25"}, ""},
		{"nobody has it", []string{"ketrag", "bm25"}, sweeps("gamma=1|2"), nil, `no method of the run has a parameter "gamma" to sweep; ketrag has beta`},
		{"a value out of range", []string{"ketrag"}, sweeps("theta=3|4"), nil, "theta=3: a number from 0 to 1"},
		{"a later value out of range", []string{"ketrag"}, sweeps("theta=1|4"), nil, "theta=4: a number from 0 to 1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			rep, err := eval.Run(t.Context(), eval.Options{Data: data, Specs: specs(t, tt.specs...), Sweeps: tt.sweeps, Methods: methods.All(), Engine: inMemory()})
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Fatalf("%v, want %s", err, tt.err)
				}
				return
			}
			check(t, err)
			var rows []string
			for _, f := range rep.Methods {
				rows = append(rows, f.Name)
			}
			if !slices.Equal(rows, tt.rows) {
				t.Errorf("%q, want %q", rows, tt.rows)
			}
		})
	}
}

// TestInstances holds that parameters of the index make an index of their own,
// and others do not.
func TestInstances(t *testing.T) {
	t.Parallel()
	corpus, questions := townsOf(6)
	rep, err := eval.Run(t.Context(), eval.Options{
		Data: dataSet(t, corpus, questions), Specs: specs(t, "ketrag", "ketrag:beta=0.5", "ketrag:theta=0"), Methods: methods.All(), Engine: inMemory(),
	})
	check(t, err)
	i := rep.Manifest.Instances
	if i[0].Instance != "ketrag" || i[1].Instance != "ketrag#beta=0.5" || i[2].Instance != "ketrag" || i[1].Nodes >= i[0].Nodes || i[2].Bytes != i[0].Bytes {
		t.Errorf("%+v", i)
	}
}

// TestRecordedSystems holds rows of other systems to figures made by hand.
func TestRecordedSystems(t *testing.T) {
	t.Parallel()
	dir := dataSet(t, `{"id":"a","title":"A","text":"Senna is a town."}
{"id":"b","text":"A river."}
{"id":"c","text":"Nothing of it."}
`, []question{
		{ID: "q1", Question: "Which town?", Answers: []string{"senna"}, Supporting: []string{"a"}},
		{ID: "q2", Question: "Which river?", Answers: []string{"Loire"}, Supporting: []string{"b", "c"}},
	})
	writeFile(t, filepath.Join(dir, "recorded.jsonl.gz"), `{"system":"two","question_id":"q1","retrieved":["b","a"]}
{"system":"two","question_id":"q2","retrieved":["b"]}
{"system":"one","question_id":"q2","retrieved":["c","b","no such record"]}
{"system":"one","question_id":"of another half","retrieved":["a"]}
`)
	for _, join := range []bool{false, true} {
		rep, err := eval.Run(t.Context(), eval.Options{Data: dir, Specs: specs(t, "bm25"), Methods: methods.All(), Engine: inMemory(), Join: join})
		check(t, err)
		if len(rep.Methods) != 3 {
			t.Fatalf("%d rows", len(rep.Methods))
		}
		one, two := rep.Methods[1], rep.Methods[2]
		if one.Name != "one" || !one.Recorded || one.Questions != 1 || *one.Coverage != 0 || *one.Recall2 != 1 || *one.Perfect != 1 || *one.MRR != 1 || one.Index != nil {
			t.Errorf("one: %v", values(one))
		}
		if two.Name != "two" || two.Questions != 2 || *two.Coverage != 0.5 || *two.Recall5 != 0.75 || *two.Hit1 != 0.5 || *two.Hit5 != 1 || *two.MRR != 0.75 || *two.Perfect != 0.5 {
			t.Errorf("two: %v", values(two))
		}
		if one.CI == nil || two.CI == nil || rep.Methods[0].Recorded {
			t.Errorf("intervals %v, %v", one.CI, two.CI)
		}
	}
	writeFile(t, filepath.Join(dir, "recorded.jsonl.gz"), `{"question_id":"q1","retrieved":["b","a"]}`)
	if _, err := eval.Run(t.Context(), eval.Options{Data: dir, Specs: specs(t, "bm25"), Methods: methods.All(), Engine: inMemory()}); err == nil || !strings.Contains(err.Error(), "line 1: no system") {
		t.Errorf("%v", err)
	}
}

// TestRecorded2Wiki compares with what four systems retrieved of the same
// passages. Their figures were worked out from the recordings by a script.
func TestRecorded2Wiki(t *testing.T) {
	if !*long {
		t.Skip("takes seconds; give -long")
	}
	data := filepath.Dir(evaldata.Shared(t, "hippo_2wiki/recorded.jsonl.gz"))
	rep, err := eval.Run(t.Context(), eval.Options{Data: data, Specs: specs(t, "bm25"), Methods: methods.All(), Seed: 1})
	check(t, err)
	want := map[string][4]float64{
		"fast-graphrag": {0.6814, 0.9118, 0.7451, 0.9706}, "lightrag": {0.4804, 0.6863, 0.4510, 0.8170},
		"nano-graphrag": {0.5588, 0.8235, 0.5686, 0.9379}, "vdb": {0.5833, 0.6618, 0.3725, 0.9510},
	}
	for _, f := range rep.Methods[1:] {
		if got := [4]float64{*f.Recall2, *f.Recall5, *f.Perfect, *f.MRR}; fmt.Sprintf("%.4f", got) != fmt.Sprintf("%.4f", want[f.Name]) {
			t.Errorf("%s: %.4f, want %.4f", f.Name, got, want[f.Name])
		}
	}
	if len(rep.Methods) != 1+len(want) {
		t.Errorf("%d rows", len(rep.Methods))
	}
}
