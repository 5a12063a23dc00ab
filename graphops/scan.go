package graphops

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/ragdb/ragdb/engine"
)

// ScanRole is what a node is to the clusters that [SCAN] finds.
type ScanRole uint8

// The roles of nodes.
const (
	// ScanOutlier is in no cluster and next to one at most.
	ScanOutlier ScanRole = iota
	// ScanHub is in no cluster and next to two or more.
	ScanHub
	// ScanBorder is in a cluster as one that is like a core.
	ScanBorder
	// ScanCore has enough neighbours that are like it.
	ScanCore
)

// SCANOptions tune [SCAN]. The zero value is right for many graphs.
type SCANOptions struct {
	// Epsilon is the structural similarity from which on two neighbours are
	// alike, over 0 and at most 1. The default, 0, is 0.7.
	Epsilon float64
	// Mu is how many nodes, itself among them, a core is like. The default, 0,
	// is 2.
	Mu int
	// MaxBytes bounds the working memory and the result; 0 is no bound.
	MaxBytes int64
	// Progress is called at most ten times a second with the nodes done.
	Progress func(Progress)
}

func (o *SCANOptions) ensureDefaults() SCANOptions {
	out := *o
	if out.Epsilon == 0 {
		out.Epsilon = 0.7
	}
	if out.Mu == 0 {
		out.Mu = 2
	}
	return out
}

func (o *SCANOptions) validate(p *Projection) error {
	switch {
	case !(o.Epsilon > 0 && o.Epsilon <= 1):
		return fmt.Errorf("%w: Epsilon %v", engine.ErrInvalid, o.Epsilon)
	case o.Mu < 1:
		return fmt.Errorf("%w: Mu %d", engine.ErrInvalid, o.Mu)
	case !p.symmetric:
		return fmt.Errorf("%w: edges with a direction", engine.ErrInvalid)
	}
	return nil
}

// SCANResult is what [SCAN] returns.
type SCANResult struct {
	// Partition has the cluster of each core and border; hubs and outliers are
	// in none. Clusters are numbered by their first core.
	Partition Partition
	// Roles has the role of each node.
	Roles []ScanRole
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
		return nil, fmt.Errorf("graphops: scan: %w", err)
	}
	return r, nil
}

func scanClusters(ctx context.Context, p *Projection, o *SCANOptions) (*SCANResult, error) {
	if err := o.validate(p); err != nil {
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
	progress := newReporter(o.Progress, "scan")
	for i, u := range s.byDegree() {
		if err := s.visit(u); err != nil {
			return nil, err
		}
		if i%256 == 0 && i > 0 {
			progress.step(i, n)
		}
	}
	r, err := s.result()
	progress.step(n, n)
	return r, err
}

// backEntries returns for each entry of symmetric rows where the same edge is
// in the row of its other end. O(n + m).
func backEntries(ctx context.Context, c *csr) ([]uint32, error) {
	next := slices.Clone(c.off)
	out := make([]uint32, len(c.to))
	checked := uint32(0)
	for u := range c.Len() {
		if c.off[u+1]-checked >= 1<<16 {
			checked = c.off[u+1]
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
		for i := c.off[u]; i < c.off[u+1]; i++ {
			// Rows are ascending, so u's come to v's row in order.
			v := c.to[i]
			out[i] = next[v]
			next[v]++
		}
	}
	return out, nil
}

// scanAnswer says whether the ends of an edge are alike.
type scanAnswer uint8

const (
	scanUnknown scanAnswer = iota
	scanYes
	scanNo
)

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

// start decides what degrees decide.
func (s *scanState) start() error {
	for u := range s.Len() {
		s.parent[u] = uint32(u)
		s.similar[u]++
		s.possible[u]++
		du := s.off[u+1] - s.off[u] + 1
		if err := s.look(int(du)); err != nil {
			return err
		}
		at, _ := slices.BinarySearch(s.to[s.off[u]:s.off[u+1]], uint32(u))
		for i := s.off[u] + uint32(at); i < s.off[u+1]; i++ {
			v := s.to[i]
			dv := s.off[v+1] - s.off[v] + 1
			answer := scanUnknown
			switch need := s.need(du, dv); {
			case need <= 2:
				answer = scanYes
				s.similar[u]++
				s.similar[v]++
			case need > min(du, dv):
				s.alike[i], s.alike[s.back[i]] = scanNo, scanNo
				continue
			}
			s.alike[i], s.alike[s.back[i]] = answer, answer
			s.possible[u]++
			s.possible[v]++
		}
	}
	return nil
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

// need returns how many nodes must be within one step of two nodes that have
// du and dv within one step, so that they are alike.
func (s *scanState) need(du, dv uint32) uint32 {
	root := math.Sqrt(float64(uint64(du) * uint64(dv)))
	c := uint32(s.epsilon * root)
	for c > 0 && float64(c-1)/root >= s.epsilon {
		c--
	}
	for float64(c)/root < s.epsilon {
		c++
	}
	return c
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

// compare decides whether u and the end of its entry i are alike.
func (s *scanState) compare(u, i uint32) error {
	v := s.to[i]
	a, b := s.to[s.off[u]:s.off[u+1]], s.to[s.off[v]:s.off[v+1]]
	s.compared++
	if err := s.look(len(a) + len(b)); err != nil {
		return err
	}
	// Each counts the other and itself.
	yes := shareAtLeast(a, b, int(s.need(uint32(len(a))+1, uint32(len(b))+1))-2)
	answer := scanNo
	if yes {
		answer = scanYes
	}
	for _, e := range [2]struct{ node, entry uint32 }{{u, i}, {v, s.back[i]}} {
		s.alike[e.entry] = answer
		if yes {
			s.similar[e.node]++
		} else {
			s.possible[e.node]--
		}
	}
	return nil
}

// shareAtLeast reports whether two ascending lists have need values in common.
func shareAtLeast(a, b []uint32, need int) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(b) > 32*len(a) {
		return shareGalloping(a, b, need)
	}
	i, j := 0, 0
	spareA, spareB := len(a)-need, len(b)-need // how many may still be missed
	for need > 0 && spareA >= 0 && spareB >= 0 {
		if i == len(a) || j == len(b) {
			return false
		}
		switch x, y := a[i], b[j]; {
		case x < y:
			i++
			spareA--
		case x > y:
			j++
			spareB--
		default:
			i++
			j++
			need--
		}
	}
	return need <= 0
}

// shareGalloping is shareAtLeast for a much longer b.
func shareGalloping(a, b []uint32, need int) bool {
	for k, x := range a {
		if need <= 0 || need > len(a)-k {
			break
		}
		step := 1
		for step < len(b) && b[step] < x {
			step *= 2
		}
		at, found := slices.BinarySearch(b[:min(step+1, len(b))], x)
		b = b[at:]
		if found {
			need--
		}
	}
	return need <= 0
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

// result gives all nodes their clusters and roles.
func (s *scanState) result() (*SCANResult, error) {
	n := s.Len()
	r := &SCANResult{Roles: make([]ScanRole, n), Partition: Partition{Of: make([]uint32, n)}}
	of := r.Partition.Of
	for u := range of {
		of[u] = None
		if s.similar[u] >= s.mu {
			r.Roles[u] = ScanCore
			of[u] = s.find(uint32(u))
		}
	}
	for u := range uint32(n) {
		if r.Roles[u] == ScanCore {
			continue
		}
		core, err := s.coreOf(u, r.Roles)
		if err != nil {
			return nil, err
		}
		if core != none {
			r.Roles[u] = ScanBorder
			of[u] = s.find(core)
		}
	}
	for u := range uint32(n) {
		if of[u] == None && s.betweenClusters(u, of) {
			r.Roles[u] = ScanHub
		}
	}
	r.Partition.Count = s.number(of)
	r.Compared = s.compared
	return r, nil
}

// coreOf returns the first core that is like u, or none.
func (s *scanState) coreOf(u uint32, roles []ScanRole) (uint32, error) {
	for i := s.off[u]; i < s.off[u+1]; i++ {
		v := s.to[i]
		if roles[v] != ScanCore {
			continue
		}
		if s.alike[i] == scanUnknown {
			if err := s.compare(u, i); err != nil {
				return none, err
			}
		}
		if s.alike[i] == scanYes {
			return v, nil
		}
	}
	return none, nil
}

// betweenClusters reports whether u has neighbours in two clusters.
func (s *scanState) betweenClusters(u uint32, of []uint32) bool {
	first := None
	for _, v := range s.to[s.off[u]:s.off[u+1]] {
		switch c := of[v]; {
		case c == None || c == first:
		case first == None:
			first = c
		default:
			return true
		}
	}
	return false
}

// number replaces the first cores of clusters by the numbers 0, 1, ... in
// their order, and returns how many there are.
func (s *scanState) number(of []uint32) int {
	number, count := s.parent, uint32(0)
	for u, c := range of {
		if c == uint32(u) {
			number[u] = count
			count++
		}
	}
	for u, c := range of {
		if c != None {
			of[u] = number[c]
		}
	}
	return int(count)
}
