// Package hirag is HiRAG: a hierarchy of summaries over a knowledge graph, and
// retrieval of local, bridge and global knowledge (Huang et al.,
// "Retrieval-Augmented Generation with Hierarchical Knowledge", 2025).
//
// # Index
//
// The method's graph holds
//
//	chunk      one for each chunk of its set; the key is the chunk's
//	entity     what the texts name; derived, the key is text.Key
//	kind       a type of entities, by votes of the texts; derived
//	cluster    nodes of a layer that belong together; derived, the key is
//	           layer/component.part
//	summary    an entity of a higher layer, which sums up a cluster; derived,
//	           the key is the cluster's, a slash, and text.Key
//	community  a community of a level, with its report; derived, the key is the
//	           level and a digest of the members' keys
//
//	mentions   chunk -> entity
//	is         entity or summary -> kind, the weight the votes
//	relation   entity or summary - entity or summary, the weight the sum of all
//	           mentions; two summaries of one layer have none
//	member     entity or summary -> cluster, the weight the part that belongs
//	inside:n   entity or summary -> community of level n
//	part       community -> community that it divides
//
// Chunks are the sources of entities, kinds and relations; members those of
// clusters and communities; clusters those of summaries. So everything rests on
// chunks, and removing a document removes what only it supported.
//
// The vectors of all entities and summaries are in one space: layer 0 has the
// entities, layer n the summaries of layer n.
//
// # The hierarchy
//
// Each layer's vectors are divided, in their own space, into clusters of at most 50
// members. A model sums each cluster up by entities of the next layer, until a layer
// has no more than two nodes. The paper's way, a mixture of Gaussians of few
// dimensions that ends when sparsity hardly changes, is an option.
//
// # Change
//
// Clusters and communities are found once, and kept: they place a new node, and a
// removed node leaves. A clustering is a function of what was kept and of what there
// is, so documents that come and go leave no trace. A cluster or community that became
// too large is divided on its own. All is clustered again if there are twice as many
// nodes, or half, and on request. Summaries and reports are made again if more than a
// quarter of their material has changed, or any summary among it, or if a document
// leaves that it may be from.
//
// # Retrieval
//
// The question's nearest entities lead to their communities' reports (global), the
// relations among the nodes on the shortest paths through the communities' key
// entities (bridge), the entities themselves (local), and the texts that they vote
// for.
//
// docs/methods/hirag.md lists the options and where paper and reference code
// differ.
package hirag
