package layout

// IsEmpty reports whether a value of a merged family holds nothing, exactly as
// folds write it: it then means what an absent key means. A damaged value that
// reads as nothing is not empty, so the evidence is not removed.
func IsEmpty(t Tag, v []byte) bool {
	f, ok := familyOf(t)
	if !ok {
		return false
	}
	switch f.merge {
	case mergeSet:
		return string(v) == "\x01\x00" // a list of no ids
	case mergePostings:
		return string(v) == "\x01\x00\x00" // no nodes, no positions
	case mergeSum:
		return string(v) == "\x00\x00" // two sums of 0
	}
	return false
}
