package eval

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/cost"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
)

// verdict is the form in which a verdict is kept. What the judge wrote is among
// the replies, and goes with the documents.
type verdict struct {
	Judge    string    `json:"judge"`
	Question string    `json:"question"`
	Winner   int       `json:"winner"` // 0 the first shown, 1 the second, -1 none
	Usage    llm.Usage `json:"usage"`
}

// bucketVerdicts keeps verdicts in the base graph, under the digest of judge,
// prompts, question and both answers.
const bucketVerdicts = "verdicts"

// digest is the key of a trial's verdict.
func (j *judging) digest(t trial) []byte {
	d := method.Digest("verdict", j.models.Provider().Name(), j.models.Prompts(), j.r.questions[t.question].Text, t.first, t.second)
	return d[:]
}

// rule finds a verdict that is kept, else asks the judge.
func (j *judging) rule(ctx context.Context, t trial, into *ruling) error {
	known, err := j.known(ctx, t)
	if err != nil {
		return err
	}
	if known != nil {
		into.verdict = *known
		return nil
	}
	var tally cost.Tally
	slices.Sort(into.docs)
	q := &j.r.questions[t.question]
	reply, err := j.models.Tallied("judge", &tally).Do(ctx, "judge", slices.Compact(into.docs), llm.Task{
		Kind: llm.Judge, Input: llm.JudgeInput{Question: q.Text, Answers: []string{t.first, t.second}},
	})
	var v llm.Verdict
	if err == nil {
		if err = json.Unmarshal([]byte(reply.Text), &v); err != nil || v.Winner < -1 || v.Winner > 1 {
			err = &llm.ReplyError{Kind: llm.Judge, Raw: reply.Text, Why: "the winner is neither of the two answers, nor -1"}
		}
	}
	if err != nil && !passing(err) {
		return err // and there is no verdict to keep
	}
	into.verdict = verdict{Judge: j.models.Provider().Name(), Question: q.ID, Winner: v.Winner, Usage: tally.Usage()}
	if err != nil {
		into.failed, into.why = true, fmt.Errorf("question %s: %w", q.ID, err)
	}
	return nil
}

// known returns the verdict on a trial that is kept, nil if there is none.
func (j *judging) known(ctx context.Context, t trial) (v *verdict, err error) {
	err = j.r.db.View(ctx, func(s *engine.Snapshot) error {
		b, err := s.Graph(j.r.corpus.Base()).WithContext(ctx).Bucket(bucketVerdicts).Get(j.digest(t), nil)
		if errors.Is(err, engine.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		v = &verdict{}
		return json.Unmarshal(b, v)
	})
	return v, err
}

// keep stores the verdicts of trials that were ruled on.
func (j *judging) keep(ctx context.Context, trials []trial) error {
	return j.r.db.Update(ctx, func(tx *engine.Tx) error {
		bucket, err := tx.Graph(j.r.corpus.Base()).MakeBucket(bucketVerdicts)
		if err != nil {
			return err
		}
		for _, t := range trials {
			rule := j.rulings[t]
			if rule.failed || rule.Judge == "" {
				continue
			}
			b, err := json.Marshal(rule.verdict)
			if err != nil {
				return err
			}
			if err := bucket.Set(j.digest(t), b); err != nil {
				return err
			}
		}
		return nil
	})
}
