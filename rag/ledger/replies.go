package ledger

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"slices"
	"sync"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/corpus"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/llm/replay"
)

// The buckets of what was paid for, in the base graph.
const (
	bucketReplies    = "replies"    // task digest -> reply
	bucketEmbeddings = "embeddings" // digest of model and text -> vector
	// bucketUses says what a reply or vector was asked for, and which documents
	// it was made from:
	//
	//	"u" digest item         -> documents as JSON
	//	"d" doc 00 digest item  -> empty
	bucketUses = "reply-uses"
)

// StoredReply is the form of a kept reply.
type StoredReply struct {
	Kind  llm.Kind  `json:"kind,omitempty"`
	Model string    `json:"model,omitempty"`
	Text  string    `json:"text"`
	Usage llm.Usage `json:"usage"`
	// Divided is there, and Text is empty, if other tasks were asked in place of one that
	// was too long for the model.
	Divided *replay.Division `json:"divided,omitempty"`
}

// Ledger keeps what models said and what it was asked for, in the base graph of a
// corpus. It is safe for concurrent use.
type Ledger struct {
	db   *engine.DB
	base *engine.Graph

	mu      sync.Mutex // guards storing
	storing []*storing // replies that wait for the writer
}

// New returns the ledger of a corpus that is open.
func New(c *corpus.Corpus) *Ledger {
	if c.Ready() != nil {
		return &Ledger{}
	}
	return &Ledger{db: c.DB(), base: c.Base()}
}

// ready refuses a ledger that New did not make of an open corpus.
func (l *Ledger) ready() error {
	if l == nil || l.db == nil {
		return phase.Errorf("%w: the replies of no corpus", corpus.ErrArgument)
	}
	return nil
}

// Reply returns the reply that is kept for a task.
func (l *Ledger) Reply(ctx context.Context, digest [32]byte) (r StoredReply, ok bool, err error) {
	err = l.db.View(ctx, func(s *engine.Snapshot) error {
		b, err := s.Graph(l.base).Bucket(bucketReplies).Get(digest[:], nil)
		if corpus.IsMissing(err) {
			return nil
		}
		if err != nil {
			return err
		}
		ok = true
		return json.Unmarshal(b, &r)
	})
	return r, ok, err
}

// Reply is a reply with what it was asked for.
type Reply struct {
	Digest [32]byte
	Item   string
	Docs   []string
	Reply  *StoredReply // nil if it is stored already
}

// Keep stores a reply and its use, unless the database is open for reading.
func (l *Ledger) Keep(ctx context.Context, r Reply) error {
	if l.db.ReadOnly(ctx) {
		return nil
	}
	// A reply that was paid is kept even while the run is being cancelled.
	ctx = context.WithoutCancel(ctx)
	err := l.db.View(ctx, func(s *engine.Snapshot) error {
		docs, err := usedDocs(s.Graph(l.base).Bucket(bucketUses), r.Digest[:], r.Item)
		if err != nil {
			return err
		}
		r.Docs = append(slices.Clone(r.Docs), docs...)
		slices.Sort(r.Docs)
		if r.Docs = slices.Compact(r.Docs); r.Reply == nil && len(docs) > 0 && slices.Equal(docs, r.Docs) {
			return errKnown
		}
		return nil
	})
	if err == nil {
		err = l.commit(ctx, &r)
	}
	if err != nil && err != errKnown {
		return phase.Errorf("keep a reply: %w", err)
	}
	return nil
}

// storing is a reply that waits to be stored.
type storing struct {
	*Reply
	err  error
	over chan struct{} // closed when err is set
}

// commit stores a reply together with those of other calls that wait for the
// writer: a commit takes longer than the answers of many a model, and what
// waits for one is lost with the process.
func (l *Ledger) commit(ctx context.Context, r *Reply) error {
	own := &storing{Reply: r, over: make(chan struct{})}
	l.mu.Lock()
	l.storing = append(l.storing, own)
	first := len(l.storing) == 1
	l.mu.Unlock()
	if !first {
		<-own.over // the first of them stores it
		return own.err
	}
	var all []*storing
	take := func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		all, l.storing = l.storing, nil
	}
	err := l.db.Update(ctx, func(tx *engine.Tx) error {
		take() // a call that comes from now on is the first of others
		for _, w := range all {
			if err := w.store(tx.Graph(l.base)); err != nil {
				return err
			}
		}
		return nil
	})
	if all == nil {
		take() // there was no transaction
	}
	for _, w := range all {
		w.err = err
		close(w.over)
	}
	return err
}

// errKnown says that a reply and its use are stored.
var errKnown = errors.New("known")

// store writes a reply and its use.
func (r *Reply) store(v *engine.TxView) error {
	if r.Reply != nil {
		b, err := json.Marshal(r.Reply)
		if err != nil {
			return err
		}
		replies, err := v.MakeBucket(bucketReplies)
		if err != nil {
			return err
		}
		if err := replies.Set(r.Digest[:], b); err != nil {
			return err
		}
	}
	uses, err := v.MakeBucket(bucketUses)
	if err != nil {
		return err
	}
	for _, d := range r.Docs {
		if err := uses.Set(docKey(d, r.Digest[:], r.Item), nil); err != nil {
			return err
		}
	}
	b, err := json.Marshal(r.Docs)
	if err != nil {
		return err
	}
	return uses.Set(useKey(r.Digest[:], r.Item), b)
}

func useKey(digest []byte, item string) []byte {
	return append(append([]byte{'u'}, digest...), item...)
}

func docKey(doc string, digest []byte, item string) []byte {
	return append(append(append(append([]byte{'d'}, doc...), 0), digest...), item...)
}

// usedDocs returns the documents of a use, none if there is no such use.
func usedDocs(uses engine.Bucket, digest []byte, item string) (docs []string, err error) {
	b, err := uses.Get(useKey(digest, item), nil)
	if corpus.IsMissing(err) {
		return nil, nil
	}
	if err == nil {
		err = json.Unmarshal(b, &docs)
	}
	return docs, err
}

// Forget removes the replies and vectors that were made from a document, except
// those that another item got from other documents of the same text. v is the base
// graph. A method may pass, in place of documents, the name of something that it made
// itself, such as a summary, to [models.Models.Do] and [models.Models.Embed]; it then
// calls Forget with that name when the thing goes. No document may have such a name.
func Forget(v *engine.TxView, doc string) error {
	if err := corpus.Readable(v); err != nil {
		return err
	}
	uses, err := v.MakeBucket(bucketUses)
	if err != nil {
		return err
	}
	replies, err := v.MakeBucket(bucketReplies)
	if err != nil {
		return err
	}
	embeddings, err := v.MakeBucket(bucketEmbeddings)
	if err != nil {
		return err
	}
	prefix := docKey(doc, nil, "")
	var gone [][]byte // digest and item
	for e, err := range uses.Prefix(prefix) {
		if err != nil {
			return err
		}
		gone = append(gone, slices.Clone(e.Key[len(prefix):]))
	}
	for _, use := range gone {
		digest, item := use[:sha256.Size], string(use[sha256.Size:])
		docs, err := usedDocs(uses.Bucket, digest, item)
		if err != nil {
			return err
		}
		for _, d := range docs {
			if err := uses.Delete(docKey(d, digest, item)); err != nil {
				return err
			}
		}
		if err := uses.Delete(useKey(digest, item)); err != nil {
			return err
		}
		used := false
		for _, err := range uses.Prefix(useKey(digest, "")) {
			if err != nil {
				return err
			}
			used = true
			break
		}
		if !used {
			if err := errors.Join(replies.Delete(digest), embeddings.Delete(digest)); err != nil {
				return err
			}
		}
	}
	return nil
}
