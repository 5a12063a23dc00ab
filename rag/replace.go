package rag

import (
	"context"
	"errors"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/models"
	"github.com/ragdb/ragdb/rag/internal/queue"
)

// replace puts a changed document in place of the one of its key, in one
// commit. spoilt says that the document is to blame for the error.
func (x *Indexer) replace(ctx context.Context, d cutDocument, w *docWriter) (spoilt bool, err error) {
	err = again(func() error {
		spoilt, err = x.tryReplace(ctx, d, w)
		if errors.Is(err, engine.ErrConflict) { // what was prepared is old
			w.remover = nil
		}
		return err
	})
	return spoilt, err
}

func (x *Indexer) tryReplace(ctx context.Context, d cutDocument, w *docWriter) (spoilt bool, err error) {
	if w.remover == nil {
		if w.remover, err = x.Corpus.newRemover(ctx, x.Methods); err != nil {
			return false, err
		}
	}
	r, err := w.remover.prepare(ctx, d.Key, d.texts()...)
	if err != nil {
		return !models.Fatal(ctx, err), err
	}
	spoilt, err = queue.Attempt(ctx, x.Corpus.DB(), func(tx *engine.Tx) error {
		if err := r.clear(ctx, tx); err != nil {
			return err
		}
		v := tx.Graph(x.Corpus.Base())
		if err := w.putOne(v, d, r.change); err != nil {
			return err
		}
		return x.Corpus.words.Apply(tx, r.change)
	})
	if err == nil {
		w.out.Replaced++
	}
	return spoilt, err
}
