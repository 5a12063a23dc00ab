//go:build ragdb_invariants

package engine_test

import (
	"errors"
	"testing"

	"github.com/ragdb/ragdb/engine"
)

// TestWritesAreRead says that a build with ragdb_invariants refuses a value that
// cannot be read, or is read as another one.
func TestWritesAreRead(t *testing.T) {
	t.Parallel()
	db, err := engine.Open(t.Context(), engine.Memory, &engine.Options{Encodings: []engine.Encoding{
		{Bucket: "words", Decode: upper}, {Prop: "code", Decode: upper},
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	ns, err := db.Namespace(t.Context(), "main")
	if err != nil {
		t.Fatal(err)
	}
	g, err := ns.Graph(t.Context(), "method")
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(t.Context(), func(tx *engine.Tx) error {
		v := tx.Graph(g)
		b, err := v.MakeBucket("words")
		if err != nil {
			return err
		}
		typ, err := v.MakeNodeType("thing")
		if err != nil {
			return err
		}
		for value, ok := range map[string]bool{"GOOD": true, "BAD?": false, "small": false} {
			if err := b.Set([]byte("a"), []byte(value)); ok != (err == nil) || !ok && !errors.Is(err, engine.ErrInvalid) {
				t.Errorf("bucket: %q: %v", value, err)
			}
			_, _, err := v.PutNode(typ, value, engine.Props{"code": engine.String(value)})
			if ok != (err == nil) || !ok && !errors.Is(err, engine.ErrInvalid) {
				t.Errorf("property: %q: %v", value, err)
			}
		}
		return errors.New("roll back")
	})
	if err == nil {
		t.Error("not rolled back")
	}
}
