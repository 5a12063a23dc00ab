package engine_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/engine"
)

// upper reads values in capitals, whose encoder writes them so.
func upper(_, value []byte) ([]byte, error) {
	if bytes.ContainsAny(value, "?") {
		return nil, errors.New("a question mark")
	}
	return bytes.ToUpper(value), nil
}

// TestCheckReadsBuckets says that a check reads every value of every bucket and
// of the properties that have an encoding, names a bucket that is not known, and
// that a repair does what the encoding says.
func TestCheckReadsBuckets(t *testing.T) {
	t.Parallel()
	db, err := engine.Open(t.Context(), engine.Memory, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	ns, err := db.Namespace(t.Context(), "main")
	if err != nil {
		t.Fatal(err)
	}
	method, err := ns.Graph(t.Context(), "method#k=2")
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(t.Context(), func(tx *engine.Tx) error {
		v := tx.Graph(method)
		for _, e := range [][3]string{{"words", "a", "GOOD"}, {"words", "b", "BAD?"}, {"sums@model", "c", "BAD?"}, {"other", "d", ""}} {
			b, err := v.MakeBucket(e[0])
			if err != nil {
				return err
			}
			if err := b.Set([]byte(e[1]), []byte(e[2])); err != nil {
				return err
			}
		}
		typ, err := v.MakeNodeType("thing")
		if err != nil {
			return err
		}
		for i, s := range []string{"GOOD", "BAD?", strings.Repeat("LONG?", 5000)} {
			if _, _, err := v.PutNode(typ, fmt.Sprint(i), engine.Props{"code": engine.String(s)}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	o := engine.CheckOptions{Full: true, Encodings: []engine.Encoding{
		{Graph: "elsewhere", Bucket: "other", Decode: upper},
		{Graph: "method", Bucket: "words", Decode: upper, Rebuild: func(v *engine.TxView, key []byte) error {
			b, err := v.MakeBucket("words")
			if err != nil {
				return err
			}
			return b.Set(key, []byte("MENDED"))
		}},
		{Bucket: "sums@", Decode: upper},
		{Prop: "code", Decode: upper},
	}}
	check := func() (found []string, repaired int) {
		for f, err := range db.Check(t.Context(), o) {
			if err != nil {
				t.Fatal(err)
			}
			if f.Repaired {
				repaired++
			}
			found = append(found, f.String())
		}
		return found, repaired
	}
	if found, _ := check(); len(found) != 5 {
		t.Errorf("found %d, want 5: %q", len(found), found)
	}
	o.Repair = true
	if found, repaired := check(); len(found) != 5 || repaired != 1 {
		t.Errorf("repaired %d of %d, want 1 of 5", repaired, len(found))
	}
	if found, _ := check(); len(found) != 4 || strings.Contains(strings.Join(found, " "), "words") {
		t.Errorf("after the repair %q", found)
	}
	o.Encodings = nil
	if found, _ := check(); len(found) > 0 {
		t.Errorf("without encodings %q", found)
	}
}
