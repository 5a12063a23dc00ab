package engine

import (
	"errors"
	"maps"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/ragdb/ragdb/internal/layout"
)

// dropEmptied removes the lists that lost their last id in the transaction.
func (v *TxView) dropEmptied() error {
	v.unpromoteDead()
	var b []byte
	for _, k := range slices.Sorted(maps.Keys(v.shrunk)) {
		key := []byte(k)
		if v.ofDeadNode(key) {
			// It lost all its edges.
			v.transact.overlay.Delete(key)
			continue
		}
		var err error
		if b, err = v.kv.Get(v.ctx, key, b[:0]); errors.Is(err, ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		if _, err := layout.SetLen(b); err != nil {
			return corrupt(key, err)
		}
		if layout.IsEmpty(layout.Tag(key[0]), b) {
			v.transact.overlay.Delete(key)
		}
	}
	clear(v.shrunk)
	return nil
}

// ofDeadNode reports whether a key is of the adjacency of a node that the
// transaction deletes.
func (v *TxView) ofDeadNode(key []byte) bool {
	a, ok := layout.ReadAdjacency(key)
	return ok && v.died != nil && a.Node < idLimit && v.died.Contains(uint32(a.Node))
}

// unpromoteDead takes the nodes that the transaction deletes out of the sets of
// those whose lists are in containers.
func (v *TxView) unpromoteDead() {
	if v.died == nil {
		return
	}
	keys := maps.Clone(v.promoted)
	maps.Copy(keys, v.st.promoted)
	for k := range keys {
		gone := roaring.New()
		for _, rb := range []*roaring.Bitmap{v.st.promoted[k], v.promoted[k]} {
			if rb != nil {
				gone.Or(roaring.And(rb, v.died))
			}
		}
		for it := gone.Iterator(); it.HasNext(); {
			id := uint64(it.Next())
			set := layout.Promoted(v.g, k.dir, k.etype, layout.Container(id))
			v.transact.overlay.Merge(set, layout.AppendRemove(nil, id&0xFFFF))
			v.shrunk[string(set)] = struct{}{}
		}
	}
}
