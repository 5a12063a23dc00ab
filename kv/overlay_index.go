package kv

import "slices"

// keyIndex holds distinct keys and sorts them when asked. Sorted runs are
// never changed, only replaced, so a caller that holds one keeps a valid view.
// Each run is at least twice as long as the next, so n keys are merged in
// O(n log n) however often sorted is called.
type keyIndex struct {
	runs  [][]string
	fresh []string // not yet in a run
}

func (x *keyIndex) add(key string) { x.fresh = append(x.fresh, key) }

// sorted returns the parts of the runs within lo <= key < hi, hi nil being
// open. The runs together hold each key once.
func (x *keyIndex) sorted(lo, hi []byte) [][]string {
	x.settle()
	var parts [][]string
	for _, run := range x.runs {
		from, to := atLeast(run, lo), len(run)
		if hi != nil {
			to = atLeast(run, hi)
		}
		if from < to {
			parts = append(parts, run[from:to])
		}
	}
	return parts
}

func (x *keyIndex) settle() {
	if len(x.fresh) == 0 {
		return
	}
	slices.Sort(x.fresh)
	x.runs = append(x.runs, x.fresh)
	x.fresh = nil
	for n := len(x.runs); n > 1 && len(x.runs[n-2]) < 2*len(x.runs[n-1]); n-- {
		merged := mergeKeys(x.runs[n-2], x.runs[n-1])
		x.runs = append(x.runs[:n-2], merged)
	}
}

// mergeKeys merges two sorted runs without a common key.
func mergeKeys(a, b []string) []string {
	out := make([]string, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if a[0] < b[0] {
			out, a = append(out, a[0]), a[1:]
		} else {
			out, b = append(out, b[0]), b[1:]
		}
	}
	return append(append(out, a...), b...)
}

// atLeast returns the place of the first key >= k in a sorted run.
func atLeast(run []string, k []byte) int {
	lo, hi := 0, len(run)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if run[mid] < string(k) {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}
