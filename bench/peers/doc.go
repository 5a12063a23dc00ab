// Command peers stores the edges of a file in other stores that a Go program
// can embed, as one would write it with each of them: a key for every edge,
// 10,000 edges a transaction, no waiting for the disk. It prints one JSON
// object for each store and number of directions.
//
// It is a module of its own, so that who imports ragdb has nothing to do with
// these stores, and it imports nothing of ragdb: go run ./bench graphstore
// -peers runs it.
package main
