package main

import (
	"context"
	"errors"

	"github.com/dgraph-io/badger/v4"
)

// badgerStore keeps a key for each edge.
type badgerStore struct {
	dir string
	db  *badger.DB
}

func openBadger(dir string) (store, error) {
	s := &badgerStore{dir: dir}
	return s, s.open()
}

func (s *badgerStore) open() (err error) {
	s.db, err = badger.Open(badger.DefaultOptions(s.dir).WithSyncWrites(false).WithLogger(nil))
	return err
}

// load uses write batches, which are badger's way for much data.
func (s *badgerStore) load(ctx context.Context, edges []edge, both bool) error {
	return eachBatch(ctx, edges, func(edges []edge) (err error) {
		wb := s.db.NewWriteBatch()
		defer wb.Cancel()
		for _, e := range edges {
			if err := wb.Set(appendKey(make([]byte, 0, keyLen), outward, e.from, e.to), nil); err != nil {
				return err
			}
			if both {
				if err := wb.Set(appendKey(make([]byte, 0, keyLen), inward, e.to, e.from), nil); err != nil {
					return err
				}
			}
		}
		return wb.Flush()
	})
}

// compact writes everything to tables, merges them and leaves the logs behind.
func (s *badgerStore) compact() error {
	if err := s.db.Close(); err != nil {
		return err
	}
	if err := s.open(); err != nil {
		return err
	}
	if err := s.db.Flatten(2); err != nil {
		return err
	}
	err := s.db.RunValueLogGC(0.5)
	if errors.Is(err, badger.ErrNoRewrite) {
		return nil
	}
	return err
}

func (s *badgerStore) neighbors(_ context.Context, node uint32) (n int, err error) {
	err = s.db.View(func(tx *badger.Txn) error {
		from := appendKey(make([]byte, 0, keyLen), outward, node, 0)[:nodePrefix]
		o := badger.DefaultIteratorOptions
		o.PrefetchValues = false
		o.Prefix = from
		it := tx.NewIterator(o)
		defer it.Close()
		for it.Rewind(); it.Valid(); it.Next() {
			n++
		}
		return nil
	})
	return n, err
}

func (s *badgerStore) close() error { return s.db.Close() }
