package graphops

import (
	"cmp"
	"context"

	"github.com/ragdb/ragdb/engine"
)

// SCANOptions tune [SCAN]. The zero value is right for many graphs.
type SCANOptions struct {
	// Epsilon is the structural similarity from which on two neighbours are
	// alike, over 0 and at most 1. The default, 0, is 0.7.
	Epsilon float64
	// Mu is how many nodes, itself among them, a core is like. The default, 0,
	// is 2.
	Mu int
	// MaxBytes bounds the working memory and the result; 0 means no bound.
	MaxBytes int64
}

func (o *SCANOptions) ensureDefaults() SCANOptions {
	out := *o
	out.Epsilon = cmp.Or(out.Epsilon, 0.7)
	out.Mu = cmp.Or(out.Mu, 2)
	return out
}

func (o *SCANOptions) validate(p *Projection) error {
	switch {
	case !(o.Epsilon > 0 && o.Epsilon <= 1):
		return phase.Mark(engine.ErrInvalid, "Epsilon %v", o.Epsilon)
	case o.Mu < 1:
		return phase.Mark(engine.ErrInvalid, "Mu %d", o.Mu)
	case !p.symmetric:
		return phase.Mark(engine.ErrInvalid, "edges with a direction")
	}
	return nil
}

// SCANResult is what [SCAN] returns.
type SCANResult struct {
	// Partition has the cluster of each core and border; hubs and outliers are
	// in none. Clusters are numbered by their first core.
	Partition Partition
	// Roles has the role of each node: "core" if enough neighbours are similar
	// to it, "border" if it is in a cluster and no core, "hub" if it is in no
	// cluster and next to two or more, else "outlier".
	Roles []string
	// Compared is how many pairs of neighbours were compared neighbour by
	// neighbour; the others were decided by their degrees, or not needed.
	Compared int
}

// SCAN finds clusters of nodes that share neighbours, and the hubs and
// outliers between them. Weights do not matter; a projection whose edges have
// a direction is [engine.ErrInvalid].
//
// The similarity of two neighbours is the number of nodes that are within one
// step of both, themselves included, over the root of the product of the
// numbers within one step of each. A core is similar, by Epsilon, to Mu nodes
// at least, itself included. Similar cores are in one cluster, and so are
// nodes similar to a core: its borders. A border that is similar to cores of
// several clusters is in the one of its first such core. Of the other nodes,
// hubs have neighbours in two clusters at least, and the rest are outliers.
//
// Source: Xu, Yuruk, Feng, Schweiger, "SCAN: A Structural Clustering Algorithm
// for Networks", KDD 2007, with the pruning of Chang, Li, Lin, Qin, Zhang,
// "pSCAN", ICDE 2016: degrees may decide alone; a node is compared only until
// it is clear whether it is a core; cores that are in one cluster already, and
// borders that have one, are not compared; and comparing two rows ends as soon
// as the outcome is certain. Nodes are visited by falling degree. In SCAN a
// border is in a cluster that depends on the order of visits.
//
// It is O(m^1.5) at worst and mostly far less. Working memory is a byte and 4
// bytes a row entry, and 20 bytes a node. It runs on one goroutine.
func SCAN(ctx context.Context, p *Projection, o SCANOptions) (*SCANResult, error) {
	o = o.ensureDefaults()
	r, err := scanClusters(ctx, p, &o)
	if err != nil {
		return nil, phase.Errorf("scan: %w", err)
	}
	return r, nil
}

func scanClusters(ctx context.Context, p *Projection, o *SCANOptions) (*SCANResult, error) {
	if err := o.validate(p); err != nil {
		return nil, err
	}
	p, err := p.plain("scan")
	if err != nil {
		return nil, err
	}
	n := p.Len()
	if need := 5*int64(len(p.to)) + 24*int64(n); o.MaxBytes > 0 && need > o.MaxBytes {
		return nil, &MemoryError{Op: "scan", Need: need, Limit: o.MaxBytes}
	}
	back, err := backEntries(ctx, &p.csr)
	if err != nil {
		return nil, err
	}
	s := &scanState{
		ctx:      ctx,
		csr:      &p.csr,
		epsilon:  o.Epsilon,
		mu:       int32(min(o.Mu, n+1)),
		alike:    make([]scanAnswer, len(p.to)),
		back:     back,
		similar:  make([]int32, n),
		possible: make([]int32, n),
		parent:   make([]uint32, n),
	}
	if err := s.start(); err != nil {
		return nil, err
	}
	for _, u := range s.byDegree() {
		if err := s.visit(u); err != nil {
			return nil, err
		}
	}
	r, err := s.result()
	return r, err
}

// scanState is the state of SCAN.
type scanState struct {
	*csr
	ctx      context.Context
	epsilon  float64
	mu       int32
	alike    []scanAnswer // of each row entry
	back     []uint32     // of each row entry
	similar  []int32      // nodes known to be like u, itself included
	possible []int32      // and those not known not to be
	parent   []uint32     // of cores: union-find, roots are the lowest of a set
	compared int
	work     int // entries compared since ctx was looked at
}

// look returns the error of the context, if it has one, after each 64k entries
// of work.
func (s *scanState) look(entries int) error {
	if s.work += entries; s.work < 1<<16 {
		return nil
	}
	s.work = 0
	return s.ctx.Err()
}

// byDegree returns the nodes by falling degree, equal ones in order.
func (s *scanState) byDegree() []uint32 {
	n := s.Len()
	most := 0
	for u := range n {
		most = max(most, s.Degree(uint32(u)))
	}
	next := make([]uint32, most+2)
	for u := range n {
		next[most-s.Degree(uint32(u))+1]++
	}
	for d := range most + 1 {
		next[d+1] += next[d]
	}
	out := make([]uint32, n)
	for u := range n {
		d := most - s.Degree(uint32(u))
		out[next[d]] = uint32(u)
		next[d]++
	}
	return out
}

// visit decides whether u is a core, and joins it with the cores that are like
// it.
func (s *scanState) visit(u uint32) error {
	lo, hi := s.off[u], s.off[u+1]
	if err := s.look(int(hi-lo) + 1); err != nil {
		return err
	}
	for i := lo; i < hi && s.similar[u] < s.mu && s.possible[u] >= s.mu; i++ {
		if s.alike[i] == scanUnknown {
			if err := s.compare(u, i); err != nil {
				return err
			}
		}
	}
	if s.similar[u] < s.mu {
		return nil
	}
	for i := lo; i < hi; i++ {
		v := s.to[i]
		if s.similar[v] < s.mu || s.alike[i] == scanNo || s.find(u) == s.find(v) {
			continue
		}
		if s.alike[i] == scanUnknown {
			if err := s.compare(u, i); err != nil {
				return err
			}
		}
		if s.alike[i] == scanYes {
			s.union(u, v)
		}
	}
	return nil
}

// find returns the lowest core that u is known to be in a cluster with.
func (s *scanState) find(u uint32) uint32 {
	for s.parent[u] != u {
		s.parent[u] = s.parent[s.parent[u]]
		u = s.parent[u]
	}
	return u
}

func (s *scanState) union(u, v uint32) {
	u, v = s.find(u), s.find(v)
	s.parent[max(u, v)] = min(u, v)
}
