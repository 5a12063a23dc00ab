//go:build ragdb_invariants

package engine

// invariants says that every commit verifies what it touched.
const invariants = true
