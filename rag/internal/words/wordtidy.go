package words

import (
	"context"
	"slices"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/corpus"
	"github.com/ragdb/ragdb/rag/internal/text"
	"github.com/ragdb/ragdb/rag/llm/local"
)

// Tidy brings what is kept of words in order after documents came and
// went: one set of case statistics, and no word in the table that no text has.
// Each of its commits leaves the words as good as they were.
func (l *Store) Tidy(ctx context.Context) error {
	state, err := l.State(ctx)
	if err != nil || state.Newest() == 0 {
		return err
	}
	if err := l.tidyCases(ctx, state.Newest()); err != nil {
		return err
	}
	return l.dropGone(ctx, state.Newest())
}

func (l *Store) tidyCases(ctx context.Context, version uint32) error {
	cases := &text.CaseStats{}
	var changes [][]byte
	whole := wordKey(version, "cases")
	damaged := false
	err := l.C.DB().View(ctx, func(s *engine.Snapshot) error {
		v := s.Graph(l.C.Base()).WithContext(ctx)
		err := eachCases(v.Bucket(BucketWords), version, func(key []byte, part *text.CaseStats) error {
			if part == nil {
				damaged = true
			} else {
				cases.Merge(part)
			}
			if len(key) > len(whole) {
				changes = append(changes, slices.Clone(key))
			}
			return nil
		})
		if err == nil && damaged {
			cases, err = countCases(v)
		}
		return err
	})
	if err != nil || len(changes) == 0 && !damaged {
		return err
	}
	raw, err := cases.MarshalBinary()
	if err != nil {
		return err
	}
	return l.C.DB().Update(ctx, func(tx *engine.Tx) error {
		b, err := tx.Graph(l.C.Base()).MakeBucket(BucketWords)
		if err != nil {
			return err
		}
		for _, k := range changes {
			if err := b.Delete(k); err != nil {
				return err
			}
		}
		return b.Set(whole, raw)
	})
}

// maxGone is how many words are dropped from a table in one commit: each may
// stand in another block of it.
const maxGone = 48

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
			table := func(key []byte) []byte { return wordKey(version, "table/"+string(key)) }
			return local.Drop(
				func(key []byte) ([]byte, error) { return b.Get(table(key), nil) },
				func(key, value []byte) error { return b.Set(table(key), value) },
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
