package models

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ragdb/ragdb/rag/internal/corpus"
	"github.com/ragdb/ragdb/rag/ledger"
	"github.com/ragdb/ragdb/rag/llm"
)

// Vectors of a model that is paid are kept under the digest of model and text,
// so that no text is paid for twice, and stored before anything is made of
// them. Vectors that can be computed again are not.

// Texts of several workers are sent in one request: when there are enough, or when
// no worker is left that could bring another. A caller outside of a run does not
// wait for others.
const (
	embedBatchTexts = 64
	embedBatchBytes = 64 << 10
)

// embedBatch gathers texts for one request.
type embedBatch struct {
	texts   []embedText
	places  map[[32]byte]int
	bytes   int
	full    chan struct{} // closed when no more are taken
	done    chan struct{} // closed when vectors and errs are set
	sent    bool          // done is closed
	waiting int           // workers that wait for it
	vectors [][]float32
	errs    []error
}

// embedText is a text to be embedded and the documents that hold it.
type embedText struct {
	digest [32]byte
	text   string
	docs   []string
}

// embed embeds texts with the vectors that are kept, and asks for the others.
func (m *Models) embed(ctx context.Context, e llm.Embedder, docs, texts []string) ([][]float32, error) {
	m = m.Ensure(nil, nil)
	model := e.Space().Model
	if why, ok := e.(refusing); ok {
		return nil, why.why
	}
	if e.Space().Recomputable {
		v, u, err := e.Embed(ctx, texts)
		m.meter.Add(m.stage, model, u)
		if err == nil && len(v) != len(texts) {
			err = fmt.Errorf("%w: %d vectors of %d texts", llm.ErrProvider, len(v), len(texts))
		}
		return v, err
	}
	if m.ledger == nil {
		return nil, phase.Errorf("%w: models of no corpus: make them with OpenLocal or NewModels", corpus.ErrArgument)
	}
	digests := make([][32]byte, len(texts))
	for i, t := range texts {
		digests[i] = corpus.Digest("embed", model, t)
	}
	out, missing, err := m.ledger.Vectors(ctx, digests)
	if err != nil {
		return nil, err
	}
	for range len(texts) - len(missing) {
		m.meter.Cached(m.stage, model)
	}
	if m.shared.unkept {
		return out, m.estimate(ctx, e, digests, texts, missing, out)
	}
	// Each text waits in its own batch: a call that brings many fills several.
	var waits []embedWait
	for _, i := range missing {
		b, place, first := m.gather(embedText{digests[i], texts[i], docs})
		waits = append(waits, embedWait{i, b, place, first})
	}
	left, err := m.await(ctx, e, waits, out)
	if left && err == nil {
		return m.embed(ctx, e, docs, texts)
	}
	if err != nil {
		return nil, err
	}
	return out, nil
}

// embedWait is a text that waits for its vector.
type embedWait struct {
	at    int // of the call's texts
	batch *embedBatch
	place int
	opens bool // the call opened the batch, and sends it
}

// await waits for vectors and puts them in their places. left says that another
// call, which sent a batch, was cancelled: the texts are to be sent again.
func (m *Models) await(ctx context.Context, e llm.Embedder, waits []embedWait, out [][]float32) (left bool, err error) {
	for _, w := range waits {
		if w.opens {
			m.send(ctx, e, w.batch)
		}
	}
	for _, w := range waits {
		if err := m.join(ctx, w.batch); err != nil {
			return false, err
		}
		switch err := w.batch.errs[w.place]; {
		case isCancelled(err) && ctx.Err() == nil:
			left = true
		case err != nil:
			return false, err
		default:
			out[w.at] = slices.Clone(w.batch.vectors[w.place])
		}
	}
	return left, nil
}

// join waits for a batch that this call or another one sends.
func (m *Models) join(ctx context.Context, b *embedBatch) error {
	s := m.shared
	if m.worker {
		s.crew.Lock()
		if b.sent {
			s.crew.Unlock()
			return nil
		}
		b.waiting++
		s.crew.Pause()
		s.crew.Unlock()
	}
	select {
	case <-b.done:
		return nil
	case <-ctx.Done():
	}
	s.crew.Lock()
	defer s.crew.Unlock()
	if m.worker && !b.sent {
		b.waiting--
		s.crew.Resume(1)
	}
	return ctx.Err()
}

func isCancelled(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// gather puts a text into the batch that is open. first says that the caller
// opened it, and has to send it.
func (m *Models) gather(t embedText) (b *embedBatch, place int, first bool) {
	s := m.shared
	s.crew.Lock()
	defer s.crew.Unlock()
	b = s.gathered
	if b != nil {
		if at, ok := b.places[t.digest]; ok {
			b.texts[at].docs = append(slices.Clip(b.texts[at].docs), t.docs...)
			return b, at, false
		}
	}
	if b == nil {
		b = &embedBatch{places: map[[32]byte]int{}, full: make(chan struct{}), done: make(chan struct{})}
		s.gathered, first = b, true
	}
	place = len(b.texts)
	b.places[t.digest] = place
	b.texts = append(b.texts, t)
	b.bytes += len(t.text)
	if len(b.texts) == embedBatchTexts || b.bytes >= embedBatchBytes {
		s.fill()
	}
	return b, place, first
}

// fill closes the open batch, if there is one. The caller holds the crew's lock.
func (s *sharedModels) fill() {
	if s.gathered != nil {
		close(s.gathered.full)
		s.gathered = nil
	}
}

// pause says that the worker which m serves waits, and returns what says that it
// goes on.
func (m *Models) pause() (goOn func()) {
	if !m.worker {
		return func() {}
	}
	m.shared.crew.Work(false)
	return func() { m.shared.crew.Work(true) }
}

// send asks for the vectors of a batch and keeps them, once it takes no more texts.
func (m *Models) send(ctx context.Context, e llm.Embedder, b *embedBatch) {
	s := m.shared
	s.crew.Lock()
	if m.worker {
		b.waiting++
		s.crew.Pause()
	} else if s.gathered == b {
		s.fill()
	}
	s.crew.Unlock()
	select {
	case <-b.full:
	case <-ctx.Done():
		s.crew.Lock()
		if s.gathered == b {
			s.fill()
		}
		s.crew.Unlock()
	}
	defer func() {
		s.crew.Lock()
		defer s.crew.Unlock()
		// All that wait for the batch work again at once, so that the first of them
		// does not take itself for the only one.
		s.crew.Resume(b.waiting)
		b.sent, b.waiting = true, 0
		close(b.done)
	}()
	b.vectors, b.errs = make([][]float32, len(b.texts)), make([]error, len(b.texts))
	m.request(ctx, e, b, 0, len(b.texts))
}

// request asks for the vectors of some texts of a batch and keeps them. If
// that fails for what is in the texts, it asks for each half, so that one text
// does not stop the others.
func (m *Models) request(ctx context.Context, e llm.Embedder, b *embedBatch, from, to int) {
	texts := make([]string, 0, to-from)
	tokens := 0
	for _, t := range b.texts[from:to] {
		texts = append(texts, t.text)
		tokens += m.tokens.Count(t.text)
	}
	call, err := m.meter.Reserve(ctx, m.stage, e.Space().Model, tokens, 0)
	if err == nil {
		var vectors [][]float32
		var u llm.Usage
		vectors, u, err = e.Embed(ctx, texts)
		call.Settle(u)
		if err == nil && len(vectors) != len(texts) {
			err = fmt.Errorf("%d vectors of %d texts", len(vectors), len(texts))
		}
		if err == nil {
			copy(b.vectors[from:to], vectors)
			err = m.keepVectors(ctx, b.texts[from:to], vectors)
		}
	}
	if err == nil {
		return
	}
	if half := (from + to) / 2; to-from > 1 && !Fatal(ctx, err) && ctx.Err() == nil {
		m.request(ctx, e, b, from, half)
		m.request(ctx, e, b, half, to)
		return
	}
	for i := from; i < to; i++ {
		b.errs[i] = err
	}
}

// keepVectors keeps the vectors of texts.
func (m *Models) keepVectors(ctx context.Context, texts []embedText, vectors [][]float32) error {
	paid := make([]ledger.PaidVector, len(texts))
	for i, t := range texts {
		paid[i] = ledger.PaidVector{Digest: t.digest, Docs: t.docs, Vector: vectors[i]}
	}
	return m.ledger.KeepVectors(ctx, paid)
}
