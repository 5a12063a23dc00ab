package noderag

import (
	"encoding/binary"
	"errors"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/noderag/schema"
)

// TestMalformedEntries puts entries of wrong sizes into the buckets and reads them by
// what reads such entries. All of them say that the database is corrupt.
func TestMalformedEntries(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, method.Methods{Name: Open}, append(rag.Encodings(), Encodings()...)...)
	s, err := open(t.Context(), c.Docs(), nil)
	if err != nil {
		t.Fatal(err)
	}
	const community, id = 3, engine.NodeID(7)
	ofCommunity := append(schema.OfCommunity(community), schema.IDKey(id)...)
	all := func(v engine.Reader) error { _, err := members(v); return err }
	one := func(v engine.Reader) error { _, err := schema.Community(v, id); return err }
	elements := func(v engine.Reader) error { _, err := elementsOf(v, community); return err }
	of := func(v engine.Reader) error { _, _, err := communityOf(v, id); return err }
	for _, x := range []struct {
		what, bucket string
		key          []byte
		value        int // bytes
		read         func(v engine.Reader) error
		ok           bool
	}{
		{"members", schema.BucketCommunities, schema.MemberKey(id), 12, all, true},
		{"members of 11 bytes", schema.BucketCommunities, schema.MemberKey(id), 11, all, false},
		{"members of 13 bytes", schema.BucketCommunities, schema.MemberKey(id), 13, all, false},
		{"members with a short key", schema.BucketCommunities, schema.MemberKey(id)[:8], 12, all, false},
		{"a member", schema.BucketCommunities, schema.MemberKey(id), 12, one, true},
		{"a member of 8 bytes", schema.BucketCommunities, schema.MemberKey(id), 8, one, false},
		{"elements", schema.BucketElements, ofCommunity, 0, elements, true},
		{"elements with a long key", schema.BucketElements, append(ofCommunity, 0), 0, elements, false},
		{"an element", schema.BucketElements, schema.OfElement(id), 8, of, true},
		{"an element of 7 bytes", schema.BucketElements, schema.OfElement(id), 7, of, false},
	} {
		var got error
		stop := errors.New("leave no trace")
		err := c.DB().Update(t.Context(), func(tx *engine.Tx) error {
			v := tx.Graph(s.g)
			b, err := v.MakeBucket(x.bucket)
			if err != nil {
				return err
			}
			if err := b.Set(x.key, make([]byte, x.value)); err != nil {
				return err
			}
			got = x.read(v)
			return stop
		})
		if !errors.Is(err, stop) {
			t.Fatal(err)
		}
		if x.ok && got != nil || !x.ok && !errors.Is(got, engine.ErrCorrupt) {
			t.Errorf("%s: %v", x.what, got)
		}
	}
}

// TestMalformedVectors: a list of vectors is put as a whole, and no part of one that
// ends within a vector.
func TestMalformedVectors(t *testing.T) {
	t.Parallel()
	c := ragtest.Open(t, method.Methods{Name: Open}, append(rag.Encodings(), Encodings()...)...)
	s, err := open(t.Context(), c.Docs(), nil)
	if err != nil {
		t.Fatal(err)
	}
	model := ragtest.Hashes{}.Space()
	vec := make([]float32, model.Dim)
	vec[0] = 1
	stop := errors.New("leave no trace")
	put := func(cut int) error {
		return c.DB().Update(t.Context(), func(tx *engine.Tx) error {
			v := tx.Graph(s.g)
			typ, err := v.MakeNodeType(schema.Attribute)
			if err != nil {
				return err
			}
			id, _, err := v.PutNode(typ, "a", nil)
			if err != nil {
				return err
			}
			b := appendVector(nil, id, vec)
			if err := s.putVectors(v, model, b[:len(b)-cut]); err != nil || cut > 0 {
				return errors.Join(err, stop)
			}
			return nil
		})
	}
	whole := 12 + 4*model.Dim
	for _, cut := range []int{1, 4, 4 * model.Dim, 4*model.Dim + 1, whole - 1} {
		if err := put(cut); err == nil || err.Error() != "malformed vectors\n"+stop.Error() {
			t.Errorf("%d bytes less: %v", cut, err)
		}
	}
	if err := put(whole); err.Error() != stop.Error() {
		t.Errorf("nothing: %v", err)
	}
	if err := put(0); err != nil {
		t.Fatal(err)
	}
	err = c.DB().View(t.Context(), func(snap *engine.Snapshot) error {
		space, err := snap.Graph(s.g).Vectors(spaceOf(model.Model))
		if err == nil && space.Len() != 1 {
			t.Errorf("%d vectors", space.Len())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestDecode: each entry of the buckets is read if its key and its value have the
// right size, and only then.
func TestDecode(t *testing.T) {
	t.Parallel()
	id := binary.BigEndian.AppendUint64(nil, 7)
	key := func(kind byte, parts ...[]byte) []byte {
		out := []byte{kind}
		for _, p := range parts {
			out = append(out, p...)
		}
		return out
	}
	for _, x := range []struct {
		what       string
		decode     func(key, value []byte) ([]byte, error)
		key, value []byte
		ok         bool
	}{
		{"important", decodeImportant, id, []byte("core"), true},
		{"important with a short key", decodeImportant, id[1:], []byte("core"), false},
		{"important by no text", decodeImportant, id, []byte{0xFF}, false},
		{"member", decodeCommunity, key(keyMember, id), make([]byte, 12), true},
		{"member of 11 bytes", decodeCommunity, key(keyMember, id), make([]byte, 11), false},
		{"member with a long key", decodeCommunity, key(keyMember, id, []byte{0}), make([]byte, 12), false},
		{"member of another kind", decodeCommunity, key('z', id), make([]byte, 12), false},
		{"state of no JSON", decodeCommunity, key(keyState), []byte("{"), false},
		{"state with a long key", decodeCommunity, key(keyState, []byte{0}), []byte("{}"), false},
		{"state of another kind", decodeCommunity, key('z'), []byte("{}"), false},
		{"elements", decodeElement, key(keyOfCommunity, id, id), nil, true},
		{"elements with a value", decodeElement, key(keyOfCommunity, id, id), []byte{0}, false},
		{"elements with a short key", decodeElement, key(keyOfCommunity, id), nil, false},
		{"elements of another kind", decodeElement, key('z', id, id), nil, false},
		{"element", decodeElement, key(keyOfElement, id), id, true},
		{"element with a short value", decodeElement, key(keyOfElement, id), id[1:], false},
		{"element with a long key", decodeElement, key(keyOfElement, id, id), id, false},
		{"element of another kind", decodeElement, key('z', id), id, false},
	} {
		if _, err := x.decode(x.key, x.value); (err == nil) != x.ok {
			t.Errorf("%s: %v", x.what, err)
		}
	}
}
