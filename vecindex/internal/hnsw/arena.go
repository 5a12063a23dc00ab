package hnsw

import "runtime"

// slabBytes is the memory that arenas are cut from: large, so that the system
// can lay it on huge pages. What is not used of it takes no memory.
const slabBytes = 32 << 20

// slab is memory outside the garbage collector's heap. It is given back when
// the slab has no holder any more.
type slab struct {
	b    []byte
	used int
}

// arenas cuts arenas from slabs.
type arenas struct{ last *slab }

// take returns n zero bytes, with what keeps them: the caller holds it as long
// as the bytes. Memory from the heap, which keeps itself, comes with nil.
func (a *arenas) take(n int) ([]byte, *slab) {
	n = (n + 63) &^ 63
	if n > slabBytes/4 {
		return make([]byte, n), nil
	}
	if a.last == nil || len(a.last.b)-a.last.used < n {
		b, free := mapPages(slabBytes)
		if free == nil {
			return make([]byte, n), nil
		}
		a.last = &slab{b: b}
		runtime.AddCleanup(a.last, func(free func()) { free() }, free)
	}
	s := a.last
	b := s.b[s.used : s.used+n : s.used+n]
	s.used += n
	return b, s
}
