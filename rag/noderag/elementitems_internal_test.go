package noderag

import (
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/graph"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/noderag/schema"
)

// TestElementItems: communities of Least units and more have an item, and a smaller one has
// one as long as it has elements, which go then.
func TestElementItems(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, method.Methods{Name: Open}, append(rag.Encodings(), Encodings()...)...)
	s, err := open(t.Context(), c.Docs(), map[string]string{"least": "3"})
	if err != nil {
		t.Fatal(err)
	}
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	check(c.DB().Update(t.Context(), func(tx *engine.Tx) error {
		b, err := s.newBuilder(tx.Graph(s.g))
		check(err)
		members, err := b.v.MakeBucket(schema.BucketCommunities)
		check(err)
		element, err := b.v.MakeNodeType(schema.Element)
		check(err)
		source, _, err := b.v.PutNode(b.text, "a.txt#0", nil)
		check(err)
		for community, units := range map[uint64]int{1: 2, 2: 2, 3: 3, 4: 4} {
			for i := range units {
				name := fmt.Sprint("unit ", community, i)
				id, _, err := b.v.PutNode(b.unit, name, nil)
				check(err)
				check(b.v.Contribute(source, engine.NodeTarget(id), engine.Contribution{Count: 1, Texts: []string{name}}))
				check(members.Set(schema.MemberKey(id), binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint64(nil, community), 1)))
			}
			if community == 2 || community == 4 {
				id, _, err := b.v.PutNode(element, fmt.Sprint("element ", community), nil)
				check(err)
				check(schema.PutElement(b.v, id, community))
			}
		}
		return nil
	}))
	var got []string
	st := &elementStage{Stage: graph.NewStage("elements", s.g), s: s}
	check(c.DB().View(t.Context(), func(snap *engine.Snapshot) error {
		for w, err := range st.Items(t.Context(), snap) {
			check(err)
			got = append(got, w.Key)
		}
		return nil
	}))
	if want := []string{communityItem(2), communityItem(3), communityItem(4)}; !slices.Equal(got, want) {
		t.Errorf("items %q, want %q", got, want)
	}
}
