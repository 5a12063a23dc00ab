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
	entries := map[string]string{"work": `{"purge":true}`}
	for _, doc := range args[1:] {
		key := sha256.Sum256([]byte(doc))
		entries[string(key[:])] = "\x00" + doc
	}
	put(ts, args[0], "owed", entries)
}

// put writes entries of a bucket of the base graph of the namespace main.
func put(ts *testscript.TestScript, path, bucket string, entries map[string]string) {
	ctx := context.Background()
	db, err := engine.Open(ctx, ts.MkAbs(path), nil)
	ts.Check(err)
	ns, err := db.Namespace(ctx, "main")
	ts.Check(err)
	base, err := ns.Graph(ctx, engine.Base)
	ts.Check(err)
	ts.Check(db.Update(ctx, func(tx *engine.Tx) error {
		b, err := tx.Graph(base).MakeBucket(bucket)
		for key, value := range entries {
			if err == nil {
				err = b.Set([]byte(key), []byte(value))
			}
		}
		return err
	}))
	ts.Check(db.Close())
}
