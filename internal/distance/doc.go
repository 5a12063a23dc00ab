// Package distance holds the arithmetic of vector search: inner products and
// squared Euclidean distances of float32 and of int8 vectors, the quantization
// of the former to the latter, and conversion to and from 16-bit floats.
//
// # Tiers
//
// Each function exists for several instruction sets, the tiers (see [Tier]).
// The package functions use the best tier that the processor supports, or the
// one that the program has chosen with [Use]. [Active] returns it.
//
// # Determinism
//
// Equal input gives equal bits on every tier and platform and for every
// alignment: products are rounded to float32 before they are added, there is
// one fixed order of additions (see [Dot]), and a block function gives for each
// vector the bits of its one-to-one function. Only the sign and payload of a
// NaN that a float32 distance comes to are left open.
//
// # Accuracy
//
// With eps = 2^-24 and n <= 100,000 elements, the float32 result differs from
// the exact one by less than (n/32 + 8) eps sum |a_i b_i| for the inner product
// and by less than (n/32 + 10) eps times itself for the squared distance, as
// long as no intermediate value overflows or falls below the smallest normal
// float32. NaN and infinite elements propagate as in any sum; callers that
// need an order refuse them beforehand.
//
// The int8 functions are exact. A result that does not fit an int32 is exact
// modulo 2^32; see [DotI8] for the lengths at which it always fits.
//
// # Memory
//
// Functions read and write exactly the elements that they are given, keep no
// reference to them and do not allocate. A slice that is too short panics before
// anything is written. Destination and source must not overlap. All functions
// are safe for concurrent use.
package distance
