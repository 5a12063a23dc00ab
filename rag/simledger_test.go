package rag_test

import (
	"context"
	"encoding/hex"
	"slices"
	"sync"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
)

// callNotes notes the calls of models that cost, and holds them against what is kept:
//
//   - what is kept is not asked for again;
//   - nothing is asked for twice in an attempt;
//   - what an attempt was given is kept. A fault takes at most the calls that were
//     under way, one for each worker.
//
// What removes documents forgets what was paid for them, and may pay again for
// what others share with them: it is not held to this.
type callNotes struct {
	sim *sim // nil for the life without faults, which is not held to anything

	mu      sync.Mutex
	kept    map[string]bool // at the beginning of the attempt
	calls   [][]string      // the digests of the replies or vectors that each gave
	forgets bool            // the attempt may remove documents
	well    bool            // it came to its end
}

// models opens rules and an embedder as ones that cost.
func (l *callNotes) models(ctx context.Context, c *rag.Corpus) (*rag.Models, error) {
	m, err := ragtest.Fixed(ctx, c)
	if err != nil {
		return nil, err
	}
	e := notedEmbedder{m.Documents(), l}
	return c.NewModels(rag.Parts{Provider: notedProvider{m.Provider(), l}, Documents: e, Questions: e}), nil
}

func (l *callNotes) note(digests []string) {
	if l.sim == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls = append(l.calls, digests)
}

// begin begins an attempt.
func (l *callNotes) begin(forgets bool) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls, l.forgets, l.well = nil, forgets, false
}

// succeeded notes that the attempt did what it was to do.
func (l *callNotes) succeeded() {
	if l != nil {
		l.well = true
	}
}

// end ends an attempt, and reads what is kept now.
func (l *callNotes) end(on *simSide) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sim.t.Helper()
	before := l.kept
	l.kept = map[string]bool{}
	err := on.db.View(context.Background(), func(s *engine.Snapshot) error {
		for _, name := range []string{"replies", "embeddings"} {
			for e, err := range s.Graph(on.c.Base()).Bucket(name).Scan(nil, nil) {
				if err != nil {
					return err
				}
				l.kept[name+hex.EncodeToString(e.Key)] = true
			}
		}
		return nil
	})
	if err != nil {
		l.sim.fail("what is paid: %v", err)
	}
	calls := l.calls
	l.calls = nil
	if l.forgets {
		return
	}
	seen, lost := map[string]bool{}, 0
	for _, digests := range calls {
		for _, d := range digests {
			switch {
			case before[d]:
				l.sim.fail("%.16s was paid again though it was kept", d)
			case seen[d]:
				l.sim.fail("%.16s was paid twice in one attempt", d)
			}
			seen[d] = true
		}
		if slices.ContainsFunc(digests, func(d string) bool { return !l.kept[d] }) {
			lost++
		}
	}
	if most := l.sim.workers; lost > most || lost > 0 && l.well {
		l.sim.fail("%d of %d calls were paid and not kept, though %d were under way", lost, len(calls), most)
	}
}

type notedProvider struct {
	llm.Provider
	l *callNotes
}

// Can implements [llm.Provider], for a chat model.
func (notedProvider) Can(k llm.Kind) bool { return k.Known() }

// Do implements [llm.Provider].
func (p notedProvider) Do(ctx context.Context, t llm.Task) (llm.Reply, llm.Usage, error) {
	r, u, err := p.Provider.Do(ctx, t)
	if err == nil {
		d, derr := t.Digest(p.Name())
		if derr != nil {
			return r, u, derr
		}
		p.l.note([]string{"replies" + hex.EncodeToString(d[:])})
	}
	return r, u, err
}

type notedEmbedder struct {
	llm.Embedder
	l *callNotes
}

// Embed implements [llm.Embedder].
func (e notedEmbedder) Embed(ctx context.Context, texts []string) ([][]float32, llm.Usage, error) {
	v, u, err := e.Embedder.Embed(ctx, texts)
	if err == nil {
		var digests []string
		for _, s := range texts {
			d := method.Digest("embed", e.Space().Model, s)
			digests = append(digests, "embeddings"+hex.EncodeToString(d[:]))
		}
		e.l.note(digests)
	}
	return v, u, err
}
