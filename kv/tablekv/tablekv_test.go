package tablekv_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/kvtest"
	"github.com/ragdb/ragdb/kv/tablekv"
)

// bounds are tables of several sizes: small ones stage almost everything.
var bounds = map[string]kv.Bounds{
	"none":   {},
	"usual":  {ValueBytes: 100 << 10, ChangeBytes: 10 << 20, RemoveKeys: 10_000},
	"small":  {ValueBytes: 64, ChangeBytes: 1 << 10, RemoveKeys: 3},
	"least":  {ValueBytes: 24, ChangeBytes: 200, RemoveKeys: 1},
	"values": {ValueBytes: 32},
}

func open(t testing.TB, tab kv.Table, o *tablekv.Options) *tablekv.Store {
	t.Helper()
	s, err := tablekv.Open(t.Context(), tab, kvtest.Schema(), o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestConformance(t *testing.T) {
	t.Parallel()
	for name, b := range bounds {
		for _, f := range []kvtest.Faults{{}, {Refuse: 0.1, Uncertain: 0.1}} {
			t.Run(fmt.Sprintf("%s/%v", name, f), func(t *testing.T) {
				t.Parallel()
				kvtest.Run(t, func(t *testing.T) kv.Store {
					server := kvtest.NewServer(1)
					s := open(t, server.Table(b), &tablekv.Options{Lease: time.Second})
					server.SetFaults(f)
					return s
				}, kvtest.Schema())
			})
		}
	}
}
