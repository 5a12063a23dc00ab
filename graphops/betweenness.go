package graphops

import (
	"cmp"
	"context"
	"slices"

	"github.com/ragdb/ragdb/engine"
)

// BetweennessOptions tune [Betweenness]. The zero value computes exact scores.
type BetweennessOptions struct {
	// Sources is how many nodes are drawn, uniformly and independently, whose
	// shortest paths are counted for those of all. 0, and as many as there are
	// nodes or more, is every node once: exact.
	Sources int
	// SourceNodes are the sources to use instead, as numbers of the
	// projection. One that is given twice counts twice. nil is none given.
	SourceNodes []uint32
	// Epsilon, between 0 and 1, asks for scores that are right within it as
	// normalised ones, with probability 1-Delta, from random paths between
	// random pairs of nodes: it decides how many are drawn. 0 is not to.
	Epsilon float64
	// Lengths has the weights of the projection as lengths of edges, all above
	// 0: the shortest path is the one of the least sum. Else it is the one of
	// the fewest edges. Similarities are not lengths; 1/x of them may be.
	Lengths bool
	// Normalised divides scores by the number of pairs of other nodes.
	Normalised bool
	// Delta is the probability, between 0 and 1, with which the bound of the
	// error may be missed. The default, 0, is 0.1.
	Delta float64
	// Seed decides which sources or paths are drawn. 0 is a seed like any other.
	Seed uint64
	// MaxBytes bounds the working memory, the result among it; 0 means no bound.
	// Fewer goroutines are used if there is no room for more.
	MaxBytes int64
	// Workers bounds the goroutines; 0 is one for each processor. The result
	// does not depend on it.
	Workers int
}

func (o *BetweennessOptions) ensureDefaults() BetweennessOptions {
	out := *o
	out.Delta = cmp.Or(out.Delta, 0.1)
	return out
}

func (o *BetweennessOptions) validate(n int) error {
	switch {
	case o.Sources < 0:
		return phase.Mark(engine.ErrInvalid, "Sources %d", o.Sources)
	case o.Sources > 0 && o.SourceNodes != nil:
		return phase.Mark(engine.ErrInvalid, "both Sources and SourceNodes")
	case o.SourceNodes != nil && len(o.SourceNodes) == 0:
		return phase.Mark(engine.ErrInvalid, "no SourceNodes")
	case !(o.Epsilon >= 0 && o.Epsilon < 1):
		return phase.Mark(engine.ErrInvalid, "Epsilon %v", o.Epsilon)
	case o.Epsilon > 0 && (o.Sources > 0 || o.SourceNodes != nil):
		return phase.Mark(engine.ErrInvalid, "Epsilon with sources")
	case o.Epsilon > 0 && o.Lengths:
		return phase.Mark(engine.ErrInvalid, "Epsilon with Lengths")
	case !(o.Delta > 0 && o.Delta < 1):
		return phase.Mark(engine.ErrInvalid, "Delta %v", o.Delta)
	}
	for _, u := range o.SourceNodes {
		if int64(u) >= int64(n) {
			return phase.Mark(engine.ErrInvalid, "source %d of %d nodes", u, n)
		}
	}
	return nil
}

// BetweennessResult is what [Betweenness] returns.
type BetweennessResult struct {
	// Scores has the betweenness of each node.
	Scores []float64
	// Sources is how many sources were used, one that was drawn twice counted
	// twice; 0 with Epsilon.
	Sources int
	// Paths is how many paths were drawn, 0 without Epsilon.
	Paths int
	// ErrorBound bounds the distance of every score from the exact one, except
	// with probability Delta. It is 0 if scores are exact, and in units of
	// Scores. If it is not below the largest score, the scores are only a
	// ranking.
	ErrorBound float64
}

// Betweenness returns for each node how many shortest paths lead through it:
// the sum, over all pairs of other nodes, of the share of the shortest paths
// between them that contain it. If the projection is symmetric, a pair
// counts once, else once for each direction. The shortest path is the one of
// fewest edges, with Lengths the one of the least sum of weights. With
// Normalised the sum is divided by the number of pairs, (n-1)(n-2)/2 or
// (n-1)(n-2). Both are as in networkx; graphs of less than three nodes score 0.
//
// With Sources or SourceNodes only paths from these are counted, and scaled by
// n/k for k sources. The result has a bound of the error that this makes: the
// smaller of Hoeffding's, n/(n-1) sqrt(ln(4n/Delta)/(2k)) for normalised
// scores, and the empirical Bernstein bound of the node of largest variance.
// For 173,000 nodes that is 0.9 for 10 sources and 0.17 for 256, and the
// largest score may be no larger: few sources give a ranking, not a
// measurement. The bound needs sources that were drawn uniformly and
// independently, as Sources are; SourceNodes may not be.
//
// With Epsilon, random shortest paths between random pairs are drawn, and
// scores are the share of them that a node is inside of. How many it takes
// grows with the logarithm of the length of the longest shortest path, of which
// a bound is found first. To be within 0.01, 31,500 paths do in a graph of
// 173,000 nodes in which no distance is above 16, and would be 75,000
// sources.
//
// Source: Brandes, "A Faster Algorithm for Betweenness Centrality", 2001;
// Brandes and Pich, "Centrality Estimation in Large Networks", 2007, for the
// sample; Maurer and Pontil, "Empirical Bernstein Bounds and Sample Variance
// Penalization", 2009, for the bound. The search is direction-optimising
// (Beamer, Asanovic, Patterson, 2012) if the projection is symmetric.
// Riondato and Kornaropoulos, "Fast Approximation of Betweenness Centrality
// through Sampling", 2016, for the number of paths, with their constant c =
// 1/2, which is measured, not proved; if the projection is not symmetric,
// the vertex diameter is bounded by the size of the largest component. Borassi
// and Natale, "KADABRA", 2016, section 4, for how paths are drawn. If more
// shortest paths lead from one node than a float64 counts, 10^308, the error
// is [engine.ErrInvalid].
//
// O(k (n + m)), with Lengths O(k (n + m) log n). Working memory is 8 bytes a
// node, and for each worker 44 a node and 4 an edge; with a sample, 8 a node
// more for each. With Epsilon it is 32 bytes a node, and 32 for each worker;
// if the projection is not symmetric, the reversed rows with 16 bytes a node
// more. The result does not depend on the number of workers.
func Betweenness(ctx context.Context, p *Projection, o BetweennessOptions) (*BetweennessResult, error) {
	o = o.ensureDefaults()
	r, err := betweenness(ctx, p, &o)
	if err != nil {
		return nil, phase.Errorf("betweenness: %w", err)
	}
	return r, nil
}

func betweenness(ctx context.Context, p *Projection, o *BetweennessOptions) (*BetweennessResult, error) {
	n := p.Len()
	if err := o.validate(n); err != nil {
		return nil, err
	}
	p, err := p.plain("betweenness")
	if err != nil {
		return nil, err
	}
	if o.Lengths {
		if err := lengthsOf(p); err != nil {
			return nil, err
		}
	}
	if o.Epsilon > 0 {
		return samplePaths(ctx, p, o)
	}
	b := &betweennessRun{p: p, lengths: o.Lengths, sources: sourcesOf(n, o)}
	for _, s := range b.sources {
		b.k += int(s.times)
	}
	sampled := len(b.sources) < n || b.k > n
	fixed, each := 8*int64(n), brandesBytes(p)+8*int64(n)
	if sampled {
		fixed, each = fixed+8*int64(n), each+8*int64(n)
	}
	workers := max(1, min(workersOf(o.Workers), b.chunks()))
	if o.MaxBytes > 0 {
		fit := (o.MaxBytes - fixed) / max(1, each)
		if fit < 1 {
			return nil, &MemoryError{Op: "betweenness", Need: fixed + each, Limit: o.MaxBytes}
		}
		workers = int(min(int64(workers), fit))
	}
	b.sum = make([]float64, n)
	if sampled {
		b.squares = make([]float64, n)
	}
	if err := b.run(ctx, workers); err != nil {
		return nil, err
	}
	r := &BetweennessResult{Scores: b.sum, Sources: b.k}
	pairs := float64(n-1) * float64(n-2)
	scale := 1.0 // of the sum over all sources
	switch {
	case o.Normalised && n < 3:
	case o.Normalised:
		scale = 1 / pairs
	case p.symmetric:
		scale = 0.5 // each pair was counted from both its ends
	}
	if sampled {
		// The bound is one of normalised scores.
		r.ErrorBound = dependencyBound(b.sum, b.squares, b.k, o.Delta) * (pairs * scale)
		scale *= float64(n) / float64(b.k)
	}
	for u := range r.Scores {
		r.Scores[u] *= scale
	}
	return r, nil
}

// lengthsOf returns an error if a weight cannot be a length.
func lengthsOf(p *Projection) error {
	if err := p.checkLoops(); err != nil {
		return err
	}
	for u := range p.Len() {
		to, w := p.Row(uint32(u))
		for i, x := range w {
			if !(x > 0) {
				return p.weightError(uint32(u), to[i], x)
			}
		}
	}
	return nil
}

// betweennessStream is the key of the stream that draws the sources.
const betweennessStream = 0xbc << 32

// A source is a node that paths are counted from.
type source struct {
	node  uint32
	times uint32 // how often it counts
}

// sourcesOf returns the sources, ascending.
func sourcesOf(n int, o *BetweennessOptions) []source {
	var nodes []uint32
	switch {
	case o.SourceNodes != nil:
		nodes = slices.Clone(o.SourceNodes)
	case o.Sources == 0 || o.Sources >= n:
		out := make([]source, n)
		for u := range out {
			out[u] = source{uint32(u), 1}
		}
		return out
	default:
		random := newStream(o.Seed, betweennessStream)
		nodes = make([]uint32, o.Sources)
		for i := range nodes {
			nodes[i] = uint32(random.below(uint64(n)))
		}
	}
	slices.Sort(nodes)
	var out []source
	for _, u := range nodes {
		if last := len(out) - 1; last >= 0 && out[last].node == u {
			out[last].times++
		} else {
			out = append(out, source{u, 1})
		}
	}
	return out
}

// betweennessRun adds up dependencies. The sources are cut into chunks that
// depend on the graph alone; each is added up by itself, and the chunks in
// order.
type betweennessRun struct {
	p       *Projection
	lengths bool
	sources []source
	k       int       // how often sources count
	sum     []float64 // of dependencies
	squares []float64 // of their squares; nil if not wanted
}

// chunkWork is how many nodes and entries a chunk visits at least, so that
// what a chunk costs by itself, a pass over the nodes, is little beside.
const chunkWork = 1 << 20

// maxChunks bounds the chunks, for the same reason if sources reach little.
const maxChunks = 1 << 10

func (b *betweennessRun) chunkSize() int {
	return max(1, chunkWork/(b.p.Len()+len(b.p.to)+1), len(b.sources)/maxChunks)
}

func (b *betweennessRun) chunks() int {
	return (len(b.sources) + b.chunkSize() - 1) / b.chunkSize()
}

// A betweennessWorker has what one goroutine needs, and the sums of one chunk.
type betweennessWorker struct {
	*brandes
	sum, squares []float64
}

// run does the chunks in rounds of one for each worker.
func (b *betweennessRun) run(ctx context.Context, workers int) error {
	n := b.p.Len()
	team := make([]betweennessWorker, workers)
	for i := range team {
		team[i] = betweennessWorker{brandes: newBrandes(b.p, b.lengths), sum: make([]float64, n)}
		if b.squares != nil {
			team[i].squares = make([]float64, n)
		}
	}
	size, chunks := b.chunkSize(), b.chunks()
	for first := 0; first < chunks; first += workers {
		round := min(workers, chunks-first)
		err := parallel(ctx, round, round, func(_, i int) error {
			w := &team[i]
			lo := (first + i) * size
			for _, s := range b.sources[lo:min(lo+size, len(b.sources))] {
				if err := w.run(ctx, s.node, float64(s.times), w.sum, w.squares); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		for i := range team[:round] {
			b.add(&team[i])
		}
	}
	return nil
}

// add takes over the sums of a chunk.
func (b *betweennessRun) add(w *betweennessWorker) {
	for u, x := range w.sum {
		b.sum[u] += x
	}
	clear(w.sum)
	for u, x := range w.squares {
		b.squares[u] += x
	}
	clear(w.squares)
}
