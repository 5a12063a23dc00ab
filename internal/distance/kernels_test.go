package distance_test

import (
	"math/rand/v2"
	"reflect"
	"testing"
	"unsafe"

	"github.com/ragdb/ragdb/internal/distance"
)

// TestPackageFunctions holds the package functions to those of their tier.
func TestPackageFunctions(t *testing.T) {
	k, err := distance.For(distance.Active())
	if err != nil {
		t.Fatal(err)
	}
	const n, seed = 77, 8
	rng := rand.New(rand.NewPCG(seed, seed))
	a, b := randomVector(rng, n), randomVector(rng, n)
	p, q := randomCodes(rng, n), randomCodes(rng, n)
	check := func(name string, got, want any) {
		t.Helper()
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s = %v, want %v", name, got, want)
		}
	}
	check("Dot", distance.Dot(a, b), k.Dot(a, b))
	check("L2Sq", distance.L2Sq(a, b), k.L2Sq(a, b))
	check("DotI8", distance.DotI8(p, q), k.DotI8(p, q))
	check("MaxAbs", distance.MaxAbs(a), k.MaxAbs(a))
	f := [2][]float32{make([]float32, n), make([]float32, n)}
	i := [2][]int32{make([]int32, 1), make([]int32, 1)}
	c := [2][]int8{make([]int8, n), make([]int8, n)}
	h := [2][]uint16{make([]uint16, n), make([]uint16, n)}
	distance.DotBlock(a[:11], b, f[0][:7])
	k.DotBlock(a[:11], b, f[1][:7])
	check("DotBlock", f[0], f[1])
	distance.L2SqBlock(a[:11], b, f[0][:7])
	k.L2SqBlock(a[:11], b, f[1][:7])
	check("L2SqBlock", f[0], f[1])
	distance.DotI8Rows(p, []*int8{&q[0]}, i[0])
	k.DotI8Rows(p, []*int8{&q[0]}, i[1])
	check("DotI8Rows", i[0], i[1])
	distance.DotU2Block(p, make([]uint8, n), i[0])
	k.DotU2Block(p, make([]uint8, n), i[1])
	check("DotU2Block", i[0], i[1])
	distance.DotU4Block(p, make([]uint8, n), i[0])
	k.DotU4Block(p, make([]uint8, n), i[1])
	check("DotU4Block", i[0], i[1])
	distance.Quantize(c[0], a, 3)
	k.Quantize(c[1], a, 3)
	check("Quantize", c[0], c[1])
	distance.QuantizeResidual(c[0], a, q, 3, .5)
	k.QuantizeResidual(c[1], a, q, 3, .5)
	check("QuantizeResidual", c[0], c[1])
	distance.EncodeF16(h[0], a)
	k.EncodeF16(h[1], a)
	check("EncodeF16", h[0], h[1])
	distance.DecodeF16(f[0], h[0])
	k.DecodeF16(f[1], h[0])
	check("DecodeF16", f[0], f[1])
	distance.Prefetch(unsafe.Pointer(&a[0]), 4*n)
	distance.Prefetch(nil, 100)
}

// TestShort gives each function a slice that is too short in length but not
// in capacity.
func TestShort(t *testing.T) {
	f, c, h := make([]float32, 64), make([]int8, 64), make([]uint16, 64)
	eachTier(t, func(t *testing.T, k *distance.Kernels) {
		for name, run := range map[string]func(){
			"Dot":                    func() { k.Dot(f, f[:63]) },
			"L2Sq":                   func() { k.L2Sq(f, f[:63]) },
			"DotBlock":               func() { k.DotBlock(f[:8], f[:31], make([]float32, 4)) },
			"L2SqBlock":              func() { k.L2SqBlock(f[:8], f[:31], make([]float32, 4)) },
			"DotI8":                  func() { k.DotI8(c, c[:63]) },
			"DotI8Rows":              func() { k.DotI8Rows(c, []*int8{&c[0]}, make([]int32, 2)) },
			"DotI8Rows out":          func() { k.DotI8Rows(c, []*int8{&c[0], &c[0]}, make([]int32, 1, 2)) },
			"DotU2Block":             func() { k.DotU2Block(c[:32], make([]uint8, 31, 64), make([]int32, 4)) },
			"DotU4Block":             func() { k.DotU4Block(c[:32], make([]uint8, 63, 64), make([]int32, 4)) },
			"Quantize":               func() { k.Quantize(c[:63], f, 1) },
			"QuantizeResidual":       func() { k.QuantizeResidual(c[:63], f, c, 1, 1) },
			"QuantizeResidual codes": func() { k.QuantizeResidual(c, f, c[:63], 1, 1) },
			"EncodeF16":              func() { k.EncodeF16(h[:63], f) },
			"DecodeF16":              func() { k.DecodeF16(f[:63], h) },
		} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%s takes a short slice", name)
					}
				}()
				run()
			}()
		}
	})
}
