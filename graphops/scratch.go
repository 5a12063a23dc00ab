package graphops

// localScratch is what local operations work in. An adjacency keeps it from
// query to query if it can, so that they allocate what they return.
type localScratch struct {
	seen nodeMap
	ids  []uint32
	w    []float32
	walk walkScratch
	path pathScratch
}

// scratchKeeper is an adjacency that keeps scratch.
type scratchKeeper interface {
	takeScratch() *localScratch // nil if there is none
	keepScratch(s *localScratch)
}

// borrow returns scratch for one query on a, and what gives it back.
func borrow(a Adjacency) (s *localScratch, release func()) {
	keeper, ok := a.(scratchKeeper)
	if ok {
		s = keeper.takeScratch()
	}
	if s == nil {
		s = &localScratch{}
	}
	s.seen.reset()
	if !ok {
		return s, func() {}
	}
	return s, func() { keeper.keepScratch(s) }
}

func (p *Projection) takeScratch() *localScratch {
	if p.scratch == nil {
		return nil
	}
	s, _ := p.scratch.Get().(*localScratch)
	return s
}

func (p *Projection) keepScratch(s *localScratch) {
	if p.scratch != nil {
		p.scratch.Put(s)
	}
}

func (g *LocalGraph) takeScratch() *localScratch {
	if g.pool != nil {
		s, _ := g.pool.Get().(*localScratch)
		return s
	}
	s := g.scratch
	g.scratch = nil
	return s
}

func (g *LocalGraph) keepScratch(s *localScratch) {
	if g.pool != nil {
		g.pool.Put(s)
		return
	}
	g.scratch = s
}
