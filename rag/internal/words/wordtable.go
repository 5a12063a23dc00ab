package words

import (
	"context"
	"errors"
	"sync"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/corpus"
	"github.com/ragdb/ragdb/rag/llm/local"
)

// storedTable is the word table of a version, in the bucket of words.
type storedTable struct {
	b       engine.Bucket
	version uint32
}

func (s storedTable) key(key []byte) []byte { return wordKey(s.version, "table/"+string(key)) }

// Get implements [local.Stored].
func (s storedTable) Get(key []byte) ([]byte, error) { return s.b.Get(s.key(key), nil) }

// MultiGet implements [local.Stored].
func (s storedTable) MultiGet(keys [][]byte, fn func(i int, value []byte) error) error {
	full := make([][]byte, len(keys))
	for i, k := range keys {
		full[i] = s.key(k)
	}
	return s.b.MultiGet(full, fn)
}

// Each implements [local.Stored].
func (s storedTable) Each(prefix []byte, fn func(key, value []byte) error) error {
	cut := len(s.key(nil))
	for e, err := range s.b.Prefix(s.key(prefix)) {
		if err == nil {
			err = fn(e.Key[cut:], e.Value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Tables reads the newest word table, as much of it as texts need: rows of their words
// for a few texts, all of it once there were many. It is safe for concurrent use.
type Tables struct {
	l *Store
	// version, if not 0, is the version to read in place of the newest.
	version uint32

	mu    sync.Mutex
	asked int          // bytes of texts so far
	whole *local.Table // once they were many
}

// manyBytes is the length of texts from which on the whole table is read.
const manyBytes = 256 << 10

// Tables returns a reader of the newest word table.
func (l *Store) Tables() *Tables { return &Tables{l: l} }

// For returns a table that serves some texts, nil if there is none, or none that can be
// read: lost then says that the words are to be learnt again.
func (t *Tables) For(ctx context.Context, texts ...string) (table *local.Table, lost bool, err error) {
	table, err = t.read(ctx, texts)
	if errors.Is(err, local.ErrTable) || corpus.IsMissing(err) {
		return nil, true, nil
	}
	return table, false, err
}

// read returns a table that serves some texts, nil before the first training.
func (t *Tables) read(ctx context.Context, texts []string) (table *local.Table, err error) {
	// Other goroutines that need the whole table wait for the first to read it.
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, s := range texts {
		t.asked += len(s)
	}
	err = t.l.C.DB().View(ctx, func(s *engine.Snapshot) error {
		b := s.Graph(t.l.C.Base()).WithContext(ctx).Bucket(BucketWords)
		version := t.version
		if version == 0 {
			state, err := ReadWordState(b)
			if err != nil || state.Newest() == 0 {
				return err
			}
			version = state.Newest()
		}
		stored := storedTable{b, version}
		if t.whole == nil && t.asked < manyBytes {
			table, err = local.LoadWords(stored, texts...)
			return err
		}
		if t.whole != nil {
			head, err := local.LoadHead(stored.Get)
			if err != nil || t.whole.Head().Same(head) {
				table = t.whole
				return err
			}
		}
		t.whole, err = local.LoadTable(stored)
		table = t.whole
		return err
	})
	return table, err
}
