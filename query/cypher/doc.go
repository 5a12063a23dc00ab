// Package cypher is the query language: a subset of openCypher over a graph of
// the engine, with procedures for what graphs, vectors and texts can do.
package cypher
