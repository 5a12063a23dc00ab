// Package graphops has the algorithms on graphs and on clusters of vectors.
//
// # Two ways to read a graph
//
// An algorithm that looks around some nodes reads an [Adjacency]. [Local]
// makes one straight on the store: nothing is built, and what is not visited
// is not read. An algorithm that visits the whole graph runs on a
// [Projection]: the wanted part of the graph in compressed sparse rows, at 4
// bytes an entry, 8 with weights. A Projection is an Adjacency too, so that
// what is local can use one that is there. [FromEdges] makes one of edges that
// no store holds.
//
// # Projections
//
// A [Spec] says what is kept: node types and a set of nodes, edge types,
// weights, which way directed edges lead. Nodes are numbered from 0 in order
// of type and id; [Projection.NodeOf] and [Projection.Index] lead from number
// to node and back, and [Projection.TypeRange] gives the numbers of a type.
// There are no loops: they are dropped, and counted. Parallel edges, which
// come of several edge types between two nodes or of a direction ignored, are
// one, and [Combine] says of what weight.
//
// A [Cache] keeps projections by graph, version and spec. A version moves with
// every change of nodes or edges, and what is cached for another one is not
// used again, but rebuilt: about 50 ms of processor time for 750,000 edges
// (BenchmarkProject). [Estimate] tells the size before, and what would take
// more than Spec.MaxBytes is refused with a [*MemoryError].
//
// # Around some nodes
//
// These read an [Adjacency] and are done before a projection would be built.
// [PPR] is personalised PageRank of a few steps, with restarts or as a lazy walk;
// [PPRPaths] also returns the path to each node. [ShortestPath] and
// [WeightedPath] search from both ends; [PathChain] leads through an ordered
// list of nodes. [Expand] collects the nodes near some nodes.
//
// # On the whole graph
//
// [PageRank] ranks nodes by how often someone comes by who follows edges at
// random. [Betweenness] counts the shortest paths through each node, exactly or
// from a sample with a bound of its error. [KCore] finds how deep in the dense
// parts of the graph each node is, [Components] the connected components,
// [Triangles] the triangles at each node and how far neighbours of a node are
// neighbours of each other.
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
// [KMeans] and [GMM] cluster a [Matrix], a mixture with the number of its
// components by BIC and soft membership. [PCA] makes vectors
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
