// Package pebblekv is a kv.Store in a directory on disk, built on Pebble. It
// is the only importer of Pebble.
//
// # Directory
//
// A directory holds Pebble's files (a manifest, a write-ahead log, tables,
// OPTIONS and LOCK), the file SYNCED, and nothing else. [Open] creates the
// directory. If it exists and holds other files, Open reads only their names
// and returns [kv.ErrForeign]. The names of the schema's comparer and merger
// are stored; other names are [kv.ErrIncompatible]. Files named temporary.*.dbtmp are the
// remains of an interrupted ingest or open and are removed at open.
//
// # One process at a time
//
// An open directory is locked, for reading too: a second Open in this or
// another process fails at once with a *[kv.LockedError]. A lock file does
// not hold off its own process, so the package keeps the set of directories
// open in this process; it is the only state the package has beside its
// stores. To read beside a writer, open a checkpoint.
//
// # Durability
//
// Apply with Sync returns when the batch is on stable storage. After a crash
// the store holds a prefix of the committed batches that includes every one
// applied with Sync and every ingest. Close moves all batches into
// tables, so that the logs hold no data that the tables lack.
//
// The directory is synced before and after the marker file that names the
// current manifest is made, so that this holds from the first open on, also on
// a file system that makes the entries of a directory durable in any order.
//
// # Failures
//
// The first write that fails (a full disk, a failed sync) freezes the store.
// Pebble itself answers most such errors by ending the process or by a panic
// under its locks, so the package hides them from it. After the failed
// operation nothing more reaches the directory, which stays as a crash at that
// moment would leave it. Pebble's further writes go to memory. Every call in flight that writes,
// every later one and Close return an error that satisfies
// errors.Is(err, kv.ErrReadOnly) and wraps the cause; Metrics reports it too.
// A batch whose Apply fails in this way is in doubt: reads may see it until the
// store is closed, and only the next open tells whether it is durable.
// Reads go on. The same holds after an error in the background, such as a
// damaged table met by a compaction, and after what Pebble calls fatal. An
// error while an ingest writes its own files, or in a checkpoint's directory,
// fails only that call.
//
// Damage is an error that satisfies errors.Is(err, kv.ErrCorrupt) and names
// the file if Pebble does. Every block of a table, and every record of the
// log and manifest, carries a checksum. What a crash may have torn ends a log or
// manifest, so damage near the end would look like that: the file SYNCED says
// how much of each was synced, and what its checksum is. Open compares them.
//
// # Life-cycle and concurrency
//
// A [Store] is safe for concurrent use, its iterators and batches are not.
// Close waits for calls in flight. While snapshots or iterators are open it
// fails with an error that counts them and leaves the store usable. Use after
// Close is [kv.ErrClosed]. A snapshot that was read keeps files and memory of
// its time until it is closed.
//
// # Format stability
//
// Tables, log and manifest have Pebble's format major version 21, which Open
// never raises on its own.
package pebblekv
