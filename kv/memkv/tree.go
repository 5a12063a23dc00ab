package memkv

import "bytes"

// node is a node of the treap. A node belongs to the edit that made it and is
// changed only by that edit; after the edit's root is published it is
// immutable. key and val are never changed in place.
type node struct {
	key, val    []byte
	left, right *node
	edit        uint64
	prio        uint64 // a parent's is not smaller than its child's
}

// edit is one change of a tree in progress.
type edit struct {
	id   uint64
	prio func(key []byte) uint64
	// keys and bytes are the differences the edit makes.
	keys, bytes int
}

// own returns n itself where the edit made it, else a copy.
func (e *edit) own(n *node) *node {
	if n.edit == e.id {
		return n
	}
	c := *n
	c.edit = e.id
	return &c
}

func find(n *node, key []byte) *node {
	for n != nil {
		switch c := bytes.Compare(key, n.key); {
		case c < 0:
			n = n.left
		case c > 0:
			n = n.right
		default:
			return n
		}
	}
	return nil
}

// set returns the tree with key bound to val, both of which it keeps.
func (e *edit) set(n *node, key, val []byte) *node {
	if n == nil {
		e.keys++
		e.bytes += len(key) + len(val)
		return &node{key: key, val: val, edit: e.id, prio: e.prio(key)}
	}
	n = e.own(n)
	switch c := bytes.Compare(key, n.key); {
	case c < 0:
		n.left = e.set(n.left, key, val)
		if l := n.left; l.prio > n.prio {
			n.left, l.right = l.right, n
			return l
		}
	case c > 0:
		n.right = e.set(n.right, key, val)
		if r := n.right; r.prio > n.prio {
			n.right, r.left = r.left, n
			return r
		}
	default:
		e.bytes += len(val) - len(n.val)
		n.val = val
	}
	return n
}

// remove returns the tree without key, which must be in it.
func (e *edit) remove(n *node, key []byte) *node {
	c := bytes.Compare(key, n.key)
	if c == 0 {
		e.keys--
		e.bytes -= len(n.key) + len(n.val)
		return e.join(n.left, n.right)
	}
	n = e.own(n)
	if c < 0 {
		n.left = e.remove(n.left, key)
	} else {
		n.right = e.remove(n.right, key)
	}
	return n
}

// removeRange returns the tree without lo <= key < hi.
func (e *edit) removeRange(n *node, lo, hi []byte) *node {
	left, rest := e.split(n, lo)
	middle, right := e.split(rest, hi)
	e.discount(middle)
	return e.join(left, right)
}

func (e *edit) discount(n *node) {
	if n == nil {
		return
	}
	e.keys--
	e.bytes -= len(n.key) + len(n.val)
	e.discount(n.left)
	e.discount(n.right)
}

// split returns the keys < at and the keys >= at.
func (e *edit) split(n *node, at []byte) (less, rest *node) {
	if n == nil {
		return nil, nil
	}
	n = e.own(n)
	if bytes.Compare(n.key, at) < 0 {
		n.right, rest = e.split(n.right, at)
		return n, rest
	}
	less, n.left = e.split(n.left, at)
	return less, n
}

// join returns the union of two trees, all keys of a being less than b's.
func (e *edit) join(a, b *node) *node {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	case a.prio >= b.prio:
		a = e.own(a)
		a.right = e.join(a.right, b)
		return a
	default:
		b = e.own(b)
		b.left = e.join(a, b.left)
		return b
	}
}
