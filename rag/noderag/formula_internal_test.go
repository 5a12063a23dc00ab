package noderag

import (
	"testing"
)

// TestCoreK: round(ln|V| sqrt(2|E|/|V|)), half to even; the values were worked
// out by Python's math and round.
func TestCoreK(t *testing.T) {
	for _, x := range []struct{ n, m, k, want int }{
		{1, 0, 0, 0},
		{2, 1, 0, 1},                // .693 * 1
		{10, 20, 0, 5},              // 2.3026 * 2 = 4.605
		{1000, 2000, 0, 14},         // 6.9078 * 2 = 13.816
		{162_030, 278_000, 0, 22},   // HotpotQA, Table 4: "20-22 at the paper's sizes"
		{162_030, 278_000, 3, 3},    // given
		{1_000_000, 500_000, 0, 14}, // 13.8155 * 1
	} {
		if got := coreK(x.n, x.m, x.k); got != x.want {
			t.Errorf("coreK(%d, %d, %d) = %d, want %d", x.n, x.m, x.k, got, x.want)
		}
	}
}

func TestBetweennessScale(t *testing.T) {
	for _, x := range []struct {
		n, scale int
		want     float64
	}{{1, 0, 0}, {3, 0, 0}, {4, 0, 1}, {10, 0, 1}, {31, 0, 1}, {32, 0, 2}, {1000, 0, 3}, {172_603, 0, 5}, {1000, 7, 7}} {
		if got := betweennessScale(x.n, x.scale); got != x.want {
			t.Errorf("betweennessScale(%d, %d) = %g, want %g", x.n, x.scale, got, x.want)
		}
	}
}

// TestClusters: K = ceil(sqrt n), and clusters only where n/K exceeds 39.
func TestClusters(t *testing.T) {
	for _, x := range []struct {
		n, least, k int
		divide      bool
	}{
		{0, 39, 0, false}, {1, 39, 1, false}, {2, 39, 2, false}, {4, 39, 2, false}, {5, 39, 3, false},
		{1521, 39, 39, false}, // 39 exactly
		{1522, 39, 40, false}, {1560, 39, 40, false}, {1561, 39, 40, true}, {1600, 39, 40, true},
		{1601, 39, 41, true},    // 39.05
		{21_068, 39, 146, true}, // HotpotQA: S + A + H
		{10, 0, 4, true},
	} {
		k, divide := clusters(x.n, x.least)
		if k != x.k || divide != x.divide {
			t.Errorf("clusters(%d, %d) = %d, %t, want %d, %t", x.n, x.least, k, divide, x.k, x.divide)
		}
	}
}

func TestAdvice(t *testing.T) {
	for _, x := range []struct {
		state communityState
		want  int
	}{
		{communityState{Nodes: 100, Moved: 10, Whole: 0.5, Now: 0.5}, 0},
		{communityState{Nodes: 100, Moved: 11, Whole: 0.5, Now: 0.5}, 1},
		{communityState{Nodes: 100, Whole: 0.5, Now: 0.4901}, 0},
		{communityState{Nodes: 100, Whole: 0.5, Now: 0.4899}, 1},
		{communityState{Nodes: 100, Moved: 50, Whole: 0.5, Now: 0.3}, 2},
		{communityState{}, 0},
	} {
		if got := advice(x.state); len(got) != x.want {
			t.Errorf("%+v: %v, want %d", x.state, got, x.want)
		}
	}
}
