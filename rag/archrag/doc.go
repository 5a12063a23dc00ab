// Package archrag is ArchRAG: a hierarchy of attributed communities over a
// knowledge graph, searched layer by layer in one descent (Wang et al.,
// "ArchRAG: Attributed Community-based Hierarchical Retrieval-Augmented
// Generation", 2025).
//
// # Index
//
// The method's graph holds
//
//	chunk      one for each chunk of its set; the key is the chunk's
//	entity     what the texts name; derived, the key is text.Key
//	relation   what is said of two entities; derived, the key is from|to
//	community  nodes that belong together, with a report; derived, the key is
//	           level/digest of the members
//
//	relation   entity - entity, the weight the strength of the mentions
//	part       entity or community -> its community
//
// The communities of level 1 are of entities, those of a higher one of the
// communities below. A level's graph are the relations, between communities
// those of their entities, with edges to near neighbours added: each node adds
// those more similar than a percentile of the similarities of the relations,
// and no more than the mean degree. Edges weigh the cosine of their ends, and
// Leiden divides the graph into communities of less than 15. Nodes without
// edges are in none. A level of fewer than 10 communities is not made.
//
// Entities (layer 0) and communities (layer: their level) have their vectors
// in one space of the kind C-HNSW.
//
// # Updates
//
// A whole clustering is kept with its limits for new edges (bucket levels). The
// communities that there are now are a function of it and of the graph: nodes
// that are as they were stay; one that is new or changed gets edges by the
// limits, and joins the community by which modularity gains most, or a new one;
// one of 15 members is divided. So a document that comes and goes again leaves
// nothing. A community's report is made again only where its members or what is
// said of them have changed; it then is a changed node of the level above. A
// whole clustering is made again where there are twice or half the entities, and
// on request, which [method.System.Advice] gives reason for.
//
// # Retrieval
//
// The K best of each layer; the relations at the entities among them, by
// cosine; and the chunks that all of them rest on, ranked together with those
// found by words and vector. Of that a model picks points with scores, part by
// part, and the answer is made of the best ([method.System.Condense]).
//
// # Deviations
//
// Defaults are those of docs/methods/archrag.md, which settles where paper and
// reference code differ; other readings are parameters, and profile=paper and
// profile=code set those that belong together. Papers' contexts hold no chunks:
// text=none.
package archrag
