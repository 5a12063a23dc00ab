package memkv

import "bytes"

// cursor walks a tree in both directions. Its path leads from the root to the
// current node; an empty path is no position.
type cursor struct {
	root *node
	path []*node
}

func (c *cursor) node() *node {
	if len(c.path) == 0 {
		return nil
	}
	return c.path[len(c.path)-1]
}

// seekGE moves to the first key >= k.
func (c *cursor) seekGE(k []byte) *node {
	c.path = c.path[:0]
	found := 0 // length of the path to the best node so far
	for n := c.root; n != nil; {
		c.path = append(c.path, n)
		if bytes.Compare(n.key, k) >= 0 {
			found = len(c.path)
			n = n.left
		} else {
			n = n.right
		}
	}
	c.path = c.path[:found]
	return c.node()
}

// seekLT moves to the last key < k, or the last of all for a nil k.
func (c *cursor) seekLT(k []byte) *node {
	c.path = c.path[:0]
	found := 0
	for n := c.root; n != nil; {
		c.path = append(c.path, n)
		if k == nil || bytes.Compare(n.key, k) < 0 {
			found = len(c.path)
			n = n.right
		} else {
			n = n.left
		}
	}
	c.path = c.path[:found]
	return c.node()
}

func (c *cursor) next() *node {
	n := c.node()
	if n.right != nil {
		for n = n.right; n != nil; n = n.left {
			c.path = append(c.path, n)
		}
		return c.node()
	}
	for {
		c.path = c.path[:len(c.path)-1]
		parent := c.node()
		if parent == nil || parent.left == n {
			return parent
		}
		n = parent
	}
}

func (c *cursor) prev() *node {
	n := c.node()
	if n.left != nil {
		for n = n.left; n != nil; n = n.right {
			c.path = append(c.path, n)
		}
		return c.node()
	}
	for {
		c.path = c.path[:len(c.path)-1]
		parent := c.node()
		if parent == nil || parent.right == n {
			return parent
		}
		n = parent
	}
}
