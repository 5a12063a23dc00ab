package queue

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/models"
	"github.com/ragdb/ragdb/rag/llm"
)

// apply writes results in one transaction, as many as fit, and returns how
// many it settled and how many of those failed. A result that cannot be written
// is set aside like one that could not be made, and the others are written
// without it. One whose failure cannot be written either, as its key is too long for the
// store, is counted and noted in r.Unmarked; the next run tries it again.
func (r *Runner) apply(ctx context.Context, st Step, batch []outcome) (n, failed int, err error) {
	for most := len(batch); ; {
		w := &resultWriter{r: r, run: ctx, st: st, batch: batch[:most]}
		spoilt, err := w.write()
		together := w.at == most // all were applied, and what they do together failed
		switch {
		case err == nil:
			return w.n, w.failed, w.halt
		case !spoilt || together && w.n == 0:
			return 0, 0, err
		case errors.Is(err, engine.ErrTxTooLarge) && !together && w.n > 0:
			most = w.n // the item at work may fit alone
		case together && w.n > 1:
			most = w.n / 2 // fewer at once tell which item it is
		default:
			at := w.at
			if together {
				at = 0
			}
			o := &batch[at]
			switch {
			case o.err == nil:
				o.err, o.result, o.vec = err, nil, nil
			case at > 0:
				most = at
			default: // not even its failure can be written
				r.Unmarked = append(r.Unmarked, st.Name()+" "+o.item.Key+": "+err.Error())
				return 1, 1, nil
			}
		}
		if st.Batch != nil {
			st.Batch.Reset()
		}
	}
}

// resultWriter writes results in one transaction.
type resultWriter struct {
	r         *Runner
	run       context.Context
	st        Step
	batch     []outcome
	at        int   // the item at work; len(batch) once all that fit are applied
	n, failed int   // settled so far, and those of them that failed
	halt      error // ends the run after what came before it
}

// write writes what fits. spoilt says that the items are to blame for the error.
func (w *resultWriter) write() (spoilt bool, err error) {
	// What was computed is written even while the run is being cancelled.
	ctx := context.WithoutCancel(w.run)
	spoilt, err = Attempt(ctx, w.r.DB, func(tx *engine.Tx) error {
		jobs, err := tx.Graph(w.st.Graph()).MakeBucket(bucketJobs)
		if err != nil {
			return err
		}
		if w.st.Growth != nil || w.st.Local != nil {
			if err := w.st.withdraw(tx.Graph(w.st.Graph())); err != nil {
				return err
			}
		}
		for w.at = range w.batch {
			o := w.batch[w.at]
			size := tx.Bytes()
			if w.st.Batch != nil {
				size += w.st.Batch.Pending()
			}
			if size >= TxBytes(w.r.DB) {
				break
			}
			if models.Fatal(w.run, o.err) {
				w.halt = o.err
				break
			}
			if err := w.r.settle(ctx, tx, jobs, w.st, o); err != nil {
				return err
			}
			if w.n++; o.err != nil {
				w.failed++
			}
		}
		w.at = len(w.batch)
		if w.st.Batch != nil {
			if err := w.st.Batch.Flush(ctx, tx); err != nil {
				return err
			}
		}
		if w.st.Local != nil {
			return w.st.moved.note(tx.Graph(w.st.Graph()))
		}
		return nil
	})
	if err == nil && w.st.Local != nil {
		w.st.moved.committed()
	}
	return spoilt, err
}

// settle applies an item's result, or notes its failure, and marks it.
func (r *Runner) settle(ctx context.Context, tx *engine.Tx, jobs engine.BucketWriter, st Step, o outcome) error {
	key := jobKey(o.item.Key, st.Name())
	if o.err == nil {
		if err := st.apply(ctx, tx, o); err != nil {
			return err
		}
		return jobs.Set(key, append([]byte{markDone}, o.item.Digest[:]...))
	}
	f := Failure{Stage: st.Name(), Item: o.item.Key, Reason: o.err.Error()}
	var reply *llm.ReplyError
	if errors.As(o.err, &reply) {
		f.Raw = reply.Raw
	}
	b, err := json.Marshal(f)
	if err != nil {
		return err
	}
	return jobs.Set(key, append(append([]byte{markFailed}, o.item.Digest[:]...), b...))
}
