// Package kv is ragdb's view of a storage engine: ordered bytes, snapshots,
// atomic batches and blind merges. It knows nothing of graphs, and no type of
// a backend shows through it.
//
// # Vocabulary
//
// A [Store] maps keys to values in [bytes.Compare] order. A [Batch] is a list
// of operations that [Store.Apply] makes visible and durable together or not
// at all. A [Snapshot] is a [Reader] frozen at the moment it was taken. A
// merge writes an operand without reading; the [Schema]'s [Fold] combines a
// key's operands when somebody looks. An [Overlay] is a Reader that shows a
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
// kv/memkv keeps everything in memory. Both pass kv/kvtest, the conformance
// suite that a further backend must pass too. What a backend may be unable to
// do cheaply is an optional interface, found by type assertion: [Ingester],
// [Checkpointer], [Maintainer]; package engine has a fallback for each.
package kv
