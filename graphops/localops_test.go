package graphops_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
)

// What reads from the store returns the store's error, and the context's.
func TestLocalOperationsReturnErrors(t *testing.T) {
	m := newMessy(t, rand.New(rand.NewPCG(1, 1)), 40, 300)
	v := viewOf(t, m.g)
	dead, cancel := context.WithCancel(t.Context())
	cancel()
	from, to := uint32(m.ids[3]), uint32(m.ids[9])
	operations := map[string]func(ctx context.Context, a graphops.Adjacency) error{
		"ppr": func(ctx context.Context, a graphops.Adjacency) error {
			_, err := graphops.PPR(ctx, a, seedsOf(from), graphops.PPROptions{})
			return err
		},
		"degrees": func(ctx context.Context, a graphops.Adjacency) error {
			_, err := graphops.PPR(ctx, a, seedsOf(from), graphops.PPROptions{Weights: graphops.DegreeWeights})
			return err
		},
		"path": func(ctx context.Context, a graphops.Adjacency) error {
			_, err := graphops.ShortestPath(ctx, a, from, to, graphops.PathOptions{})
			return err
		},
		"weighted path": func(ctx context.Context, a graphops.Adjacency) error {
			_, err := graphops.WeightedPath(ctx, a, from, to, graphops.PathOptions{})
			return err
		},
		"chain": func(ctx context.Context, a graphops.Adjacency) error {
			_, err := graphops.PathChain(ctx, a, []uint32{from, to}, graphops.PathOptions{})
			return err
		},
		"expand": func(ctx context.Context, a graphops.Adjacency) error {
			_, err := graphops.Expand(ctx, a, []uint32{from}, graphops.ExpandOptions{})
			return err
		},
	}
	for name, run := range operations {
		t.Run(name, func(t *testing.T) {
			if err := run(t.Context(), graphops.Local(v, engine.EdgeFilter{})); err != nil {
				t.Fatal(err)
			}
			if err := run(dead, graphops.Local(v, engine.EdgeFilter{})); !errors.Is(err, context.Canceled) {
				t.Errorf("context: %v", err)
			}
			if err := run(t.Context(), graphops.Local(v.WithContext(dead), engine.EdgeFilter{})); !errors.Is(err, context.Canceled) {
				t.Errorf("store: %v", err)
			}
		})
	}
}

// Long operations end soon after their context.
func TestLocalOperationsAreCancelled(t *testing.T) {
	s := rmat(14, 12, 1, 4)
	p := s.project(t, true)
	for name, run := range map[string]func(ctx context.Context) error{
		"ppr": func(ctx context.Context) error {
			_, err := graphops.PPR(ctx, p, seedsOf(5), graphops.PPROptions{Steps: 1 << 30})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctx := &endsAfter{Context: t.Context(), left: 4}
			if err := run(ctx); !errors.Is(err, context.Canceled) {
				t.Errorf("%v", err)
			}
		})
	}
}

// A query works in what the one before it has left; results are the caller's.
func TestLocalOperationsShareNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 1))
	edges := randomEdges(r, 300, 900)
	p := must(graphops.FromEdges(300, edges, graphops.EdgeOptions{Weighted: true}))(t)
	type answer struct {
		scores []graphops.Scored
		path   *graphops.Path
		near   *graphops.Neighborhood
	}
	var kept []answer
	ask := func(a graphops.Adjacency, u, v uint32) answer {
		return answer{
			must(graphops.PPR(t.Context(), a, seedsOf(u, v), graphops.PPROptions{}))(t).Scores,
			must(graphops.WeightedPath(t.Context(), a, u, v, graphops.PathOptions{}))(t),
			must(graphops.Expand(t.Context(), a, []uint32{u}, graphops.ExpandOptions{}))(t),
		}
	}
	for u := range uint32(50) {
		fresh := must(graphops.FromEdges(300, edges, graphops.EdgeOptions{Weighted: true}))(t)
		got, want := ask(p, u, 2*u+1), ask(fresh, u, 2*u+1)
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("query %d: %+v, want %+v", u, got, want)
		}
		kept = append(kept, got)
	}
	// Many may ask a projection at once.
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for u := range uint32(50) {
				r, err := graphops.PPR(t.Context(), p, seedsOf(u, 2*u+1), graphops.PPROptions{})
				if err != nil || !slices.Equal(r.Scores, kept[u].scores) {
					t.Errorf("query %d: %v, %v; was %v", u, r, err, kept[u].scores)
				}
			}
		})
	}
	wg.Wait()
	for u := range uint32(50) {
		if again := ask(p, u, 2*u+1); !reflect.DeepEqual(again, kept[u]) {
			t.Fatalf("query %d changed: %+v, is %+v", u, kept[u], again)
		}
	}
}
