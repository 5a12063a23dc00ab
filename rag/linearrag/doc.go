// Package linearrag is LinearRAG: Zhuang et al., "LinearRAG: Linear Graph
// Retrieval Augmented Generation on Large-scale Corpora", 2025 (arXiv 2510.10114).
//
// # What it builds
//
// No model reads the documents. Rules find the names in each chunk, and so does a
// tagger if the corpus is read with one. The graph has three types of nodes:
//
//	chunk     one for each chunk of its set; the key is the chunk's
//	sentence  a sentence with two names or more; derived, the key is
//	          chunk/number
//	entity    what chunks name; derived, the key is text.Key
//
//	contains  chunk - entity, the weight ln(1+N), N how often the chunk has the name
//	mentions  sentence - entity
//
// and vectors of the sentences and of the entities' names. There are no relations.
// What a chunk adds depends on the chunk alone, so a document costs what it has, when
// it comes and when it goes.
//
// # How it answers
//
// First, entities are activated. Each name in the question activates the entity
// whose name is nearest to it, by its likeness. Then, in a few rounds, the active
// entities choose the sentences that mention them and are most like the question,
// and each chosen sentence activates the entities that it mentions. What stays below
// a threshold counts for nothing. So an entity that the question does not name
// becomes active if a sentence joins it to one that is.
//
// Second, chunks are ranked by one personalised PageRank over chunks and entities.
// It starts at the active entities and at chunks: those that are like the question,
// and those that contain active entities.
//
// A question without names has the chunks that are most like it.
//
// docs/methods/linearrag.md has the formulas, the parameters, what differs from the
// paper and its code, and figures.
package linearrag
