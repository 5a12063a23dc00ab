package words

import (
	"cmp"
	"errors"
	"slices"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/corpus"
	"github.com/ragdb/ragdb/rag/internal/text"
	"github.com/ragdb/ragdb/rag/llm/local"
)

// Change is what texts that enter or leave do to the words.
type Change struct {
	version uint32        // of the table that rows are of
	rows    *local.Change // nil if there is no readable table
	cases   text.CaseStats
	// lost says that there is a table, but none that can be read.
	lost bool
	// Many says that more than most rows change.
	Many bool
	most int
}

// maxWords is how many rows a change writes, some 650 bytes each. Texts with more
// different words than that make the words be learnt again.
const maxWords = 48 << 10

// NewChange returns an empty change, nil before the first training.
func (l *Store) NewChange(t *local.Table, lost bool) *Change {
	if t == nil && !lost {
		return nil
	}
	w := &Change{lost: lost, most: cmp.Or(l.MaxWords, maxWords)}
	if t != nil {
		w.version, w.rows = t.Head().Version, local.NewChange(t)
	}
	return w
}

// Add counts a text that enters.
func (w *Change) Add(s string) {
	if w.rows != nil {
		w.rows.Add(s)
		w.bound()
	}
	w.cases.Add(s)
}

// bound gives up the rows if they are too many.
func (w *Change) bound() {
	if w.rows.Words() > w.most {
		w.rows, w.Many = nil, true
	}
}

// Full reports whether another document may make the rows too many.
func (w *Change) Full() bool {
	return w != nil && w.rows != nil && w.rows.Words() > w.most/2
}

// Remove counts a text that leaves.
func (w *Change) Remove(s string) {
	if w.rows != nil {
		w.rows.Remove(s)
		w.bound()
	}
	w.cases.Remove(s)
}

// Apply applies to the live rows what texts that enter or leave do to
// them, in the transaction in which they do. Rows of another table than the
// newest are an [engine.ConflictError]: they were prepared before it was made.
func (l *Store) Apply(tx *engine.Tx, w *Change) error {
	if w == nil {
		return nil
	}
	b, err := tx.Graph(l.C.Base()).MakeBucket(BucketWords)
	if err != nil {
		return err
	}
	if w.lost {
		if err := forgetTraining(b); err != nil {
			return err
		}
	}
	state, err := ReadWordState(b.Bucket)
	if err != nil {
		return err
	}
	version := state.Newest()
	if w.rows != nil || w.Many {
		if version != w.version {
			return &engine.ConflictError{Graph: l.C.Base().Name(), Want: uint64(w.version), Have: uint64(version)}
		}
		if err := w.change(b); err != nil {
			return err
		}
	}
	return changeCases(b, version, &w.cases)
}

// change applies the change to the live rows. If they would be too many, or if the
// number of their texts is unknown, it drops them; the next index learns the words
// again.
func (w *Change) change(b engine.BucketWriter) error {
	raw, err := b.Get(wordKey(w.version, "texts"), nil)
	if err != nil && !corpus.IsMissing(err) {
		return err
	}
	if !w.Many && len(raw) == 8 {
		texts := appendUint64(uint64(int64(bigEndian(raw)) + w.rows.Texts()))
		return errors.Join(changeRows(b, w.version, w.rows), b.Set(wordKey(w.version, "texts"), texts))
	}
	err = errors.Join(forgetTraining(b), b.Delete(wordKey(w.version, "texts")))
	for _, rows := range []string{"row/", "gone/"} {
		err = errors.Join(err, b.DeletePrefix(wordKey(w.version, rows)))
	}
	return err
}

// changeRowsBatch is how many rows are read at once.
const changeRowsBatch = 1024

// changeRows applies a change to the live rows of a version.
func changeRows(b engine.BucketWriter, version uint32, change *local.Change) error {
	var rows []local.Row
	apply := func() error {
		err := addRows(b, version, rows)
		rows = rows[:0]
		return err
	}
	for r := range change.Rows() {
		r.Sum = slices.Clone(r.Sum)
		if rows = append(rows, r); len(rows) < changeRowsBatch {
			continue
		}
		if err := apply(); err != nil {
			return err
		}
	}
	return apply()
}

// addRows adds rows to the live rows of a version.
func addRows(b engine.BucketWriter, version uint32, rows []local.Row) error {
	keys := make([][]byte, len(rows))
	for i, r := range rows {
		keys[i] = wordKey(version, "row/"+r.Word)
	}
	lost := make([]bool, len(rows))
	err := b.MultiGet(keys, func(i int, raw []byte) error {
		old, err := local.DecodeRow(rows[i].Word, raw)
		if lost[i] = err != nil; !lost[i] {
			rows[i].Add(old)
		}
		return nil
	})
	for i, r := range rows {
		switch {
		case err != nil:
			return err
		case lost[i]: // all words are learnt again
			err = errors.Join(b.Delete(keys[i]), forgetTraining(b))
		case r.IsZero():
			err = errors.Join(b.Delete(keys[i]), b.Set(wordKey(version, "gone/"+r.Word), nil))
		default:
			err = b.Set(keys[i], r.Append(nil))
		}
	}
	return err
}
