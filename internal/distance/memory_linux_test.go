package distance_test

import (
	"os"
	"syscall"
	"testing"
	"unsafe"

	"github.com/ragdb/ragdb/internal/distance"
)

// A guarded is memory between two pages that cannot be touched.
type guarded []byte

func newGuarded(t *testing.T, size int) guarded {
	t.Helper()
	page := os.Getpagesize()
	size = (size + page - 1) / page * page
	mem, err := syscall.Mmap(-1, 0, size+2*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Skip("no memory mapping:", err)
	}
	t.Cleanup(func() { syscall.Munmap(mem) })
	for _, p := range [][]byte{mem[:page], mem[page+size:]} {
		if err := syscall.Mprotect(p, syscall.PROT_NONE); err != nil {
			t.Skip("no memory protection:", err)
		}
	}
	return guarded(mem[page : page+size])
}

// cut returns n elements that touch the page before g, or the one after it.
func cut[T any](g guarded, n int, after bool) []T {
	var x T
	at := 0
	if after {
		at = len(g) - n*int(unsafe.Sizeof(x))
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(g[at:]))), n)
}

// TestMemory runs every kernel on slices next to pages whose touch would end
// the test program.
func TestMemory(t *testing.T) {
	x, y, z := newGuarded(t, 4*4096), newGuarded(t, 4*4096), newGuarded(t, 4*4096)
	eachTier(t, func(t *testing.T, k *distance.Kernels) {
		for _, n := range lengths() {
			if n == 0 {
				continue
			}
			for _, after := range []bool{false, true} {
				f, g := cut[float32](x, n, after), cut[float32](y, n, after)
				k.Dot(f, g)
				k.L2Sq(f, g)
				k.DotBlock(f, g, cut[float32](z, 1, after))
				k.L2SqBlock(f, g, cut[float32](z, 1, after))
				k.MaxAbs(f)
				b, c := cut[int8](y, n, after), cut[int8](z, n, after)
				k.Quantize(b, f, 1)
				k.QuantizeResidual(b, f, c, 1, 1)
				h := cut[uint16](y, n, after)
				k.EncodeF16(h, f)
				k.DecodeF16(f, h)

				k.DotI8(b, c)
				rows := cut[*int8](x, 3, after)
				rows[0], rows[1], rows[2] = &c[0], &c[0], &c[0]
				k.DotI8Rows(b, rows, make([]int32, 3))
				k.DotU2Block(cut[int8](y, 4*n, after), cut[uint8](z, n, after), cut[int32](x, 1, after))
				k.DotU4Block(cut[int8](y, 2*n, after), cut[uint8](z, n, after), cut[int32](x, 1, after))
			}
		}
	})
}

// TestPrefetchAnywhere fetches what cannot be touched.
func TestPrefetchAnywhere(t *testing.T) {
	g := newGuarded(t, 1)
	distance.Prefetch(unsafe.Pointer(unsafe.SliceData(g)), 3*len(g))
	distance.Prefetch(unsafe.Pointer(unsafe.SliceData(g)), -5)
}
