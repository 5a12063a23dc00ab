package procedure

import (
	"context"
	"math"
	"slices"

	"github.com/ragdb/ragdb/graphops"
	"github.com/ragdb/ragdb/query/cypher"
)

// algorithms lists the graph algorithms. The costs are from measurements on
// the graphs of docs/benchmarks.md and right within a factor of a few.
func algorithms() []*algorithm {
	score := []cypher.Column{column("score", "float")}
	community := []cypher.Column{column("community", "integer")}
	return []*algorithm{
		{
			name: "graph.degree", doc: "The number of distinct neighbours of each node.",
			ranked: true, elsewhere: []string{"degreecentrality"},
			columns: []cypher.Column{column("degree", "integer")}, cost: linear(10, 0), read: readDegree,
			stats: []cypher.Column{column("max", "integer"), column("mean", "float")},
		},
		{
			name: "graph.kcore", doc: "The core number of each node: the largest k such that it is in a subgraph of nodes with at least k neighbours each.",
			ranked: true, elsewhere: []string{"coreness"},
			columns: []cypher.Column{column("core", "integer")}, both: true, cost: linear(10, 15), read: readKCore,
			stats: []cypher.Column{column("max", "integer")},
		},
		{
			name: "graph.betweenness", doc: "How many shortest paths pass through each node, with weighted by length; k draws that many sources in place of all.",
			ranked: true, lengths: true, elsewhere: []string{"betweennesscentrality"},
			columns: score, cost: func(n, m float64) float64 { return 8 * n * (n + m) }, read: readBetweenness,
			stats: []cypher.Column{column("sources", "integer"), column("error", "float")},
		},
		{
			name: "graph.pagerank", doc: "PageRank of each node; the scores sum to 1.",
			ranked: true, elsewhere: []string{"articlerank", "eigenvector"},
			columns: score, weighted: true, cost: linear(150, 150), read: readPageRank,
			stats: []cypher.Column{column("iterations", "integer"), column("converged", "boolean")},
		},
		{
			name: "graph.ppr", doc: "Personalised PageRank of a few steps around seeds: nodes, or maps {node, score}.",
			elsewhere: []string{"personalizedpagerank", "personalisedpagerank"},
			args:      []cypher.Arg{{Name: "seeds", Type: "list of nodes"}}, columns: score, weighted: true,
			cost: func(float64, float64) float64 { return 1e6 }, read: readPPR, filtered: true,
			stats: []cypher.Column{column("reached", "integer"), column("mass", "float")},
		},
		{
			name: "graph.leiden", doc: "Communities by the Leiden algorithm; levels gives each level of the hierarchy, 0 being the coarsest.",
			elsewhere: []string{"louvain", "communities", "community", "labelpropagation", "modularityoptimization"},
			columns:   append(community, column("level", "integer")), both: true, weighted: true, cost: linear(400, 250), read: readLeiden,
			stats: []cypher.Column{column("communities", "integer"), column("levels", "integer"), column("quality", "float")},
		},
		{
			name: "graph.wcc", doc: "Weakly connected components.",
			elsewhere: []string{"components", "connectedcomponents", "unionfind"},
			columns:   []cypher.Column{column("component", "integer")}, both: true, cost: linear(10, 10), read: readComponents,
			stats: []cypher.Column{column("components", "integer"), column("largest", "integer")},
		},
		{
			name: "graph.triangles", doc: "The number of triangles that each node is a corner of.",
			ranked: true, elsewhere: []string{"trianglecount"},
			columns: []cypher.Column{column("triangles", "integer")}, both: true, cost: linear(10, 200), read: readTriangles,
			stats: []cypher.Column{column("triangles", "integer")},
		},
		{
			name: "graph.clustering", doc: "The local clustering coefficient of each node.",
			ranked: true, elsewhere: []string{"localclusteringcoefficient", "clusteringcoefficient"},
			columns: []cypher.Column{column("coefficient", "float")}, both: true, cost: linear(10, 200), read: readClustering,
			stats: []cypher.Column{column("average", "float"), column("global", "float")},
		},
		{
			name: "graph.scan", doc: "Clusters by structural similarity (SCAN); hubs and outliers are in none.",
			columns: community, both: true, cost: linear(20, 300), read: readSCAN,
			stats: []cypher.Column{column("communities", "integer")},
		},
		{
			name: "graph.spectral", doc: "k clusters by the eigenvectors of the normalised adjacency matrix.",
			columns: community, both: true, weighted: true, cost: linear(20000, 5000), read: readSpectral,
			stats: []cypher.Column{column("communities", "integer"), column("converged", "boolean")},
		},
	}
}

func readDegree(*config) runner {
	return projected(func(_ context.Context, p *graphops.Projection) (*result, error) {
		degrees := make([]int, p.Len())
		most, sum := 0, 0
		for u := range degrees {
			degrees[u] = p.Degree(uint32(u))
			most, sum = max(most, degrees[u]), sum+degrees[u]
		}
		return counts(p, degrees, cypher.Int(int64(most)), cypher.Float(float64(sum)/float64(max(1, len(degrees))))), nil
	})
}

func readKCore(*config) runner {
	return projected(func(ctx context.Context, p *graphops.Projection) (*result, error) {
		r, err := graphops.KCore(ctx, p)
		if err != nil {
			return nil, err
		}
		most := uint32(0)
		if len(r) > 0 {
			most = slices.Max(r)
		}
		return counts(p, r, cypher.Int(int64(most))), nil
	})
}

func readBetweenness(c *config) runner {
	o := graphops.BetweennessOptions{
		Sources: c.count("k", 0), Seed: c.seed(), Normalised: c.boolean("normalised", false),
		Epsilon: c.number("epsilon", 1e-6, 1), Delta: c.number("delta", 1e-9, 1),
	}
	return projected(func(ctx context.Context, p *graphops.Projection) (*result, error) {
		o := o
		if o.Lengths = p.Weighted(); o.Lengths && o.Epsilon > 0 {
			return nil, invalid("graph.betweenness draws paths of the fewest edges for the option epsilon: leave epsilon out, or weighted")
		}
		r, err := graphops.Betweenness(ctx, p, o)
		if err != nil {
			return nil, err
		}
		return scores(p, r.Scores, cypher.Int(int64(max(r.Sources, r.Paths))), cypher.Float(r.ErrorBound)), nil
	})
}

func readPageRank(c *config) runner {
	o := graphops.PageRankOptions{
		Damping: c.number("damping", 1e-6, 1-1e-6), Tolerance: c.number("tolerance", 1e-15, 1), MaxIterations: c.count("iters", 0),
	}
	return projected(func(ctx context.Context, p *graphops.Projection) (*result, error) {
		r, err := graphops.PageRank(ctx, p, o)
		if err != nil {
			return nil, err
		}
		return scores(p, r.Scores, cypher.Int(int64(r.Iterations)), cypher.Bool(r.Converged)), nil
	})
}

func readLeiden(c *config) runner {
	o := graphops.LeidenOptions{
		Resolution: c.number("resolution", 1e-9, math.MaxFloat32), Seed: c.seed(), Dendrogram: c.boolean("levels", false),
		Iterations: c.count("iters", 0),
	}
	if c.choice("objective", "modularity", "cpm") == "cpm" {
		o.CPM = true
	}
	return projected(func(ctx context.Context, p *graphops.Projection) (*result, error) {
		r, err := graphops.Leiden(ctx, p, o)
		if err != nil {
			return nil, err
		}
		levels := []graphops.HierarchyLevel{{Partition: r.Partition}}
		if r.Dendrogram != nil && len(r.Dendrogram.Levels) > 0 {
			levels = r.Dendrogram.Levels
		}
		stats := []cypher.Value{cypher.Int(int64(r.Count)), cypher.Int(int64(len(levels))), cypher.Float(r.Quality)}
		return &result{stats: stats, levels: len(levels), at: func(u uint32, level int, dst []cypher.Value) []cypher.Value {
			if community := levels[level].Of[u]; community != graphops.None {
				dst = append(dst, cypher.Int(int64(community)), cypher.Int(int64(level)))
			}
			return dst
		}}, nil
	})
}

func readComponents(*config) runner {
	return projected(func(ctx context.Context, p *graphops.Projection) (*result, error) {
		r, err := graphops.Components(ctx, p)
		if err != nil {
			return nil, err
		}
		largest := 0
		if c := r.Largest(); c != graphops.None {
			largest = r.Sizes()[c]
		}
		return clusters(r, cypher.Int(int64(r.Count)), cypher.Int(int64(largest))), nil
	})
}

func readTriangles(*config) runner {
	return projected(func(ctx context.Context, p *graphops.Projection) (*result, error) {
		r, err := graphops.Triangles(ctx, p, graphops.TrianglesOptions{})
		if err != nil {
			return nil, err
		}
		return counts(p, r.Of, cypher.Int(int64(r.Total))), nil
	})
}

func readClustering(*config) runner {
	return projected(func(ctx context.Context, p *graphops.Projection) (*result, error) {
		r, err := graphops.Triangles(ctx, p, graphops.TrianglesOptions{})
		if err != nil {
			return nil, err
		}
		return scores(p, r.Local, cypher.Float(r.Average), cypher.Float(r.Global)), nil
	})
}

func readSCAN(c *config) runner {
	o := graphops.SCANOptions{Epsilon: c.number("epsilon", 1e-9, 1), Mu: c.count("mu", 0)}
	return projected(func(ctx context.Context, p *graphops.Projection) (*result, error) {
		r, err := graphops.SCAN(ctx, p, o)
		if err != nil {
			return nil, err
		}
		return clusters(&r.Partition, cypher.Int(int64(r.Partition.Count))), nil
	})
}

func readSpectral(c *config) runner {
	o := graphops.SpectralOptions{K: c.count("k", 8), Seed: c.seed(), Restarts: c.count("restarts", 0)}
	return projected(func(ctx context.Context, p *graphops.Projection) (*result, error) {
		r, err := graphops.Spectral(ctx, p, o)
		if err != nil {
			return nil, err
		}
		return clusters(&r.Partition, cypher.Int(int64(r.Partition.Count)), cypher.Bool(r.Converged)), nil
	})
}
