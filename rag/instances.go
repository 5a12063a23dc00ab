package rag

import (
	"context"
	"encoding/json"
	"iter"

	"github.com/ragdb/ragdb/engine"
)

// manifest is what is kept of an instance's index.
type manifest struct {
	Spec   string            `json:"spec"`
	Params map[string]string `json:"params"`
	Chunks string            `json:"chunks"`
	Model  string            `json:"model"`
}

// remember notes that an instance is indexed.
func (c *Corpus) remember(ctx context.Context, sys *System, m *Models) error {
	made := manifest{Spec: sys.Instance(), Params: sys.Params(), Chunks: sys.ChunkSet().String(), Model: m.DocumentSpace().Model}
	b, err := json.Marshal(made)
	if err != nil {
		return err
	}
	return c.db.Update(ctx, func(tx *engine.Tx) error {
		bucket, err := tx.Graph(c.base).MakeBucket(bucketMethods)
		if err != nil {
			return err
		}
		old, err := bucket.Get([]byte(sys.Instance()), nil)
		if err == nil && string(old) == string(b) {
			return nil
		}
		return bucket.Set([]byte(sys.Instance()), b)
	})
}

// Instances returns the methods that are indexed, by instance.
func (c *Docs) Instances(v *engine.View) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		if err := readable(v); err != nil {
			yield("", err)
			return
		}
		for e, err := range v.Bucket(bucketMethods).Scan(nil, nil) {
			if !yield(string(e.Key), err) || err != nil {
				return
			}
		}
	}
}
