package noderag

import (
	"reflect"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
)

// TestPairs: an element is joined with what is in its community and in its cluster,
// and with nothing that has no cluster.
func TestPairs(t *testing.T) {
	in := func(community uint64, ids ...engine.NodeID) (out []rich) {
		for _, id := range ids {
			out = append(out, rich{about{id: id}, community})
		}
		return out
	}
	elements := append(in(1, 10, 11), in(2, 20)...)
	others := append(in(1, 100, 101, 102), in(2, 200, 201)...)
	none := graphops.None
	for _, x := range []struct {
		name   string
		labels []uint32
		want   [][2]engine.NodeID
	}{
		{"one cluster", make([]uint32, 8), [][2]engine.NodeID{
			{10, 100}, {10, 101}, {10, 102}, {11, 100}, {11, 101}, {11, 102}, {20, 200}, {20, 201},
		}},
		{"two clusters", []uint32{0, 1, 1 /**/, 0, 1, none, 1, 0}, [][2]engine.NodeID{{10, 100}, {11, 101}, {20, 200}}},
		{"an element without a cluster", []uint32{none, 1, 0 /**/, none, none, 1, 1, 1}, [][2]engine.NodeID{{11, 102}}},
	} {
		if got := pairsOf(elements, others, x.labels); !reflect.DeepEqual(got, x.want) {
			t.Errorf("%s: %v, want %v", x.name, got, x.want)
		}
	}
}

// TestChosen: of a line unit1 - a - unit2 - b - unit3 three paths go through a, four
// through unit2 and three through b: the mean is 2. Both entities are over it, and
// important if more than one unit mentions them. The core number of all is 1.
func TestChosen(t *testing.T) {
	g := &content{nodes: []contentNode{{1, 0, "unit1"}, {2, 0, "unit2"}, {3, 0, "unit3"}, {4, 1, "a"}, {5, 1, "b"}}}
	for _, e := range [][2]uint32{{0, 3}, {1, 3}, {1, 4}, {2, 4}} {
		g.edges = append(g.edges, graphops.WeightedEdge{From: e[0], To: e[1], Weight: 1})
	}
	for _, x := range []struct {
		name string
		p    Params
		a, b uint64 // weights
		want []chosen
	}{
		{"both weigh two", Params{Mentions: 1}, 2, 2, []chosen{{4, "betweenness"}, {5, "betweenness"}}},
		{"b weighs one", Params{Mentions: 1}, 2, 1, []chosen{{4, "betweenness"}}},
		{"none weighs enough", Params{Mentions: 2}, 2, 2, []chosen{}},
		{"whatever they weigh", Params{Mentions: 0}, 1, 1, []chosen{{4, "betweenness"}, {5, "betweenness"}}},
		{"twice the mean", Params{Mentions: 1, Scale: 2}, 2, 2, []chosen{}},
		{"the 1-core", Params{Mentions: 1, Core: 1}, 2, 1, []chosen{{4, "both"}}},
		{"the 1-core alone", Params{Mentions: 1, Core: 1, Scale: 2}, 1, 2, []chosen{{5, "core"}}},
	} {
		st := &importanceStage{s: &system{p: x.p}}
		got, err := st.choose(t.Context(), g, []uint64{0, 0, 0, x.a, x.b})
		if err != nil || !reflect.DeepEqual(got, x.want) {
			t.Errorf("%s: %v, %v, want %v", x.name, got, err, x.want)
		}
	}
}
