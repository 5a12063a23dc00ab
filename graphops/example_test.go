package graphops_test

import (
	"context"
	"fmt"
	"log"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
)

func ExampleCache_Project() {
	ctx := context.Background()
	db, err := engine.Open(ctx, engine.Memory, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	ns, err := db.Namespace(ctx, "main")
	if err != nil {
		log.Fatal(err)
	}
	g, err := ns.Graph(ctx, "papers")
	if err != nil {
		log.Fatal(err)
	}
	err = db.Update(ctx, func(tx *engine.Tx) error {
		v := tx.Graph(g)
		paper, err := v.MakeNodeType("paper")
		if err != nil {
			return err
		}
		cites, err := v.MakeEdgeType("cites", true)
		if err != nil {
			return err
		}
		classic, _, err := v.PutNode(paper, "classic", nil)
		if err != nil {
			return err
		}
		for _, key := range []string{"a", "b", "c"} {
			id, _, err := v.PutNode(paper, key, nil)
			if err != nil {
				return err
			}
			if err := v.AddEdge(id, classic, cites, 1); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}

	cache := graphops.NewCache(64 << 20)
	err = db.View(ctx, func(s *engine.Snapshot) error {
		v := s.Graph(g)
		p, err := cache.Project(ctx, v, graphops.Spec{})
		if err != nil {
			return err
		}
		r, err := graphops.PageRank(ctx, p, graphops.PageRankOptions{})
		if err != nil {
			return err
		}
		for u, score := range r.Scores {
			n, err := v.Node(p.NodeOf(uint32(u)))
			if err != nil {
				return err
			}
			fmt.Printf("%s %.3f\n", n.Key, score)
		}
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// classic 0.542
	// a 0.153
	// b 0.153
	// c 0.153
}

func ExamplePageRank() {
	p, err := graphops.FromEdges(4, []graphops.WeightedEdge{
		{From: 0, To: 1}, {From: 1, To: 2}, {From: 1, To: 3},
	}, graphops.EdgeOptions{})
	if err != nil {
		log.Fatal(err)
	}
	r, err := graphops.PageRank(context.Background(), p, graphops.PageRankOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.3f\n", r.Scores)
	// Output: [0.173 0.480 0.173 0.173]
}
