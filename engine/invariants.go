//go:build ragdb_invariants

package engine

// checkInvariants verifies, after a commit, what the commit touched.
func (tx *Tx) checkInvariants() error { return tx.verify() }
