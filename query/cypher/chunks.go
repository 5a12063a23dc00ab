package cypher

import "unsafe"

// chunks is a list that grows without being copied.
type chunks[T any] struct {
	full [][]T
	part []T
	n    int
}

// chunkItems is how many items a full chunk has.
const chunkItems = 4096

func (c *chunks[T]) add(item T) {
	if len(c.part) == chunkItems {
		c.full = append(c.full, c.part)
		c.part = make([]T, 0, chunkItems)
	}
	c.part = append(c.part, item)
	c.n++
}

// take returns all items and empties the list. For the moment they are there twice.
func (c *chunks[T]) take(x *exec) ([]T, error) {
	if len(c.full) == 0 {
		out := c.part
		*c = chunks[T]{}
		return out, nil
	}
	var one T
	if err := x.hold(int64(c.n) * int64(unsafe.Sizeof(one))); err != nil {
		return nil, err
	}
	out, err := made[T](x, c.n)
	if err != nil {
		return nil, err
	}
	out = out[:0]
	for i, chunk := range c.full {
		out = append(out, chunk...)
		c.full[i] = nil
		if err := x.work(stepsBetweenLooks); err != nil {
			return nil, err
		}
	}
	out = append(out, c.part...)
	*c = chunks[T]{}
	return out, nil
}

// each calls fn with each item, until one fails, and empties the list.
func (c *chunks[T]) each(x *exec, fn func(item T) error) error {
	all := append(c.full, c.part)
	*c = chunks[T]{}
	for i, chunk := range all {
		for j, item := range chunk {
			if err := x.tick(); err != nil {
				return err
			}
			var none T
			chunk[j] = none
			if err := fn(item); err != nil {
				return err
			}
		}
		all[i] = nil
	}
	return nil
}

// longBytes is how much memory takes some milliseconds to be made.
const longBytes = 16 << 20

// made returns a list of n zero values. While long memory is cleared, the
// context can end: the list is then left to the collector.
func made[T any](x *exec, n int) ([]T, error) {
	var one T
	if n*int(unsafe.Sizeof(one)) < longBytes || x.ctx == nil {
		return make([]T, n), nil
	}
	ready := make(chan []T, 1)
	go func() { ready <- make([]T, n) }()
	select {
	case list := <-ready:
		return list, nil
	case <-x.ctx.Done():
		return nil, x.ctx.Err()
	}
}
