// Package ragtest provides what the tests of rag and its methods share: a
// generator of fictional documents, a small embedder without training, and
// helpers to open, index, compare and search corpora. Everything generated
// follows from a seed.
package ragtest
