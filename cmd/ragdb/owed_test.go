package main

import (
	"context"
	"crypto/sha256"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/ragdb/ragdb/engine"
)

// owe DB DOC... notes, as a killed rm --purge, that documents are to be removed and files
// to be rewritten.
func owe(ts *testscript.TestScript, neg bool, args []string) {
	ctx := context.Background()
	db, err := engine.Open(ctx, ts.MkAbs(args[0]), nil)
	ts.Check(err)
	ns, err := db.Namespace(ctx, "main")
	ts.Check(err)
	base, err := ns.Graph(ctx, engine.Base)
	ts.Check(err)
	ts.Check(db.Update(ctx, func(tx *engine.Tx) error {
		b, err := tx.Graph(base).MakeBucket("owed")
		if err != nil {
			return err
		}
		for _, doc := range args[1:] {
			key := sha256.Sum256([]byte(doc))
			if err := b.Set(key[:], append([]byte{0}, doc...)); err != nil {
				return err
			}
		}
		return b.Set([]byte("work"), []byte(`{"purge":true}`))
	}))
	ts.Check(db.Close())
}
