// Package memkv is a kv.Store in memory, for tests and for work that need not
// survive the process.
//
// # Structure
//
// The keys are a B-tree whose published nodes never change. Apply copies the
// nodes on the path to each key that it touches and publishes a new tree, so a
// snapshot is one pointer and readers never wait. An operation on a key costs
// O(log n); a range delete costs that for each key in the range. Merges are
// folded when they are applied.
//
// # Concurrency and durability
//
// A Store is safe for concurrent use; writers take turns. Nothing is durable:
// Sync and NoSync are the same. Close fails and leaves the store usable while
// snapshots or iterators are open.
//
// A Store is a [kv.Ingester] and a [kv.Maintainer] but no [kv.Checkpointer].
package memkv
