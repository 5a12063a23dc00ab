package graphops

import "math"

// How far sampled betweenness is off, in units of normalised scores. The score
// of a node is the mean, over all sources, of X = n d/((n-1)(n-2)), where d is
// the dependency of the source on the node, between 0 and n-2. So X is between
// 0 and n/(n-1), and the estimate is the mean of k independent draws of it.
//
// Either bound below holds for all nodes at once but with probability delta;
// for the smaller one of each node to hold for all, they share delta.

// hoeffdingBound is by how much the mean of k draws between 0 and r can differ
// from the expected one, for n nodes at once (Hoeffding, "Probability
// Inequalities for Sums of Bounded Random Variables", 1963, Theorem 2; as
// Brandes and Pich, "Centrality Estimation in Large Networks", 2007, use it).
func hoeffdingBound(n, k int, r, delta float64) float64 {
	return r * math.Sqrt(logOf(2*float64(n)/delta)/float64(2*k))
}

// bernsteinBound is the same for a node whose draws have the variance v, of a
// sample, divided by k-1 (Maurer and Pontil, "Empirical Bernstein Bounds and
// Sample Variance Penalization", 2009, Theorem 4, for both sides of n nodes).
// k must be above 1.
func bernsteinBound(n, k int, r, v, delta float64) float64 {
	log := logOf(4 * float64(n) / delta)
	return math.Sqrt(2*v*log/float64(k)) + 7*r*log/(3*float64(k-1))
}

// dependencyBound returns the bound of the worst node, given the sums over k
// draws of the dependencies and of their squares.
func dependencyBound(sum, squares []float64, k int, delta float64) float64 {
	n := len(sum)
	if n < 3 {
		return 0 // no path has an inner node
	}
	r := float64(n) / float64(n-1)
	all := hoeffdingBound(n, k, r, delta/2)
	if k < 2 {
		return all
	}
	worst := 0.0
	for u, x := range sum {
		// The bound grows with the variance alone.
		worst = max(worst, squares[u]-float64(x*x)/float64(k))
	}
	scale := r / float64(n-2)
	v := float64(scale*scale) * worst / float64(k-1)
	return min(all, bernsteinBound(n, k, r, v, delta/2))
}
