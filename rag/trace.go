package rag

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/rag/internal/corpus"
)

// StoredTrace is what is kept of an answer, and of how it came about. Beside the
// question, the answer and what it quotes it holds names and keys, and no text.
type StoredTrace struct {
	ID       string `json:"id"`
	Question string `json:"question"`
	// Answer is the answer's text, "" where there was none, and Sources what it
	// cites.
	Answer  string   `json:"answer,omitempty"`
	Sources []Source `json:"sources,omitempty"`
	// Nearest are those of an [Answer] that there was none of, without their
	// texts; Supported is described there.
	Nearest   []Passage `json:"nearest,omitempty"`
	Supported *bool     `json:"supported,omitempty"`
	// Method is the label of the method that retrieved.
	Method string `json:"method"`
	// Epoch is the commit that it saw.
	Epoch uint64 `json:"epoch"`
	// Docs are the keys of the documents that the items rest on, in order.
	Docs []string `json:"docs"`
	// Trace holds the operators with their times in whole microseconds, and
	// not their sets: [query.Trace.Why] finds nothing in it.
	Trace *query.Trace `json:"trace"`
	// Items are the evidence in its order.
	Items []TraceItem `json:"items"`
}

// TraceItem is what a [StoredTrace] keeps of a piece of evidence; see [Cited].
type TraceItem struct {
	Section string   `json:"section"`
	Kind    string   `json:"kind"`
	Keys    []string `json:"keys,omitempty"`
	Chunks  []string `json:"chunks,omitempty"`
	Score   float64  `json:"score"`
	Tokens  int      `json:"tokens"`
	// Why are the item's steps without what they came from.
	Why []query.Step `json:"why"`
}

// bucketTraces holds, in the base graph, the traces of answers, by epoch and id.
const bucketTraces = "traces"

// maxTraces bounds the traces that are kept; the oldest go first.
const maxTraces = 256

// KeepTrace stores an answer and how it came about, and returns the trace's id,
// such as t:5a0c1f20. A read-only database keeps none, nor is one kept of a
// document that was removed meanwhile: the id is "".
func (c *Corpus) KeepTrace(ctx context.Context, a *Answer) (string, error) {
	if err := c.ready(); err != nil {
		return "", err
	}
	if a == nil || a.Evidence == nil {
		return "", phase.Errorf("%w: no answer with evidence to keep a trace of", ErrArgument)
	}
	ev, question := a.Evidence, a.Question
	t := StoredTrace{Question: question, Answer: a.Text, Sources: a.Sources, Method: ev.Method, Epoch: ev.Epoch, Trace: ev.Trace, Items: []TraceItem{}}
	t.Supported = a.Supported
	for _, p := range a.Nearest {
		p.Text = ""
		t.Nearest = append(t.Nearest, p)
	}
	if t.Trace == nil {
		t.Trace = &query.Trace{}
	}
	docs := map[string]bool{}
	for _, s := range ev.Sections {
		for _, it := range s.Items {
			t.Items = append(t.Items, TraceItem{s.Name, it.Kind, it.Keys, it.Chunks, it.Score, it.Tokens, it.Why})
			for _, ch := range it.Chunks {
				docs[corpus.DocOf(ch)] = true
			}
		}
	}
	for _, s := range a.Sources {
		docs[s.Doc] = true
	}
	t.Docs = sortedKeys(docs)
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%d", question, ev.Method, ev.Epoch))
	t.ID = "t:" + hex.EncodeToString(sum[:4])
	b, err := json.Marshal(t)
	if err != nil {
		return "", phase.Errorf("keep a trace: %w", err)
	}
	removed := false
	err = c.DB().UpdateWith(ctx, engine.TxOptions{Durability: corpus.NoSync}, func(tx *engine.Tx) error {
		bucket, err := tx.Graph(c.Base()).MakeBucket(bucketTraces)
		if err != nil {
			return err
		}
		for _, doc := range t.Docs {
			if err := corpus.HasDocument(tx.Graph(c.Base()), doc); err != nil {
				removed = corpus.IsMissing(err) // since it was retrieved, with all traces of it
				return err
			}
		}
		// Keys ascend with the epoch, so that the first is the oldest.
		var keys [][]byte
		for e, err := range bucket.Scan(nil, nil) {
			if err != nil {
				return err
			}
			keys = append(keys, append([]byte(nil), e.Key...))
		}
		for len(keys) >= maxTraces {
			if err := bucket.Delete(keys[0]); err != nil {
				return err
			}
			keys = keys[1:]
		}
		return bucket.Set(append(binary.BigEndian.AppendUint64(nil, tx.Epoch()), t.ID...), b)
	})
	if errors.Is(err, engine.ErrReadOnly) {
		return "", nil
	}
	if removed {
		return "", nil
	}
	if err != nil {
		return "", phase.Errorf("keep a trace: %w", err)
	}
	return t.ID, nil
}

// Trace returns the stored trace of an answer by its id, the newest where there
// are several, or [engine.ErrNotFound]: old traces give way to new ones, and
// one goes with the documents that it names.
func (c *Corpus) Trace(ctx context.Context, id string) (*StoredTrace, error) {
	if err := c.ready(); err != nil {
		return nil, err
	}
	var value []byte
	err := c.DB().View(ctx, func(s *engine.Snapshot) error {
		for e, err := range s.Graph(c.Base()).WithContext(ctx).Bucket(bucketTraces).Scan(nil, nil) {
			if err != nil {
				return err
			}
			if len(e.Key) > 8 && string(e.Key[8:]) == id {
				value = append(value[:0], e.Value...)
			}
		}
		return nil
	})
	if err != nil {
		return nil, phase.Errorf("trace %s: %w", id, err)
	}
	if value == nil {
		return nil, phase.Errorf("trace %s: %w", id, engine.ErrNotFound)
	}
	t := &StoredTrace{}
	if err := json.Unmarshal(value, t); err != nil {
		return nil, phase.Errorf("trace %s: %w", id, errors.Join(engine.ErrCorrupt, err))
	}
	return t, nil
}

// forgetTraces removes the traces that quote a document.
func (c *Corpus) forgetTraces(v *engine.TxView, doc string) error {
	bucket, err := v.MakeBucket(bucketTraces)
	if err != nil {
		return err
	}
	var gone [][]byte
	for e, err := range bucket.Scan(nil, nil) {
		if err != nil {
			return err
		}
		var t struct {
			Docs []string `json:"docs"`
		}
		if err := json.Unmarshal(e.Value, &t); err != nil {
			t.Docs = []string{doc} // nobody can tell, and nobody can read it
		}
		for _, d := range t.Docs {
			if d == doc {
				gone = append(gone, append([]byte(nil), e.Key...))
				break
			}
		}
	}
	for _, k := range gone {
		if err := bucket.Delete(k); err != nil {
			return err
		}
	}
	return nil
}
