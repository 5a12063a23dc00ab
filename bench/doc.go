// Command bench measures ragdb from end to end and prints what it was measured
// on: machine, commit and the exact command, then tables.
//
//	go run ./bench graphstore [-scale 17] [-edges 1048576] [-peers] [-json | -md]
//	go run ./bench vector -base F -query F -gt F -dim D [-metric ip] [-ef 16,64] [-json | -md]
//	go run ./bench vector -base F -queries-are-base -gt F -dim D -filter 0.01,0.1 -churn -writing
//	go run ./bench vector-report [-svg FILE] [-md] RESULT.json...
//	go run ./bench graph -graph FILE -task TASK [-seed N] [-workers N] [-reps N] [-json]
//	go run ./bench graph -task kmeans:K [-vectors FILE -dim D]
//	go run ./bench graph-gen -kind rmat|lfr|layered|edges|blobs -o FILE [-seed N]
//	go run ./bench graph-report [-md] RESULT.json...
//	go run ./bench language [-nodes 100000] [-edges 1000000] [-rounds 5] [-peer DIR] [-json | -md]
//	go run ./bench noderag [-texts 1985] [-params sr=on,...] [-keep DIR] [-json | -md]
//	go run ./bench archrag [-n 1000,10000,100000] [-dim 128] [-json | -md]
//	go run ./bench documents [-docs 2000,7000,20000] [-methods naive,bridge] [-memory 512] [-json | -md]
//	go run ./bench scale [-only flat,hnsw,ivf,documents,text,kcore,...] [-sizes 1,10,100] [-memory 512] [-json | -md]
//	go run ./bench communities -data DIR [-sets NAME,...] [-json | -md]
//
// The graph store's inputs are generated from a seed. Rates are per second of
// processor time, background work included, so that a shared machine measures
// about the same as one of its own; latencies are wall time. If the system
// does not tell the processor time, wall time stands for it.
//
// The peers, other stores that a Go program can embed, live in the module
// bench/peers, so that who imports ragdb does not depend on them. With -peers
// they are built and run by the go command on the same edges, one after the
// other, right after ragdb's own run; the command must then be started in the
// repository, or -peersdir say where the module is.
//
// # Vectors
//
// The files of vector are raw: rows of little-endian 32-bit floats, and of
// 32-bit row numbers of the exact nearest, whose width follows from the size of
// the file. Rows become nodes with vectors, 1,000 a transaction, and searches go
// through the engine as any caller's do. What a search costs is the processor
// time of the thread that searches, so that p99 holds no preemption; wall time
// stands beside it. GOMAXPROCS and a pinned core hold for all that is run. A
// process of its own opens the database for the time of opening and the memory.
//
// bench/peers/vector.sh runs vector and hnswlib (bench/peers/hnswlib) on the
// same files in turn; vector-report makes the tables and the plot.
//
// # Graphs
//
// graph loads a file into a database, reopens it, projects what the task
// needs and runs one algorithm on that. Loading, projecting and the algorithm
// are reported apart, in processor time of all threads with the collection of
// garbage that falls into them; the algorithm's is the least and the median of
// the repetitions. The peak of memory is counted from opening the loaded
// database on. With -json the result is one line.
//
// A binary file holds "RGB1", the numbers of nodes n and edges m, n bytes of
// node types, and m edges of two node numbers and a weight (f32), all numbers
// u32 and little endian. graph-gen writes such files from a seed; a text with
// an edge a line is read too. Every task sums its result up in one value that
// engines must agree on, or that says which is better: modularity, the largest
// core number, the sum of betweenness, the greatest PageRank, the mean of
// clustering coefficients. Sources of betweenness, seeds and pairs of nodes are
// the numbers x>>33 modulo n of the sequence x = 6364136223846793005 x +
// 1442695040888963407 modulo 2^64, which begins after the seed of the command,
// for betweenness after 12345. ppr starts at 20 nodes each time.
//
// bench/peers/graph.sh runs graph, igraph (bench/peers/igraph) and Python's
// libraries (bench/peers/graph.py) on the same files in turn on one core;
// graph-report makes the tables.
//
// # NodeRAG
//
// noderag draws a corpus of the size that NodeRAG's paper reports of HotpotQA
// (appendix B.3): the graph of graph-gen's layered kind without its edges of
// likeness, made-up texts of 90 tokens and relations of 12 in the mean, and
// vectors of topics, texts and units. It loads them as the method's stages would
// have written them, and runs those stages that call no model, each measured.
// Retrieval is a plan from the question's vector and names to its packed
// context; right after opening means a database opened in a process that runs
// already, its files in the system's cache. GOMAXPROCS=1 makes it one thread.
//
// # ArchRAG
//
// archrag draws entities and levels of communities over them, an eighth of the
// level below each, down to 10: each node lies around one of the level above,
// each question around an entity. It asks for the best of every layer, one C-HNSW
// of all layers and an HNSW of each in turn, question by question; the HNSWs have
// the same parameters. Recall is against comparing all. Distances are counted, so
// they are the same on every machine; times are of the thread that searches.
//
// communities divides attributed graphs as the method divides a level, once for
// each way of adding edges and of clustering, and says how tight the communities
// are. A set is a folder: edges.tsv.gz and features.jsonl.gz, of which a node's
// vector has ones if it has features; or NAME.f32.gz and NAME.json with n and
// d, whose vectors are joined to their 10 nearest. Neighbours are exact, found
// beforehand, and not in the times.
package main
