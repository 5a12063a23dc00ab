package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/engine"
)

// measureLoad's value is the edges that were loaded in a second of processor
// time, nodes included. The sizes are those after compaction.
func measureLoad(ctx context.Context, b *graphBench, d *database) error {
	if b.out.Load == 0 {
		return inputError{errors.New("task load makes the database, and -db is there")}
	}
	b.out.Value = float64(b.out.Edges) / b.out.Load
	size, err := d.compact(ctx)
	if err != nil {
		return err
	}
	lists, err := d.store.DiskBytes(ctx, []byte{0x20}, []byte{0x23})
	if err != nil {
		return err
	}
	edges := float64(max(1, b.out.Edges))
	b.out.More = map[string]float64{
		"bytes an edge": size / edges, "of the lists": float64(lists) / edges, "load MB": b.out.loadMB,
	}
	return nil
}

// hopPage is how many neighbours are read at a time.
const hopPage = 4096

// measureHop reads the neighbours of drawn nodes, each once and all of them, in
// pages: of any nodes, or, as hop:ends, of neighbours of drawn nodes, of which more
// are hubs. The value is the mean number of neighbours.
func measureHop(ctx context.Context, b *graphBench, d *database) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	state := draw(b.seed)
	var store costs
	var degrees []float64
	err := d.db.View(ctx, func(s *engine.Snapshot) error {
		v := s.Graph(d.graph)
		all := roaring.New()
		for _, t := range v.NodeTypes() {
			nodes, err := v.Nodes(t)
			if err != nil {
				return err
			}
			all.Or(nodes)
		}
		b.out.Nodes = int(all.GetCardinality())
		page := make([]engine.Edge, 0, hopPage)
		for len(degrees) < b.queries {
			id, err := all.Select(state.below(b.out.Nodes))
			if err != nil {
				return err
			}
			if b.arg == "ends" {
				set, err := v.NeighborSet(engine.NodeID(id), engine.EdgeFilter{Direction: engine.Both})
				if err != nil {
					return err
				}
				if set.IsEmpty() {
					continue
				}
				if id, err = set.Select(state.below(int(set.GetCardinality()))); err != nil {
					return err
				}
			}
			n := 0
			err = store.time(func() (err error) {
				n, err = around(v, engine.NodeID(id), page)
				return err
			})
			if err != nil {
				return err
			}
			degrees = append(degrees, float64(n))
		}
		return nil
	})
	if err != nil {
		return err
	}
	b.out.setQueries(degrees, &costs{}, &store)
	return nil
}

// around reads all edges at a node in pages and returns how many there are.
func around(v *engine.View, id engine.NodeID, page []engine.Edge) (int, error) {
	n := 0
	for after := engine.NodeID(0); ; {
		got, err := v.Neighbors(id, engine.EdgeFilter{Direction: engine.Both}, after, page[:0])
		n += len(got)
		if err != nil || len(got) < cap(page) {
			return n, err
		}
		after = got[len(got)-1].Other(id)
	}
}

func parseEnds(arg string) error {
	if arg != "ends" {
		return fmt.Errorf("%q is not ends", arg)
	}
	return nil
}
