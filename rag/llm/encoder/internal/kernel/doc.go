// Package kernel holds the arithmetic of a transformer encoder: products of
// activations with weights that are packed once, in float32 and in 8 bits, and
// the functions of one row between them (GELU, softmax, layer norm).
//
// # Rows
//
// Activations are rows of float32. The stride of a row is its width rounded up
// to a multiple of [Width], see [Padded], and what lies beyond the width is 0.
// Every product writes whole panels of Width columns, so the zeros stay.
//
// # Weights
//
// [Pack] and [PackI8] turn a matrix as it is published, one row an output, into
// panels of Width outputs in the order in which the kernels read them. The
// layout is the same on every tier.
//
// In 8 bits a column of weights has one scale and a row of activations a scale
// and a zero point, which are worked out for each row when it is multiplied.
// The sums of products are exact.
//
// # Determinism
//
// An element of a result is one chain of additions over the whole inner
// dimension, whatever rows stand beside it and however a caller cuts them into
// calls. So the bits of a text's vector depend on the text and the tier alone,
// not on its batch and not on the number of threads. Tiers differ from one
// another in the last bits: they fuse products into additions, and the portable
// one does not.
//
// # Tiers
//
// [For] gives the functions of a tier of package internal/distance. They do not
// allocate, and are safe for concurrent use.
package kernel
