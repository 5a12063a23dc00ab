// Package distance computes inner products and squared Euclidean distances of
// float32 vectors, one against one and one against a block of vectors that lie
// one after the other in memory.
//
// # Determinism
//
// The functions are the portable kernel: plain Go, products rounded to float32
// before they are added, and one fixed order of additions (see [Dot]). Equal
// input gives equal bits on every platform and for every alignment, and a
// block function gives for each vector the bits of its one-to-one function.
//
// # Accuracy
//
// With eps = 2^-24 and n elements, the result differs from the exact one by
// less than (n/4 + 8) eps sum |a_i b_i| for the inner product and by less than
// (n/4 + 10) eps times itself for the squared distance, as long as no
// intermediate value overflows or falls below the smallest normal float32.
// NaN and infinite elements propagate as in any sum; callers that need an
// order refuse them beforehand.
package distance
