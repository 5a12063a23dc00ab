// Package ivf has the arithmetic of an inverted file: vectors in lists around
// centroids, with codes of a few bits, from which distances are estimated with a
// known error.
//
// # Terms
//
// All is in the terms of a quant.Codec: a vector is turned, that is taken without
// the mean of many and rotated, so that its elements are alike. A [Row] is a turned
// vector in one byte an element. Distances are squared lengths of differences; if
// the metric is the inner product they are -2 times the product. A lower one is
// nearer. The mean makes the latter differ by a number that is the same for all
// vectors of a query.
//
// # Codes
//
// [Coder] codes what a vector x differs by from the centroid c of its list, r = x - c,
// in B bits an element: element i of r lies in one of 2^B steps of equal width g |r| /
// sqrt(d), g being the width that leaves least of a normal variable. v is
// the middle of the step, counted in steps from 0. With <r, y> about |r|^2 <v, y> / <v, r>,
//
//	|q - x|^2 = |q - c|^2 + Add + Mul <v, q>
//	Mul = -2 |r|^2 / <v, r>, Add = |r|^2 - Mul <v, c>
//
// and for inner products Add has |c|^2 - |x|^2 more. The standard deviation of this
// estimate is about [Spread] |Mul| |q - c|. (Gao and Long, RaBitQ, SIGMOD 2024, has the one
// bit of which this is the extension; the widths are Max's, 1960.)
//
// # Lists
//
// [Train] finds centroids by k-means, from the top down; [Sums] moves them to the
// means of those that are nearest. A [Router] finds the lists nearest to a row, by way
// of groups of lists. [Router.Pick] chooses the lists of a vector: the nearest,
// and of the next ones the one whose difference is least parallel to the first (SOAR:
// Sun and others, NeurIPS 2023).
//
// # Determinism
//
// All is a function of rows and seeds: products of bytes are exact, float32
// operations are rounded one by one in a fixed order, and sums that goroutines share are of
// integers.
package ivf
