// Package erarag is EraRAG: a tree of summaries over the chunks, grouped by
// locality-sensitive hashing, that grows with the corpus instead of being built
// anew (Zhang et al., "EraRAG: Efficient and Incremental Retrieval Augmented
// Generation for Growing Corpora", 2025).
//
// # Index
//
// The method's graph holds
//
//	chunk    one for each chunk of its set; the key is the chunk's; layer 0
//	summary  the summary of a segment; derived from the segment's members
//
// A vector is hashed to a code by the signs of its products with planes that
// are drawn once and kept. The nodes of a layer, in order of code, are cut into
// segments of bounded size ([runs.Segments]), and each segment's summary is
// a node of the layer above. There is a layer above another that has more than
// [Params.Stop] nodes, up to [Params.Layers].
//
// Segments are kept one by one. A chunk that comes or goes changes its segment,
// and where that gets too large or small, a neighbour or two; the summaries of
// changed segments are made anew, which changes segments one layer up, and so
// on. Nothing else is read or written: not the other leaves, and not their
// vectors. A summary is a node of its own for each version, so a segment whose
// members are those that its summary was made of is never summarised again.
//
// Each model of vectors has a tree of its own, which is dropped with it.
//
// # Retrieval
//
// Nodes are ranked by their vectors and by their words together: the cosine and
// BM25 are each brought to mean 0 and deviation 1, and added. The words of a
// chunk, and its vector, are read in the base graph, where they are for all
// methods; those of a summary are kept with it. With rank=vector it is the
// cosine alone, as in the paper.
//
// By default the first k nodes of all layers together are packed until the
// budget is used. [Params.Search] takes a part p of them from the chunks and
// the rest from the summaries, or the other way round, or the first of each
// layer.
//
// # Deviations
//
// Defaults are those of the specification (docs/methods/erarag.md), which
// settles where paper and reference code differ. Chunks are paragraph-aware
// pieces of up to 150 tokens, and k is 100, as many as about fill the default
// budget; the option profile=paper takes the paper's chunks, its ranking and a
// k of 5.
package erarag
