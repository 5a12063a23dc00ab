package ledger

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/corpus"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/llm/replay"
)

// Stats says what a corpus keeps of what was paid for or recorded.
type Stats struct {
	// Rows are counts by model and kind, in that order.
	Rows []Count `json:"rows"`
	// Total has no model and no kind.
	Total Count `json:"total"`
}

// Count counts kept entries.
type Count struct {
	// Model is the provider's name, "" if it is not known: embeddings are
	// kept under the digest of model and text alone.
	Model string `json:"model"`
	// Kind is that of the task, or one of package replay's.
	Kind    llm.Kind `json:"kind"`
	Entries int      `json:"entries"`
	// Unused counts the entries that no document of the corpus uses: what
	// Prune removes.
	Unused int   `json:"unused"`
	Bytes  int64 `json:"bytes"`
	// Usage is what they cost once.
	Usage llm.Usage `json:"usage"`
}

func (n *Count) add(e replay.Entry, bytes int, used bool) {
	n.Entries++
	n.Bytes += int64(bytes)
	n.Usage.Add(e.Usage)
	if !used {
		n.Unused++
	}
}

// Stats counts the kept replies and vectors.
func (l *Ledger) Stats(ctx context.Context) (*Stats, error) {
	if err := l.ready(); err != nil {
		return nil, err
	}
	out := &Stats{Rows: []Count{}}
	rows := map[[2]string]*Count{}
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
			key := [2]string{e.Model, string(e.Kind)}
			if rows[key] == nil {
				rows[key] = &Count{Model: e.Model, Kind: e.Kind}
			}
			n := len(e.Reply) + len(e.Vector)
			rows[key].add(e, n, used)
			out.Total.add(e, n, used)
		}
		return nil
	})
	if err != nil {
		return nil, phase.Errorf("cache: %w", err)
	}
	for _, r := range rows {
		out.Rows = append(out.Rows, *r)
	}
	slices.SortFunc(out.Rows, func(a, b Count) int {
		return cmp.Or(cmp.Compare(a.Model, b.Model), cmp.Compare(a.Kind, b.Kind))
	})
	return out, nil
}

// entries yields the kept replies, then the kept vectors, each in order of
// digest.
func (l *Ledger) entries(v engine.Reader) iter.Seq2[replay.Entry, error] {
	return func(yield func(replay.Entry, error) bool) {
		for _, name := range []string{bucketReplies, bucketEmbeddings} {
			for e, err := range v.Bucket(name).Scan(nil, nil) {
				var entry replay.Entry
				if err == nil {
					entry, err = cacheEntry(name, e)
				}
				if !yield(entry, err) || err != nil {
					return
				}
			}
		}
	}
}

// cacheEntry reads a value of one of the two buckets.
func cacheEntry(bucket string, e engine.Entry) (out replay.Entry, err error) {
	if len(e.Key) != sha256.Size {
		return out, fmt.Errorf("%s: a key of %d bytes: %w", bucket, len(e.Key), engine.ErrCorrupt)
	}
	out.Digest = replay.Digest(e.Key)
	if bucket == bucketEmbeddings {
		out.Kind, out.Vector = replay.KindEmbedding, slices.Clone(e.Value)
		return out, nil
	}
	var r StoredReply
	if err := json.Unmarshal(e.Value, &r); err != nil {
		return out, fmt.Errorf("%s: %s: %w", bucket, out.Digest, errors.Join(engine.ErrCorrupt, err))
	}
	out.Kind, out.Model, out.Reply, out.Usage, out.Divided = r.Kind, r.Model, r.Text, r.Usage, r.Divided
	return out, nil
}

// used reports whether a document that is there uses an entry.
func (l *Ledger) used(v engine.Reader, digest []byte) (bool, error) {
	for e, err := range v.Bucket(bucketUses).Prefix(useKey(digest, "")) {
		var docs []string
		if err == nil {
			err = json.Unmarshal(e.Value, &docs)
		}
		if err != nil {
			return false, err
		}
		for _, d := range docs {
			if err := corpus.HasDocument(v, d); err == nil {
				return true, nil
			} else if !corpus.IsMissing(err) {
				return false, err
			}
		}
	}
	return false, nil
}

// Entries yields the kept entries of some kinds, all if none is named:
// replies before vectors, each in order of digest.
func (l *Ledger) Entries(v engine.Reader, kinds ...llm.Kind) iter.Seq2[replay.Entry, error] {
	return func(yield func(replay.Entry, error) bool) {
		if err := corpus.Readable(v); err != nil {
			yield(replay.Entry{}, err)
			return
		}
		for e, err := range l.entries(v) {
			if err == nil && len(kinds) > 0 && !slices.Contains(kinds, e.Kind) {
				continue
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// Export writes the kept replies and vectors as lines that
// [replay.Read] reads, and returns how many. They hold what models said and
// what identifies the questions, and neither the questions nor any key. Equal
// caches have equal exports.
func (l *Ledger) Export(ctx context.Context, w io.Writer) (n int, err error) {
	if err := l.ready(); err != nil {
		return 0, err
	}
	if w == nil {
		return 0, phase.Errorf("%w: nothing to write to", corpus.ErrArgument)
	}
	err = l.db.View(ctx, func(s *engine.Snapshot) error {
		for e, err := range l.entries(s.Graph(l.base).WithContext(ctx)) {
			if err == nil {
				err = replay.Write(w, e)
			}
			if err != nil {
				return err
			}
			n++
		}
		return nil
	})
	if err != nil {
		return n, phase.Errorf("export the cache: %w", err)
	}
	return n, nil
}

// Imported says what an import brought.
type Imported struct {
	Added int `json:"added"`
	Known int `json:"known"`
}

// Import reads lines of Export. An entry whose digest is kept already
// stays as it is. New ones are used when the same task is asked or the same text
// embedded, also of a document that comes later, and until then nothing but
// Prune removes them. A reply then goes with the documents that it was
// asked for; an imported vector belongs to no document and stays until it is pruned.
//
// A malformed line is a [*replay.LineError]; what came before it is
// imported, and importing again changes nothing of it.
func (l *Ledger) Import(ctx context.Context, r io.Reader) (*Imported, error) {
	if err := l.ready(); err != nil {
		return nil, err
	}
	if r == nil {
		return nil, phase.Errorf("%w: nothing to read from", corpus.ErrArgument)
	}
	out := &Imported{}
	var batch []replay.Entry
	size := 0
	flush := func() error {
		n, err := l.putEntries(ctx, batch)
		out.Added, out.Known = out.Added+n, out.Known+len(batch)-n
		batch, size = batch[:0], 0
		return err
	}
	for e, err := range replay.Read(r) {
		if err == nil {
			batch = append(batch, e)
			if size += len(e.Reply) + len(e.Vector) + sha256.Size; size < cacheBatch {
				continue
			}
		}
		if ferr := flush(); err == nil {
			err = ferr
		}
		if err != nil {
			return out, phase.Errorf("import into the cache: %w", err)
		}
	}
	if err := flush(); err != nil {
		return out, phase.Errorf("import into the cache: %w", err)
	}
	return out, nil
}

// cacheBatch is about how much of a cache is written or removed at once.
const cacheBatch = 4 << 20

// putEntries writes entries that are not there, in one commit, and returns how
// many those are.
func (l *Ledger) putEntries(ctx context.Context, entries []replay.Entry) (added int, err error) {
	if len(entries) == 0 {
		return 0, nil
	}
	err = l.db.Update(ctx, func(tx *engine.Tx) error {
		v := tx.Graph(l.base)
		added = 0
		for _, e := range entries {
			ok, err := putEntry(v, e)
			if err != nil {
				return err
			}
			if ok {
				added++
			}
		}
		return nil
	})
	return added, err
}

// putEntry writes an entry unless there is one of its digest.
func putEntry(v *engine.TxView, e replay.Entry) (added bool, err error) {
	name, value := bucketReplies, []byte(nil)
	if e.Kind == replay.KindEmbedding {
		name, value = bucketEmbeddings, e.Vector
	} else if value, err = json.Marshal(StoredReply{Kind: e.Kind, Model: e.Model, Text: e.Reply, Usage: e.Usage, Divided: e.Divided}); err != nil {
		return false, err
	}
	b, err := v.MakeBucket(name)
	if err != nil {
		return false, err
	}
	if known, err := b.Has(e.Digest[:]); err != nil || known {
		return false, err
	}
	return true, b.Set(e.Digest[:], value)
}

// Kept is an entry with the document that it belongs to and goes with.
type Kept struct {
	replay.Entry
	Doc string
}

// KeepEntries stores entries with their documents, which need not be there yet.
// item says what uses them. Storing them again changes nothing.
func (l *Ledger) KeepEntries(ctx context.Context, item string, entries []Kept) error {
	if err := l.ready(); err != nil {
		return err
	}
	for i := range entries {
		if err := entries[i].Check(); err != nil {
			return phase.Errorf("keep recordings: %w: entry %d %v", corpus.ErrArgument, i, err)
		}
	}
	for len(entries) > 0 {
		n := 0
		err := l.db.Update(ctx, func(tx *engine.Tx) error {
			v := tx.Graph(l.base)
			for n = 0; n < len(entries) && (n == 0 || tx.Bytes() < cacheBatch); n++ {
				e := &entries[n]
				if _, err := putEntry(v, e.Entry); err != nil {
					return err
				}
				if err := addUse(v, e.Digest[:], item, e.Doc); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return phase.Errorf("keep recordings: %w", err)
		}
		entries = entries[n:]
	}
	return nil
}

// addUse notes that an item uses an entry on behalf of a document, beside what
// it used it for before.
func addUse(v *engine.TxView, digest []byte, item, doc string) error {
	uses, err := v.MakeBucket(bucketUses)
	if err != nil {
		return err
	}
	docs, err := usedDocs(uses.Bucket, digest, item)
	if err != nil || slices.Contains(docs, doc) {
		return err
	}
	docs = append(docs, doc)
	slices.Sort(docs)
	b, err := json.Marshal(docs)
	if err != nil {
		return err
	}
	if err := uses.Set(docKey(doc, digest, item), nil); err != nil {
		return err
	}
	return uses.Set(useKey(digest, item), b)
}
