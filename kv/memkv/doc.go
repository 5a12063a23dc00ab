// Package memkv is a kv.Store in memory, for tests and for work that need not
// survive the process.
//
// # Structure
//
// The keys are a balanced search tree (a treap: a binary tree by key and a
// heap by random priority) whose published nodes never change. Apply copies
// the path to each key it touches and publishes a new root, so a snapshot is
// one pointer and readers never wait. Every operation on a key costs O(log n)
// expected, a range delete too. Merges are folded when they are applied.
//
// # Concurrency and durability
//
// A Store is safe for concurrent use; writers take turns. Nothing is durable:
// Sync and NoSync are the same. Close fails and leaves the store usable while
// snapshots or iterators are open.
//
// A Store is a [kv.Ingester] and a [kv.Maintainer] but no [kv.Checkpointer].
package memkv
