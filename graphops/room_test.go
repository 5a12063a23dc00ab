package graphops_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/ragdb/ragdb/graphops"
)

// TestProjectDraws: a projection draws what it takes from the memory budget of its
// database. It waits for other work that has the memory, and one that only a cache
// keeps gives way to other work.
func TestProjectDraws(t *testing.T) {
	m := newMessy(t, rand.New(rand.NewPCG(7, 9)), 2000, 200_000)
	v := viewOf(t, m.g)
	b := v.Graph().DB().Memory()
	before := b.Work()
	c := graphops.NewCache(1 << 30)
	p, err := c.Project(t.Context(), v, graphops.Spec{})
	if err != nil {
		t.Fatal(err)
	}
	if got := b.Work() - before; got < p.Bytes() {
		t.Errorf("a projection of %d bytes draws %d", p.Bytes(), got)
	}
	p = nil
	other := b.Begin()
	defer other.Close()
	if err := other.Grow(t.Context(), b.ForWork()-before-64<<10); err != nil {
		t.Errorf("beside a projection that only the cache keeps: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := c.Project(ctx, v, graphops.Spec{Weighted: true}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("beside work that has all memory: %v", err)
	}
	other.Close()
	if _, err := c.Project(t.Context(), v, graphops.Spec{Weighted: true}); err != nil {
		t.Errorf("after that work: %v", err)
	}
}
