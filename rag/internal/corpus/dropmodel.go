package corpus

import (
	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/vecindex"
)

// SumsBucket and StaleBucket return the names of the buckets in which methods
// keep what belongs to the vectors of a model. They go with the model.
func SumsBucket(model string) string { return "sums@" + model }

// StaleBucket is described at [SumsBucket].
func StaleBucket(model string) string { return "stale@" + model }

// DropModel removes the vector spaces of a model, and its buckets.
func DropModel(v *engine.TxView, model string) error {
	for _, name := range []string{SumsBucket(model), StaleBucket(model)} {
		if err := EmptyBucket(v, name); err != nil {
			return err
		}
	}
	for _, name := range v.Spaces() {
		info, err := v.SpaceInfo(name)
		if err != nil {
			return err
		}
		if info.Model != model {
			continue
		}
		if err := v.DropSpace(name); err != nil {
			return err
		}
	}
	return nil
}

// EmptyBucket removes all of a bucket, which need not be there.
func EmptyBucket(v *engine.TxView, name string) error {
	for _, err := range v.Bucket(name).Scan(nil, nil) {
		if err != nil {
			return err
		}
		b, err := v.MakeBucket(name)
		if err != nil {
			return err
		}
		return b.DeletePrefix(nil)
	}
	return nil
}

// MakeSpace makes a vector space for an embedder's vectors if there is none. Once it is
// large, searches of it read lists: see [vecindex.Auto].
func MakeSpace(v *engine.TxView, name string, model llm.SpaceInfo, metric vecindex.Metric) error {
	if err := Readable(v); err != nil {
		return err
	}
	return v.MakeSpace(name, engine.SpaceOptions{Dim: model.Dim, Model: model.Model, Metric: metric, Kind: vecindex.Auto})
}
