package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"

	bolt "go.etcd.io/bbolt"
)

// boltStore keeps a key for each edge in one bucket.
type boltStore struct {
	path string
	db   *bolt.DB
}

func bucket() []byte { return []byte("edges") }

func openBolt(dir string) (store, error) {
	s := &boltStore{path: filepath.Join(dir, "bolt")}
	var err error
	s.db, err = bolt.Open(s.path, 0o644, &bolt.Options{NoSync: true, NoFreelistSync: true})
	return s, err
}

func (s *boltStore) load(ctx context.Context, edges []edge, both bool) error {
	return eachBatch(ctx, edges, func(edges []edge) error {
		return s.db.Update(func(tx *bolt.Tx) error {
			b, err := tx.CreateBucketIfNotExists(bucket())
			if err != nil {
				return err
			}
			for _, e := range edges {
				// The bucket keeps the key until the transaction ends.
				if err := b.Put(appendKey(make([]byte, 0, keyLen), outward, e.from, e.to), nil); err != nil {
					return err
				}
				if both {
					if err := b.Put(appendKey(make([]byte, 0, keyLen), inward, e.to, e.from), nil); err != nil {
						return err
					}
				}
			}
			return nil
		})
	})
}

// compact copies the store, which is how bbolt gives space back.
func (s *boltStore) compact() error {
	small := s.path + ".small"
	dst, err := bolt.Open(small, 0o644, &bolt.Options{NoSync: true, NoFreelistSync: true})
	if err != nil {
		return err
	}
	if err := bolt.Compact(dst, s.db, 1<<20); err != nil {
		return err
	}
	if err := s.db.Close(); err != nil {
		return err
	}
	s.db = dst
	return os.Remove(s.path)
}

func (s *boltStore) neighbors(_ context.Context, node uint32) (n int, err error) {
	err = s.db.View(func(tx *bolt.Tx) error {
		c := tx.Bucket(bucket()).Cursor()
		from := appendKey(make([]byte, 0, keyLen), outward, node, 0)
		for k, _ := c.Seek(from); len(k) == keyLen && bytes.Equal(k[:nodePrefix], from[:nodePrefix]); k, _ = c.Next() {
			n++
		}
		return nil
	})
	return n, err
}

func (s *boltStore) close() error { return s.db.Close() }
