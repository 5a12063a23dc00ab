package cost

import (
	"sync"

	"github.com/ragdb/ragdb/rag/llm"
)

// Tally sums up what replies cost. A reply that was kept already counts as what
// it cost when it was paid, so that a run that is repeated from what is kept
// has the figures of the first. The zero value is an empty one. It is safe for
// concurrent use.
type Tally struct {
	// mu guards used.
	mu   sync.Mutex
	used llm.Usage
}

// Add adds what a reply cost. A nil tally adds nothing.
func (t *Tally) Add(u llm.Usage) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.used.Add(u)
}

// Usage returns the sum so far.
func (t *Tally) Usage() llm.Usage {
	if t == nil {
		return llm.Usage{}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.used
}
