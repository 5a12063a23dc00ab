package hnsw

import "golang.org/x/sys/unix"

// mapPages maps n bytes; free is nil if that fails.
func mapPages(n int) (b []byte, free func()) {
	b, err := unix.Mmap(-1, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return nil, nil
	}
	// Without huge pages it is only slower.
	_ = unix.Madvise(b, unix.MADV_HUGEPAGE)
	return b[:n:n], func() { _ = unix.Munmap(b[:cap(b)]) }
}
