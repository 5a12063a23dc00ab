// Package noderag is NodeRAG: retrieval on a graph whose nodes are of seven
// types, from chunks to insights on communities (Xu et al., "NodeRAG:
// Structuring Graph-based RAG with Heterogeneous Nodes", 2025).
//
// # Index
//
// The method's graph holds, with the paper's letters,
//
//	chunk         T  one for each chunk of its set; the key is the chunk's
//	unit          S  a sentence that names entities
//	entity        N  what units name; the key is text.Key of the name
//	relationship  R  all that is said of two entities
//	attribute     A  what is said around an important entity
//	element       H  an insight on a community
//	overview      O  the title of elements
//
//	source     S - T
//	mentions   S - N, the weight how often the unit is met
//	relates    R - N, weight 1
//	states     S - R, only where sr=on
//	describes  A - N
//	covers     H - S, H - A: of one community and one cluster of vectors
//	titles     O - H
//	near       among T, S, A and H: linked in the graph of their vectors
//
// All but chunks are derived: a chunk is the source of what was read in it and
// of the attributes and elements that were made of that, an element of its
// overview. So a document that leaves takes with it what no other supports.
//
// Steps that look at the whole graph (which entities are important, which nodes
// are communities, which elements cover which units, which vectors are near)
// are stages of one item, done again when their input is another one. They see
// the nodes in order of type and key: but for near edges, which depend on the
// order of node ids, the index is a function of what the corpus says and not
// of the order in which it came.
//
// Communities stay while documents come and go. A node that is new, or whose
// edges have changed, joins the neighbouring community by which modularity
// gains most, or has its own; one that has outgrown the others is clustered
// for itself. [method.System.Advice] says when that has gone too far, and
// rag.IndexOptions.Recluster begins anew.
//
// # Retrieval
//
// The nodes among T, S, A and H nearest to the question, and the entities and
// overviews that it names, are the seeds of a walk of two steps. Of the nodes
// that it ends at the best 10 among T, S, A and H, 30 relationships, 10 entities
// and 10 overviews are taken; entities stand for their attributes and overviews
// for their elements.
//
// # Deviations
//
// docs/methods/noderag.md lists where paper and reference code differ, what is
// the default and how the other reading is asked for.
package noderag
