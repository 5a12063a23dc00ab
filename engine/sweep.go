package engine

import (
	"context"
	"errors"
	"slices"

	"github.com/ragdb/ragdb/internal/layout"
	"github.com/ragdb/ragdb/kv"
)

// sweepPage is how many keys of empty lists one commit of a sweep removes.
const sweepPage = 4096

// sweep removes the keys of lists and sums that hold nothing: those that older
// versions left, and those that no transaction could find cheaply. It changes
// nothing that can be read, so it moves neither the epoch nor a version. Work
// goes on beside it.
func (db *DB) sweep(ctx context.Context) (err error) {
	snap, err := db.store.Snapshot(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, snap.Close()) }()
	var empty [][]byte
	for _, r := range emptiedRanges() {
		for p, err := range scanRange(ctx, snap, []byte{byte(r[0])}, []byte{byte(r[1]) + 1}) {
			if err != nil {
				return err
			}
			if !layout.IsEmpty(layout.Tag(p.key[0]), p.value) {
				continue
			}
			if empty = append(empty, slices.Clone(p.key)); len(empty) < sweepPage {
				continue
			}
			if err := db.deleteEmpty(ctx, empty); err != nil {
				return err
			}
			empty = empty[:0]
		}
	}
	return db.deleteEmpty(ctx, empty)
}

// emptiedRanges returns the first and last families of the ranges that hold
// lists and sums.
func emptiedRanges() [][2]layout.Tag {
	return [][2]layout.Tag{
		{layout.TagNodesOfType, layout.TagNodesOfType},
		{layout.TagOut, layout.TagPromoted},
		{layout.TagSources, layout.TagSources},
		{layout.TagSetIndex, layout.TagSetIndex},
		{layout.TagPostings, layout.TagLexSum},
	}
}

// deleteEmpty removes the keys whose lists are empty still: a writer may have
// filled them since.
func (db *DB) deleteEmpty(ctx context.Context, keys [][]byte) error {
	if len(keys) == 0 {
		return nil
	}
	if err := db.lockWriter(ctx); err != nil {
		return err
	}
	defer db.unlockWriter()
	b := db.store.NewBatch()
	err := db.store.MultiGet(ctx, keys, func(i int, v []byte) error {
		if v != nil && layout.IsEmpty(layout.Tag(keys[i][0]), v) && layout.Validate(keys[i]) == nil {
			b.Delete(keys[i])
		}
		return nil
	})
	if err != nil {
		return err
	}
	return db.store.Apply(ctx, b, kv.NoSync)
}
