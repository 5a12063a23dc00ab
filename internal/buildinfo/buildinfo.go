// Package buildinfo tells what a program was built from, as the Go tool recorded
// it in the program. Where the program runs does not matter.
package buildinfo

import (
	"runtime/debug"
	"strings"
)

// Unreleased is the version of a build that is of no release.
const Unreleased = "unreleased"

// Info is what a program was built from.
type Info struct {
	// Version is the module's, without the v, or Unreleased.
	Version string
	// Revision is the commit, "" if the build did not record it: go run, and
	// builds outside of a repository, do not.
	Revision string
	// Modified says that files differed from that commit.
	Modified bool
}

// Read returns what this program was built from.
func Read() Info {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return Info{Version: Unreleased}
	}
	return from(info)
}

func from(b *debug.BuildInfo) Info {
	i := Info{Version: strings.TrimPrefix(b.Main.Version, "v")}
	if i.Version == "" || i.Version == "(devel)" {
		i.Version = Unreleased
	}
	for _, s := range b.Settings {
		switch s.Key {
		case "vcs.revision":
			i.Revision = s.Value
		case "vcs.modified":
			i.Modified = s.Value == "true"
		}
	}
	return i
}

// String writes the version with the commit, such as "0.1.0 (6ab6fbe12345)".
func (i Info) String() string {
	switch {
	case i.Revision == "" && i.Version == Unreleased:
		return i.Version + " (its commit is not recorded)"
	case i.Revision == "":
		return i.Version
	}
	s := i.Version + " (" + i.Revision[:min(12, len(i.Revision))]
	if i.Modified {
		s += ", modified"
	}
	return s + ")"
}
