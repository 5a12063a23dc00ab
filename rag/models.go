package rag

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/llm"
)

// The buckets of paid replies, in the base graph.
const (
	bucketReplies = "replies" // task digest -> reply
	// bucketUsers leads from a reply to the items that asked for it and back:
	// "d" digest item -> empty, "i" item 00 digest -> empty.
	bucketUsers = "reply-users"
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

	// mu guards the usage.
	mu    sync.Mutex
	usage llm.Usage
	calls map[llm.Kind]int
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
// is made of it.
func (m *Models) Do(ctx context.Context, item string, t llm.Task) (llm.Reply, error) {
	if m.Free {
		r, u, err := m.Provider.Do(ctx, t)
		m.count(t.Kind, u)
		return r, err
	}
	digest, err := t.Digest(m.Provider.Name())
	if err != nil {
		return llm.Reply{}, err
	}
	kept, ok, err := m.kept(ctx, digest)
	if err != nil {
		return llm.Reply{}, err
	}
	if ok {
		return llm.Reply{Text: kept.Text}, m.keep(ctx, item, digest, nil)
	}
	r, u, err := m.Provider.Do(ctx, t)
	if err != nil {
		return llm.Reply{}, err
	}
	m.count(t.Kind, u)
	return r, m.keep(ctx, item, digest, &storedReply{Text: r.Text, Usage: u})
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

// keep stores a reply, nil where it is stored already, and who asked for it.
func (m *Models) keep(ctx context.Context, item string, digest [32]byte, r *storedReply) error {
	// A reply that was paid is kept even while the run is being cancelled.
	ctx = context.WithoutCancel(ctx)
	err := m.corpus.DB.Update(ctx, func(tx *engine.Tx) error {
		v := tx.Graph(m.corpus.Base)
		if r != nil {
			b, err := json.Marshal(r)
			if err != nil {
				return err
			}
			replies, err := v.MakeBucket(bucketReplies)
			if err != nil {
				return err
			}
			if err := replies.Set(digest[:], b); err != nil {
				return err
			}
		}
		users, err := v.MakeBucket(bucketUsers)
		if err != nil {
			return err
		}
		return errors.Join(users.Set(userKey(digest[:], item), nil), users.Set(itemKey(item, digest[:]), nil))
	})
	if err != nil {
		return fmt.Errorf("rag: keep a reply: %w", err)
	}
	return nil
}

func userKey(digest []byte, item string) []byte {
	return append(append([]byte{'d'}, digest...), item...)
}

func itemKey(item string, digest []byte) []byte {
	return append(append(append([]byte{'i'}, item...), 0), digest...)
}

// forgetReplies removes the replies that only this item asked for.
func (c *Corpus) forgetReplies(v *engine.TxView, item string) error {
	users, err := v.MakeBucket(bucketUsers)
	if err != nil {
		return err
	}
	replies, err := v.MakeBucket(bucketReplies)
	if err != nil {
		return err
	}
	prefix := itemKey(item, nil)
	var digests [][]byte
	for e, err := range users.Prefix(prefix) {
		if err != nil {
			return err
		}
		digests = append(digests, append([]byte(nil), e.Key[len(prefix):]...))
	}
	for _, d := range digests {
		if err := errors.Join(users.Delete(itemKey(item, d)), users.Delete(userKey(d, item))); err != nil {
			return err
		}
		used := false
		for _, err := range users.Prefix(userKey(d, "")) {
			if err != nil {
				return err
			}
			used = true
			break
		}
		if !used {
			if err := replies.Delete(d); err != nil {
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
