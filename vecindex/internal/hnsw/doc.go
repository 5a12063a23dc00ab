// Package hnsw is a navigable small world graph in memory, over the codes of
// package quant: the part of an index that package vecindex rebuilds from its
// records at open and searches.
//
// # Graph
//
// A slot holds a node: its id, its life from commit to commit, its code, and
// its links on level 0 (up to 2M) and on as many levels above as its level has
// (up to M on each). Levels are drawn from the node's id and the seed. A search
// descends greedily from the entry, the node of the highest level, and walks
// level 0 with a beam (Malkov and Yashunin, 2018, algorithms 2 and 5). Links
// are chosen by the diversity rule of their algorithm 4.
//
// # Every node is found
//
// Each linked node but the root has a parent: a node that has a link to it on
// level 0 and that leads to the root by its own parents. Such a link is kept
// when a list is cut, and every walk of level 0 starts at the root too, so all
// nodes can be reached at all times (invariant T). Deleted nodes are walked
// through until [Graph.Repair] has taken them out.
//
// # Batches
//
// [Graph.Link] links many nodes at once: each searches the graph as it was and
// is compared with all others of the batch, then the targets of the new links
// are updated, each by itself. What comes out is a function of the graph
// before, the batch and the seed, whatever the number of threads.
//
// # Concurrency
//
// One goroutine changes the graph; any number search it, and take no lock. A
// [Version] never changes its extent; entries of link lists are replaced one
// by one, and each of them is a good one, so a walk may see a mixture of the
// lists before and after, and miss a node for it: invariant T is that of the
// graph between changes. Memory is released when the last version that holds
// it is collected.
package hnsw
