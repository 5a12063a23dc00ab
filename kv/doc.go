// Package kv is ragdb's view of a storage engine: ordered bytes, snapshots,
// atomic batches and blind merges. It knows nothing of graphs, and exposes no type
// of a backend.
//
// # Vocabulary
//
// A [Store] maps keys to values in [bytes.Compare] order. A [Batch] is a list
// of operations that [Store.Apply] makes visible and durable together or not
// at all. A [Snapshot] is a [Reader] frozen at the moment it was taken. A
// merge writes an operand without reading; the [Schema]'s [Fold] combines a
// key's operands when the key is read. An [Overlay] is a Reader that shows a
// snapshot with unapplied operations on top.
//
// # Ownership of bytes
//
// Keys and values handed to a Batch are copied before the call returns. Get
// appends to the caller's buffer and the caller owns the result. Slices from
// an [Iterator] and those passed to a [Reader.MultiGet] callback are valid
// only until the iterator moves or the callback returns.
//
// # Backends
//
// kv/pebblekv keeps a directory on disk and is the only importer of Pebble.
// kv/memkv keeps everything in memory. kv/tablekv keeps a store in a [Table] of a
// server, which can do less, and kv/pgkv is that table in PostgreSQL. All pass
// kv/kvtest, the conformance suite that a further backend must pass too. kv/stores
// opens the backend that a name stands for. Operations that a backend may
// be unable to do cheaply are optional interfaces: [Ingester], [Checkpointer],
// [Maintainer] and, of snapshots, [Gatherer]. Package engine finds them by type
// assertion and has a fallback for each.
//
// # What a server may lack
//
// A [Table] has [Bounds] for a value, for a transaction, for the keys that ranges of one
// transaction remove, and for the age of a view. It folds nothing, each call is a round
// trip, and it may refuse a call or not tell whether a transaction was made. kv/tablekv
// adds what is missing: values in pieces, transactions in parts behind one commit, merges
// that are folded before they are written, and a lease for the one process that writes.
// A snapshot that is older than the bound ends with [ErrExpired].
package kv
