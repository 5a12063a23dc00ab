package rag

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/llm/local"
	"github.com/ragdb/ragdb/rag/text"
)

// bucketWords holds, in the base graph, what the local model learnt from the
// corpus: word tables by version and the live rows of the newest.
//
//	current            version that questions and documents use, u64
//	next               version that documents are being embedded with, u64
//	trained            texts that the newest version was trained on, u64
//	set                chunk set that it was trained on
//	<v>/table/...      blocks of the version's table
//	<v>/cases          case statistics of the corpus
//	<v>/cases/<epoch>  what a commit changed of them
//	<v>/texts          texts that the live rows count, u64
//	<v>/row/<word>     live row of a word
//	<v>/gone/<word>    says that the corpus lost the word
const bucketWords = "words"

func wordKey(version uint32, rest string) []byte {
	return fmt.Appendf(nil, "%08d/%s", version, rest)
}

// wordState is what the bucket says of versions.
type wordState struct {
	current, next uint32 // 0 for none
	trained       uint64
	set           string
}

func readWordState(b engine.Bucket) (w wordState, err error) {
	for _, f := range []struct {
		key string
		set func(v []byte)
	}{
		{"current", func(v []byte) { w.current = uint32(bigEndian(v)) }},
		{"next", func(v []byte) { w.next = uint32(bigEndian(v)) }},
		{"trained", func(v []byte) { w.trained = bigEndian(v) }},
		{"set", func(v []byte) { w.set = string(v) }},
	} {
		v, err := b.Get([]byte(f.key), nil)
		if isMissing(err) {
			continue
		}
		if err != nil {
			return w, err
		}
		f.set(v)
	}
	return w, nil
}

func bigEndian(b []byte) (n uint64) {
	for _, c := range b {
		n = n<<8 | uint64(c)
	}
	return n
}

func appendUint64(v uint64) []byte {
	b := make([]byte, 8)
	for i := range b {
		b[7-i] = byte(v)
		v >>= 8
	}
	return b
}

// newest returns the version that live rows belong to.
func (w wordState) newest() uint32 { return max(w.current, w.next) }

// train makes a new version of the word table where the corpus has none yet or
// has doubled since. It writes in bounded transactions, the version's number
// last: a run that is interrupted before starts over.
func (c *Corpus) train(ctx context.Context, set text.ChunkSet, notify func(Event)) error {
	snap, err := c.DB.Snapshot(ctx)
	if err != nil {
		return err
	}
	defer snap.Close()
	v := snap.Graph(c.Base)
	state, err := readWordState(v.Bucket(bucketWords))
	if err != nil {
		return err
	}
	if state.newest() > 0 {
		// The table serves all chunk sets; its own decides when it is old.
		if set, err = text.ParseChunkSet(state.set); err != nil {
			return err
		}
	}
	n, err := c.CountChunks(v, set)
	if err != nil || !local.NeedsRetrain(int64(n), int64(state.trained)) {
		return err
	}
	version := state.newest() + 1
	notify(Event{Stage: "words", Total: 1})
	w := &wordWriter{c: c, version: version}
	if err := w.clear(ctx); err != nil {
		return err
	}
	cases := &text.CaseStats{}
	texts := func() iter.Seq2[string, error] {
		return func(yield func(string, error) bool) {
			for ch, err := range c.Chunks(v, set) {
				if !yield(ch.Text, err) || err != nil {
					return
				}
			}
		}
	}
	for s, err := range texts() {
		if err != nil {
			return err
		}
		cases.Add(s)
	}
	table, err := local.Train(ctx, texts, local.TrainOptions{
		Version: version,
		Live: func(r local.Row) error {
			return w.set(ctx, wordKey(version, "row/"+r.Word), r.Append(nil))
		},
	})
	if err != nil {
		return err
	}
	for key, block := range table.Blocks() {
		if err := w.set(ctx, wordKey(version, "table/"+string(key)), block); err != nil {
			return err
		}
	}
	raw, err := cases.MarshalBinary()
	if err != nil {
		return err
	}
	if err := w.set(ctx, wordKey(version, "cases"), raw); err != nil {
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
	notify(Event{Stage: "words", Done: 1, Total: 1})
	return nil
}

// wordWriter writes to the bucket of words in bounded transactions.
type wordWriter struct {
	c       *Corpus
	version uint32
	pending []engine.Entry
	size    int
}

func (w *wordWriter) set(ctx context.Context, key, value []byte) error {
	w.pending = append(w.pending, engine.Entry{Key: slices.Clone(key), Value: slices.Clone(value)})
	if w.size += len(key) + len(value); w.size < batchBytes {
		return nil
	}
	return w.flush(ctx)
}

func (w *wordWriter) flush(ctx context.Context) error {
	err := w.c.DB.Update(ctx, func(tx *engine.Tx) error {
		b, err := tx.Graph(w.c.Base).MakeBucket(bucketWords)
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
	return w.c.DB.Update(ctx, func(tx *engine.Tx) error {
		b, err := tx.Graph(w.c.Base).MakeBucket(bucketWords)
		if err != nil {
			return err
		}
		return b.DeletePrefix(wordKey(w.version, ""))
	})
}

// adopt makes the version that all documents are embedded with by now the one
// that questions use, and removes the one before with its vectors in all
// graphs.
func (c *Corpus) adopt(ctx context.Context) error {
	names, err := c.Namespace.Graphs(ctx)
	if err != nil {
		return err
	}
	graphs := make([]*engine.Graph, len(names))
	for i, name := range names {
		if graphs[i], err = c.Graph(ctx, name); err != nil {
			return err
		}
	}
	return c.DB.Update(ctx, func(tx *engine.Tx) error {
		b, err := tx.Graph(c.Base).MakeBucket(bucketWords)
		if err != nil {
			return err
		}
		state, err := readWordState(b.Bucket)
		if err != nil || state.next == 0 {
			return err
		}
		if state.current > 0 {
			if err := b.DeletePrefix(wordKey(state.current, "")); err != nil {
				return err
			}
			for _, g := range graphs {
				if err := dropModel(tx.Graph(g), local.Head{Version: state.current}.Model()); err != nil {
					return err
				}
			}
		}
		return errors.Join(b.Set([]byte("current"), appendUint64(uint64(state.next))), b.Delete([]byte("next")))
	})
}

// SumsBucket and StaleBucket return the names of the buckets in which methods
// keep what belongs to the vectors of a model. They go with the model.
func SumsBucket(model string) string { return "sums@" + model }

// StaleBucket is described at [SumsBucket].
func StaleBucket(model string) string { return "stale@" + model }

// dropModel removes the vector spaces of a model, and its buckets.
func dropModel(v *engine.TxView, model string) error {
	for _, name := range []string{SumsBucket(model), StaleBucket(model)} {
		if err := emptyBucket(v, name); err != nil {
			return err
		}
	}
	for _, name := range v.Spaces() {
		info, err := v.SpaceInfo(name)
		if err != nil {
			return err
		}
		if info.Model != model {
			continue
		}
		if err := v.DropSpace(name); err != nil {
			return err
		}
	}
	return nil
}

// emptyBucket removes all of a bucket, which need not be there.
func emptyBucket(v *engine.TxView, name string) error {
	for _, err := range v.Bucket(name).Scan(nil, nil) {
		if err != nil {
			return err
		}
		b, err := v.MakeBucket(name)
		if err != nil {
			return err
		}
		return b.DeletePrefix(nil)
	}
	return nil
}

// loadTable reads the newest word table, nil where there is none.
func (c *Corpus) loadTable(ctx context.Context) (table *local.Table, err error) {
	err = c.DB.View(ctx, func(s *engine.Snapshot) error {
		b := s.Graph(c.Base).Bucket(bucketWords)
		state, err := readWordState(b)
		if err != nil || state.newest() == 0 {
			return err
		}
		table, err = local.LoadTable(func(key []byte) ([]byte, error) {
			return b.Get(wordKey(state.newest(), "table/"+string(key)), nil)
		})
		return err
	})
	return table, err
}

// loadCases reads the newest case statistics, empty ones where there are none.
func (c *Corpus) loadCases(ctx context.Context) (*text.CaseStats, error) {
	cases := &text.CaseStats{}
	err := c.DB.View(ctx, func(s *engine.Snapshot) error {
		b := s.Graph(c.Base).Bucket(bucketWords)
		state, err := readWordState(b)
		if err != nil || state.newest() == 0 {
			return err
		}
		return eachCases(b, state.newest(), func(_ []byte, part *text.CaseStats) error {
			cases.Merge(part)
			return nil
		})
	})
	return cases, err
}

// eachCases calls fn with the case statistics of a version and with what
// commits changed of them.
func eachCases(b engine.Bucket, version uint32, fn func(key []byte, part *text.CaseStats) error) error {
	for e, err := range b.Prefix(wordKey(version, "cases")) {
		if err != nil {
			return err
		}
		part := &text.CaseStats{}
		if err := part.UnmarshalBinary(e.Value); err != nil {
			return err
		}
		if err := fn(e.Key, part); err != nil {
			return err
		}
	}
	return nil
}

// wordChange is what texts that enter or leave do to the words.
type wordChange struct {
	rows  *local.Change
	cases text.CaseStats
}

// newWordChange returns an empty change, nil before the first training.
func newWordChange(t *local.Table) *wordChange {
	if t == nil {
		return nil
	}
	return &wordChange{rows: local.NewChange(t)}
}

func (w *wordChange) add(s string) {
	w.rows.Add(s)
	w.cases.Add(s)
}

func (w *wordChange) remove(s string) {
	w.rows.Remove(s)
	w.cases.Remove(s)
}

// changeWords applies to the live rows what texts that enter or leave do to
// them, in the transaction in which they do.
func (c *Corpus) changeWords(tx *engine.Tx, w *wordChange) error {
	if w == nil {
		return nil
	}
	v, change := tx.Graph(c.Base), w.rows
	b, err := v.MakeBucket(bucketWords)
	if err != nil {
		return err
	}
	state, err := readWordState(b.Bucket)
	if err != nil {
		return err
	}
	version := state.newest()
	for _, r := range change.Rows() {
		key := wordKey(version, "row/"+r.Word)
		raw, err := b.Get(key, nil)
		if err != nil && !isMissing(err) {
			return err
		}
		if err == nil {
			old, err := local.DecodeRow(r.Word, raw)
			if err != nil {
				return err
			}
			r.Add(old)
		}
		if r.IsZero() {
			err = errors.Join(b.Delete(key), b.Set(wordKey(version, "gone/"+r.Word), nil))
		} else {
			err = b.Set(key, r.Append(nil))
		}
		if err != nil {
			return err
		}
	}
	if change.Texts() != 0 {
		key := wordKey(version, "texts")
		raw, err := b.Get(key, nil)
		if err != nil {
			return err
		}
		if err := b.Set(key, appendUint64(uint64(int64(bigEndian(raw))+change.Texts()))); err != nil {
			return err
		}
	}
	return changeCases(b, wordKey(version, fmt.Sprintf("cases/%016x", tx.Epoch())), &w.cases)
}

// changeCases notes a change of the case statistics, beside what the same
// commit changed already.
func changeCases(b engine.BucketWriter, key []byte, change *text.CaseStats) error {
	raw, err := b.Get(key, nil)
	if err != nil && !isMissing(err) {
		return err
	}
	if err == nil {
		var before text.CaseStats
		if err := before.UnmarshalBinary(raw); err != nil {
			return err
		}
		change.Merge(&before)
	}
	if change.Len() == 0 {
		return b.Delete(key)
	}
	if raw, err = change.MarshalBinary(); err != nil {
		return err
	}
	return b.Set(key, raw)
}

// tidyWords brings what is kept of words in order after documents came and
// went: one set of case statistics, and no word in the table that no text has.
// Each of its commits leaves the words as good as they were.
func (c *Corpus) tidyWords(ctx context.Context) error {
	state, err := c.words(ctx)
	if err != nil || state.newest() == 0 {
		return err
	}
	if err := c.tidyCases(ctx, state.newest()); err != nil {
		return err
	}
	return c.dropGone(ctx, state.newest())
}

func (c *Corpus) tidyCases(ctx context.Context, version uint32) error {
	cases := &text.CaseStats{}
	var changes [][]byte
	whole := wordKey(version, "cases")
	err := c.DB.View(ctx, func(s *engine.Snapshot) error {
		return eachCases(s.Graph(c.Base).Bucket(bucketWords), version, func(key []byte, part *text.CaseStats) error {
			if cases.Merge(part); len(key) > len(whole) {
				changes = append(changes, slices.Clone(key))
			}
			return nil
		})
	})
	if err != nil || len(changes) == 0 {
		return err
	}
	raw, err := cases.MarshalBinary()
	if err != nil {
		return err
	}
	return c.DB.Update(ctx, func(tx *engine.Tx) error {
		b, err := tx.Graph(c.Base).MakeBucket(bucketWords)
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
func (c *Corpus) dropGone(ctx context.Context, version uint32) error {
	for {
		gone, dropped, err := c.goneWords(ctx, version)
		if err != nil || len(gone) == 0 {
			return err
		}
		err = c.DB.Update(ctx, func(tx *engine.Tx) error {
			b, err := tx.Graph(c.Base).MakeBucket(bucketWords)
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
func (c *Corpus) goneWords(ctx context.Context, version uint32) (keys [][]byte, words []string, err error) {
	prefix := wordKey(version, "gone/")
	err = c.DB.View(ctx, func(s *engine.Snapshot) error {
		b := s.Graph(c.Base).Bucket(bucketWords)
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

// liveRows reads the live rows for questions.
type liveRows struct {
	c       *Corpus
	version uint32
}

// Texts implements [local.LiveRows].
func (l liveRows) Texts(ctx context.Context) (n int64, err error) {
	err = l.c.DB.View(ctx, func(s *engine.Snapshot) error {
		raw, err := s.Graph(l.c.Base).Bucket(bucketWords).Get(wordKey(l.version, "texts"), nil)
		if isMissing(err) {
			return nil // nothing was learnt yet
		}
		n = int64(bigEndian(raw))
		return err
	})
	return n, err
}

// Rows implements [local.LiveRows].
func (l liveRows) Rows(ctx context.Context, words []string) (rows []local.Row, err error) {
	err = l.c.DB.View(ctx, func(s *engine.Snapshot) error {
		b := s.Graph(l.c.Base).Bucket(bucketWords)
		for _, w := range words {
			raw, err := b.Get(wordKey(l.version, "row/"+w), nil)
			if isMissing(err) {
				continue
			}
			if err != nil {
				return err
			}
			r, err := local.DecodeRow(w, raw)
			if err != nil {
				return err
			}
			rows = append(rows, r)
		}
		return nil
	})
	return rows, err
}
