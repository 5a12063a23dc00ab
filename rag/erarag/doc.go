// Package erarag is EraRAG: a tree of summaries over the chunks, grouped by
// locality-sensitive hashing, that grows with the corpus instead of being built
// again (Zhang et al., "EraRAG: Efficient and Incremental Retrieval Augmented
// Generation for Growing Corpora", 2025).
//
// # Index
//
// The method's graph holds
//
//	chunk    one for each chunk of its set; the key is the chunk's; layer 0
//	summary  the summary of a segment; derived from the segment's members
//
// The signs of a vector's products with planes, which are drawn once and kept, are
// its code. Nodes of a layer whose codes begin alike are of one bucket. The nodes of a
// bucket, in order of code, are cut into segments of bounded size, and each segment's
// summary is a node of the layer above. A layer of more than [Params.Stop] nodes has one above it, up to
// [Params.Layers].
//
// Segments are kept one by one. A chunk that comes waits until its bucket has enough
// for segments of their own, and changes no segment that is there. One that goes
// changes its segment; the summaries of changed segments are made again, which changes
// segments one layer up, and so on. With bucket=0 nothing waits: a chunk that comes
// or goes changes its segment ([runs.Segments]) and, if that gets too large or small, a
// neighbour or two.
// Nothing else is read or written. Each version of a summary is a node of its own,
// so a segment with unchanged members is never summarised again.
//
// Each model of vectors has a tree of its own. Local vectors, which are learnt again
// as the corpus grows, have one tree: a node keeps the code of its first vector, so
// new vectors change no segment and no summary.
//
// # Retrieval
//
// Nodes are ranked by their vectors and words together: cosine and BM25 are each
// brought to mean 0 and deviation 1, and added. The words and the vector of a
// chunk are read in the base graph; those of a summary are kept with it.
// rank=vector ranks by the cosine alone, as the paper does.
//
// By default the first k nodes of all layers together are packed until the budget
// is used. [Params.Search] takes a part p of them from the chunks and the rest
// from the summaries, or the other way round, or the first of each layer.
//
// docs/methods/erarag.md lists the options and where paper and reference code
// differ; profile=paper takes the paper's chunks, segments, ranking and k.
package erarag
