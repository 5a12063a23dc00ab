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
//	mentions   S - N, the weight how often the unit occurs
//	relates    R - N, weight 1
//	states     S - R, only if sr=on
//	describes  A - N
//	covers     H - S, H - A: of one community and one cluster of vectors
//	titles     O - H
//	near       among T, S, A and H: each is among the nearest of the other; a node's
//	           weigh a fifth together at most
//
// All nodes but chunks are derived. A chunk is the source of what was read in it
// and of the attributes and elements made from that; an element is the source of
// its overview. So removing a document removes what no other supports.
//
// Steps that look at the whole graph (importance, communities, which elements
// cover which units, near vectors) are stages of one item, which run again if
// their input changed. They see the nodes in order of type and key, so the index
// is a function of what the corpus says and not of its order, except near edges,
// which depend on node ids.
//
// Communities stay while documents come and go. A node that is new, or whose
// edges have changed, joins the neighbouring community by which modularity gains
// most, or gets its own; a community that has outgrown the others is clustered
// for itself. [method.System.Advice] says when a whole clustering is due, and
// rag.IndexOptions.Recluster makes one.
//
// # Retrieval
//
// The nodes among T, S, A and H nearest to the question, and the entities and
// overviews that it names, are the seeds of a walk of two steps. Texts come first,
// ranked by their vectors, their words and the walk, within a share of the budget;
// then the units, attributes, elements and relationships that the walk finds, without
// the units of texts that are shown; entities lead to their attributes and overviews
// to their elements. Quotas grow with the budget. With order=paper the method takes 10
// among T, S, A and H, 30 relationships, 10 entities and 10 overviews, whatever the
// budget is.
//
// docs/methods/noderag.md lists the options and where paper and reference code
// differ.
package noderag
