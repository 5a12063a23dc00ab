package corpus_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ragdb/ragdb/internal/growthtest"
	"github.com/ragdb/ragdb/rag/internal/corpus"
)

// TestAnalyzeCosts: what the terms of a question cost grows with its length, also if its
// language is not clear.
func TestAnalyzeCosts(t *testing.T) {
	growthtest.Check(t, growthtest.Sizes{To: 1 << 18}, func(n int) time.Duration {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "wort%d ", i)
		}
		return growthtest.Cost(func() { (&corpus.Corpus{}).Analyze(b.String()) })
	})
}
