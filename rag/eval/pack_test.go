package eval_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/rag/eval"
	"github.com/ragdb/ragdb/rag/methods"
)

// packed makes a pack of a small run and reads it back.
func packed(t *testing.T, data string) *eval.PackSet {
	t.Helper()
	var replies, file bytes.Buffer
	rep, err := eval.Run(t.Context(), eval.Options{
		Data: data, Specs: specs(t, "bm25", "ketrag:theta=0@words"), Methods: methods.All(), Seed: 5, Budget: 900, Engine: inMemory(), Replies: &replies,
	})
	check(t, err)
	p := &eval.Pack{}
	p.Add(rep, replies.Bytes())
	check(t, p.Write(&file))
	if corpus, err := os.ReadFile(filepath.Join(data, "questions.jsonl")); err != nil || strings.Contains(unzip(t, file.Bytes()), strings.Split(string(corpus), `"`)[7]) {
		t.Errorf("%v, or the pack holds a question", err)
	}
	back, err := eval.ReadPack(bytes.NewReader(file.Bytes()))
	check(t, err)
	return &back.Sets[0]
}

func unzip(t *testing.T, b []byte) string {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(b))
	check(t, err)
	var out bytes.Buffer
	_, err = out.ReadFrom(z)
	check(t, err)
	return out.String()
}

// again repeats the run of a pack and returns what differs.
func again(t *testing.T, set *eval.PackSet, data string) []string {
	t.Helper()
	o, err := set.Options()
	check(t, err)
	o.Data, o.Methods, o.Engine = data, methods.All(), inMemory()
	rep, err := eval.Run(t.Context(), o)
	check(t, err)
	diff, err := set.Differences(rep)
	check(t, err)
	return diff
}

func TestPack(t *testing.T) {
	t.Parallel()
	corpus, questions := townsOf(7)
	data := dataSet(t, corpus, questions)
	set := packed(t, data)
	if other, err := set.CheckData(data, ""); err != nil || len(other) > 0 {
		t.Errorf("%v, %v", other, err)
	}
	if diff := again(t, set, data); len(diff) > 0 {
		t.Errorf("%q", diff)
	}

	// Any figure, parameter or piece of evidence that differs is told.
	*set.Report.Methods[1].Coverage -= 0.25
	set.Report.Manifest.Instances[1].Params["probe"] = "7"
	set.Evidence[0][2] = strings.Repeat("0", 64)
	diff := again(t, set, data)
	if len(diff) != 3 || !strings.HasPrefix(diff[0], "manifest instances ketrag:theta=0@words params probe: 7, now 1000") ||
		!strings.HasPrefix(diff[1], "methods words coverage: ") || diff[2] != "bm25: other evidence for 1 of 7 questions: q2" {
		t.Errorf("%q", diff)
	}

	// A changed file is told before anything is run.
	writeFile(t, filepath.Join(data, "corpus.jsonl.gz"), strings.Replace(corpus, "bees", "goats", 1))
	other, err := set.CheckData(data, "")
	if check(t, err); !slices.Equal(other, []string{"towns: corpus.jsonl is another file than was packed"}) {
		t.Errorf("%q", other)
	}
}

// TestPackedAnew holds that packing does not change what a file is.
func TestPackedAnew(t *testing.T) {
	t.Parallel()
	corpus, questions := townsOf(3)
	data := dataSet(t, corpus, questions)
	set := packed(t, data)
	check(t, os.Remove(filepath.Join(data, "corpus.jsonl.gz")))
	writeFile(t, filepath.Join(data, "corpus.jsonl"), corpus)
	if other, err := set.CheckData(data, ""); err != nil || len(other) > 0 {
		t.Errorf("%q, %v", other, err)
	}
}

func TestNoPack(t *testing.T) {
	t.Parallel()
	zip := func(s string) []byte {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, err := z.Write([]byte(s))
		check(t, errors.Join(err, z.Close()))
		return b.Bytes()
	}
	for name, b := range map[string][]byte{
		"empty": nil, "not packed": []byte(`{"v":1}`), "no line": zip(`{"v":1}`), "no JSON": zip("hello\n"), "another version": zip(`{"v":9,"sets":[{}]}` + "\n"),
		"no sets": zip(`{"v":1}` + "\n"), "no report": zip(`{"v":1,"sets":[{"evidence":[]}]}` + "\n"),
		"fewer replies": zip(`{"v":1,"sets":[{"report":{"v":1},"lines":2}]}` + "\n{}\n"), "cut": zip(`{"v":1,"sets":[]}`)[:15],
	} {
		if _, err := eval.ReadPack(bytes.NewReader(b)); !errors.Is(err, eval.ErrPack) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestGrowth holds that a corpus that grew ends with the evidence of bm25 over
// one that was there at once, and counts the documents of each step.
func TestGrowth(t *testing.T) {
	t.Parallel()
	corpus, questions := townsOf(10) // 20 records
	for _, tt := range []struct {
		plan      string
		documents string
	}{
		{"0.5,5", "[10 12 14 16 18 20]"},
		{"17,2", "[17 19 20]"},
		{"part", "[12 13 20]"},
	} {
		t.Run(tt.plan, func(t *testing.T) {
			t.Parallel()
			var lines []string
			for i, line := range strings.Split(strings.TrimSpace(corpus), "\n") {
				part := 9 // the last of the file come first
				switch {
				case i > 7:
					part = -2
				case i == 7:
					part = 4
				}
				lines = append(lines, strings.Replace(line, "{", fmt.Sprintf(`{"part":%d,`, part), 1))
			}
			plan, err := eval.ParseGrowth(tt.plan)
			check(t, err)
			rep, err := eval.Run(t.Context(), eval.Options{
				Data: dataSet(t, strings.Join(lines, "\n"), questions), Specs: specs(t, "bm25", "erarag"), Methods: methods.All(), Growth: plan, Engine: inMemory(),
			})
			check(t, err)
			var documents []int
			for i, s := range rep.Growth.Steps {
				documents = append(documents, s.Documents)
				if i > 0 && s.Added != s.Documents-documents[i-1] || len(s.Methods) != 2 {
					t.Errorf("step %d: %+v", i, s)
				}
			}
			if fmt.Sprint(documents) != tt.documents {
				t.Errorf("documents %v, want %s", documents, tt.documents)
			}
			last := rep.Growth.Steps[len(rep.Growth.Steps)-1].Methods[0]
			if static := rep.Methods[0]; *last.Coverage != *static.Coverage || *last.Recall5 != *static.Recall5 || last.Questions != 10 {
				t.Errorf("bm25 grown: coverage %v, recall %v; at once: %v, %v", *last.Coverage, *last.Recall5, *static.Coverage, *static.Recall5)
			}
		})
	}
}

func TestParseGrowth(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"0.5,10", "585,1", "batch_mul"} {
		p, err := eval.ParseGrowth(s)
		if check(t, err); p.String() != s {
			t.Errorf("%s is %s", s, p)
		}
	}
	for _, s := range []string{"", " ", "0,10", "-1,3", "1.5,3", "0.5,0", "0.5,x", "x,3", "NaN,3", "0.5,10,2"} {
		if p, err := eval.ParseGrowth(s); err == nil {
			t.Errorf("%q is %+v", s, p)
		}
	}
}

// TestNoGrowth says why a corpus cannot grow.
func TestNoGrowth(t *testing.T) {
	t.Parallel()
	corpus, questions := townsOf(2)
	data := dataSet(t, corpus, questions)
	for plan, want := range map[string]string{"batch": `line 1: no number "batch"`, "4,2": "leaves nothing to insert"} {
		p, err := eval.ParseGrowth(plan)
		check(t, err)
		_, err = eval.Run(t.Context(), eval.Options{Data: data, Specs: specs(t, "bm25"), Methods: methods.All(), Engine: inMemory(), Growth: p})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", plan, err)
		}
		_, err = eval.Run(t.Context(), eval.Options{Data: data, Specs: specs(t, "bm25"), Methods: methods.All(), Engine: inMemory(), Growth: p, Join: true})
		if err == nil || !strings.Contains(err.Error(), "records apart") {
			t.Errorf("joined: %v", err)
		}
	}
}
