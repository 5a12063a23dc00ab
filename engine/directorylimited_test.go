//go:build ragdb_limited

package engine_test

import "testing"

func needsDirectory(t testing.TB) {
	t.Helper()
	t.Skip("the store is on a server, not in a directory")
}
