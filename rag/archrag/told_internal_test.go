package archrag

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/llm"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/vecindex"
)

// TestChunksOfCommunities takes the chunks of hit communities by hand. A chunk names one
// entity each and is as like the question as its figure:
//
//	2/x has 1/a, of the entities a (.1) and b (.4), and 1/c, of c (.3) and d (.2)
//	1/e has e (.05) and f (.06), 1/g has g (.9)
//
// The hits are 2/x, 1/a, 1/e and 1/g, with scores .9, .95, .65 and .5. Of a cut of .6,
// .57 and more bring chunks. In turn from the top these are b of 2/x, b again, f of
// 1/e; c, a, e; and d. By shares of the scores a and b have .9/4 + .95/2, e and f .65/2,
// c and d .9/4.
func TestChunksOfCommunities(t *testing.T) {
	t.Parallel()
	for _, x := range []struct{ cut, share, turns, shares string }{
		{"0.6", "0.3", "b f c a e d", "a b e f c d"},
		{"0.5", "0.3", "b f g c a e d", "a b g e f c d"},
		{"0.9", "0.3", "b c a d", "a b c d"},
		{"0.6", "0", "", "a b e f c d"},
	} {
		like := map[string]float32{"a": .1, "b": .4, "c": .3, "d": .2, "e": .05, "f": .06, "g": .9}
		s, c := toldBy(t, map[string]string{"community_cut": x.cut, "community_share": x.share, "text": "hits"}, like, map[string]string{
			"a": "1/a", "b": "1/a", "c": "1/c", "d": "1/c", "e": "1/e", "f": "1/e", "g": "1/g", "1/a": "2/x", "1/c": "2/x",
		})
		err := c.DB().View(t.Context(), func(snap *engine.Snapshot) error {
			v := snap.Graph(s.g)
			community, _ := v.NodeType(typeCommunity)
			hits := &query.Given{Graph: s.g}
			for i, key := range []string{"2/x", "1/a", "1/e", "1/g"} {
				id, err := v.Lookup(community, key)
				if err != nil {
					return err
				}
				hits.Nodes = append(hits.Nodes, query.Item{Graph: s.g.ID(), ID: id, Score: []float64{.9, .95, .65, .5}[i]})
			}
			none := &query.Given{Graph: s.g}
			ops := s.texts(method.Question{Text: "q"}, "m", none, none, hits)
			for _, part := range []struct {
				op   query.Op
				want string
			}{{ops.communities, x.turns}, {ops.nearest, x.shares}} {
				if part.op == nil {
					part.op = none
				}
				e := &query.Env{Snap: snap, Analyze: strings.Fields, Embed: func(context.Context, string) ([]float32, error) { return []float32{1, 0}, nil }}
				set, err := query.Run(t.Context(), e, part.op)
				if err != nil {
					return err
				}
				var got []string
				for _, it := range set.Items {
					n, err := snap.Graph(c.Base()).Node(it.ID)
					if err != nil {
						return err
					}
					got = append(got, strings.TrimSuffix(n.Key, "#0"))
				}
				if all := strings.Join(got, " "); all != part.want {
					t.Errorf("cut %s, share %s: %q, want %q", x.cut, x.share, all, part.want)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// toldBy makes the method's graph of entities and communities, each of the first with a
// chunk of its name whose vector has an inner product with that of the question. parent
// tells the community of each.
func toldBy(t *testing.T, params map[string]string, like map[string]float32, parent map[string]string) (*system, *ragtest.Corpus) {
	t.Helper()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	c := ragtest.Open(t, method.Methods{Name: Open})
	sys, err := Open(t.Context(), c.Docs(), params)
	check(err)
	p, _ := parse(params)
	s := &system{Identity: sys.Identity, p: p, c: c.Docs(), g: sys.Graph()}
	check(c.DB().Update(t.Context(), func(tx *engine.Tx) error {
		base, v := tx.Graph(c.Base()), tx.Graph(s.g)
		types := map[string]engine.TypeID{}
		for _, name := range []string{method.ChunkNodeType, typeEntity, typeCommunity} {
			types[name], err = v.MakeNodeType(name)
			check(err)
		}
		chunk, err := base.MakeNodeType(method.ChunkType(p.Chunks))
		check(err)
		space := method.ChunkSpace(p.Chunks, "m")
		check(base.MakeSpace(space, engine.SpaceOptions{Dim: 2, Model: "m", Metric: vecindex.InnerProduct}))
		part, err := v.MakeEdgeType(edgePart, true)
		check(err)
		nodes := map[string]engine.NodeID{}
		for _, name := range slices.Sorted(maps.Keys(like)) {
			id, _, err := base.PutNode(chunk, name+"#0", nil)
			check(err)
			check(base.PutVector(space, id, []float32{like[name], 1}))
			from, _, err := v.PutNode(types[method.ChunkNodeType], name+"#0", nil)
			check(err)
			nodes[name], _, err = v.PutNode(types[typeEntity], name, nil)
			check(err)
			check(v.Contribute(from, engine.NodeTarget(nodes[name]), engine.Contribution{Count: 1, Label: name}))
		}
		for _, child := range slices.Sorted(maps.Keys(parent)) {
			for _, name := range []string{child, parent[child]} {
				if nodes[name] == 0 {
					nodes[name], _, err = v.PutNode(types[typeCommunity], name, nil)
					check(err)
				}
			}
			check(v.AddEdge(nodes[child], nodes[parent[child]], part, 1))
		}
		return nil
	}))
	return s, c
}

// TestHitsFromTheTop says that the highest layer is searched first, in one descent and
// in several.
func TestHitsFromTheTop(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		descent string
		most    int
		want    []uint8
	}{{"reuse", 6, []uint8{3, 2, 1, 0}}, {"restart", 6, []uint8{3, 2, 1, 0}}, {"reuse", 1, []uint8{1, 0}}, {"restart", 0, []uint8{0}}} {
		s := &system{p: Params{Levels: 3, MaxLayer: x.most, K: 5, Descent: x.descent}}
		var got []uint8
		add := func(op query.Op) {
			for _, l := range op.(*query.VectorSearch).Layers {
				got = append(got, l.Layer)
			}
		}
		if op, ok := s.hits(method.Question{}, "m").(*query.Union); ok {
			for _, in := range op.In {
				add(in)
			}
		} else {
			add(s.hits(method.Question{}, "m"))
		}
		if !slices.Equal(got, x.want) {
			t.Errorf("%s, up to %d: layers %v, want %v", x.descent, x.most, got, x.want)
		}
	}
}

// TestMapParts divides evidence for the map step, in parts of 1,000 tokens and of one.
func TestMapParts(t *testing.T) {
	t.Parallel()
	evidence := []llm.Evidence{
		{N: 1, Section: "text", Text: "aa"}, {N: 2, Section: "community text", Text: "bb"}, {N: 3, Section: "entities", Text: "c"},
		{N: 4, Section: "relations", Text: "d"}, {N: 5, Section: "communities", Text: "2|e"}, {N: 6, Section: "communities", Text: "1|f"},
		{N: 7, Section: "communities", Text: "2|g"}, {N: 8, Section: "communities"}, {N: 9, Section: "more text", Text: "h"},
	}
	c := ragtest.Open(t, method.Methods{Name: Open})
	for _, x := range []struct {
		how    string
		tokens int
		want   string
	}{
		// The parts of chunks and rows: 1 to 4 and 9; of communities: 5 to 7.
		{"parts", 1000, "1 2 3 4 9 | 5 6 7"},
		{"layer", 1000, "1 2 9 | 3 4 | 5 7 | 6"},
		{"parts", 1, "1 | 2 | 3 | 4 | 9 | 5 | 6 | 7"},
	} {
		s := &system{c: c.Docs(), p: Params{Map: x.how, FilterTokens: x.tokens}}
		var got []string
		for _, part := range s.parts(evidence) {
			var all []string
			for _, e := range part {
				all = append(all, string(rune('0'+e.N)))
			}
			got = append(got, strings.Join(all, " "))
		}
		if all := strings.Join(got, " | "); all != x.want {
			t.Errorf("%s of %d tokens: %s, want %s", x.how, x.tokens, all, x.want)
		}
	}
}
