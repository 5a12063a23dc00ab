package rag

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/rag/internal/corpus"
)

// storedTrace is the stored form of an answer with how it came about. Beside the
// question, the answer and what it quotes it holds names and keys, and no text.
type storedTrace struct {
	ID        string    `json:"id"`
	Question  string    `json:"question"`
	Answer    string    `json:"answer,omitempty"`
	Sources   []Source  `json:"sources,omitempty"`
	Nearest   []Passage `json:"nearest,omitempty"` // without their texts
	Supported *bool     `json:"supported,omitempty"`
	Method    string    `json:"method"`
	Epoch     uint64    `json:"epoch"`
	Docs      []string  `json:"docs"` // those of Answer.Docs
	// Trace holds the operators with their times in whole microseconds, and not
	// their sets.
	Trace *query.Trace `json:"trace"`
	Items []storedItem `json:"items"` // the evidence in its order
}

// storedItem is the stored form of a piece of evidence.
type storedItem struct {
	Section string       `json:"section"`
	Kind    string       `json:"kind"`
	Keys    []string     `json:"keys,omitempty"`
	Chunks  []string     `json:"chunks,omitempty"`
	Score   float64      `json:"score"`
	Tokens  int          `json:"tokens"`
	Why     []query.Step `json:"why"` // without what the steps came from
}

// name gives the trace its id: a digest of the question, the answer, the evidence and
// the state of the database. Times have no part in it.
func (t *storedTrace) name() error {
	b, err := json.Marshal([]any{t.Question, t.Answer, t.Method, t.Epoch, t.Items})
	if err != nil {
		return err
	}
	sum := sha256.Sum256(b)
	t.ID = "t:" + hex.EncodeToString(sum[:4])
	return nil
}

// answer returns the answer that a trace was stored of.
func (t *storedTrace) answer() *Answer {
	ev := &Evidence{Method: t.Method, Epoch: t.Epoch, Trace: t.Trace}
	for _, it := range t.Items {
		if n := len(ev.Sections); n == 0 || ev.Sections[n-1].Name != it.Section {
			ev.Sections = append(ev.Sections, EvidenceSection{Name: it.Section})
		}
		last := &ev.Sections[len(ev.Sections)-1]
		last.Items = append(last.Items, Cited{
			Item: query.Item{Score: it.Score, Tokens: it.Tokens, Why: it.Why}, Kind: it.Kind, Keys: it.Keys, Chunks: it.Chunks,
		})
	}
	return &Answer{
		Question: t.Question, Text: t.Answer, Answered: t.Answer != "", Sources: t.Sources, Nearest: t.Nearest,
		Supported: t.Supported, Method: t.Method, Evidence: ev, Trace: t.ID,
	}
}

// Docs returns the keys of the documents that the evidence rests on and those that the
// answer cites, in order.
func (a *Answer) Docs() []string {
	docs := map[string]bool{}
	if a.Evidence != nil {
		for _, it := range a.Evidence.Items() {
			for _, ch := range it.Chunks {
				docs[corpus.DocOf(ch)] = true
			}
		}
	}
	for _, s := range a.Sources {
		docs[s.Doc] = true
	}
	return sortedKeys(docs)
}

// bucketTraces holds, in the base graph, the traces of answers by ascending numbers of
// eight bytes, and the number of the next one. Before the numbers, keys were an epoch and
// the trace's id; such traces are read until the first numbered one takes their place.
const bucketTraces = "traces"

// nextTrace is the key of the number of the next trace. It sorts after all numbers.
var nextTrace = []byte("next")

// maxTraces bounds the traces that are kept; the oldest go first.
const maxTraces = 256

// traceKey returns the key of the trace of a number.
func traceKey(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

// KeepTrace stores an answer with how it came about, and returns the id of the trace,
// such as t:5a0c1f20. It returns "" and stores nothing if the database is read-only, or
// if a document of the answer was removed meanwhile.
func (c *Corpus) KeepTrace(ctx context.Context, a *Answer) (string, error) {
	if err := c.ready(); err != nil {
		return "", err
	}
	if a == nil || a.Evidence == nil {
		return "", phase.Errorf("%w: no answer with evidence to keep a trace of", ErrArgument)
	}
	ev := a.Evidence
	t := storedTrace{
		Question: a.Question, Answer: a.Text, Sources: a.Sources, Supported: a.Supported,
		Method: ev.Method, Epoch: ev.Epoch, Docs: a.Docs(), Trace: ev.Trace, Items: []storedItem{},
	}
	for _, p := range a.Nearest {
		p.Text = ""
		t.Nearest = append(t.Nearest, p)
	}
	if t.Trace == nil {
		t.Trace = &query.Trace{}
	}
	for _, s := range ev.Sections {
		for _, it := range s.Items {
			t.Items = append(t.Items, storedItem{s.Name, it.Kind, it.Keys, it.Chunks, it.Score, it.Tokens, it.Why})
		}
	}
	if err := t.name(); err != nil {
		return "", phase.Errorf("keep a trace: %w", err)
	}
	b, err := json.Marshal(t)
	if err != nil {
		return "", phase.Errorf("keep a trace: %w", err)
	}
	removed := false
	err = c.DB().UpdateWith(ctx, corpus.NoSync, func(tx *engine.Tx) error {
		bucket, err := tx.Graph(c.Base()).MakeBucket(bucketTraces)
		if err != nil {
			return err
		}
		// If nothing was committed since the evidence was read, its documents are there.
		if tx.Epoch() != ev.Epoch+1 {
			if err := corpus.HasDocuments(tx.Graph(c.Base()), t.Docs); err != nil {
				removed = corpus.IsMissing(err) // with all traces of it
				return err
			}
		}
		return addTrace(bucket, b)
	})
	if removed || errors.Is(err, engine.ErrReadOnly) {
		return "", nil
	}
	if err != nil {
		return "", phase.Errorf("keep a trace: %w", err)
	}
	return t.ID, nil
}

// addTrace adds a trace after the others, and removes the one that is too many. What it
// reads is one number, however many traces there are.
func addTrace(bucket engine.BucketWriter, trace []byte) error {
	n := uint64(0)
	switch b, err := bucket.Get(nextTrace, nil); {
	case err == nil && len(b) == 8:
		n = binary.BigEndian.Uint64(b)
	case err == nil || errors.Is(err, engine.ErrNotFound):
		// It is the first, or what is there has no numbers, or a damaged one.
		if err := bucket.DeletePrefix(nil); err != nil {
			return err
		}
	default:
		return err
	}
	if n >= maxTraces {
		if err := bucket.Delete(traceKey(n - maxTraces)); err != nil {
			return err
		}
	}
	if err := bucket.Set(traceKey(n), trace); err != nil {
		return err
	}
	return bucket.Set(nextTrace, traceKey(n+1))
}

// Trace returns the answer that was stored with a trace, by the id of the trace. If
// several have one id, it returns the newest. The answer has what it cites, and its
// evidence the operators that ran with their times, and the items with their keys and
// scores; there are no texts, and [query.Trace.Why] finds nothing. The error is
// [engine.ErrNotFound] if there is no such trace: the newest 256 are kept, each until one
// of its documents is removed.
func (c *Corpus) Trace(ctx context.Context, id string) (*Answer, error) {
	if err := c.ready(); err != nil {
		return nil, err
	}
	var found *storedTrace
	var damage error
	err := c.DB().View(ctx, func(s *engine.Snapshot) error {
		for e, err := range s.Graph(c.Base()).WithContext(ctx).Bucket(bucketTraces).Scan(nil, nextTrace) {
			if err != nil {
				return err
			}
			t := &storedTrace{}
			if err := json.Unmarshal(e.Value, t); err != nil {
				damage = err
			} else if t.ID == id {
				found = t
			}
		}
		return nil
	})
	if err != nil {
		return nil, phase.Errorf("trace %s: %w", id, err)
	}
	if found != nil {
		return found.answer(), nil
	}
	if damage != nil { // perhaps of this one
		return nil, phase.Errorf("trace %s: %w", id, errors.Join(engine.ErrCorrupt, damage))
	}
	return nil, phase.Errorf("trace %s: %w", id, engine.ErrNotFound)
}

// forgetTraces removes the traces that quote a document.
func (c *Corpus) forgetTraces(v *engine.TxView, doc string) error {
	bucket, err := v.MakeBucket(bucketTraces)
	if err != nil {
		return err
	}
	var gone [][]byte
	for e, err := range bucket.Scan(nil, nextTrace) {
		if err != nil {
			return err
		}
		var t struct {
			Docs []string `json:"docs"`
		}
		if err := json.Unmarshal(e.Value, &t); err != nil {
			t.Docs = []string{doc} // it cannot be read, so it goes too
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

// Traces returns the answers that were stored with a trace, the newest first, at most so
// many. Each is as [Corpus.Trace] returns it. It reads all that are kept.
func (c *Corpus) Traces(ctx context.Context, most int) ([]*Answer, error) {
	if err := c.ready(); err != nil {
		return nil, err
	}
	var values [][]byte
	err := c.DB().View(ctx, func(s *engine.Snapshot) error {
		for e, err := range s.Graph(c.Base()).WithContext(ctx).Bucket(bucketTraces).Scan(nil, nextTrace) {
			if err != nil {
				return err
			}
			values = append(values, append([]byte(nil), e.Value...))
		}
		return nil
	})
	if err != nil {
		return nil, phase.Errorf("traces: %w", err)
	}
	var out []*Answer
	for _, v := range slices.Backward(values) {
		if len(out) >= most {
			break
		}
		t := &storedTrace{}
		if err := json.Unmarshal(v, t); err != nil {
			return nil, phase.Errorf("traces: %w", errors.Join(engine.ErrCorrupt, err))
		}
		out = append(out, t.answer())
	}
	return out, nil
}
