//go:build !ragdb_invariants

package engine

// invariants says that commits do not verify themselves; the build tag
// ragdb_invariants makes them.
const invariants = false
