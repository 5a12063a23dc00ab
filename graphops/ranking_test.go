package graphops_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/graphops"
)

func TestTopPerType(t *testing.T) {
	m := newMessy(t, rand.New(rand.NewPCG(4, 4)), 200, 900)
	v := viewOf(t, m.g)
	p := must(graphops.Project(t.Context(), v, graphops.Spec{}))(t)
	types := must(graphops.ReadNodeTypes(v))(t)
	g := graphops.Local(v, engine.EdgeFilter{})
	for u := range uint32(p.Len()) {
		id := p.NodeOf(u)
		n := must(v.Node(id))(t)
		if p.TypeOf(u) != n.Type || types.TypeOf(uint32(id)) != n.Type || g.TypeOf(uint32(id)) != n.Type {
			t.Fatalf("node %d: %d %d %d, want %d", id, p.TypeOf(u), types.TypeOf(uint32(id)), g.TypeOf(uint32(id)), n.Type)
		}
	}
	version := must(v.Version())(t)
	if p.TypeOf(uint32(p.Len())) != 0 || types.TypeOf(1<<20) != 0 || types.TypeOf(0) != 0 || g.TypeOf(1<<20) != 0 ||
		undirected(t, 2).TypeOf(1) != 0 || types.Version() != version || g.Err() != nil {
		t.Error("types of no nodes")
	}

	a, b, c := m.nodes[0], m.nodes[1], m.nodes[2]
	typeOf := func(u uint32) engine.TypeID { return []engine.TypeID{a, b, c, 0}[u%4] }
	scores := seedsOf(3, 0, 4, 1, 8, 2, 12, 5, 6, 7, 9)
	for _, test := range []struct {
		name   string
		quotas []graphops.Quota
		want   [][]graphops.Scored
		asked  int
	}{
		{"one type", []graphops.Quota{{Types: []engine.TypeID{a}, Most: 2}}, [][]graphops.Scored{seedsOf(0, 4)}, 3},
		{"two quotas", []graphops.Quota{{Types: []engine.TypeID{c}, Most: 1}, {Types: []engine.TypeID{a, b}, Most: 3}},
			[][]graphops.Scored{seedsOf(2), seedsOf(0, 4, 1)}, 6},
		{"not full", []graphops.Quota{{Types: []engine.TypeID{c}, Most: 9}}, [][]graphops.Scored{seedsOf(2, 6)}, 11},
		{"none", []graphops.Quota{{Types: []engine.TypeID{a}}, {Most: 3}}, [][]graphops.Scored{nil, nil}, 0},
		{"the first counts", []graphops.Quota{{Types: []engine.TypeID{b}, Most: 1}, {Types: []engine.TypeID{b}, Most: 1}},
			[][]graphops.Scored{seedsOf(1), nil}, 11},
	} {
		t.Run(test.name, func(t *testing.T) {
			asked := 0
			got := graphops.TopPerType(scores, func(u uint32) engine.TypeID { asked++; return typeOf(u) }, test.quotas)
			if !slices.EqualFunc(got, test.want, slices.Equal[[]graphops.Scored]) || asked != test.asked {
				t.Errorf("%v after %d questions, want %v after %d", got, asked, test.want, test.asked)
			}
		})
	}
}
