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
// Communities of level 1 consist of entities, those of a higher level of the
// communities below. A level's graph has the relations (between communities those
// of their entities, or with next=augmented all edges that they were found by) and
// edges to near neighbours: each node adds those more similar than a percentile of
// the similarities of the relations, up to the mean degree. Edges weigh the cosine of their ends, and Leiden divides the graph into
// communities of fewer than 15. Nodes without edges are in no community. A level
// of fewer than 10 communities is not made.
//
// The vectors of entities (layer 0) and communities (layer: their level) are in
// one space of the kind C-HNSW.
//
// # Updates
//
// A whole clustering is kept with its limits for new edges (bucket levels). The
// present communities are a function of it and of the graph: an unchanged node
// stays; a new or changed one gets edges by the limits and joins the community by
// which modularity gains most, or a new one; a community of 15 members is divided.
// So a document that comes and goes leaves nothing. A community gets a new report
// only if its members or what is said of them changed; it then is a changed node
// of the level above. A whole clustering is made again if there are twice or half
// the entities, and on request: [method.System.Advice] says when.
//
// A run that did all there was to do records the versions of the documents' graph and
// of its own (bucket settled). While they stand, the stages have no items.
//
// # Retrieval
//
// The method takes the K best of each layer and the relations at the entities among
// them, by cosine. Three kinds of evidence share the budget: chunks by words, vectors and
// their shares in the hits (TextShare); chunks of the communities
// (CommunityShare), from the highest layer down one of each community in turn, those most
// like the question first; and tables of what was hit. From that a model picks points
// with scores, part by part, and the answer is made of the best ([method.System.Condense]).
//
// docs/methods/archrag.md lists the parameters and where paper and reference code
// differ; profile=paper and profile=code set the parameters of either.
package archrag
