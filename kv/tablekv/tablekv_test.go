package tablekv_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/kvtest"
	"github.com/ragdb/ragdb/kv/tablekv"
)

// tiny bounds have almost everything staged and in pieces.
var tiny = kv.Bounds{ValueBytes: 24, ChangeBytes: 200, RemoveKeys: 1}

// open opens a store for writing whose lease is short.
func open(t testing.TB, tab kv.Table) *tablekv.Store {
	t.Helper()
	s, err := tablekv.Open(t.Context(), tab, kvtest.Schema(), &tablekv.Options{Lease: 50 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestConformance(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		bounds  kv.Bounds
		without []string
	}{
		{name: "unbounded"},
		{name: "usual", bounds: kv.Bounds{ValueBytes: 100 << 10, ChangeBytes: 10 << 20, RemoveKeys: 10_000}},
		{name: "small", bounds: kv.Bounds{ValueBytes: 4 << 10, ChangeBytes: 20 << 10, RemoveKeys: 3}},
		{name: "values", bounds: kv.Bounds{ValueBytes: 1 << 10}},
		{"tiny", tiny, []string{"LargeValue"}}, // it would be a million pieces
	} {
		for _, f := range []kvtest.Faults{{}, {Refuse: 0.1, Uncertain: 0.1}} {
			t.Run(fmt.Sprintf("%s/%v", c.name, f), func(t *testing.T) {
				t.Parallel()
				kvtest.Run(t, func(t *testing.T) kv.Store {
					server := kvtest.NewServer(1)
					s := open(t, server.Table(c.bounds))
					server.SetFaults(f)
					return s
				}, kvtest.Schema(), c.without...)
			})
		}
	}
}
