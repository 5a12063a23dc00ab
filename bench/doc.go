// Command bench measures ragdb from end to end and prints what it was measured
// on: machine, commit and the exact command, then tables.
//
//	go run ./bench graphstore [-scale 17] [-edges 1048576] [-peers] [-json | -md]
//	go run ./bench vector -base F -query F -gt F -dim D [-metric ip] [-ef 16,64] [-json | -md]
//	go run ./bench vector -base F -queries-are-base -gt F -dim D -filter 0.01,0.1 -churn -writing
//	go run ./bench vector-report [-svg FILE] [-md] RESULT.json...
//
// The graph store's inputs are generated from a seed. Rates are per second of
// processor time, background work included, so that a shared machine measures
// about the same as one of its own; latencies are wall time. Where the system
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
package main
