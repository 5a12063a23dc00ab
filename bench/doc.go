// Command bench measures ragdb from end to end and prints what it was measured
// on: machine, commit and the exact command, then tables.
//
//	go run ./bench graphstore [-scale 17] [-edges 1048576] [-peers] [-json | -md]
//
// Inputs are generated from a seed. Rates are per second of processor time,
// background work included, so that a shared machine measures about the same
// as one of its own; latencies are wall time. Where the system does not tell
// the processor time, wall time stands for it.
//
// The peers, other stores that a Go program can embed, live in the module
// bench/peers, so that who imports ragdb does not depend on them. With -peers
// they are built and run by the go command on the same edges, one after the
// other, right after ragdb's own run; the command must then be started in the
// repository, or -peersdir say where the module is.
package main
