package graphops_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
)

// A node has the same neighbours in the store as in a projection.
func TestLocalAgreesWithProjection(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(11, 2))
	m := newMessy(t, r, 900, 5000)
	update(t, m.g, func(v *engine.TxView) error {
		// A hub, its parallel edges and its loop, read in several pages.
		hub, _, err := v.PutNode(m.nodes[1], "hub", nil)
		if err != nil {
			return err
		}
		set, err := v.Nodes(m.nodes[1])
		if err != nil {
			return err
		}
		if both, err := v.Nodes(m.nodes[2]); err != nil {
			return err
		} else {
			set.Or(both)
		}
		for it := set.Iterator(); it.HasNext(); {
			id := engine.NodeID(it.Next())
			for _, kind := range m.edges[:3] {
				if err := v.AddEdge(hub, id, kind, float32(r.IntN(8))/4); err != nil {
					return err
				}
			}
		}
		return nil
	})
	v := viewOf(t, m.g)
	for _, f := range []engine.EdgeFilter{
		{}, {Direction: engine.In}, {Direction: engine.Both}, {Types: m.edges[:2]}, {Types: []engine.EdgeType{}},
	} {
		t.Run(fmt.Sprint(f), func(t *testing.T) {
			s := graphops.Spec{Edges: f.Types, Direction: f.Direction, Weighted: true}
			p := must(graphops.Project(t.Context(), v, s))(t)
			g := graphops.Local(v, f)
			longest, last := 0, engine.NodeID(0)
			for u := range uint32(p.Len()) {
				id := p.NodeOf(u)
				want, weights := rowByID(p, u)
				// What is in the slices stays there.
				ids, w := g.Neighbors(uint32(id), []uint32{7}, []float32{7})
				if !slices.Equal(ids, append([]uint32{7}, want...)) || !slices.Equal(w, append([]float32{7}, weights...)) {
					t.Fatalf("neighbours of %d: %v %v, want %v %v", id, ids, w, want, weights)
				}
				if g.Degree(uint32(id)) != len(want) {
					t.Fatalf("degree of %d: %d, want %d", id, g.Degree(uint32(id)), len(want))
				}
				ends, loop := g.Loop(uint32(id))
				if wantEnds, wantLoop := p.Loop(u); ends != wantEnds || loop != wantLoop {
					t.Fatalf("loop of %d: %d %v, want %d %v", id, ends, loop, wantEnds, wantLoop)
				}
				longest, last = max(longest, len(want)), max(last, id)
			}
			if f.Direction == engine.Both && longest <= 512 {
				t.Errorf("the longest list has %d neighbours: paging is not tested", longest)
			}
			if g.Len() != int(last)+1 || g.Err() != nil {
				t.Errorf("Len is %d, want %d; %v", g.Len(), last+1, g.Err())
			}
		})
	}
}

// rowByID returns the node ids in a row, ascending, and their weights.
func rowByID(p *graphops.Projection, u uint32) (ids []uint32, weights []float32) {
	row, w := p.Row(u)
	at := make([]int, len(row))
	for i := range at {
		at[i] = i
	}
	slices.SortFunc(at, func(a, b int) int { return cmp.Compare(p.NodeOf(row[a]), p.NodeOf(row[b])) })
	for _, i := range at {
		ids, weights = append(ids, uint32(p.NodeOf(row[i]))), append(weights, w[i])
	}
	return ids, weights
}

func TestLocalKeepsItsError(t *testing.T) {
	m := newMessy(t, rand.New(rand.NewPCG(1, 1)), 20, 60)
	v := viewOf(t, m.g)
	ctx, cancel := context.WithCancel(t.Context())
	g := graphops.Local(v.WithContext(ctx), engine.EdgeFilter{Direction: engine.Both})
	hub := uint32(m.ids[0])
	for _, id := range m.ids {
		if g.Degree(uint32(id)) > g.Degree(hub) {
			hub = uint32(id)
		}
	}
	if g.Degree(hub) == 0 || g.Err() != nil {
		t.Fatal("no edges", g.Err())
	}
	cancel()
	if ids, w := g.Neighbors(hub, []uint32{1}, []float32{1}); len(ids) != 1 || len(w) != 1 {
		t.Errorf("neighbours after the end: %v %v", ids, w)
	}
	if !errors.Is(g.Err(), context.Canceled) {
		t.Errorf("error: %v", g.Err())
	}
	if g.Degree(hub) != 0 || g.Len() != 0 {
		t.Error("reads go on after an error")
	}
}
