// Package graphops has the algorithms on graphs and on clusters of vectors.
//
// # Two ways to read a graph
//
// An algorithm that visits few nodes reads an [Adjacency]. [Local] makes one on
// the store: it builds nothing and reads only the nodes that are visited. An
// algorithm that visits the whole graph runs on a [Projection], which holds the
// wanted part of the graph in compressed sparse rows, at 4 bytes an entry, or 8
// with weights. A Projection is an Adjacency too. [FromEdges] makes a Projection
// of edges that are not in a store.
//
// # Projections
//
// A [Spec] says what a projection keeps: node types and a set of nodes, edge
// types, weights, and in which direction directed edges lead. Nodes are numbered
// from 0 in order of type and id. [Projection.NodeOf] and [Projection.Index]
// convert between number and id, and [Projection.TypeRange] gives the numbers of
// a type. Loops stand apart from the rows: [PageRank], [PPR], [Leiden] and
// [Modularity] count them, and the others are right without. Parallel edges, which arise from
// several edge types between two nodes or from an ignored direction, become one
// edge, and [Combine] decides its weight.
//
// A [Cache] keeps projections by graph, version and spec. Every change of nodes
// or edges changes the version, and then the projection is rebuilt: about 50 ms
// of processor time for 750,000 edges (BenchmarkProject). [Estimate] returns the
// size in advance. A projection that would exceed Spec.MaxBytes keeps its rows in
// bytes, and is refused with a [*MemoryError] if they do not fit either.
//
// # Around some nodes
//
// These functions read an [Adjacency] and take less time than building a
// projection.
// [PPR] is personalised PageRank of a few steps, with restarts or as a lazy walk, and
// the path to each node; on the store it is bounded by work, and says how far off it
// may be. [ShortestPath] and
// [WeightedPath] search from both ends; [PathChain] leads through an ordered
// list of nodes. [Expand] collects the nodes near some nodes.
//
// # On the whole graph
//
// [PageRank] ranks nodes by how often a random walk visits them. [Betweenness]
// counts the shortest paths through each node, exactly or from a sample with a
// bound of the error. [KCore] returns the core number of each node, [Components]
// the connected components, and [Triangles] the triangles at each node and the
// clustering coefficients.
//
// # Communities
//
// [Leiden] finds communities, each of them connected, and [HierarchicalLeiden]
// divides them further until they are small. [SCAN] finds structural clusters,
// hubs and outliers, [Spectral] clusters by the leading eigenvectors of the
// normalised adjacency. [AugmentKNN] adds edges to near neighbours before that,
// [CODICIL] keeps each node's edges most alike in links and content, [Contract]
// makes the graph of clusters. [Modularity] says how good a partition
// into communities is.
//
// # Vectors
//
// [KMeans] and [GMM] cluster a [Matrix]; GMM chooses the number of components
// by BIC and gives soft membership. [PCA] makes vectors
// shorter; [Reduce] uses it, or random directions if there are many vectors. [CalinskiHarabasz] and
// [MeanCosine] say how tight clusters are. [Node2Vec] learns vectors of nodes
// from biased walks. [Hyperplanes] code vectors by the signs of stored planes.
//
// # What holds for all of them
//
// The zero value of every options struct is right for most uses, but for a
// number of clusters, which must be given. Results are the same, bit for bit,
// for the same input and options, whatever the number of workers and
// processors: work is cut into pieces that depend on the input alone, and sums
// are made in their order. Sums are float64.
//
// Functions that may take long have a context, look at it every few thousand
// nodes or edges, and return its error, with no result, once it has ended.
// They start no goroutine that outlives them.
//
// Projections and caches are safe for concurrent use. A LocalGraph is not.
//
// What callers store of this package is [Hyperplanes], which have a format of
// their own. What else it computes may get more accurate or
// break ties otherwise between versions; what is written of it carries the
// version that wrote it.
package graphops
