package ledger

import (
	"context"
	"slices"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/corpus"
	"github.com/ragdb/ragdb/rag/internal/encoded"
)

// Vectors returns the vectors that are kept under some digests. missing has the
// places of those that are not.
func (l *Ledger) Vectors(ctx context.Context, digests [][32]byte) (out [][]float32, missing []int, err error) {
	out = make([][]float32, len(digests))
	err = l.db.View(ctx, func(s *engine.Snapshot) error {
		b := s.Graph(l.base).Bucket(bucketEmbeddings)
		for i := range digests {
			raw, err := b.Get(digests[i][:], nil)
			switch {
			case corpus.IsMissing(err):
				missing = append(missing, i)
			case err != nil:
				return err
			default:
				out[i] = encoded.ReadVector(raw)
			}
		}
		return nil
	})
	return out, missing, err
}

// PaidVector is a vector with the documents that it was asked for.
type PaidVector struct {
	Digest [32]byte
	Docs   []string
	Vector []float32
}

// KeepVectors stores vectors, in one commit, unless the database is open for
// reading.
func (l *Ledger) KeepVectors(ctx context.Context, vectors []PaidVector) error {
	if l.db.ReadOnly(ctx) {
		return nil
	}
	// What was paid is kept even while the run is being cancelled.
	err := l.db.Update(context.WithoutCancel(ctx), func(tx *engine.Tx) error {
		v := tx.Graph(l.base)
		b, err := v.MakeBucket(bucketEmbeddings)
		if err != nil {
			return err
		}
		for _, p := range vectors {
			if err := b.Set(p.Digest[:], encoded.AppendVector(nil, p.Vector)); err != nil {
				return err
			}
			docs := slices.Clone(p.Docs)
			slices.Sort(docs)
			r := Reply{Digest: p.Digest, Item: useEmbedding, Docs: slices.Compact(docs)}
			if err := r.store(v); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return phase.Errorf("keep vectors: %w", err)
	}
	return nil
}

// useEmbedding is what vectors are used for in the bucket of uses.
const useEmbedding = "embed"
