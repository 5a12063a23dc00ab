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
// A keyword's vector is the mean of the vectors of its sentences, not normalised
// and compared by inner product: so a word of many unlike sentences is a weak one.
// Its sum is kept in fixed point (2^-30), so that chunks can be taken out exactly.
//
// The core is the ceil(beta n) chunks of highest PageRank in the graph of near
// chunks. A model reads the texts that hold core chunks (or with read=core the
// core chunks alone). Each core chunk is the source of what was found in it: when it
// leaves the core or the corpus, entities and relations without another source go too.
//
// A chunk that is near the cut stays where it is while few chunks come and go, so that a
// document asks a model for its own texts.
//
// # Retrieval
//
// A part 1-theta of the budget goes to the keyword channel: the chunks of the
// keywords nearest to the question, by cosine and BM25. The rest, and what the
// first part left, goes to the entity channel: the entities nearest to the
// question, their relations, and the core chunks they came from. The chunks of both
// stand in one order, by reciprocal-rank fusion, before the entities and relations.
//
// docs/design/ketrag.md lists the parameters and where paper and reference code
// differ; compat=true takes the code's side, profile=low or high the paper's
// windows, ranking and order.
package ketrag
