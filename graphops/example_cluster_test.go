package graphops_test

import (
	"context"
	"fmt"
	"log"

	"github.com/ragdb/ragdb/graphops"
)

func ExampleContract() {
	p, err := graphops.FromEdges(4, []graphops.WeightedEdge{
		{From: 0, To: 1}, {From: 1, To: 2}, {From: 1, To: 3}, {From: 2, To: 3},
	}, graphops.EdgeOptions{})
	if err != nil {
		log.Fatal(err)
	}
	part := &graphops.Partition{Of: []uint32{0, 0, 1, 1}, Count: 2}
	r, err := graphops.Contract(context.Background(), p, part, graphops.ContractOptions{})
	if err != nil {
		log.Fatal(err)
	}
	to, w := r.Row(0)
	fmt.Println(to, w)
	// Output: [1] [2]
}

func ExampleSCAN() {
	// Two cliques, and node 8 between them.
	var edges []graphops.WeightedEdge
	for u := range uint32(4) {
		for v := range u {
			edges = append(edges, graphops.WeightedEdge{From: u, To: v}, graphops.WeightedEdge{From: u + 4, To: v + 4})
		}
	}
	edges = append(edges, graphops.WeightedEdge{From: 0, To: 8}, graphops.WeightedEdge{From: 4, To: 8})
	p, err := graphops.FromEdges(9, edges, graphops.EdgeOptions{})
	if err != nil {
		log.Fatal(err)
	}
	r, err := graphops.SCAN(context.Background(), p, graphops.SCANOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Partition.Of[:8], r.Roles[8] == "hub")
	// Output: [0 0 0 0 1 1 1 1] true
}

func ExampleAugmentKNN() {
	p, err := graphops.FromEdges(5, []graphops.WeightedEdge{
		{From: 0, To: 1, Weight: .9}, {From: 1, To: 2, Weight: .5}, {From: 2, To: 3, Weight: .4},
	}, graphops.EdgeOptions{Weighted: true})
	if err != nil {
		log.Fatal(err)
	}
	// The nearest neighbours of node 4, as a vector search finds them.
	near := []graphops.WeightedEdge{{From: 4, To: 0, Weight: .8}, {From: 4, To: 3, Weight: .6}}
	r, limits, err := graphops.AugmentKNN(context.Background(), p, near, graphops.AugmentOptions{})
	if err != nil {
		log.Fatal(err)
	}
	to, _ := r.Row(4)
	fmt.Printf("over %.2f, %d a node: %v\n", limits.Threshold, limits.Degree, to)
	// Output: over 0.74, 1 a node: [0]
}
