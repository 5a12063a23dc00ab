// Package corpus holds documents in the base graph of a namespace.
//
// A [Corpus] reads and writes [Document]s, the [Chunk]s that chunk sets cut them into,
// the postings of their words and names, and where their headings and pages begin
// ([Outline]). It turns a condition on metadata into the nodes that a query may see
// ([Filter]), keeps the settings of the namespace, and says which methods are indexed.
//
// It knows no models, no method and no queue: it is the lowest of the packages that
// package rag is made of. What others keep in the same graph is in packages words,
// ledger and queue.
package corpus
