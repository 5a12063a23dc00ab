package memkv

import (
	"bytes"

	"github.com/tidwall/btree"
)

// item is a key with its value. Neither is changed in place.
type item struct{ key, val []byte }

// tree holds items by key. A published tree is never changed: its copy, which
// takes O(1), copies the nodes that it changes.
type tree = btree.BTreeG[*item]

func newTree() *tree {
	less := func(a, b *item) bool { return bytes.Compare(a.key, b.key) < 0 }
	return btree.NewBTreeGOptions(less, btree.Options{Degree: 16, NoLocks: true})
}

// edit is one change of a tree in progress.
type edit struct {
	tree  *tree
	bytes int // of all keys and values
}

// set binds key to val, both of which it keeps.
func (e *edit) set(key, val []byte) {
	if old, ok := e.tree.Set(&item{key, val}); ok {
		e.bytes -= len(key) + len(old.val)
	}
	e.bytes += len(key) + len(val)
}

func (e *edit) remove(key []byte) {
	if old, ok := e.tree.Delete(&item{key: key}); ok {
		e.bytes -= len(old.key) + len(old.val)
	}
}

// removeRange removes lo <= key < hi.
func (e *edit) removeRange(lo, hi []byte) {
	var keys [][]byte
	e.tree.Ascend(&item{key: lo}, func(it *item) bool {
		if bytes.Compare(it.key, hi) >= 0 {
			return false
		}
		keys = append(keys, it.key)
		return true
	})
	for _, k := range keys {
		e.remove(k)
	}
}
