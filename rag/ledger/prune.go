package ledger

import (
	"context"
	"crypto/sha256"
	"slices"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/llm/replay"
)

// PruneOptions tune a Prune.
type PruneOptions struct {
	// Embeddings removes all kept vectors, also those that documents use: the
	// vectors of the index stay, and a text that is embedded again is paid
	// again.
	Embeddings bool
	// DryRun changes nothing and says what would go.
	DryRun bool
}

// Pruned says what a Prune removed.
type Pruned struct {
	Replies    int   `json:"replies"`
	Embeddings int   `json:"embeddings"`
	Bytes      int64 `json:"bytes"`
}

// Prune removes the kept replies and vectors that no document of the
// corpus uses: those of removed documents that were kept, of questions, and
// imported ones that nothing has asked for. A vector is used by the documents
// that it was paid for, an imported one by none. A reply whose task no longer
// comes up, since its prompt changed, is used as long as its document is there.
// The index keeps its own vectors and what was made of the replies.
//
// It works in commits of some entries; an interrupted one goes on where it
// stopped.
func (l *Ledger) Prune(ctx context.Context, o PruneOptions) (*Pruned, error) {
	if err := l.ready(); err != nil {
		return nil, err
	}
	out := &Pruned{}
	var gone []replay.Entry
	err := l.db.View(ctx, func(s *engine.Snapshot) error {
		v := s.Graph(l.base).WithContext(ctx)
		for e, err := range l.entries(v) {
			if err != nil {
				return err
			}
			used, err := l.used(v, e.Digest[:])
			if err != nil {
				return err
			}
			if used && !(o.Embeddings && e.Kind == replay.KindEmbedding) {
				continue
			}
			if e.Kind == replay.KindEmbedding {
				out.Embeddings++
			} else {
				out.Replies++
			}
			out.Bytes += int64(len(e.Reply) + len(e.Vector))
			gone = append(gone, replay.Entry{Digest: e.Digest, Kind: e.Kind})
		}
		return nil
	})
	if err != nil {
		return nil, phase.Errorf("prune the cache: %w", err)
	}
	if o.DryRun {
		return out, nil
	}
	for batch := range slices.Chunk(gone, pruneBatch) {
		err := l.db.Update(ctx, func(tx *engine.Tx) error {
			for _, e := range batch {
				if err := l.prune(tx.Graph(l.base), e, o); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return out, phase.Errorf("prune the cache: %w", err)
		}
	}
	return out, nil
}

// pruneBatch is how many entries are removed in one commit.
const pruneBatch = 1000

// prune removes an entry with what is known of its use, unless it has come into
// use since it was looked at.
func (l *Ledger) prune(v *engine.TxView, e replay.Entry, o PruneOptions) error {
	vector := e.Kind == replay.KindEmbedding
	if !vector || !o.Embeddings {
		used, err := l.used(v, e.Digest[:])
		if err != nil || used {
			return err
		}
	}
	name := bucketReplies
	if vector {
		name = bucketEmbeddings
	}
	b, err := v.MakeBucket(name)
	if err != nil {
		return err
	}
	if err := b.Delete(e.Digest[:]); err != nil {
		return err
	}
	uses, err := v.MakeBucket(bucketUses)
	if err != nil {
		return err
	}
	var items []string
	prefix := useKey(e.Digest[:], "")
	for u, err := range uses.Prefix(prefix) {
		if err != nil {
			return err
		}
		items = append(items, string(u.Key[1+sha256.Size:]))
	}
	for _, item := range items {
		docs, err := usedDocs(uses.Bucket, e.Digest[:], item)
		if err != nil {
			return err
		}
		for _, d := range docs {
			if err := uses.Delete(docKey(d, e.Digest[:], item)); err != nil {
				return err
			}
		}
		if err := uses.Delete(useKey(e.Digest[:], item)); err != nil {
			return err
		}
	}
	return nil
}
