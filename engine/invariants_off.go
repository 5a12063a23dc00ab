//go:build !ragdb_invariants

package engine

// checkInvariants does nothing; the build tag ragdb_invariants makes it verify
// what each commit touched.
func (tx *Tx) checkInvariants() error { return nil }
