//go:build !ragdb_limited

package engine_test

import "testing"

// needsDirectory skips a test of what only a store in a directory can do or is, if the
// tests run on another one.
func needsDirectory(testing.TB) {}
