package archrag

import (
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/method"
)

// TestChunksOfHits: a hit gives its score to its chunks in equal parts, and a chunk
// has the sum of what it is given. An entity of score 6 in a, b and c gives 2 to each;
// one of score 4 in c and d gives 2 to each; one of score 1 in e gives it all.
func TestChunksOfHits(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, method.Methods{Name: Open})
	sys, err := Open(t.Context(), c.Docs(), map[string]string{"text": "hits"})
	if err != nil {
		t.Fatal(err)
	}
	p, _ := parse(map[string]string{"text": "hits"})
	s := &system{Identity: sys.Identity, p: p, c: c.Docs(), g: sys.Graph()}
	var hits []query.Item
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	check(c.DB().Update(t.Context(), func(tx *engine.Tx) error {
		base, v := tx.Graph(c.Base()), tx.Graph(s.g)
		chunk, err := base.MakeNodeType(method.ChunkType(s.p.Chunks))
		check(err)
		mine, err := v.MakeNodeType(method.ChunkNodeType)
		check(err)
		entity, err := v.MakeNodeType(typeEntity)
		check(err)
		from := map[string]engine.NodeID{}
		for _, key := range []string{"a#0", "b#0", "c#0", "d#0", "e#0"} {
			_, _, err := base.PutNode(chunk, key, nil)
			check(err)
			from[key], _, err = v.PutNode(mine, key, nil)
			check(err)
		}
		for _, x := range []struct {
			name  string
			score float64
			in    []string
		}{{"six", 6, []string{"a#0", "b#0", "c#0"}}, {"four", 4, []string{"c#0", "d#0"}}, {"one", 1, []string{"e#0"}}} {
			id, _, err := v.PutNode(entity, x.name, nil)
			check(err)
			for _, key := range x.in {
				check(v.Contribute(from[key], engine.NodeTarget(id), engine.Contribution{Count: 1, Label: x.name}))
			}
			hits = append(hits, query.Item{Graph: s.g.ID(), ID: id, Score: x.score})
		}
		return nil
	}))
	check(c.DB().View(t.Context(), func(snap *engine.Snapshot) error {
		none := &query.Given{Graph: s.g}
		op := s.texts(method.Question{Text: "q"}, "m", &query.Given{Graph: s.g, Nodes: hits}, none, none).nearest
		set, err := query.Run(t.Context(), &query.Env{Snap: snap}, op)
		check(err)
		want := map[string]float64{"a#0": 2, "b#0": 2, "c#0": 4, "d#0": 2, "e#0": 1}
		for i, it := range set.Items {
			n, err := snap.Graph(c.Base()).Node(it.ID)
			check(err)
			if it.Score != want[n.Key] || i == 0 && n.Key != "c#0" {
				t.Errorf("%d is %s with %g, want %g", i, n.Key, it.Score, want[n.Key])
			}
			delete(want, n.Key)
		}
		if len(want) > 0 {
			t.Errorf("not found: %v", want)
		}
		return nil
	}))
}
