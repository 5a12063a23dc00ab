package corpus

import (
	"context"
	"encoding/json"
	"iter"

	"github.com/ragdb/ragdb/engine"
)

// Manifest is what is kept of an instance's index.
type Manifest struct {
	Spec   string            `json:"spec"`
	Params map[string]string `json:"params"`
	Chunks string            `json:"chunks"`
	Model  string            `json:"model"`
}

// Remember notes that an instance is indexed.
func (c *Corpus) Remember(ctx context.Context, made Manifest) error {
	b, err := json.Marshal(made)
	if err != nil {
		return err
	}
	return c.db.Update(ctx, func(tx *engine.Tx) error {
		bucket, err := tx.Graph(c.base).MakeBucket(bucketMethods)
		if err != nil {
			return err
		}
		old, err := bucket.Get([]byte(made.Spec), nil)
		if err == nil && string(old) == string(b) {
			return nil
		}
		return bucket.Set([]byte(made.Spec), b)
	})
}

// Instances returns the methods that are indexed, by instance.
func (c *Corpus) Instances(v *engine.View) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		if err := Readable(v); err != nil {
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

// Manifests returns what is kept of the methods' indexes, by instance.
func (c *Corpus) Manifests(v *engine.View) iter.Seq2[Manifest, error] {
	return func(yield func(Manifest, error) bool) {
		if err := Readable(v); err != nil {
			yield(Manifest{}, err)
			return
		}
		for e, err := range v.Bucket(bucketMethods).Scan(nil, nil) {
			m := Manifest{}
			if err == nil {
				err = json.Unmarshal(e.Value, &m)
			}
			if !yield(m, err) || err != nil {
				return
			}
		}
	}
}
