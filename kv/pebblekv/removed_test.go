package pebblekv_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/ragdb/ragdb/kv"
)

// What was removed is in no file after Compact and Close, be it in a key or a
// value, and already after Compact in no log.
func TestRemovedIsGone(t *testing.T) {
	t.Parallel()
	mem := vfs.NewMem()
	o := small(mem)
	o.NoCompression = true
	st := open(t, "db", o)
	secret := func(i int) string { return fmt.Sprintf("secret-%05d", i) }
	found := func(kind string) (names []string) {
		for name, b := range readFiles(t, mem, "db") {
			if strings.HasSuffix(name, kind) && bytes.Contains(b, []byte("secret-")) {
				names = append(names, name)
			}
		}
		return names
	}
	const keys = 1500
	for i := range keys {
		put(t, st, "a/"+secret(i), strings.Repeat(secret(i), 40))
		put(t, st, fmt.Sprintf("b/%05d", i), "kept")
	}
	if len(found(".log")) == 0 || len(found(".sst")) == 0 {
		t.Fatal("the secrets are in no log or no table: the test sees nothing")
	}
	for i := range keys {
		b := st.NewBatch()
		b.Delete([]byte("a/" + secret(i)))
		if err := st.Apply(t.Context(), b, kv.NoSync); err != nil {
			t.Fatal(err)
		}
	}
	if err := st.Compact(t.Context(), nil, nil); err != nil {
		t.Fatal(err)
	}
	if names := found(".log"); len(names) > 0 {
		t.Errorf("after compact secrets are in %v", names)
	}
	closeStore(t, st)
	if names := found(""); len(names) > 0 {
		t.Errorf("after close secrets are in %v", names)
	}
	size := 0
	for _, b := range readFiles(t, mem, "db") {
		size += len(b)
	}
	if size > 100<<10 {
		t.Errorf("%d bytes are left", size)
	}
	st = open(t, "db", o)
	if v := value(t, st, "b/00007"); v != "kept" {
		t.Errorf("b/00007 is %q", v)
	}
	closeStore(t, st)
}
