package tablekv_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/kvtest"
)

// TestPieces gives a key values that are whole, in pieces, in more of them and in fewer.
// The writer reads each at once, and no piece is left that does not count.
func TestPieces(t *testing.T) {
	t.Parallel()
	s := open(t, kvtest.NewServer(1).Table(kv.Bounds{ValueBytes: 64}))
	for i, n := range []int{300, 63, 64, 200, 126, 127, 1000, 100, 0} {
		v := strings.Repeat(fmt.Sprint(i), n)
		if err := set(t, s, "k", v); err != nil {
			t.Fatal(err)
		}
		want(t, s, "k", v)
		if err := s.Check(t.Context()); err != nil {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
