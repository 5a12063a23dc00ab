package buildinfo

import (
	"runtime/debug"
	"testing"
)

func TestFrom(t *testing.T) {
	t.Parallel()
	const commit = "6ab6fbe1234567890abcdef1234567890abcdef1"
	for _, c := range []struct {
		version, revision, modified, want string
	}{
		{"v0.1.0", commit, "false", "0.1.0 (6ab6fbe12345)"},
		{"v0.1.0", "", "", "0.1.0"},
		{"v0.0.0-20261122101112-6ab6fbe12345+dirty", commit, "true", "0.0.0-20261122101112-6ab6fbe12345+dirty (6ab6fbe12345, modified)"},
		{"(devel)", commit, "false", "unreleased (6ab6fbe12345)"},
		{"(devel)", "", "", "unreleased (its commit is not recorded)"},
		{"", "", "", "unreleased (its commit is not recorded)"},
	} {
		b := &debug.BuildInfo{Main: debug.Module{Version: c.version}}
		if c.revision != "" {
			b.Settings = []debug.BuildSetting{{Key: "vcs.revision", Value: c.revision}, {Key: "vcs.modified", Value: c.modified}}
		}
		if got := from(b).String(); got != c.want {
			t.Errorf("%q of %q: %s, want %s", c.version, c.revision, got, c.want)
		}
	}
	if Read().Version == "" {
		t.Error("this test has no version")
	}
}
