//go:build unix

package safetensors

import (
	"errors"
	"math"
	"os"

	"golang.org/x/sys/unix"
)

// load maps the file.
func load(f *os.File, size int64) (data []byte, unmap func() error, err error) {
	switch {
	case size == 0:
		return nil, nil, nil
	case size > math.MaxInt:
		return nil, nil, errors.New("the file is larger than the address space")
	}
	data, err = unix.Mmap(int(f.Fd()), 0, int(size), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, nil, err
	}
	return data, func() error { return unix.Munmap(data) }, nil
}

func release(data []byte) {
	if len(data) > 0 {
		// If it fails the pages stay, which costs memory alone.
		_ = unix.Madvise(data, unix.MADV_DONTNEED)
	}
}
