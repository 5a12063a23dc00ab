package load_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/internal/memory"
	"github.com/ragdb/ragdb/rag/load"
)

// TestPDFDrawsMemory: a PDF file draws its memory while it is read. One that takes more than
// the budget has is set aside with the way out, and the files beside it are read.
func TestPDFDrawsMemory(t *testing.T) {
	small := memory.New(8 << 10)
	large := memory.New(1 << 20)
	for _, c := range []struct {
		name   string
		budget *memory.Budget
		docs   int
	}{{"too small", small, 0}, {"enough", large, 1}} {
		share := c.budget.Begin()
		r := walk(t, files("mill.pdf", string(twoPages())), ".", &load.Options{Memory: share})
		if len(r.docs) != c.docs || len(r.bad) != 1-c.docs {
			t.Errorf("%s: %d documents, %v", c.name, len(r.docs), r.bad)
		}
		for _, bad := range r.bad {
			if !errors.Is(bad, load.ErrTooLarge) || !strings.Contains(bad.Reason, "raise the memory budget") {
				t.Errorf("%s: %v", c.name, bad)
			}
		}
		if share.Used() != 0 || c.budget.Work() != 0 {
			t.Errorf("%s: %d bytes are drawn after the walk", c.name, c.budget.Work())
		}
	}
}
