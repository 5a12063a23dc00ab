package ledger

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"iter"
	"slices"
	"time"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/cost"
	"github.com/ragdb/ragdb/rag/internal/corpus"
)

// maxRuns bounds the records of runs; the oldest go first.
const maxRuns = 1000

// bucketRuns holds, in the base graph, what runs cost: epoch at the start -> Run.
const bucketRuns = "runs"

// Run is the record of an index run.
type Run struct {
	Started time.Time    `json:"started"`
	Ended   time.Time    `json:"ended"` // of what is recorded; a run that was killed did more
	Methods []string     `json:"methods"`
	Model   string       `json:"model"` // that tasks were asked of
	Embed   string       `json:"embed_model"`
	Prompts string       `json:"prompts,omitempty"` // hash of the prompts, in hex
	Outcome string       `json:"outcome"`           // "", done, or what ended it
	Spent   []cost.Spent `json:"spent"`
}

// record is the record of the run under way.
type record struct {
	l   *Ledger
	key []byte
	Run
}

// Begin begins the record of a run.
func (l *Ledger) Begin(r Run) *record {
	r.Started = time.Now().UTC()
	return &record{l: l, key: binary.BigEndian.AppendUint64(nil, l.db.Epoch()), Run: r}
}

// Save writes the record if calls were made, also while the run is being cancelled.
func (r *record) Save(ctx context.Context, spent []cost.Spent, outcome string) error {
	if r.Spent = spent; len(spent) == 0 {
		return nil
	}
	r.Ended, r.Outcome = time.Now().UTC(), outcome
	b, err := json.Marshal(r.Run)
	if err != nil {
		return err
	}
	err = r.l.db.Update(context.WithoutCancel(ctx), func(tx *engine.Tx) error {
		runs, err := tx.Graph(r.l.base).MakeBucket(bucketRuns)
		if err != nil {
			return err
		}
		if err := runs.Set(r.key, b); err != nil || outcome == "" {
			return err
		}
		return keepNewest(runs, maxRuns)
	})
	if err != nil {
		return phase.Errorf("record of the run: %w", err)
	}
	return nil
}

// keepNewest removes the first entries of a bucket, so that no more than most stay.
func keepNewest(b engine.BucketWriter, most int) error {
	var keys [][]byte
	for e, err := range b.Scan(nil, nil) {
		if err != nil {
			return err
		}
		keys = append(keys, slices.Clone(e.Key))
	}
	for _, key := range keys[:max(0, len(keys)-most)] {
		if err := b.Delete(key); err != nil {
			return err
		}
	}
	return nil
}

// Runs yields the records of the last 1,000 index runs that made model calls, oldest
// first.
func (l *Ledger) Runs(v *engine.View) iter.Seq2[Run, error] {
	return func(yield func(Run, error) bool) {
		if err := corpus.Readable(v); err != nil {
			yield(Run{}, err)
			return
		}
		for e, err := range v.Bucket(bucketRuns).Scan(nil, nil) {
			var r Run
			if err == nil {
				err = json.Unmarshal(e.Value, &r)
			}
			if !yield(r, err) || err != nil {
				return
			}
		}
	}
}
