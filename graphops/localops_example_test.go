package graphops_test

import (
	"context"
	"fmt"
	"log"

	"github.com/ragdb/ragdb/graphops"
)

func ExamplePPR() {
	p, err := graphops.FromEdges(5, []graphops.WeightedEdge{
		{From: 0, To: 1}, {From: 1, To: 2}, {From: 1, To: 3}, {From: 3, To: 4},
	}, graphops.EdgeOptions{})
	if err != nil {
		log.Fatal(err)
	}
	seeds := []graphops.Scored{{Node: 0, Score: 2}, {Node: 3, Score: 1}}
	walk, err := graphops.PPR(context.Background(), p, seeds, graphops.PPROptions{TopK: 3})
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range walk.Scores {
		fmt.Printf("%d %.3f\n", s.Node, s.Score)
	}
	// Output:
	// 0 0.403
	// 3 0.278
	// 1 0.208
}

func ExamplePathChain() {
	p, err := graphops.FromEdges(6, []graphops.WeightedEdge{
		{From: 0, To: 1}, {From: 1, To: 2}, {From: 1, To: 3}, {From: 4, To: 5},
	}, graphops.EdgeOptions{})
	if err != nil {
		log.Fatal(err)
	}
	legs, err := graphops.PathChain(context.Background(), p, []uint32{0, 2, 3, 4}, graphops.PathOptions{})
	if err != nil {
		log.Fatal(err)
	}
	for _, leg := range legs {
		fmt.Println(leg.Found, leg.Nodes)
	}
	// Output:
	// true [0 1 2]
	// true [2 1 3]
	// false []
}
