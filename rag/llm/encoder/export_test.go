package encoder

import "github.com/ragdb/ragdb/internal/distance"

// On returns options with the kernels of a tier.
func (o Options) On(t distance.Tier) *Options {
	o.tier = &t
	return &o
}

// Bucket is bucket.
func Bucket(distance, buckets int) int { return bucket(distance, buckets) }
