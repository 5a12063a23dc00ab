package words

import (
	"context"
	"fmt"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/corpus"
	"github.com/ragdb/ragdb/rag/internal/text"
	"github.com/ragdb/ragdb/rag/llm/local"
)

// BucketWords holds, in the base graph, what the local model learnt from the
// corpus: word tables by version and the live rows of the newest.
//
//	current            version that questions and documents use, u64
//	next               version that documents are being embedded with, u64
//	trained            texts that the newest version was trained on, u64
//	set                chunk set that it was trained on
//	<v>/table/head     head of the version's table
//	<v>/table/row/<word>  its row of a word
//	<v>/case/<word>    how often the word stands with a small and a capital letter
//	<v>/texts          texts that the live rows count, u64
//	<v>/row/<word>     live row of a word
//	<v>/gone/<word>    says that the corpus lost the word
const BucketWords = "words"

func wordKey(version uint32, rest string) []byte {
	return fmt.Appendf(nil, "%08d/%s", version, rest)
}

// WordState is what the bucket says of versions.
type WordState struct {
	Current, Next uint32 // 0 for none
	trained       uint64
	Set           string
}

func ReadWordState(b engine.Bucket) (w WordState, err error) {
	set := []func(v []byte){
		func(v []byte) { w.Current = uint32(bigEndian(v)) },
		func(v []byte) { w.Next = uint32(bigEndian(v)) },
		func(v []byte) { w.trained = bigEndian(v) },
		func(v []byte) { w.Set = string(v) },
	}
	keys := [][]byte{[]byte("current"), []byte("next"), []byte("trained"), []byte("set")}
	err = b.MultiGet(keys, func(i int, v []byte) error {
		set[i](v)
		return nil
	})
	return w, err
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

// Newest returns the version that live rows belong to.
func (w WordState) Newest() uint32 { return max(w.Current, w.Next) }

// Store keeps what the local model learns from the words of a corpus.
type Store struct {
	C *corpus.Corpus
	// MaxWords is the rows that a change of the words writes at most; 0 is the
	// default.
	MaxWords int
}

// State reads what the bucket says of versions.
func (l *Store) State(ctx context.Context) (state WordState, err error) {
	err = l.C.DB().View(ctx, func(s *engine.Snapshot) error {
		state, err = ReadWordState(s.Graph(l.C.Base()).Bucket(BucketWords))
		return err
	})
	return state, err
}

// Lost reports whether there is a word table whose head cannot be read: the words are
// to be learnt again.
func (l *Store) Lost(ctx context.Context) (bool, error) {
	_, lost, err := l.Tables().For(ctx)
	return lost, err
}

// Relearn makes the next training learn the words again.
func (l *Store) Relearn(ctx context.Context) error {
	return l.C.DB().Update(ctx, func(tx *engine.Tx) error {
		b, err := tx.Graph(l.C.Base()).MakeBucket(BucketWords)
		if err != nil {
			return err
		}
		return forgetTraining(b)
	})
}

// ReadCases reads the case statistics of a version. Counts that cannot be read do not
// count: names are then told by less.
func ReadCases(b engine.Bucket, version uint32) (*text.CaseStats, error) {
	cases := &text.CaseStats{}
	prefix := wordKey(version, "case/")
	for e, err := range b.Prefix(prefix) {
		if err != nil {
			return nil, err
		}
		if lower, upper, err := decodeCase(e.Value); err == nil {
			cases.Set(string(e.Key[len(prefix):]), lower, upper)
		}
	}
	return cases, nil
}

// countCases counts the case statistics in the chunks that words are learnt from.
func countCases(v engine.Reader) (*text.CaseStats, error) {
	cases := &text.CaseStats{}
	state, err := ReadWordState(v.Bucket(BucketWords))
	if err != nil {
		return nil, err
	}
	t, ok := v.NodeType("chunk:" + state.Set)
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
		ch, err := corpus.ChunkWithText(v, n)
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
	b, err := v.MakeBucket(BucketWords)
	if err != nil {
		return err
	}
	if err := b.DeletePrefix(wordKey(version, "case/")); err != nil {
		return err
	}
	if state, err := ReadWordState(b.Bucket); err != nil || version != state.Newest() {
		return err // only the newest are read
	}
	cases, err := countCases(v)
	if err != nil {
		return err
	}
	return writeCases(cases, version, b.Set)
}

// liveRows reads the live rows for questions.
type liveRows struct {
	c       *corpus.Corpus
	version uint32
}

// Texts implements [local.LiveRows].
func (l liveRows) Texts(ctx context.Context) (n int64, err error) {
	err = l.c.DB().View(ctx, func(s *engine.Snapshot) error {
		n, err = readTexts(s.Graph(l.c.Base()).Bucket(BucketWords), l.version)
		return err
	})
	return n, err
}

// Rows implements [local.LiveRows].
func (l liveRows) Rows(ctx context.Context, words []string) (rows []local.Row, err error) {
	err = l.c.DB().View(ctx, func(s *engine.Snapshot) error {
		rows, err = readRows(s.Graph(l.c.Base()).Bucket(BucketWords), l.version, words)
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
	return readTexts(l.v.Bucket(BucketWords), l.version)
}

// Rows implements [local.LiveRows].
func (l viewRows) Rows(_ context.Context, words []string) ([]local.Row, error) {
	return readRows(l.v.Bucket(BucketWords), l.version, words)
}

// readTexts returns how many texts the live rows of a version count.
func readTexts(b engine.Bucket, version uint32) (int64, error) {
	raw, err := b.Get(wordKey(version, "texts"), nil)
	if corpus.IsMissing(err) {
		return 0, nil // nothing was learnt yet
	}
	return int64(bigEndian(raw)), err
}

// readRows returns the live rows of those of the words that have one.
func readRows(b engine.Bucket, version uint32, words []string) (rows []local.Row, err error) {
	keys := make([][]byte, len(words))
	for i, w := range words {
		keys[i] = wordKey(version, "row/"+w)
	}
	err = b.MultiGet(keys, func(i int, raw []byte) error {
		if r, err := local.DecodeRow(words[i], raw); err == nil {
			rows = append(rows, r) // else the word counts as one never met
		}
		return nil
	})
	return rows, err
}

// Trains reports whether a chunk set is the one that words are learnt from.
func Trains(v *engine.TxView, set text.ChunkSet) (bool, error) {
	state, err := ReadWordState(v.Bucket(BucketWords))
	return state.Set == set.String(), err
}
