// Package quant turns vectors into codes of one byte an element, from which
// distances are estimated with a known error.
//
// # Code
//
// A vector x becomes t = P(x - mean), where the mean and the rotation P are
// those of a [Codec] and never change while its codes are in use. The high
// plane holds c = round(127 t / max|t|), the scale s = |t|^2 / <t, c> makes the
// error s c - t orthogonal to t, and the low plane holds what is left, 230
// steps to one of the high plane. Any mean and rotation give right distances;
// good ones give small errors: real embeddings have 40 to 80 % of their energy
// in the mean, and a rotation spreads a few large dimensions over all.
//
// # Distance
//
// One formula serves the three metrics: D = A + B - 2 <q, x> in the codes'
// terms, A being of the query and B of the stored vector. D is the squared
// distance under L2 and under cosine, whose vectors have length 1, and
// descending inner product but for a constant of the query. A lower D is
// nearer for all of them.
//
// # Error
//
// [Query.Sigma] is the standard deviation of an estimate under the model that
// rounding errors are uniform and independent. Three of them hold for all but
// one code in 300 on the data measured; the bound is not a proof.
//
// # Determinism
//
// Codes and estimates are a function of the vectors: integer products are
// exact, float32 operations are rounded one by one in a fixed order, so every
// machine gets the same bits.
package quant
