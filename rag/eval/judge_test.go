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
	"github.com/ragdb/ragdb/internal/llmtest"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/eval"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/methods"
)

// judges answers as three judges: "first" prefers what is shown first, "fair"
// the answer that is right, "garbage" writes no verdict. zeroshot knows half of
// the answers that others find.
func judges(t *testing.T) *llmtest.Server {
	right := map[string]string{"Who drew the tide mill?": "Mira Voss", "What ended the tide mill?": "the flood of 1954", "Who was the teacher of Mira Voss?": "B"}
	return llmtest.New(t, llmtest.Options{Answer: func(c llmtest.Chat) (string, bool) {
		q := c.Fences["question"]
		if c.Kind != llm.Judge {
			if _, aided := c.Fences["evidence"]; !aided && q != "Who drew the tide mill?" {
				return "Somebody", true
			}
			return right[q] + ".", true
		}
		shown := strings.Split(c.Fences["answers"], "\n")
		switch c.Model {
		case "first":
			return `{"reason":"It comes first.","winner":0}`, true
		case "fair":
			var good []int
			for i, a := range shown {
				a = strings.TrimSuffix(strings.TrimPrefix(a, fmt.Sprintf("[%d] ", i)), ".")
				if a != "" && a == right[q] || a == "Old Harn" {
					good = append(good, i)
				}
			}
			if len(good) == 1 {
				return fmt.Sprintf(`{"reason":"It is right.","winner":%d}`, good[0]), true
			}
			return `{"reason":"They are alike.","winner":-1}`, true
		case "wild":
			return `{"reason":"Why not?","winner":7}`, true
		}
		return "I would rather not say.", true
	}})
}

// TestJudges compares a method that knows all with one that knows little: by
// a fair judge, one that looks at the order alone, and two that are of no use.
func TestJudges(t *testing.T) {
	t.Parallel()
	s := judges(t)
	named := []string{"fair", "first", "garbage", "wild"}
	var open []func(context.Context, *rag.Corpus) (*rag.Models, error)
	for _, n := range named {
		open = append(open, chatAt(s.URL, n))
	}
	o := eval.Options{
		Data: mills(t), DB: filepath.Join(t.TempDir(), "kept.ragdb"), Specs: specs(t, "bm25", "naive", "zeroshot"), Methods: methods.All(), Seed: 1,
		Answers: &eval.AnswerOptions{Models: chatAt(s.URL, "m"), Judges: open},
	}
	var plans []eval.AnswerPlan
	o.Answers.Begin = func(p eval.AnswerPlan) error { plans = append(plans, p); return nil }
	rep, err := eval.Run(t.Context(), o)
	check(t, err)
	// Four judges rule on four questions of six pairs, twice.
	if want := 4 * 3 * method.DefaultBudget; len(plans) != 1 || plans[0].Answers != 12 || plans[0].Tokens != want ||
		plans[0].Verdicts != 4*4*6*2 || plans[0].USD == nil || *plans[0].USD != float64(want)/1e6 {
		t.Errorf("announced %+v", plans)
	}
	// q4 has no known answer: the two that retrieve say ".", which is judged
	// against "Somebody", and takes no part against the gold answers. q2 is
	// the gold answer but for the full stop, which a judge is asked about.
	want := map[string][]string{
		"fair": {
			"bm25 naive 0/4/0 0", "bm25 zeroshot 2/2/0 0", "bm25 gold answers 0/3/0 0",
			"naive zeroshot 2/2/0 0", "naive gold answers 0/3/0 0", "zeroshot gold answers 0/1/2 0",
		},
		"first": {
			"bm25 naive 0/4/0 0", "bm25 zeroshot 0/4/0 0", "bm25 gold answers 0/3/0 0",
			"naive zeroshot 0/4/0 0", "naive gold answers 0/3/0 0", "zeroshot gold answers 0/3/0 0",
		},
		"garbage": {
			"bm25 naive 0/4/0 0", "bm25 zeroshot 0/1/0 3", "bm25 gold answers 0/0/0 3",
			"naive zeroshot 0/1/0 3", "naive gold answers 0/0/0 3", "zeroshot gold answers 0/0/0 3",
		},
	}
	want["wild"] = want["garbage"]
	firstShown := map[string]any{"fair": 0.5, "first": 1.0, "garbage": nil, "wild": nil}
	for i, j := range rep.Judging {
		var got []string
		for _, p := range j.Pairs {
			got = append(got, fmt.Sprintf("%s %s %d/%d/%d %d", p.A, p.B, p.Wins, p.Ties, p.Losses, p.Failed))
			if p.Questions != p.Wins+p.Ties+p.Losses || (p.WinTie == nil) != (p.Questions == 0) ||
				p.WinTie != nil && *p.WinTie != float64(p.Wins+p.Ties)/float64(p.Questions) {
				t.Errorf("%s: %+v", j.Judge, p)
			}
		}
		if j.Judge != named[i] || !slices.Equal(got, want[j.Judge]) {
			t.Errorf("%s: %q, want %q", j.Judge, got, want[j.Judge])
		}
		if value(j.FirstShown) != firstShown[j.Judge] {
			t.Errorf("%s names the first shown in %v", j.Judge, value(j.FirstShown))
		}
		if useless := firstShown[j.Judge] == nil; useless != (j.Failed == j.Verdicts) || !useless && j.Failed > 0 || j.Verdicts == 0 || j.USD == nil {
			t.Errorf("%+v", j)
		}
	}
	if len(rep.Judging) != 4 || rep.Judging[1].Failure != nil || !errors.Is(rep.Judging[2].Failure, llm.ErrReply) ||
		!strings.Contains(rep.Judging[3].Failure.Error(), "neither of the two") {
		t.Errorf("%+v", rep.Judging)
	}

	// What was ruled is not asked again, even when no reply is kept any more.
	forget(t, o.DB)
	before := s.Counters()
	o.Answers.Models, o.Answers.Judges = chatAt(s.URL, "m"), []func(context.Context, *rag.Corpus) (*rag.Models, error){keptOnly("fair")}
	again, err := eval.Run(t.Context(), o)
	check(t, err)
	if got, want := asJSON(t, again.Judging[0].Pairs), asJSON(t, rep.Judging[0].Pairs); got != want || again.Judging[0].InTokens != rep.Judging[0].InTokens {
		t.Errorf("%s, and was %s", got, want)
	}
	if after := s.Counters(); after.Chats-before.Chats == 0 {
		t.Error("the replies were not forgotten")
	}
}

// TestStoppedJudge: a judge that stops in the middle leaves no verdict on what it did not
// rule on; the next run asks it for that.
func TestStoppedJudge(t *testing.T) {
	t.Parallel()
	s := judges(t)
	o := eval.Options{
		Data: mills(t), DB: filepath.Join(t.TempDir(), "kept.ragdb"), Specs: specs(t, "bm25", "zeroshot"), Methods: methods.All(), Seed: 1,
		Answers: &eval.AnswerOptions{Models: chatAt(s.URL, "m")},
	}
	for _, open := range []func(context.Context, *rag.Corpus) (*rag.Models, error){
		func(ctx context.Context, c *rag.Corpus) (*rag.Models, error) { return paidBy(ctx, c, refused("fair")) },
		chatAt(s.URL, "fair"),
	} {
		o.Answers.Judges = []func(context.Context, *rag.Corpus) (*rag.Models, error){open}
		before := s.Counters().Chats
		rep, err := eval.Run(t.Context(), o)
		if rep == nil {
			if !errors.Is(err, llm.ErrProvider) {
				t.Fatalf("the judge is refused: %v", err)
			}
			continue
		}
		if n := s.Counters().Chats - before; n != rep.Judging[0].Verdicts {
			t.Errorf("%d verdicts, of which %d were asked for", rep.Judging[0].Verdicts, n)
		}
		if p := rep.Judging[0].Pairs[0]; p.Wins != 2 || p.Ties != 2 || p.Failed != 0 {
			t.Errorf("after a judge that stopped: %+v", p)
		}
	}
}

// refused is a model that no request is let through to.
type refused string

func (r refused) Name() string        { return string(r) }
func (r refused) Can(k llm.Kind) bool { return k.Known() }
func (r refused) Do(context.Context, llm.Task) (llm.Reply, llm.Usage, error) {
	return llm.Reply{}, llm.Usage{}, fmt.Errorf("%w: the key is unknown", llm.ErrProvider)
}

// forget removes the kept replies of a database.
func forget(t *testing.T, path string) {
	t.Helper()
	db, err := engine.Open(t.Context(), path, nil)
	check(t, err)
	defer db.Close()
	c, err := rag.OpenCorpus(t.Context(), db, "main", nil)
	check(t, err)
	check(t, db.Update(t.Context(), func(tx *engine.Tx) error {
		b, err := tx.Graph(c.Base()).MakeBucket("replies")
		if err != nil {
			return err
		}
		return b.DeletePrefix(nil)
	}))
}

// TestVerdictsHoldNoText: what a judge wrote and what it was shown is from
// documents, and goes with them; a verdict stays.
func TestVerdictsHoldNoText(t *testing.T) {
	t.Parallel()
	s := judges(t)
	o := eval.Options{
		Data: mills(t), DB: filepath.Join(t.TempDir(), "kept.ragdb"), Specs: specs(t, "bm25", "zeroshot"), Methods: methods.All(),
		Answers: &eval.AnswerOptions{Models: chatAt(s.URL, "m"), Judges: []func(context.Context, *rag.Corpus) (*rag.Models, error){chatAt(s.URL, "fair")}},
	}
	_, err := eval.Run(t.Context(), o)
	check(t, err)
	db, err := engine.Open(t.Context(), o.DB, nil)
	check(t, err)
	defer db.Close()
	c, err := rag.OpenCorpus(t.Context(), db, "main", nil)
	check(t, err)
	count := func(bucket string, hold string) (n, holding int) {
		check(t, db.View(t.Context(), func(s *engine.Snapshot) error {
			for e, err := range s.Graph(c.Base()).Bucket(bucket).Scan(nil, nil) {
				check(t, err)
				n++
				if strings.Contains(string(e.Value), hold) {
					holding++
				}
			}
			return nil
		}))
		return n, holding
	}
	if n, texts := count("verdicts", "Voss"); n == 0 || texts > 0 {
		t.Errorf("%d verdicts, %d with text of a document", n, texts)
	}
	if n, reasons := count("replies", "It is right"); n == 0 || reasons == 0 {
		t.Errorf("%d replies, %d reasons", n, reasons)
	}
	for _, doc := range []string{"m1", "m2", "m3"} {
		_, err := c.Remove(t.Context(), methods.All(), doc, rag.RemoveOptions{})
		check(t, err)
	}
	// No document has a part in zeroshot's two wrong answers and the gold ones.
	if _, reasons := count("replies", "It is right"); reasons != 2*2 {
		t.Errorf("%d reasons outlive the documents", reasons)
	}
	if n, _ := count("verdicts", ""); n == 0 {
		t.Error("no verdicts are left")
	}
}
