// Package engine is ragdb's graph store: typed nodes, edges, contributions,
// postings, vector spaces and buckets, kept together in one directory with one
// write-ahead log.
//
// # Vocabulary
//
// A [DB] holds namespaces, one for each corpus; a [Namespace] holds graphs: the
// base graph with documents, and one for each instance of a method. A [Graph]
// has nodes of types, with a caller's key and properties, and edges of types
// that say whether they have a direction. What one source says of a node or
// edge is a [Contribution]; [TxView.Withdraw] takes back all that a source
// said, and with it what nothing else supports. Fields hold postings (BM25 and
// phrases), spaces hold vectors, buckets hold the private bytes of the layers
// above. docs/terminology.md has the words, docs/format.md the bytes.
//
// # Reading and writing
//
// [DB.View] reads one commit; [DB.Update] writes one. There is a single writer
// and any number of readers, who never wait for it. A transaction sees its own
// writes, except that searches of vectors and postings show the last commit.
// Errors leave nothing behind. [Reader] is what a [View] and a [TxView] share.
//
// A graph's version moves when its nodes or edges do and not otherwise; what is
// derived from a graph is kept under it. Every commit moves the epoch.
//
// # Size
//
// Node ids are dense and never used twice. A node's neighbours of one type are
// one value up to Options.PromoteAt and containers of 65,536 ids beyond, so
// that a hub costs what is looked at and not what it has. [DB.Load] takes
// graphs in bulk. Memory is bounded by Options.MemoryBudget.
//
// # Keeping
//
// [DB.Check] verifies everything against everything, and repairs what is
// derived. [DB.Backup] copies a running database, [Restore] brings it back.
// [Snapshot.Export] writes a namespace as lines of JSON that any version reads;
// the canonical form is the same for equal content however it came about, and
// [Snapshot.Digest] is its hash.
//
// # Errors and stability
//
// Errors are sentinels for [errors.Is] and a few types with data, listed in
// errors.go; damage satisfies errors.Is(err, ErrCorrupt). The format may change
// until v0.1; see docs/format.md.
package engine
