package noderag

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/noderag/schema"
)

// TestPivots: k nodes are drawn, all if k is 0 or there are fewer, and the same ones
// with another node beside them, but for those that it displaces.
func TestPivots(t *testing.T) {
	t.Parallel()
	g := &content{}
	for i := range 20 {
		g.nodes = append(g.nodes, contentNode{kind: i % 3, key: fmt.Sprint("n", i)})
	}
	all := pivots(g, 0)
	if sorted := slices.Sorted(slices.Values(all)); len(sorted) != 20 || sorted[0] != 0 || sorted[19] != 19 || len(slices.Compact(sorted)) != 20 {
		t.Errorf("all are %v", all)
	}
	for k, want := range map[int]int{1: 1, 7: 7, 20: 20, 99: 20} {
		if got := pivots(g, k); !slices.Equal(got, all[:want]) {
			t.Errorf("%d of 20 are %v, want %v", k, got, all[:want])
		}
	}
	more := &content{nodes: append(slices.Clone(g.nodes), contentNode{key: "one more"})}
	kept := slices.DeleteFunc(pivots(more, 7), func(i uint32) bool { return i == 20 })
	if !slices.Equal(kept, all[:len(kept)]) || len(kept) < 6 {
		t.Errorf("with one more %v are drawn, without it %v", kept, all[:7])
	}
}

// TestContent reads a small graph: nodes by type and key whatever their order, each pair
// once, and no edge to what is not read. Its digest is over kinds, keys and pairs. Only
// entities have a weight.
func TestContent(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, method.Methods{Name: Open}, append(rag.Encodings(), Encodings()...)...)
	s, err := open(t.Context(), c.Docs(), nil)
	if err != nil {
		t.Fatal(err)
	}
	err = c.DB().Update(t.Context(), func(tx *engine.Tx) error {
		b, err := s.newBuilder(tx.Graph(s.g))
		if err != nil {
			return err
		}
		id := map[string]engine.NodeID{}
		for _, x := range []struct {
			name string
			typ  engine.TypeID
			n    uint32
		}{{"chunk", b.text, 1}, {"u", b.unit, 4}, {"b", b.entity, 2}, {"r", b.relationship, 5}, {"a", b.entity, 3}} {
			if id[x.name], _, err = b.v.PutNode(x.typ, x.name, nil); err != nil {
				return err
			}
			if x.name != "chunk" {
				if err := b.v.Contribute(id["chunk"], engine.NodeTarget(id[x.name]), engine.Contribution{Count: x.n}); err != nil {
					return err
				}
			}
		}
		for _, e := range []struct {
			from, to string
			typ      engine.EdgeType
		}{{"u", "b", b.mentions}, {"u", "a", b.mentions}, {"r", "a", b.relates}, {"u", "chunk", b.source}, {"r", "b", b.relates}, {"u", "chunk", b.mentions}} {
			if err := b.v.AddEdge(id[e.from], id[e.to], e.typ, 1); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	err = c.DB().View(t.Context(), func(snap *engine.Snapshot) error {
		v := snap.Graph(s.g)
		g, err := s.readG1(t.Context(), v)
		if err != nil {
			return err
		}
		var got []string
		for _, n := range g.nodes {
			got = append(got, fmt.Sprint(n.kind, n.key))
		}
		for _, e := range g.edges {
			got = append(got, fmt.Sprint(e.From, "-", e.To, " ", e.Weight))
		}
		if want := []string{"0u", "1a", "1b", "2r", "0-1 1", "0-2 1", "1-3 1", "2-3 1"}; !slices.Equal(got, want) {
			t.Errorf("read %v, want %v", got, want)
		}
		raw := []byte("\x00\x01u\x01\x01a\x01\x01b\x02\x01r\x00\x01\x00\x02\x01\x03\x02\x03")
		if g.digest != sha256.Sum256(raw) {
			t.Errorf("the digest is %x", g.digest)
		}
		weights, err := s.weights(v, g)
		if want := []uint64{0, 3, 2, 0}; err != nil || !slices.Equal(weights, want) {
			t.Errorf("weights %v, want %v, %v", weights, want, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestImportantKeys: the important entities are listed in order, and no other key.
func TestImportantKeys(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, method.Methods{Name: Open}, append(rag.Encodings(), Encodings()...)...)
	s, err := open(t.Context(), c.Docs(), nil)
	if err != nil {
		t.Fatal(err)
	}
	err = c.DB().Update(t.Context(), func(tx *engine.Tx) error {
		b, err := tx.Graph(s.g).MakeBucket(schema.BucketImportant)
		for _, id := range []uint64{300, 7} {
			if err == nil {
				err = b.Set(binary.BigEndian.AppendUint64(nil, id), []byte("core"))
			}
		}
		if err == nil {
			err = b.Set([]byte{1}, []byte("core"))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	err = c.DB().View(t.Context(), func(snap *engine.Snapshot) error {
		got, err := important(snap.Graph(s.g))
		if !slices.Equal(got, []engine.NodeID{7, 300}) {
			t.Errorf("important are %v", got)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
