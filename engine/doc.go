// Package engine is ragdb's graph store: typed nodes, edges, contributions,
// postings, vector spaces and buckets, kept together in one directory with one
// write-ahead log.
//
// # Vocabulary
//
// A [DB] holds namespaces, one for each corpus; a [Namespace] holds graphs: the
// base graph with documents, and one for each instance of a method. A [Graph]
// has nodes and edges. A node has a type, a key that the caller chose, unique among
// the nodes of the type, and properties; it may have further labels, or none and no
// type ([TxView.SetLabels]). The type of an edge says whether the edge has a
// direction; edges of one type between two nodes may be parallel ([Edge].N). A [Rule]
// is an index over a label or an edge type, or a constraint. A
// [Contribution] is what one source states about a node or edge.
// [TxView.Withdraw] removes all contributions of a source, and the nodes and
// edges that no other source supports. Fields hold postings (BM25 and
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
// The version of a graph changes if and only if its nodes or edges change.
// Caches of what is derived from a graph use it as their key. Every commit
// raises the epoch of the database.
//
// A database that is open for reading ([Options].ReadOnly) follows the process that writes
// its store, if the store is one that several processes can have open: each snapshot is of
// the latest commit, and never older than one before. [DB.Epoch] is the last
// commit that was shown, [DB.LatestEpoch] the last that there is. A snapshot of a later
// commit than the last one reads the names of each graph in use; vectors are
// compared with the store when they are searched.
//
// # Size
//
// Node ids are dense and never used twice. A node's neighbours of one type are
// one value up to Options.PromoteAt, and containers of 65,536 ids beyond, so
// the cost of reading a hub depends on the neighbours read, not on all it has. [DB.Load] takes
// graphs in bulk. Memory is bounded by Options.MemoryBudget.
//
// # Keeping
//
// [DB.Check] compares everything that is stored twice, and can repair what is
// derived. [DB.Backup] copies a running database, [Restore] brings it back.
// [Snapshot.Export] writes a namespace as lines of JSON that any version reads;
// the canonical form depends on the content alone, not on its history, and
// [Snapshot.Digest] is its hash.
//
// # Errors and stability
//
// Errors are sentinels for [errors.Is] and a few types with data, listed in
// errors.go; damage satisfies errors.Is(err, ErrCorrupt). The format may change
// until v0.1; see docs/format.md.
package engine
