package tablekv

import (
	"bytes"
	"encoding/binary"
	"slices"

	"github.com/ragdb/ragdb/kv"
)

// changed is what a commit has changed: what a cache of an earlier state must forget.
// Behind each commit the writer leaves it in the table, so that readers know it too.
type changed struct {
	by     uint64 // the writer
	keys   [][]byte
	ranges []kv.Range
	// cut says that keys are only the beginnings of what was changed. None begins with
	// another one.
	cut bool
}

// everything is what a commit has changed that does not say more.
func everything(by uint64) changed { return changed{by: by, keys: [][]byte{{}}, cut: true} }

// changedBy returns what changes do to keys of the store.
func changedBy(by uint64, c *kv.Changes, ranges []kv.Range) changed {
	out := changed{by: by, ranges: ranges}
	note := func(k []byte) {
		if len(k) == 0 || k[0] != own {
			out.keys = append(out.keys, k)
		}
	}
	for _, k := range c.Delete {
		note(k)
	}
	for _, p := range c.Set {
		note(p.Key)
	}
	slices.SortFunc(out.keys, bytes.Compare)
	return out
}

// in reports whether a key of a range was changed. The ranges of a commit are few.
func (c *changed) in(lo, hi []byte) bool {
	i, _ := slices.BinarySearchFunc(c.keys, lo, bytes.Compare)
	if i < len(c.keys) && bytes.Compare(c.keys[i], hi) < 0 {
		return true
	}
	if c.cut && i > 0 && bytes.HasPrefix(lo, c.keys[i-1]) {
		return true
	}
	return slices.ContainsFunc(c.ranges, func(r kv.Range) bool {
		return bytes.Compare(r.Lo, hi) < 0 && bytes.Compare(lo, r.Hi) < 0
	})
}

// cutTo shortens keys, and leaves out what others begin with then.
func (c *changed) cutTo(n int) {
	c.cut = true
	out := c.keys[:0]
	for _, k := range c.keys {
		k = k[:min(n, len(k))]
		if len(out) == 0 || !bytes.HasPrefix(k, out[len(out)-1]) {
			out = append(out, k)
		}
	}
	c.keys = out
}

// logBytes bounds what is written of a commit, and cuts are the lengths that keys are
// cut to until it is no more.
const logBytes = 8 << 10

var cuts = [...]int{24, 16, 12, 9, 6, 4, 2, 1}

// encode returns the row of a commit, of at most some bytes if that leaves room to say
// anything. Each key is the number of bytes that it shares with the one before, and the
// rest.
func (c *changed) encode(most int) []byte {
	b := c.bytes()
	for i := 0; len(b) > most && i < len(cuts); i++ {
		c.cutTo(cuts[i])
		b = c.bytes()
	}
	if len(b) > most {
		*c = everything(c.by)
		b = c.bytes()
	}
	return b
}

func (c *changed) bytes() []byte {
	b := binary.BigEndian.AppendUint64(nil, c.by)
	if c.cut {
		b = append(b, 1)
	} else {
		b = append(b, 0)
	}
	b = binary.AppendUvarint(b, uint64(len(c.ranges)))
	var last []byte
	add := func(k []byte) {
		n := shared(last, k)
		b = binary.AppendUvarint(b, uint64(n))
		b = binary.AppendUvarint(b, uint64(len(k)-n))
		b = append(b, k[n:]...)
		last = k
	}
	for _, r := range c.ranges {
		add(r.Lo)
		add(r.Hi)
	}
	for _, k := range c.keys {
		add(k)
	}
	return b
}

// shared returns how many bytes two keys begin with alike.
func shared(a, b []byte) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// decodeChanged reads the row of a commit. A row that cannot be read is one of a commit
// that changed everything: its reader forgets more than it has to, and shows nothing wrong.
func decodeChanged(b []byte) (c changed, ok bool) {
	if len(b) < 9 || b[8] > 1 {
		return c, false
	}
	c.by, c.cut = binary.BigEndian.Uint64(b), b[8] == 1
	ranges, w := binary.Uvarint(b[9:])
	if b = b[9+max(w, 0):]; w <= 0 || ranges > uint64(len(b)) {
		return c, false
	}
	var last []byte
	next := func() bool {
		n, w1 := binary.Uvarint(b)
		if w1 <= 0 || n > uint64(len(last)) {
			return false
		}
		more, w2 := binary.Uvarint(b[w1:])
		if w2 <= 0 || more > uint64(len(b)-w1-w2) {
			return false
		}
		last = append(bytes.Clone(last[:n]), b[w1+w2:w1+w2+int(more)]...)
		b = b[w1+w2+int(more):]
		return true
	}
	for range ranges {
		if !next() {
			return c, false
		}
		lo := last
		if !next() {
			return c, false
		}
		c.ranges = append(c.ranges, kv.Range{Lo: lo, Hi: last})
	}
	for len(b) > 0 {
		if !next() || len(c.keys) > 0 && bytes.Compare(c.keys[len(c.keys)-1], last) >= 0 {
			return c, false
		}
		c.keys = append(c.keys, last)
	}
	return c, true
}
