// Package ketrag is KET-RAG: a keyword index over all chunks beside a
// knowledge graph of the central ones only (Huang et al., "KET-RAG: A
// Cost-Efficient Multi-Granular Indexing Framework for Graph-RAG", 2025).
//
// # Index
//
// The method's graph holds
//
//	chunk     one for each chunk of its set; the key is the chunk's
//	keyword   a word of the chunks that is no stop word; derived
//	skeleton  a chunk of the core, from which knowledge is extracted; derived
//	entity    what the skeleton's texts name; derived, the key is text.Key
//
//	contains      keyword - chunk
//	near:lexical  chunk -> its nearest by shared words, the weight their number
//	near:vector   chunk -> its nearest by vector, the weight the cosine
//	relation      entity - entity
//
// A keyword's vector is the mean of those of the sentences it stands in, not
// normalised, compared by inner product: so a word of many unlike sentences is
// a weak one. Its sum is kept in fixed point (2^-30), so that chunks can be
// taken out again exactly.
//
// The core are the ceil(beta n) chunks of highest PageRank in the graph of near
// chunks. Core chunks of one document that follow each other are read as one
// unit. Each core chunk is the source of what was found in it: a chunk that
// leaves the core or the corpus takes with it what no other supports.
//
// # Retrieval
//
// A part 1-theta of the budget goes to the keyword channel: the chunks of the
// keywords nearest to the question, by their own vectors. The rest, and what
// the first part left, goes to the entity channel: the entities nearest to the
// question, their relations, and the core chunks they came from.
//
// # Deviations
//
// Defaults are those of the specification (docs/design/ketrag.md), which
// settles where paper and reference code differ; the option compat=true takes
// the code's side. Chunks are paragraph-aware pieces of 150 tokens; the option
// profile=low or high takes the paper's windows.
package ketrag
