package distance

import "unsafe"

func prefetch(t Tier, p unsafe.Pointer, bytes int) {
	if t != Portable {
		prefetchLines(p, bytes)
	}
}

// prefetchLines fetches the cache lines that hold the bytes from p on.
//
//go:noescape
func prefetchLines(p unsafe.Pointer, bytes int)
