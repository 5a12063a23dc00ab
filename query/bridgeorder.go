package query

import (
	"fmt"
	"math"
	"slices"

	"github.com/ragdb/ragdb/engine"
)

// order returns the hits and the ends of ways in their order.
func (b *bridging) order(hits []Item) []Item {
	hit := make(map[engine.NodeID]*Item, len(hits))
	nodes := make([]scoredNode, 0, len(hits)+len(b.best))
	for i := range hits {
		hit[hits[i].ID] = &hits[i]
		nodes = append(nodes, scoredNode{hits[i].ID, b.score[hits[i].ID]})
	}
	for id := range b.best {
		if hit[id] == nil {
			nodes = append(nodes, scoredNode{id: id})
		}
	}
	for i := range nodes {
		if w := b.best[nodes[i].id]; w != nil {
			nodes[i].score += float64(b.weight(w) * max(0, 1-nodes[i].score))
		}
	}
	bestNodes(nodes, len(nodes))
	i := slices.IndexFunc(nodes, func(n scoredNode) bool { return n.id == hits[0].ID })
	first := nodes[i]
	copy(nodes[1:i+1], nodes[:i])
	nodes[0] = first
	chosen := b.choose(nodes)
	out := make([]Item, len(nodes))
	for i, n := range nodes {
		it := Item{Graph: b.o.Graph.ID(), ID: n.id}
		if h := hit[n.id]; h != nil {
			it = *h
		}
		it.Score = n.score
		if !b.quiet {
			it.Why = b.why(it.Why, n, chosen)
		}
		out[i] = it
	}
	return out
}

// why adds to the steps of a hit what made its score and place.
func (b *bridging) why(steps []Step, n scoredNode, chosen map[engine.NodeID]float64) []Step {
	steps = slices.Clip(steps)
	if step, ok := b.lifts[n.id]; ok {
		steps = append(steps, step)
	}
	if w := b.best[n.id]; w != nil {
		steps = b.steps(w, steps)
	}
	if share, ok := chosen[n.id]; ok {
		steps = append(steps, Step{Op: "bridge", Note: fmt.Sprintf("has %.2g of the text that none before it has", share), Score: n.score})
	}
	return steps
}

// choose gives the first places but the very first to nodes that add words of the
// text. It returns those that it moved up, with the share of the text that they add.
func (b *bridging) choose(nodes []scoredNode) map[engine.NodeID]float64 {
	from := nodes[:min(len(nodes), coverFrom)]
	if b.o.Cover <= 0 || len(from) == 0 {
		return nil
	}
	moved := map[engine.NodeID]float64{}
	have := b.held.of(from[0].id)
	for n := 1; n < min(coverPlaces, len(from)); n++ {
		best, most, adds := n, math.Inf(-1), 0.0
		for i := n; i < len(from); i++ {
			share := b.weigh(b.held.of(from[i].id) &^ have)
			if s := from[i].score + float64(b.o.Cover*share); s > most {
				best, most, adds = i, s, share
			}
		}
		node := from[best]
		if best > n {
			moved[node.id] = adds
		}
		copy(from[n+1:best+1], from[n:best])
		from[n] = node
		have |= b.held.of(node.id)
	}
	return moved
}
