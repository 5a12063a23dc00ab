package hirag

import (
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag/internal/encoded"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/method"
)

// TestMalformedDescription: a result of the stage that describes nodes is applied as a
// whole, and no part of one that ends before the vector.
func TestMalformedDescription(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, method.Methods{Name: Open})
	s, err := open(t.Context(), c.Docs(), nil)
	if err != nil {
		t.Fatal(err)
	}
	model := ragtest.Hashes{}.Space()
	st := &nodeStage{s: s, layer: 1, model: model}
	vec := make([]float32, model.Dim)
	vec[0] = 1
	digest := slices.Repeat([]byte{9}, 32)
	var fields []byte
	for _, f := range []string{"ferry", "thing", "It crosses the sound."} {
		fields = append(binary.AppendUvarint(fields, uint64(len(f))), f...)
	}
	id := engine.NodeID(0)
	apply := func(n int, vec []float32) error {
		return c.DB().Update(t.Context(), func(tx *engine.Tx) error {
			v := tx.Graph(s.g)
			typ, err := v.MakeNodeType(typeEntity)
			if err != nil {
				return err
			}
			if id, _, err = v.PutNode(typ, "ferry", nil); err != nil {
				return err
			}
			b := slices.Concat(binary.BigEndian.AppendUint64(nil, uint64(id)), digest, fields)
			return st.Apply(t.Context(), tx, method.WorkItem{}, encoded.AppendVector(b, vec)[:n])
		})
	}
	whole := 8 + 32 + len(fields)
	for n := range whole {
		if err := apply(n, nil); !errors.Is(err, errResult) {
			t.Errorf("%d of %d bytes: %v", n, whole, err)
		}
	}
	for _, x := range []struct {
		vec []float32
		has int
	}{{vec, 1}, {nil, 0}} {
		if err := apply(whole+4*len(x.vec), x.vec); err != nil {
			t.Fatal(err)
		}
		err := c.DB().View(t.Context(), func(snap *engine.Snapshot) error {
			v := snap.Graph(s.g)
			n, err := v.Node(id)
			if err != nil {
				return err
			}
			text, err := v.Text(id, propDescription)
			if err != nil {
				return err
			}
			if name := n.Prop(propName).AsString(); name != "ferry" || text != "It crosses the sound." || !slices.Equal(n.Prop(propOf).AsBytes(), digest) {
				t.Errorf("%q, %q, of %x", name, text, n.Prop(propOf).AsBytes())
			}
			space, err := v.Vectors(spaceOf(model.Model))
			if err == nil && space.Len() != x.has {
				t.Errorf("%d vectors, want %d", space.Len(), x.has)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestDecode: entries of the buckets are read under their own keys and as JSON.
func TestDecode(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		what       string
		decode     func(key, value []byte) ([]byte, error)
		key, value string
		ok         bool
	}{
		{"cluster", decodePlan, "cluster/1/2", "{}", true},
		{"cluster of no JSON", decodePlan, "cluster/1/2", "{", false},
		{"community", decodePlan, "community/0/ab", "{}", true},
		{"community of no JSON", decodePlan, "community/0/ab", "", false},
		{"read", decodePlan, "read/0/ab", "{}", true},
		{"read of no JSON", decodePlan, "read/0/ab", "[]", false},
		{"parts", decodePlan, "parts/1", "", true},
		{"parts with a value", decodePlan, "parts/1", "1", false},
		{"another kind", decodePlan, "clusters/1", "{}", false},
		{"base of no JSON", decodeFit, string(keyBase), "[", false},
		{"state of no JSON", decodeFit, string(keyState), "[", false},
		{"fit of no JSON", decodeFit, "1", "[", false},
	} {
		if _, err := x.decode([]byte(x.key), []byte(x.value)); (err == nil) != x.ok {
			t.Errorf("%s: %v", x.what, err)
		}
	}
}
