package community_test

import (
	"testing"

	"github.com/ragdb/ragdb/rag/internal/community"
)

// TestAdvise: a new clustering is advised if much has moved or modularity fell.
func TestAdvise(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		moved, was, now float64
		want            []string
	}{
		{0, 0, 0, nil},
		{0.1, 0.5, 0.49, nil},
		{0, -0.1, -0.1, nil},
		{0.2, 0.5, 0.5, []string{"20 % of the nodes have moved since the communities were found"}},
		{0, 0.5, 0.4, []string{"the modularity of the communities fell from 0.500 to 0.400"}},
		{0.5, 0.5, 0.1, []string{
			"50 % of the nodes have moved since the communities were found", "the modularity of the communities fell from 0.500 to 0.100",
		}},
	} {
		got := community.Advise("the communities", x.moved, x.was, x.now)
		if len(got) != len(x.want) {
			t.Errorf("%+v: %+v", x, got)
			continue
		}
		for i, a := range got {
			if a.Action != "recluster" || a.Reason != x.want[i] {
				t.Errorf("%+v: advice %+v", x, a)
			}
		}
	}
}

// TestOutgrown: a clustering is too old for twice or half of its nodes.
func TestOutgrown(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		was, now int
		want     bool
	}{{10, 10, false}, {10, 19, false}, {10, 20, true}, {10, 6, false}, {10, 5, true}, {0, 1, false}, {0, 2, true}, {0, 0, true}, {3, 2, false}} {
		if got := community.Outgrown(x.was, x.now); got != x.want {
			t.Errorf("%d nodes, then %d: %v", x.was, x.now, got)
		}
	}
}
