package kv

import "context"

// Gatherer is implemented by snapshots of stores to which each read is a way there and
// back: those behind a server. A caller that knows what it is going to read asks for all
// of it at once.
type Gatherer interface {
	// Gather reads keys and the beginnings of ranges in one round trip, which is what it
	// is for: a store that cannot do that must not have it. It returns the value of each
	// key, nil if it has none, and of each range the first pairs, at most limit of them;
	// fewer mean that there are no more. A nil bound is open. The caller owns what is
	// returned and must not change it.
	Gather(ctx context.Context, keys [][]byte, ranges []Range, limit int) (values [][]byte, rows [][]Pair, err error)
}
