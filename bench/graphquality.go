package main

import (
	"math"
	"slices"

	"github.com/ragdb/ragdb/graphops"
)

// modularity returns the modularity of a partition at resolution 1, from the
// rows of a symmetric projection alone: 0 if there are no edges.
func modularity(p *graphops.Projection, cluster []uint32, count int) float64 {
	strength := make([]float64, count) // of the nodes of each community
	var total, inside float64          // every edge twice
	for u := range cluster {
		to, w := p.Row(uint32(u))
		for i, v := range to {
			x := 1.0
			if w != nil {
				x = float64(w[i])
			}
			total += x
			strength[cluster[u]] += x
			if cluster[u] == cluster[v] {
				inside += x
			}
		}
	}
	if total == 0 {
		return 0
	}
	q := inside / total
	for _, k := range strength {
		q -= (k / total) * (k / total)
	}
	return q
}

// disconnected returns how many communities of a partition are not connected
// in a symmetric projection.
func disconnected(p *graphops.Projection, cluster []uint32, count int) int {
	pieces := make([]int, count)
	seen := make([]bool, len(cluster))
	var stack []uint32
	for s := range cluster {
		if seen[s] {
			continue
		}
		pieces[cluster[s]]++
		seen[s] = true
		for stack = append(stack[:0], uint32(s)); len(stack) > 0; {
			u := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			to, _ := p.Row(u)
			for _, v := range to {
				if !seen[v] && cluster[v] == cluster[s] {
					seen[v] = true
					stack = append(stack, v)
				}
			}
		}
	}
	n := 0
	for _, k := range pieces {
		if k > 1 {
			n++
		}
	}
	return n
}

// mutualInformation returns the mutual information of two partitions,
// normalised by the mean of their entropies as scikit-learn does; nodes that
// truth gives -1 are left out. Two partitions of one cluster each agree: 1.
func mutualInformation(truth []int32, cluster []uint32) float64 {
	var pairs []uint64 // label and cluster of each node
	for u, t := range truth {
		if t >= 0 {
			pairs = append(pairs, uint64(t)<<32|uint64(cluster[u]))
		}
	}
	n := float64(len(pairs))
	slices.Sort(pairs)
	labels, clusters := map[uint64]float64{}, map[uint64]float64{}
	for _, p := range pairs {
		labels[p>>32]++
		clusters[p&math.MaxUint32]++
	}
	if len(labels) <= 1 && len(clusters) <= 1 {
		return 1
	}
	var mutual, entropy float64
	for i := 0; i < len(pairs); {
		p, k := pairs[i], 0.0
		for ; i < len(pairs) && pairs[i] == p; i++ {
			k++
		}
		label, cluster := labels[p>>32], clusters[p&math.MaxUint32]
		mutual += k / n * math.Log(k*n/(label*cluster))
		// Each term of the entropies, spread over the pairs.
		entropy -= k / n * (math.Log(label/n) + math.Log(cluster/n))
	}
	return mutual / (entropy / 2)
}
