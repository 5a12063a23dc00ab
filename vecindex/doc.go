// Package vecindex keeps the vectors of one vector space and finds the nearest
// of them. It lies below package engine and writes its records into the
// caller's batch, so that a node, its edges and its vector are one commit.
//
// # Vocabulary
//
// An [Index] is one generation of a space: vectors of one model, one dimension
// and one [Metric], each under a node id and a layer (0 if the caller has no
// layers). A slot is the number a stored vector has on disk; an update takes a
// new one. A commit is named by its sequence, the epoch of the database. A
// vector is born in the commit that put it and dies in the one that replaces
// or deletes it. The mirror is the copy of all vectors in memory.
//
// # Kinds
//
// [Flat] is exact: the choice for small spaces and the oracle that the other
// kinds are measured against. In memory each vector has a code of one byte an
// element, and only vectors that their codes let be among the best are compared
// with the query; the scores are those of the vectors. Under [L2], and with
// fewer than 64 elements, there are no codes.
//
// [HNSW] walks a graph of the vectors, one for each layer, on codes of one byte
// an element (package internal/quant). If codes are too close to decide, it
// compares a second byte in memory or the stored vectors; see [Rerank]. If
// there are few dimensions, it walks on the vectors themselves. Scores are
// estimates: with low planes they are within about 1e-5 of the exact ones;
// without, those of hits that needed no check are within about 1e-3.
// Search.Exact and [View.Score] are exact.
//
// [CHNSW] is HNSW whose layers are linked downwards: each node leads to the
// nearest of the layer below, so that one descent finds the best of every
// layer (the C-HNSW of ArchRAG, section 3.1.3, with the defects of its
// reference implementation mended: docs/design/0003-vectors.md).
//
// [IVF] keeps vectors in lists around centroids, on disk: an inverted file, for spaces
// far beyond memory. Each vector is in two lists, with a code of two bits an element
// (four up to 64 elements) in each. Only the centroids are in memory, some 11 bytes a
// vector at 768 elements. A search reads the lists whose centroids are nearest, in one round, and
// the vectors that the codes leave in doubt, in another; scores are exact. Search.Ef is the
// number of lists, and of vectors, that it reads at most. A search of fewer allowed ids
// than 16 times that compares these.
//
// [Auto] has the records of Flat, and is searched as Flat is, until a Flush finds that its vectors have
// more elements than [Options].ExactElements. That Flush makes lists of them, beside writes, and
// from then on searches are those of an IVF; it stays one. Only a Flush makes lists
// again (when there are half as many vectors more, or half are gone) and divides long ones, so that hits
// follow from what was there at each Flush, not from what went on at what time in the background.
//
// # Linking
//
// A commit writes a vector and a mark that it has to be linked. A search finds
// it at once: it compares the vectors that are not linked yet one by one. Index.Tend,
// Flush and Settle link it in batches, in commits of their own, and take dead
// vectors out. Until there are 1,024 vectors Tend makes no graph.
//
// A graph is linked in memory, whatever [Options].MaxMirrorBytes says: what that
// takes beyond the bound is given back when the linker is done, and Stats says so
// until then. Tend reads such a graph only when 4,096 vectors wait. A second graph
// beside the one in use (see [Index.Settle]) is made within the bound if the
// first can give way to it.
//
// In the same way vectors come into the lists of an IVF, and dead ones leave them. Lists
// that get too long are divided, those that get too short given up. Until there are
// 262,144 vectors all lists are made again whenever the vectors have doubled. Making them takes
// memory beside what the index holds: rows of a sample, up to 64 MiB, and sums of 8 bytes for each
// element of a centroid: 415 MB at the peak, caches included, for 500,000 vectors of 512 elements at a budget of 128 MiB.
//
// # Life-cycle
//
// [Open] reads one record. An index that was never written opens empty and is
// stamped with model, dimension, metric and kind by its first write; an index
// under another stamp is refused with [ErrModelMismatch].
//
// The engine's one writer calls [Index.Begin] with its batch and the epoch the
// commit will have, then [Write.Put] and [Write.Delete], applies the batch, and
// calls [Write.Publish]. A Write that is dropped instead has changed nothing.
//
// A reader calls [Index.At] with a snapshot and its epoch, and gets a [View]
// that shows exactly the vectors of that snapshot however long it is kept. A
// View over a [kv.Overlay] shows the writes in the overlay's batch too.
//
// # The mirror
//
// The mirror is built by one scan when a View first searches or scores, and is
// kept current by Publish. [Options].MaxMirrorBytes bounds it. If a flat space does
// not fit, the mirror has less of it: the codes of all vectors, a quarter of the
// bytes; or codes of four bits an element of some or all; or, of some or all,
// only where they are. A search reads from the snapshot the vectors that the
// codes leave in doubt, in two rounds as a rule, and those without codes. If not
// even that fits, it streams all vectors from the snapshot. A search also does
// this if the mirror cannot show the snapshot of the View: the View holds a commit
// that is not published yet, or was opened after the memory of vectors that it
// still sees was reclaimed. The results have the same bits in all these cases.
//
// A graph is walked in the store at first, and read when searches have read a
// tenth of its codes: the first one after opening takes some milliseconds, and
// finds the same. One that does not fit, or that does not show the snapshot of
// the View, is walked in the snapshot for good. Walks on disk are not for exact
// searches, few vectors (2,048), few allowed ids (640 for each candidate of the
// width), or if more than an eighth of the vectors, and more than 1,024, are not
// linked or dead: then vectors are compared one by one. [Index.Stats] says where
// searches read, and why.
//
// Of an IVF only the centroids are in memory: a search that finds none there reads them
// from its snapshot. Until there are 1,024 vectors there are no lists, and all vectors are compared.
//
// # Following
//
// An index that another process writes is opened with [Options].Follow. Each View compares
// what is in memory with the records of its snapshot. The mirror of a flat index takes the
// vectors that are new, and a change of a graph, by a commit or by a linker, has searches
// walk it in the store again. So a View shows its snapshot as if the index had been opened
// for it. A View of an older commit than the last one that was in memory reads the store.
//
// # Vectors and scores
//
// NaN, infinite and zero vectors are refused. Under [Cosine] a vector is
// stored scaled to length 1; under [InnerProduct] and [L2] as given. With [F16]
// it is rounded then, and everything sees what it was rounded to. A higher
// score is nearer for every metric; see [Metric].
//
// # Concurrency
//
// An Index and a View are safe for concurrent use. There is one Write at a
// time, used by one goroutine. A reader takes no lock that a writer waits for:
// it holds an immutable version of the mirror, and a commit publishes the next
// version by swapping a pointer. The vectors of a version are released by the
// garbage collector when the last View that holds it is closed.
//
// # Format stability
//
// The records are laid out in format.go and belong to the database format of
// docs/format.md.
package vecindex
