package hirag

import "testing"

// TestStoppedFit: a layer whose sparsity hardly differs from that below stops: its parts are
// not found, and no node is described for them.
func TestStoppedFit(t *testing.T) {
	t.Parallel()
	s := &system{p: Params{Dim: 2}}
	m := sixGroups()
	const sparse = 1 - 2280./14280
	for _, x := range []struct {
		before  float64
		stopped bool
	}{{sparse, true}, {sparse / 1.04, true}, {sparse / 1.06, false}, {firstSparsity, false}} {
		asked := 0
		f, err := s.findFit(t.Context(), "x", m, make([]uint64, m.Len()), x.before, func(int) (int, error) { asked++; return 1, nil })
		if err != nil {
			t.Fatal(err)
		}
		parts := 0
		for _, p := range f.Parts {
			if p != nil {
				parts++
			}
		}
		if f.Stopped != x.stopped || (asked == 0) != x.stopped || x.stopped && parts > 0 {
			t.Errorf("after %g: stopped %v, %d parts, %d nodes described", x.before, f.Stopped, parts, asked)
		}
	}
}
