package rag

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/llm"
)

// The buckets of paid replies, in the base graph.
const (
	bucketReplies = "replies" // task digest -> reply
	// bucketUses says what a reply was asked for, and which documents it was
	// made from:
	//
	//	"u" digest item         -> documents as JSON
	//	"d" doc 00 digest item  -> empty
	bucketUses = "reply-uses"
)

// Models are what a corpus is indexed and asked with. It is safe for
// concurrent use.
type Models struct {
	// Provider answers tasks.
	Provider llm.Provider
	// Documents turns documents' texts into vectors, Questions questions. They
	// are of one space; only with the local model do they differ.
	Documents, Questions llm.Embedder
	// Free says that tasks cost nothing: replies are not kept.
	Free bool

	corpus *Corpus

	// mu guards the fields below it.
	mu    sync.Mutex
	usage llm.Usage
	calls map[llm.Kind]int
	// asking holds, for each task that is being asked, a channel that is closed
	// when it is over.
	asking map[[32]byte]chan struct{}
}

// NewModels returns models of which each call of the provider is paid: every
// reply is kept in the corpus before anything is made of it, and the same task
// is not asked again. documents and questions are of one space; a space that
// is Recomputable is left out of canonical exports.
func NewModels(c *Corpus, p llm.Provider, documents, questions llm.Embedder) *Models {
	return &Models{Provider: p, Documents: documents, Questions: questions, corpus: c}
}

// Usage returns what the model calls cost so far.
func (m *Models) Usage() llm.Usage {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.usage
}

func (m *Models) count(k llm.Kind, u llm.Usage) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.usage.Add(u)
	if m.calls == nil {
		m.calls = map[llm.Kind]int{}
	}
	m.calls[k] += u.Calls
}

// storedReply is the form of a kept reply.
type storedReply struct {
	Text  string    `json:"text"`
	Usage llm.Usage `json:"usage"`
}

// Do answers a task on behalf of a work item: with the reply that is kept for
// it, else by asking the model and keeping the reply at once, before anything
// is made of it. A task that is being asked already is waited for. docs are the
// keys of the documents whose text the task holds: the reply goes with any of
// them.
func (m *Models) Do(ctx context.Context, item string, docs []string, t llm.Task) (llm.Reply, error) {
	if m.Free {
		r, u, err := m.Provider.Do(ctx, t)
		m.count(t.Kind, u)
		return r, err
	}
	digest, err := t.Digest(m.Provider.Name())
	if err != nil {
		return llm.Reply{}, err
	}
	over, err := m.begin(ctx, digest)
	if err != nil {
		return llm.Reply{}, err
	}
	defer over()
	kept, ok, err := m.kept(ctx, digest)
	if err != nil {
		return llm.Reply{}, err
	}
	if ok {
		return llm.Reply{Text: kept.Text}, m.keep(ctx, reply{digest: digest, item: item, docs: docs})
	}
	r, u, err := m.Provider.Do(ctx, t)
	m.count(t.Kind, u)
	if err != nil {
		return llm.Reply{}, err
	}
	return r, m.keep(ctx, reply{digest: digest, item: item, docs: docs, reply: &storedReply{Text: r.Text, Usage: u}})
}

// begin waits until nobody else asks the task and returns what says that the
// caller is over with it.
func (m *Models) begin(ctx context.Context, digest [32]byte) (over func(), err error) {
	for {
		m.mu.Lock()
		other := m.asking[digest]
		if other == nil {
			if m.asking == nil {
				m.asking = map[[32]byte]chan struct{}{}
			}
			mine := make(chan struct{})
			m.asking[digest] = mine
			m.mu.Unlock()
			return func() {
				m.mu.Lock()
				delete(m.asking, digest)
				m.mu.Unlock()
				close(mine)
			}, nil
		}
		m.mu.Unlock()
		select {
		case <-other:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (m *Models) kept(ctx context.Context, digest [32]byte) (r storedReply, ok bool, err error) {
	err = m.corpus.DB.View(ctx, func(s *engine.Snapshot) error {
		b, err := s.Graph(m.corpus.Base).Bucket(bucketReplies).Get(digest[:], nil)
		if isMissing(err) {
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

// reply is a reply with what it was asked for.
type reply struct {
	digest [32]byte
	item   string
	docs   []string
	reply  *storedReply // nil where it is stored already
}

// keep stores a reply and its use.
func (m *Models) keep(ctx context.Context, r reply) error {
	// A reply that was paid is kept even while the run is being cancelled.
	ctx = context.WithoutCancel(ctx)
	err := m.corpus.DB.View(ctx, func(s *engine.Snapshot) error {
		docs, err := usedDocs(s.Graph(m.corpus.Base).Bucket(bucketUses), r.digest[:], r.item)
		if err != nil {
			return err
		}
		r.docs = append(slices.Clone(r.docs), docs...)
		slices.Sort(r.docs)
		if r.docs = slices.Compact(r.docs); r.reply == nil && len(docs) > 0 && slices.Equal(docs, r.docs) {
			return errKnown
		}
		return nil
	})
	if err == nil {
		err = m.corpus.DB.Update(ctx, func(tx *engine.Tx) error { return r.store(tx.Graph(m.corpus.Base)) })
	}
	if err != nil && err != errKnown {
		return fmt.Errorf("rag: keep a reply: %w", err)
	}
	return nil
}

// errKnown says that a reply and its use are stored.
var errKnown = errors.New("known")

func (r *reply) store(v *engine.TxView) error {
	if r.reply != nil {
		b, err := json.Marshal(r.reply)
		if err != nil {
			return err
		}
		replies, err := v.MakeBucket(bucketReplies)
		if err != nil {
			return err
		}
		if err := replies.Set(r.digest[:], b); err != nil {
			return err
		}
	}
	uses, err := v.MakeBucket(bucketUses)
	if err != nil {
		return err
	}
	for _, d := range r.docs {
		if err := uses.Set(docKey(d, r.digest[:], r.item), nil); err != nil {
			return err
		}
	}
	b, err := json.Marshal(r.docs)
	if err != nil {
		return err
	}
	return uses.Set(useKey(r.digest[:], r.item), b)
}

func useKey(digest []byte, item string) []byte {
	return append(append([]byte{'u'}, digest...), item...)
}

func docKey(doc string, digest []byte, item string) []byte {
	return append(append(append(append([]byte{'d'}, doc...), 0), digest...), item...)
}

// usedDocs returns the documents of a use, none where there is no such use.
func usedDocs(uses engine.Bucket, digest []byte, item string) (docs []string, err error) {
	b, err := uses.Get(useKey(digest, item), nil)
	if isMissing(err) {
		return nil, nil
	}
	if err == nil {
		err = json.Unmarshal(b, &docs)
	}
	return docs, err
}

// forgetReplies removes the replies that were made from a document, except
// those that another item got from other documents of the same text.
func (c *Corpus) forgetReplies(v *engine.TxView, doc string) error {
	uses, err := v.MakeBucket(bucketUses)
	if err != nil {
		return err
	}
	replies, err := v.MakeBucket(bucketReplies)
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
			if err := replies.Delete(digest); err != nil {
				return err
			}
		}
	}
	return nil
}

// Embed turns texts of documents into vectors.
func (m *Models) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	v, u, err := m.Documents.Embed(ctx, texts)
	m.count("embed", u)
	return v, err
}

// EmbedQuestion turns a question into a vector.
func (m *Models) EmbedQuestion(ctx context.Context, q string) ([]float32, error) {
	v, u, err := m.Questions.Embed(ctx, []string{q})
	m.count("embed", u)
	if err != nil {
		return nil, err
	}
	return v[0], nil
}
