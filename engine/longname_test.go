package engine_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/engine"
)

// TestNameGrows: U+0958 has three bytes, and six in normal form C. A name counts
// in the form in which it is stored.
func TestNameGrows(t *testing.T) {
	t.Parallel()
	db, err := engine.Open(t.Context(), engine.Memory, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, c := range []struct {
		n  int
		ok bool
	}{{170, true}, {171, false}, {341, false}, {342, false}} {
		name := strings.Repeat("\u0958", c.n)
		_, err := db.Namespace(t.Context(), name)
		if c.ok && err != nil || !c.ok && !errors.Is(err, engine.ErrInvalid) {
			t.Errorf("%d characters: %v", c.n, err)
		}
	}
}
