package rag

import (
	"context"
	"errors"
	"fmt"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/text"
	"github.com/ragdb/ragdb/rag/llm/local"
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

// wordStore keeps what the local model learns from the words of a corpus.
type wordStore struct {
	c *Docs
	// maxWords is the rows that a change of the words writes at most; 0 is the
	// default.
	maxWords int
}

// state reads what the bucket says of versions.
func (l *wordStore) state(ctx context.Context) (state wordState, err error) {
	err = l.c.db.View(ctx, func(s *engine.Snapshot) error {
		state, err = readWordState(s.Graph(l.c.base).Bucket(bucketWords))
		return err
	})
	return state, err
}

// loadTable reads the newest word table, nil where there is none, or none that
// can be read: lost then says that the words are to be learnt again.
func (l *wordStore) loadTable(ctx context.Context) (table *local.Table, lost bool, err error) {
	err = l.c.db.View(ctx, func(s *engine.Snapshot) error {
		b := s.Graph(l.c.base).Bucket(bucketWords)
		state, err := readWordState(b)
		if err != nil || state.newest() == 0 {
			return err
		}
		table, err = local.LoadTable(func(key []byte) ([]byte, error) {
			return b.Get(wordKey(state.newest(), "table/"+string(key)), nil)
		})
		if errors.Is(err, local.ErrTable) || isMissing(err) {
			table, lost, err = nil, true, nil
		}
		return err
	})
	return table, lost, err
}

// relearn makes the next training learn the words again.
func (l *wordStore) relearn(ctx context.Context) error {
	return l.c.db.Update(ctx, func(tx *engine.Tx) error {
		b, err := tx.Graph(l.c.base).MakeBucket(bucketWords)
		if err != nil {
			return err
		}
		return forgetTraining(b)
	})
}

// readCases reads the case statistics of a version. Parts that cannot be read do
// not count: names are then told by less, until the next index counts again.
func readCases(b engine.Bucket, version uint32) (*text.CaseStats, error) {
	cases := &text.CaseStats{}
	err := eachCases(b, version, func(_ []byte, part *text.CaseStats) error {
		if part != nil {
			cases.Merge(part)
		}
		return nil
	})
	return cases, err
}

// countCases counts the case statistics in the chunks that words are learnt from.
func countCases(v engine.Reader) (*text.CaseStats, error) {
	cases := &text.CaseStats{}
	state, err := readWordState(v.Bucket(bucketWords))
	if err != nil {
		return nil, err
	}
	t, ok := v.NodeType("chunk:" + state.set)
	if !ok {
		return cases, nil
	}
	ids, err := v.Nodes(t)
	if err != nil {
		return nil, err
	}
	for it := ids.Iterator(); it.HasNext(); {
		n, err := v.Node(engine.NodeID(it.Next()))
		if err != nil {
			return nil, err
		}
		ch, err := chunkWithText(v, n)
		if err != nil {
			return nil, err
		}
		cases.Add(ch.Text)
	}
	return cases, nil
}

// rebuildCases puts case statistics that are counted again in place of those of
// a version.
func rebuildCases(v *engine.TxView, version uint32) error {
	b, err := v.MakeBucket(bucketWords)
	if err != nil {
		return err
	}
	if err := b.DeletePrefix(wordKey(version, "cases")); err != nil {
		return err
	}
	if state, err := readWordState(b.Bucket); err != nil || version != state.newest() {
		return err // only the newest are read
	}
	cases, err := countCases(v)
	if err != nil {
		return err
	}
	raw, err := cases.MarshalBinary()
	if err != nil {
		return err
	}
	return b.Set(wordKey(version, "cases"), raw)
}

// eachCases calls fn with the case statistics of a version and with what
// commits changed of them: nil for those that cannot be read.
func eachCases(b engine.Bucket, version uint32, fn func(key []byte, part *text.CaseStats) error) error {
	for e, err := range b.Prefix(wordKey(version, "cases")) {
		if err != nil {
			return err
		}
		part := &text.CaseStats{}
		if part.UnmarshalBinary(e.Value) != nil {
			part = nil
		}
		if err := fn(e.Key, part); err != nil {
			return err
		}
	}
	return nil
}

// liveRows reads the live rows for questions.
type liveRows struct {
	c       *Docs
	version uint32
}

// Texts implements [local.LiveRows].
func (l liveRows) Texts(ctx context.Context) (n int64, err error) {
	err = l.c.db.View(ctx, func(s *engine.Snapshot) error {
		n, err = readTexts(s.Graph(l.c.base).Bucket(bucketWords), l.version)
		return err
	})
	return n, err
}

// Rows implements [local.LiveRows].
func (l liveRows) Rows(ctx context.Context, words []string) (rows []local.Row, err error) {
	err = l.c.db.View(ctx, func(s *engine.Snapshot) error {
		rows, err = readRows(s.Graph(l.c.base).Bucket(bucketWords), l.version, words)
		return err
	})
	return rows, err
}

// viewRows reads the live rows of one commit.
type viewRows struct {
	v       *engine.View // of the base graph
	version uint32
}

// Texts implements [local.LiveRows].
func (l viewRows) Texts(context.Context) (int64, error) {
	return readTexts(l.v.Bucket(bucketWords), l.version)
}

// Rows implements [local.LiveRows].
func (l viewRows) Rows(_ context.Context, words []string) ([]local.Row, error) {
	return readRows(l.v.Bucket(bucketWords), l.version, words)
}

// readTexts returns how many texts the live rows of a version count.
func readTexts(b engine.Bucket, version uint32) (int64, error) {
	raw, err := b.Get(wordKey(version, "texts"), nil)
	if isMissing(err) {
		return 0, nil // nothing was learnt yet
	}
	return int64(bigEndian(raw)), err
}

// readRows returns the live rows of those of the words that have one.
func readRows(b engine.Bucket, version uint32, words []string) (rows []local.Row, err error) {
	for _, w := range words {
		raw, err := b.Get(wordKey(version, "row/"+w), nil)
		if isMissing(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if r, err := local.DecodeRow(w, raw); err == nil {
			rows = append(rows, r) // else the word counts as one never met
		}
	}
	return rows, nil
}
