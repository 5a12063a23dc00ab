package graphops_test

import (
	"context"
	"fmt"
	"log"

	"github.com/ragdb/ragdb/graphops"
)

// barbell returns two triangles with a path of two edges between them, and a
// node by itself.
func barbell() *graphops.Projection {
	p, err := graphops.FromEdges(8, []graphops.WeightedEdge{
		{From: 0, To: 1}, {From: 1, To: 2}, {From: 2, To: 0},
		{From: 2, To: 3}, {From: 3, To: 4},
		{From: 4, To: 5}, {From: 5, To: 6}, {From: 6, To: 4},
	}, graphops.EdgeOptions{})
	if err != nil {
		log.Fatal(err)
	}
	return p
}

func ExampleBetweenness() {
	r, err := graphops.Betweenness(context.Background(), barbell(), graphops.BetweennessOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Scores)
	// Output: [0 0 8 9 8 0 0 0]
}

func ExampleKCore() {
	r, err := graphops.KCore(context.Background(), barbell())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r)
	// Output: [2 2 2 2 2 2 2 0]
}

func ExampleComponents() {
	r, err := graphops.Components(context.Background(), barbell())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Count, r.Of, r.Sizes()[r.Largest()])
	// Output: 2 [0 0 0 0 0 0 0 1] 7
}

func ExampleTriangles() {
	r, err := graphops.Triangles(context.Background(), barbell(), graphops.TrianglesOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d triangles, average %.3f, transitivity %.3f\n", r.Total, r.Average, r.Global)
	// Output: 2 triangles, average 0.583, transitivity 0.545
}
