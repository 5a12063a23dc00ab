package engine

import (
	"errors"
	"iter"
	"maps"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/internal/layout"
)

// Total is the fold of all contributions to a target.
type Total struct {
	Weight  float32
	Count   uint64
	Label   string   // the most frequent, the first in order among equals
	Texts   []string // distinct, in order of source
	Sources int
}

// Sources returns the sources that support a node or edge; the caller owns the
// bitmap. A node or edge that a caller put without a source has none.
func (r *reader) Sources(t Target) (*roaring.Bitmap, error) {
	rb, err := r.sources(t.key())
	return rb, r.wrap("sources", err)
}

func (r *reader) sources(t layout.Target) (*roaring.Bitmap, error) {
	return r.union(layout.SourcesPrefix(r.g, t))
}

// Contributions yields what each source contributed to a node or edge, in
// order of source.
func (r *reader) Contributions(t Target) iter.Seq2[Contribution, error] {
	return func(yield func(Contribution, error) bool) {
		key := t.key()
		set, err := r.sources(key)
		if err != nil {
			yield(Contribution{}, r.wrap("contributions", err))
			return
		}
		for c, err := range r.contributions(set, key) {
			if !yield(c, r.wrap("contributions", err)) || err != nil {
				return
			}
		}
	}
}

func (r *reader) contribution(src uint64, t layout.Target) (Contribution, error) {
	for c, err := range r.contributions(roaring.BitmapOf(uint32(src)), t) {
		return c, err
	}
	return Contribution{}, nil // a set of one has one
}

// contributions yields what each of some sources contributed to a target, in order of
// source. Many are read by one call: a well-supported target has thousands.
func (r *reader) contributions(sources *roaring.Bitmap, t layout.Target) iter.Seq2[Contribution, error] {
	return func(yield func(Contribution, error) bool) {
		some := make([]uint32, min(sources.GetCardinality(), contributionBatch))
		it := sources.ManyIterator()
		for n := it.NextMany(some); n > 0; n = it.NextMany(some) {
			keys, found := make([][]byte, n), make([]Contribution, n)
			for i, src := range some[:n] {
				keys[i] = layout.Contribution(r.g, uint64(src), t)
			}
			err := r.kv.MultiGet(r.ctx, keys, func(i int, b []byte) error {
				if b == nil {
					return corrupt(keys[i], errors.New("a listed source has no contribution"))
				}
				c, err := decodeContribution(b)
				if err != nil {
					return corrupt(keys[i], err)
				}
				c.Source = NodeID(some[i])
				found[i] = c
				return nil
			})
			if err != nil {
				yield(Contribution{}, err)
				return
			}
			for _, c := range found {
				if !yield(c, nil) {
					return
				}
			}
		}
	}
}

// ContributedBy yields the targets that a source contributed to: nodes, then
// edges, each in order of id.
func (r *reader) ContributedBy(source NodeID) iter.Seq2[Target, error] {
	return func(yield func(Target, error) bool) {
		for p, err := range scan(r.ctx, r.kv, layout.ContributionPrefix(r.g, uint64(source))) {
			if err != nil {
				yield(Target{}, r.wrap("contributed by", err))
				return
			}
			_, t := layout.ContributionOf(p.key)
			if !yield(targetOf(t), nil) {
				return
			}
		}
	}
}

// Total returns the fold of all contributions to a node or edge; Sources is 0
// if there are none.
func (r *reader) Total(t Target) (Total, error) {
	var out Total
	var sum weightSum
	votes := map[string]int{}
	for c, err := range r.Contributions(t) {
		if err != nil {
			return Total{}, err
		}
		out.Sources++
		out.Count += uint64(c.Count)
		sum.add(c.Weight)
		if c.Label != "" {
			votes[c.Label] += max(1, int(c.Count))
		}
		for _, s := range c.Texts {
			if !slices.Contains(out.Texts, s) {
				out.Texts = append(out.Texts, s)
			}
		}
	}
	out.Weight = sum.weight()
	for _, label := range slices.Sorted(maps.Keys(votes)) {
		if out.Label == "" || votes[label] > votes[out.Label] {
			out.Label = label
		}
	}
	return out, nil
}
