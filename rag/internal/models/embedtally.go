package models

import (
	"context"

	"github.com/ragdb/ragdb/rag/llm"
)

// An estimate embeds each text by itself. Which texts of a run share a request is decided
// by when workers bring them; the estimate counts the requests that a stage's texts fill, so
// that it is the same each time.

// embedTally counts what a stage of an estimate embeds by a model.
type embedTally struct{ texts, bytes, calls int }

// add counts a text and returns how many more requests the texts now fill.
func (t *embedTally) add(bytes int) int {
	t.texts++
	t.bytes += bytes
	full := func(n, most int) int { return (n + most - 1) / most }
	calls := max(full(t.texts, embedBatchTexts), full(t.bytes, embedBatchBytes))
	more := calls - t.calls
	t.calls = calls
	return more
}

// estimate embeds those texts that are missing in out and counts what a run asks for: each
// text once.
func (m *Models) estimate(ctx context.Context, e llm.Embedder, digests [][32]byte, texts []string, missing []int, out [][]float32) error {
	s, model := m.shared, e.Space().Model
	for _, i := range missing {
		vecs, u, err := e.Embed(ctx, texts[i:i+1])
		if err != nil {
			return err
		}
		out[i] = vecs[0]
		s.mu.Lock()
		again := s.tallied[digests[i]]
		u.Calls = 0
		if !again {
			if s.tallied == nil {
				s.tallied, s.tallies = map[[32]byte]bool{}, map[[2]string]*embedTally{}
			}
			s.tallied[digests[i]] = true
			t := s.tallies[[2]string{m.stage, model}]
			if t == nil {
				t = &embedTally{}
				s.tallies[[2]string{m.stage, model}] = t
			}
			u.Calls = t.add(len(texts[i]))
		}
		s.mu.Unlock()
		if again {
			m.meter.Cached(m.stage, model)
		} else {
			m.meter.Add(m.stage, model, u)
		}
	}
	return nil
}
