package tablekv_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/kvtest"
)

// TestAbandoned has a transaction fail after its changes were staged. The next one that is
// staged commits its own changes and none of the other's, in the same process and in the
// next.
func TestAbandoned(t *testing.T) {
	t.Parallel()
	boom := errors.New("boom")
	for _, again := range []bool{false, true} {
		server := kvtest.NewServer(1)
		st := open(t, server.Table(tiny))
		// Neighbours that are there: no row has a gap to lie in.
		fill := func(name string, err error) error {
			return st.Ingest(t.Context(), func(w kv.SortedWriter) error {
				for i := range 60 {
					if err := w.Set(fmt.Appendf(nil, "k%03d%s", i, name), []byte(name)); err != nil {
						return err
					}
				}
				return err
			})
		}
		if err := fill("a", nil); err != nil {
			t.Fatal(err)
		}
		if err := fill("b", boom); !errors.Is(err, boom) {
			t.Fatal(err)
		}
		if again {
			if err := st.Close(); err != nil {
				t.Fatal(err)
			}
			st = open(t, server.Table(tiny))
		}
		if err := fill("c", nil); err != nil {
			t.Fatal(err)
		}
		for i := range 60 {
			want(t, st, fmt.Sprintf("k%03da", i), "a")
			want(t, st, fmt.Sprintf("k%03dc", i), "c")
			if v, err := st.Get(t.Context(), fmt.Appendf(nil, "k%03db", i), nil); !errors.Is(err, kv.ErrNotFound) {
				t.Fatalf("opened again %t: k%03db of the transaction that failed is %q, %v", again, i, v, err)
			}
		}
		if err := errors.Join(st.Check(t.Context()), st.Close()); err != nil {
			t.Error(err)
		}
	}
}
