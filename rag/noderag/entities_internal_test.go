package noderag

import (
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/method"
)

// TestEntities weighs a small graph: a chunk lists a three times and b once,
// a unit mentions both and a relationship relates them. What
// was read once is told again, also when it has changed since.
func TestEntities(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, method.Methods{Name: Open}, append(rag.Encodings(), Encodings()...)...)
	s, err := open(t.Context(), c.Docs(), nil)
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]engine.NodeID{}
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	check(c.DB().Update(t.Context(), func(tx *engine.Tx) error {
		v := tx.Graph(s.g)
		b, err := s.newBuilder(v)
		check(err)
		for name, kind := range map[string]engine.TypeID{
			"chunk": b.text, "a": b.entity, "b": b.entity, "unit": b.unit, "relation": b.relationship, "alone": b.unit,
		} {
			ids[name], _, err = v.PutNode(kind, name, nil)
			check(err)
		}
		for name, n := range map[string]uint32{"a": 3, "b": 1} {
			check(v.Contribute(ids["chunk"], engine.NodeTarget(ids[name]), engine.Contribution{Count: n, Label: "the " + name}))
			check(v.AddEdge(ids["unit"], ids[name], b.mentions, 1))
			check(v.AddEdge(ids["relation"], ids[name], b.relates, 2))
		}
		return nil
	}))
	e := &entities{}
	look := func() {
		t.Helper()
		check(c.DB().View(t.Context(), func(snap *engine.Snapshot) error {
			v := snap.Graph(s.g)
			for name, want := range map[string]entity{"a": {"the a", 3}, "b": {"the b", 1}} {
				if got, err := e.of(v, ids[name]); got != want || err != nil {
					t.Errorf("%s is %+v (%v), want %+v", name, got, err, want)
				}
			}
			for name, want := range map[string]uint64{"unit": 4, "relation": 4, "alone": 0} {
				if got, err := e.weightAround(v, ids[name]); got != want || err != nil {
					t.Errorf("around %s weigh %d (%v), want %d", name, got, err, want)
				}
			}
			return nil
		}))
	}
	look()
	check(c.DB().Update(t.Context(), func(tx *engine.Tx) error {
		return tx.Graph(s.g).Contribute(ids["chunk"], engine.NodeTarget(ids["a"]), engine.Contribution{Count: 9})
	}))
	look()
}
