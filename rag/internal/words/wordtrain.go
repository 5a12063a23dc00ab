package words

import (
	"context"
	"errors"
	"os"
	"slices"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/corpus"
	"github.com/ragdb/ragdb/rag/internal/text"
	"github.com/ragdb/ragdb/rag/llm/local"
)

// Train makes a new version of the word table if the corpus has none yet or has
// doubled since. It writes in bounded transactions, the version's number
// last: a run that is interrupted before starts over.
func (l *Store) Train(ctx context.Context, set text.ChunkSet, notify func(done, total int)) error {
	snap, err := l.C.DB().Snapshot(ctx)
	if err != nil {
		return err
	}
	defer snap.Close()
	v := snap.Graph(l.C.Base())
	state, err := ReadWordState(v.Bucket(BucketWords))
	if err != nil {
		return err
	}
	if state.Newest() > 0 {
		// The table serves all chunk sets; its own decides when it is old.
		if set, err = text.ParseChunkSet(state.Set); err != nil {
			return err
		}
	}
	n, err := l.C.CountChunks(v, set)
	if err != nil || !local.NeedsRetrain(int64(n), int64(state.trained)) {
		return err
	}
	version := state.Newest() + 1
	notify(0, 1)
	w := &wordWriter{c: l.C, version: version}
	if err := w.clear(ctx); err != nil {
		return err
	}
	cases := &text.CaseStats{}
	texts := func(yield func(string, error) bool) {
		for ch, err := range l.C.Chunks(v, set) {
			if err == nil {
				cases.Add(ch.Text)
			}
			if !yield(ch.Text, err) || err != nil {
				return
			}
		}
	}
	_, err = local.TrainTo(ctx, texts, local.TrainOptions{
		Version: version,
		Live: func(r local.Row) error {
			return w.set(ctx, wordKey(version, "row/"+r.Word), r.Append(nil))
		},
		Dir: l.scratchDir(),
	}, func(key, value []byte) error { return w.set(ctx, wordKey(version, "table/"+string(key)), value) })
	if err != nil {
		return err
	}
	err = writeCases(cases, version, func(key, value []byte) error { return w.set(ctx, key, value) })
	if err != nil {
		return err
	}
	if err := w.flush(ctx); err != nil {
		return err
	}
	// What says that there is a version is one commit.
	for _, kv := range []struct {
		key   string
		value []byte
	}{
		{string(wordKey(version, "texts")), appendUint64(uint64(n))},
		{"trained", appendUint64(uint64(n))},
		{"set", []byte(set.String())},
		{"next", appendUint64(uint64(version))},
	} {
		if err := w.set(ctx, []byte(kv.key), kv.value); err != nil {
			return err
		}
	}
	if err := w.flush(ctx); err != nil {
		return err
	}
	notify(1, 1)
	return nil
}

// scratchDir returns where temporary files go: beside the tables of a database that is
// a folder.
func (l *Store) scratchDir() string {
	path := l.C.DB().Path()
	if info, err := os.Stat(path); err != nil || !info.IsDir() || path == engine.Memory {
		return ""
	}
	return path
}

// wordBytes is how much of the words one transaction writes. It is small: while it
// is committed it is in memory some four times.
const wordBytes = 2 << 20

// wordWriter writes to the bucket of words in bounded transactions.
type wordWriter struct {
	c       *corpus.Corpus
	version uint32
	pending []engine.Entry
	size    int
}

func (w *wordWriter) set(ctx context.Context, key, value []byte) error {
	w.pending = append(w.pending, engine.Entry{Key: slices.Clone(key), Value: slices.Clone(value)})
	if w.size += len(key) + len(value); w.size < wordBytes {
		return nil
	}
	return w.flush(ctx)
}

func (w *wordWriter) flush(ctx context.Context) error {
	err := w.c.DB().Update(ctx, func(tx *engine.Tx) error {
		b, err := tx.Graph(w.c.Base()).MakeBucket(BucketWords)
		if err != nil {
			return err
		}
		for _, e := range w.pending {
			if err := b.Set(e.Key, e.Value); err != nil {
				return err
			}
		}
		return nil
	})
	w.pending, w.size = w.pending[:0], 0
	return err
}

// clear removes what an interrupted run left of the version.
func (w *wordWriter) clear(ctx context.Context) error {
	return w.c.DB().Update(ctx, func(tx *engine.Tx) error {
		b, err := tx.Graph(w.c.Base()).MakeBucket(BucketWords)
		if err != nil {
			return err
		}
		return b.DeletePrefix(wordKey(w.version, ""))
	})
}

// Adopt makes the version that all documents are embedded with by now the one
// that questions use, and removes the one before with its vectors in all
// graphs.
func (l *Store) Adopt(ctx context.Context) error {
	names, err := l.C.Namespace().Graphs(ctx)
	if err != nil {
		return err
	}
	graphs := make([]*engine.Graph, len(names))
	for i, name := range names {
		if graphs[i], err = l.C.Graph(ctx, name); err != nil {
			return err
		}
	}
	return l.C.DB().Update(ctx, func(tx *engine.Tx) error {
		b, err := tx.Graph(l.C.Base()).MakeBucket(BucketWords)
		if err != nil {
			return err
		}
		state, err := ReadWordState(b.Bucket)
		if err != nil || state.Next == 0 {
			return err
		}
		if state.Current > 0 {
			if err := b.DeletePrefix(wordKey(state.Current, "")); err != nil {
				return err
			}
			for _, g := range graphs {
				if err := corpus.DropModel(tx.Graph(g), local.Head{Version: state.Current}.Model()); err != nil {
					return err
				}
			}
		}
		return errors.Join(b.Set([]byte("current"), appendUint64(uint64(state.Next))), b.Delete([]byte("next")))
	})
}
