package engine

import (
	"errors"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/internal/layout"
)

// whereTest reads the nodes of a set, or all, and asks a function about them.
func (r *reader) whereTest(t Test, among *roaring.Bitmap) (*roaring.Bitmap, error) {
	nodes, err := r.allOr(among)
	if err != nil {
		return nil, err
	}
	// Two names of Properties may be one, and some may be unknown.
	var pids []uint32
	from := make([]int, len(t.Properties)) // the place in pids, -1 for none
	for i, property := range t.Properties {
		name, err := checkName("property", property)
		if err != nil {
			return nil, err
		}
		from[i] = -1
		if pid, ok := r.lookupName(layout.KindProperty, name); ok {
			if from[i] = slices.Index(pids, pid); from[i] < 0 {
				from[i] = len(pids)
				pids = append(pids, pid)
			}
		}
	}
	out := roaring.New()
	values := make([]Value, len(t.Properties))
	err = r.eachListed(nodes, pids, func(id NodeID, key string, have []Value) error {
		for i, at := range from {
			values[i] = Value{}
			if at < 0 {
				continue
			}
			values[i] = have[at]
			if values[i].kind == KindText {
				s, err := r.externalText(id, pids[at], values[i].Size())
				if err != nil {
					return err
				}
				values[i] = String(s)
			}
		}
		ok, err := t.Holds(r.ctx, key, values)
		if ok {
			out.Add(uint32(id))
		}
		return err
	})
	return out, err
}

// eachListed calls fn with the keys and the values of some properties of the
// nodes that an index or a set lists, null for those that a node lacks; the slice
// is written again for the next node. A node that is missing is damage.
func (r *reader) eachListed(nodes *roaring.Bitmap, pids []uint32, fn func(id NodeID, key string, values []Value) error) error {
	const batch = 1024
	ids, keys := make([]uint32, batch), make([][]byte, 0, batch)
	values := make([]Value, len(pids))
	for it := nodes.ManyIterator(); ; {
		n := it.NextMany(ids)
		if n == 0 {
			return nil
		}
		keys = keys[:0]
		for _, id := range ids[:n] {
			keys = append(keys, layout.Node(r.g, uint64(id)))
		}
		err := r.kv.MultiGet(r.ctx, keys, func(i int, v []byte) error {
			if v == nil {
				return corrupt(keys[i], errors.New("a node that is listed has no record"))
			}
			key, err := decodeValues(v, pids, values)
			if err != nil {
				return corrupt(keys[i], err)
			}
			return fn(NodeID(ids[i]), key, values)
		})
		if err != nil {
			return err
		}
	}
}
