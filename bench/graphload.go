package main

import (
	"context"
	"math"
	"os"
	"strconv"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
)

// loadGraph loads a graph: its node types become node types, its weights are
// kept. Node u of the file gets the id u+1.
func (d *database) loadGraph(ctx context.Context, g *graphFile, directed bool) error {
	return d.loadEach(ctx, g.types, directed, func(add func(e weighted) error) error {
		for _, e := range g.edges {
			if err := add(e); err != nil {
				return err
			}
		}
		return nil
	})
}

// loadEach loads a graph of nodes of the given types and the edges that each adds.
func (d *database) loadEach(ctx context.Context, nodes []byte, directed bool, each func(add func(e weighted) error) error) error {
	return d.db.Load(ctx, d.graph, func(l *engine.Loader) error {
		var types [256]engine.TypeID
		var known [256]bool
		for u, t := range nodes {
			if !known[t] {
				var err error
				if types[t], err = l.MakeNodeType("type" + strconv.Itoa(int(t))); err != nil {
					return err
				}
				known[t] = true
			}
			if _, err := l.Node(types[t], strconv.Itoa(u), nil); err != nil {
				return err
			}
		}
		t, err := l.MakeEdgeType("edge", directed)
		if err != nil {
			return err
		}
		return each(func(e weighted) error {
			return l.Edge(engine.NodeID(e.from)+1, engine.NodeID(e.to)+1, t, e.w)
		})
	})
}

// project returns the projection of the whole graph.
func (d *database) project(ctx context.Context, weights bool, workers int) (*graphops.Projection, error) {
	return d.projectWithin(ctx, weights, workers, math.MaxInt64)
}

// projectWithin returns the projection of the whole graph, made within so many
// bytes, 0 being the budget of the database.
func (d *database) projectWithin(ctx context.Context, weights bool, workers int, bytes int64) (p *graphops.Projection, err error) {
	err = d.db.View(ctx, func(s *engine.Snapshot) error {
		p, err = graphops.Project(ctx, s.Graph(d.graph), graphops.Spec{
			Weighted: weights, Workers: workers, MaxBytes: bytes,
		})
		return err
	})
	return p, err
}

// numberOf returns the number that node u of a file has in a projection.
func numberOf(p *graphops.Projection, u uint32) uint32 {
	n, _ := p.Index(engine.NodeID(u) + 1)
	return n
}

// forgetPeak resets the peak of resident memory, if the system
// can.
func forgetPeak() {
	// If it cannot, the peak holds what was before.
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)
}

// peakMegabytes returns the most memory that was resident, in MB of 2^20
// bytes, 0 if the system does not tell.
func peakMegabytes() float64 { return float64(procKilobytes("/proc/self/status", "VmHWM")) / (1 << 20) }
