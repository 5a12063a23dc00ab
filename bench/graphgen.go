package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
)

// graphGen writes graphs and vectors that are drawn from a seed, so that anyone
// can repeat a measurement.
type graphGen struct {
	kind, out, truth string
	scale, factor    int
	nodes, texts     int
	mixing           float64
	from, labels     string
	blobs            blobs
	seed             uint64
}

func graphGenFlags(fs *flag.FlagSet) func(ctx context.Context, r *report) error {
	g := &graphGen{}
	fs.StringVar(&g.kind, "kind", "", "rmat: Graph500's recursive matrix; lfr: planted communities; layered: texts, units, entities and what joins them; edges: the graph of the text file -from; blobs: vectors around centres")
	fs.StringVar(&g.out, "o", "", "`file` to write")
	fs.StringVar(&g.truth, "truth", "", "`file` for the planted communities of lfr, or the -labels of edges, a line a node")
	fs.IntVar(&g.scale, "scale", 18, "rmat: 2^`n` nodes")
	fs.IntVar(&g.factor, "factor", 16, "rmat: `edges` drawn for each node; repeated ones and loops are dropped")
	fs.IntVar(&g.nodes, "nodes", 10_000, "lfr: `number` of nodes")
	fs.Float64Var(&g.mixing, "mixing", 0.3, "lfr: `share` of a node's edges that leave its community")
	fs.IntVar(&g.texts, "texts", 2000, "layered: `number` of texts; about 90 nodes and 380 edges come of each")
	fs.StringVar(&g.from, "from", "", "edges: `file` with an edge a line")
	fs.StringVar(&g.labels, "labels", "", "edges: `file` of lines \"node label\", which may name nodes without edges")
	fs.IntVar(&g.blobs.n, "n", wideBlobs.n, "blobs: `number` of vectors")
	fs.IntVar(&g.blobs.dim, "dim", wideBlobs.dim, "blobs: `elements` of a vector")
	fs.IntVar(&g.blobs.centres, "centres", wideBlobs.centres, "blobs: `number` of centres")
	fs.Float64Var(&g.blobs.apart, "apart", wideBlobs.apart, "blobs: standard `deviation` of the elements of centres")
	fs.Float64Var(&g.blobs.spread, "spread", wideBlobs.spread, "blobs: standard `deviation` around a centre")
	fs.Uint64Var(&g.seed, "seed", 1, "of all that is drawn")
	return func(_ context.Context, r *report) error { return g.run(r) }
}

func (g *graphGen) run(r *report) error {
	if g.out == "" {
		return inputError{errors.New("-o is needed")}
	}
	if g.kind == "blobs" {
		if g.blobs.n < 1 || g.blobs.dim < 1 || g.blobs.centres < 1 {
			return inputError{errors.New("-n, -dim and -centres must be at least 1")}
		}
		m := g.blobs.draw(g.seed)
		r.Input = fmt.Sprintf("%d vectors of %d dimensions", m.Len(), m.Dim)
		return writeMatrix(g.out, m)
	}
	file, truth, err := g.graph()
	if err != nil {
		return inputError{err}
	}
	r.Input = fmt.Sprintf("%d nodes, %d edges", len(file.types), len(file.edges))
	if g.truth != "" {
		if truth == nil {
			return inputError{errors.New("-truth is for lfr, and for edges with -labels")}
		}
		if err := writeTruth(g.truth, truth); err != nil {
			return err
		}
	}
	return file.write(g.out)
}

// graph returns the graph and the labels of its nodes, if it has labels.
func (g *graphGen) graph() (file *graphFile, truth []int32, err error) {
	r := rand.New(rand.NewPCG(g.seed, 0x6772617068))
	switch g.kind {
	case "rmat":
		if g.scale < 1 || g.scale > 28 || g.factor < 1 {
			return nil, nil, errors.New("-scale must be 1 to 28, -factor at least 1")
		}
		return rmatGraph(g.seed, g.scale, g.factor, r), nil, nil
	case "lfr":
		if g.nodes < 100 || !(g.mixing >= 0 && g.mixing <= 1) {
			return nil, nil, errors.New("-nodes must be at least 100, -mixing 0 to 1")
		}
		file, truth = lfrGraph(g.nodes, g.mixing, r)
		return file, truth, nil
	case "layered":
		if g.texts < 10 {
			return nil, nil, errors.New("-texts must be at least 10")
		}
		return layeredGraph(g.texts, r), nil, nil
	case "edges":
		if file, err = readGraph(g.from, g.labels, false); err == nil && g.labels != "" {
			truth, err = file.truth(g.labels)
		}
		return file, truth, err
	}
	return nil, nil, fmt.Errorf("-kind %q is not rmat, lfr, layered, edges or blobs", g.kind)
}

// writeTruth writes a label a line.
func writeTruth(path string, truth []int32) error {
	var b []byte
	for _, label := range truth {
		b = append(strconv.AppendInt(b, int64(label), 10), '\n')
	}
	return os.WriteFile(path, b, 0o666)
}

// graphDraw collects the edges of a graph without direction.
type graphDraw struct {
	weight map[edge]float32
	r      *rand.Rand
}

func newGraphDraw(r *rand.Rand) *graphDraw {
	return &graphDraw{weight: map[edge]float32{}, r: r}
}

// join adds an edge and reports whether it is new: no loop, and not there.
func (d *graphDraw) join(u, v uint32, w float32) bool {
	e := edge{min(u, v), max(u, v)}
	if _, ok := d.weight[e]; ok || u == v {
		return false
	}
	d.weight[e] = w
	return true
}

// file returns what was drawn, its edges in order.
func (d *graphDraw) file(types []byte) *graphFile {
	g := &graphFile{types: types, edges: make([]weighted, 0, len(d.weight))}
	for e, w := range d.weight {
		g.edges = append(g.edges, weighted{e, w})
	}
	slices.SortFunc(g.edges, func(a, b weighted) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to))
	})
	return g
}

// between returns a random weight.
func (d *graphDraw) between(lo, hi float64) float32 { return float32(lo + (hi-lo)*d.r.Float64()) }

// powerLaw draws a whole number from lo to hi whose density falls with x^-gamma.
func powerLaw(r *rand.Rand, lo, hi, gamma float64) int {
	e := 1 - gamma
	from, to := math.Pow(lo, e), math.Pow(hi+1, e)
	return int(math.Pow(from+r.Float64()*(to-from), 1/e))
}

// rmatGraph returns a recursive matrix graph without direction whose nodes are
// shuffled, so that ids say nothing about degrees.
func rmatGraph(seed uint64, scale, factor int, r *rand.Rand) *graphFile {
	name := r.Perm(1 << scale)
	g := &graphFile{types: make([]byte, 1<<scale)}
	for _, e := range rmat(seed, scale, factor<<scale) {
		g.edges = append(g.edges, weighted{edge: edge{uint32(name[e.from]), uint32(name[e.to])}})
	}
	g.simplify(false, false)
	for i := range g.edges {
		g.edges[i].w = float32(0.1 + 0.9*r.Float64())
	}
	return g
}
