package ketrag

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/internal/ragtest"
	"github.com/ragdb/ragdb/rag/method"
)

// openLarge opens a corpus whose near chunks are kept as those of a large one.
func openLarge(t *testing.T) *ragtest.Corpus {
	t.Helper()
	large := func(ctx context.Context, c *method.Corpus, params map[string]string) (*method.System, error) {
		p, r := parse(params)
		id, err := method.NewIdentity(ctx, c, r, Name)
		if err != nil {
			return nil, err
		}
		return (&system{Identity: id, p: p, c: c, g: id.Graph(), exact: 2}).system(), nil
	}
	c := ragtest.Open(t, method.Methods{Name: large}, append(rag.Encodings(), Encodings()...)...)
	c.Use(ragtest.Fixed)
	return c
}

// TestNearState lives a life twice, once with runs that look at what changed and once with
// runs that look at all chunks: the corpora are the same after each.
func TestNearState(t *testing.T) {
	t.Parallel()
	for seed, spec := range []string{"ketrag", "ketrag:k=4,slack=0", "ketrag:compat=true,k=3", "ketrag:k=1,slack=1"} {
		t.Run(spec, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(19, uint64(seed)))
			c, twin := openLarge(t), openLarge(t)
			forgotten := 0
			g := twin.System(t, spec).Graph()
			index := func(docs ...ragtest.Doc) {
				t.Helper()
				err := twin.DB().Update(t.Context(), func(tx *engine.Tx) error {
					b, err := tx.Graph(g).MakeBucket(bucketNear)
					if err != nil {
						return err
					}
					if has, err := b.Has([]byte(keyAmong)); err != nil || !has {
						return err
					}
					forgotten++
					return b.Delete([]byte(keyAmong))
				})
				if err != nil {
					t.Fatal(err)
				}
				c.Index(t, spec, docs...)
				twin.Index(t, spec, docs...)
				ragtest.Same(t, spec, c.Canonical(t), twin.Canonical(t))
				if got, want := floorsOf(t, c, spec), floorsOf(t, twin, spec); !reflect.DeepEqual(got, want) {
					t.Fatalf("floors %v, want %v", got, want)
				}
			}
			index(ragtest.Docs(91, 5)...)
			for range 8 {
				if r.IntN(3) == 0 {
					key := ragtest.Document(91, r.IntN(8), 0).Key
					for _, o := range []*ragtest.Corpus{c, twin} {
						_, _ = o.Corpus.Remove(t.Context(), o.Methods, key, rag.RemoveOptions{})
					}
					index()
					continue
				}
				index(ragtest.Document(91, r.IntN(8), r.IntN(3)))
			}
			if forgotten < 4 {
				t.Errorf("%d runs of the twin looked at all", forgotten)
			}
			ragtest.Check(t, c.DB())
		})
	}
}

// floorsOf returns the floors of the chunks that there are.
func floorsOf(t *testing.T, c *ragtest.Corpus, spec string) (out []int32) {
	t.Helper()
	c.View(t, spec, func(v *engine.View) error {
		typ, _ := v.NodeType(method.ChunkNodeType)
		set, err := v.Nodes(typ)
		if err != nil {
			return err
		}
		var ids []engine.NodeID
		for it := set.Iterator(); it.HasNext(); {
			ids = append(ids, engine.NodeID(it.Next()))
		}
		out, err = readFloors(v.Bucket(bucketNear), ids)
		return err
	})
	return out
}

// TestFloors: blocks are read as they were written, and others are refused.
func TestFloors(t *testing.T) {
	for _, list := range [][]floor{nil, {{floorBlock, 3}}, {{floorBlock + 1, 0}, {floorBlock + 9, 300}, {2*floorBlock - 1, 1<<31 - 1}}} {
		raw := appendFloors(nil, 1, list)
		block, got, err := parseFloors(floorKey(1), raw)
		if err != nil || block != 1 || !slices.Equal(got, list) {
			t.Errorf("%v is read as %v of block %d: %v", list, got, block, err)
		}
	}
	for _, raw := range [][]byte{{1}, {1, 0x80}, {0, 1, 0, 2}, {0x80, 0x80, 0x01, 2}, fmt.Append(nil, "\xff\xff\xff\xff")} {
		if _, list, err := parseFloors(floorKey(0), raw); err == nil {
			t.Errorf("% x is read as %v", raw, list)
		}
	}
	for _, key := range []string{"", keyFloor, keyFloor + "1234567", keyLost + "12345678"} {
		if _, _, err := parseFloors([]byte(key), nil); err == nil {
			t.Errorf("the key %q is that of a block", key)
		}
	}
}

// TestCoreChange: what a run decides of the core is read as it was written.
func TestCoreChange(t *testing.T) {
	for _, c := range []coreChange{{}, {choice: choice{last: 3, degree: 1.5}, enter: []engine.NodeID{1, 3}}, {enter: []engine.NodeID{7}, leave: []engine.NodeID{9, 11}}} {
		got, err := readCoreChange(c.append(nil))
		if err != nil || !reflect.DeepEqual(*got, c) {
			t.Errorf("%+v is read as %+v: %v", c, got, err)
		}
	}
}
