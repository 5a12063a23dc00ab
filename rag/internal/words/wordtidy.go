package words

import (
	"context"
	"slices"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/corpus"
	"github.com/ragdb/ragdb/rag/llm/local"
)

// Tidy takes the words that the corpus lost out of the table. Each of its commits
// leaves the words as good as they were.
func (l *Store) Tidy(ctx context.Context) error {
	state, err := l.State(ctx)
	if err != nil || state.Newest() == 0 {
		return err
	}
	return l.dropGone(ctx, state.Newest())
}

// maxGone is how many words are dropped from a table in one commit.
const maxGone = 1024

// dropGone takes the words that the corpus lost out of the table. No text has
// them, so no vector changes.
func (l *Store) dropGone(ctx context.Context, version uint32) error {
	for {
		gone, dropped, err := l.goneWords(ctx, version)
		if err != nil || len(gone) == 0 {
			return err
		}
		err = l.C.DB().Update(ctx, func(tx *engine.Tx) error {
			b, err := tx.Graph(l.C.Base()).MakeBucket(BucketWords)
			if err != nil {
				return err
			}
			for _, k := range gone {
				if err := b.Delete(k); err != nil {
					return err
				}
			}
			if len(dropped) == 0 {
				return nil
			}
			table := storedTable{b.Bucket, version}
			return local.Drop(table,
				func(key, value []byte) error { return b.Set(table.key(key), value) },
				func(key []byte) error { return b.Delete(table.key(key)) },
				dropped)
		})
		if err != nil {
			return err
		}
	}
}

// goneWords returns the next keys that say that the corpus lost a word, and
// those of the words that it has not got back since.
func (l *Store) goneWords(ctx context.Context, version uint32) (keys [][]byte, words []string, err error) {
	prefix := wordKey(version, "gone/")
	err = l.C.DB().View(ctx, func(s *engine.Snapshot) error {
		b := s.Graph(l.C.Base()).Bucket(BucketWords)
		for e, err := range b.Prefix(prefix) {
			if err != nil {
				return err
			}
			keys = append(keys, slices.Clone(e.Key))
			word := string(e.Key[len(prefix):])
			has, err := b.Has(wordKey(version, "row/"+word))
			if err != nil {
				return err
			}
			if !has {
				words = append(words, word)
			}
			if len(words) == maxGone {
				return nil
			}
		}
		return nil
	})
	return keys, words, err
}

// Forget removes what the corpus taught the local model, as if it had never
// been indexed, and the spaces of word tables that will not be written again:
// versions start at 1 again.
func Forget(base *engine.TxView, tx *engine.Tx, graphs []*engine.Graph) error {
	state, err := ReadWordState(base.Bucket(BucketWords))
	if err != nil {
		return err
	}
	for _, version := range []uint32{state.Current, state.Next} {
		if version <= 1 {
			continue // the next table has this version
		}
		for _, g := range graphs {
			if err := corpus.DropModel(tx.Graph(g), local.Head{Version: version}.Model()); err != nil {
				return err
			}
		}
	}
	return corpus.EmptyBucket(base, BucketWords)
}
