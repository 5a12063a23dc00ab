//go:build !linux

package hnsw

// mapPages is for systems on which the heap is as good.
func mapPages(int) (b []byte, free func()) { return nil, nil }
