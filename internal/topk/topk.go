// Package topk keeps the best of many items in a heap whose root, item 0, is
// the worst kept, so that one comparison tells whether a further item belongs
// among them.
package topk

// Take adds x to a heap of at most k items, k being positive, and returns it.
// In a full heap x takes the place of the worst. compare is negative if a is
// better than b. It takes O(log k) time.
func Take[T any](heap []T, k int, x T, compare func(a, b T) int) []T {
	if len(heap) < k {
		heap = append(heap, x)
		up(heap, compare)
		return heap
	}
	heap[0] = x
	down(heap, compare)
	return heap
}

// up moves the last item to its place.
func up[T any](heap []T, compare func(a, b T) int) {
	for i := len(heap) - 1; i > 0; {
		parent := (i - 1) / 2
		if compare(heap[i], heap[parent]) <= 0 {
			return
		}
		heap[i], heap[parent] = heap[parent], heap[i]
		i = parent
	}
}

// down moves the first item to its place.
func down[T any](heap []T, compare func(a, b T) int) {
	for i := 0; ; {
		worst := i
		for c := 2*i + 1; c <= 2*i+2 && c < len(heap); c++ {
			if compare(heap[c], heap[worst]) > 0 {
				worst = c
			}
		}
		if worst == i {
			return
		}
		heap[i], heap[worst] = heap[worst], heap[i]
		i = worst
	}
}
