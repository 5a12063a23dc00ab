package distance_test

import "unsafe"

// sliceOf returns the n elements at p.
func sliceOf[T any](p *T, n int) []T { return unsafe.Slice(p, n) }
