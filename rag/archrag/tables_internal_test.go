package archrag

import (
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/knowledge"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/method"
)

// TestTables: within 4 members relations come first, those inside before the one that
// leaves, by the degrees of their ends; a relation brings the members at its ends; the
// other members follow by degree. What costs more than is left is left out, but never
// the first member. Each row costs its letters:
//
//	a-b of degrees 3+2 costs 2+4, with a (2) and b (3) 11
//	a-c of degrees 3+1 costs 2+1, with c (9) 12
//	a-x leaves, and costs 2+1
//	d, which has no relation, costs 2
func TestTables(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, method.Methods{Name: Open})
	sys := c.System(t, Name)
	s := &system{Identity: sys.Identity, c: c.Docs(), g: sys.Graph()}
	ids := map[string]engine.NodeID{}
	err := c.DB().Update(t.Context(), func(tx *engine.Tx) error {
		v := tx.Graph(s.g)
		entity, err := v.MakeNodeType(typeEntity)
		if err != nil {
			return err
		}
		relation, err := v.MakeNodeType(typeRelation)
		if err != nil {
			return err
		}
		edge, err := v.MakeEdgeType(edgeRelation, false)
		if err != nil {
			return err
		}
		chunk, err := v.MakeNodeType(method.ChunkNodeType)
		if err != nil {
			return err
		}
		source, _, err := v.PutNode(chunk, "a.txt#0", nil)
		if err != nil {
			return err
		}
		// Their ids are in the other order than their names.
		for i, says := range []string{"1", "1", "1", "12345678", "12", "1"} {
			key := []string{"y", "x", "d", "c", "b", "a"}[i]
			id, _, err := v.DeriveNode(entity, key)
			if err == nil {
				err = v.Contribute(source, engine.NodeTarget(id), engine.Contribution{Count: 1, Label: key, Texts: []string{says}})
			}
			if err != nil {
				return err
			}
			ids[key] = id
		}
		for pair, says := range map[string]string{"a b": "1234", "a c": "1", "a x": "1", "b y": "1"} {
			from, to, _ := strings.Cut(pair, " ")
			if err := v.Contribute(source, engine.EdgeTarget(ids[from], ids[to], edge), engine.Contribution{Weight: 2, Count: 1}); err != nil {
				return err
			}
			id, _, err := v.DeriveNode(relation, knowledge.RelationKey(from, to))
			if err == nil {
				err = v.Contribute(source, engine.NodeTarget(id), engine.Contribution{Count: 1, Texts: []string{says}})
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		left                int
		entities, relations string
		cut                 bool
	}{
		{100, "a b c d", "ab ac ax by", false},
		{31, "a b c d", "ab ac ax by", false}, // 11 + 12 + 3 + 3 + 2
		{30, "a b c", "ab ac ax by", true},
		{28, "a b c d", "ab ac ax", true}, // the relation that does not fit ends them
		{25, "a b c d", "ab ac", true},
		{23, "a b c", "ab ac", true},
		{22, "a b c d", "ab", true},
		{21, "a b c", "ab", true},
		{13, "a b d", "ab", true},
		{11, "a b", "ab", true},
		{10, "a b d", "", true},
		{1, "a", "", true},
	} {
		err := c.DB().View(t.Context(), func(snap *engine.Snapshot) error {
			tab := &tables{s: s, v: snap.Graph(s.g), left: x.left, count: func(text string) int { return len(text) }, memo: newMemo(), read: map[engine.NodeID]named{}}
			es, rs, err := tab.of([]engine.NodeID{ids["d"], ids["c"], ids["b"], ids["a"]})
			if err != nil {
				return err
			}
			var entities, relations []string
			for _, e := range es {
				entities = append(entities, e.Name)
			}
			for _, r := range rs {
				relations = append(relations, r.Source+r.Target)
				if r.Strength != 2 {
					t.Errorf("%s-%s has the strength %g", r.Source, r.Target, r.Strength)
				}
			}
			if strings.Join(entities, " ") != x.entities || strings.Join(relations, " ") != x.relations || tab.cut != x.cut {
				t.Errorf("%d tokens: %v, %v, cut %v; want %s, %s, %v", x.left, entities, relations, tab.cut, x.entities, x.relations, x.cut)
			}
			if x.left == 100 && !slices.Equal([]string{es[2].Description, rs[0].Description}, []string{"12345678", "1234"}) {
				t.Errorf("%+v, %+v", es[2], rs[0])
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
