package main

import (
	"runtime"

	"github.com/spf13/cobra"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/buildinfo"
)

// versionResult is what version prints.
type versionResult struct {
	V        int    `json:"v"`
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Modified bool   `json:"modified,omitempty"`
	Format   uint32 `json:"format"`
	Go       string `json:"go"`
	OS       string `json:"os"`
	Arch     string `json:"arch"`
}

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the versions of ragdb and of its file format",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usedAs(cmd, "takes no arguments")
			}
			return nil
		},
		Run: func(*cobra.Command, []string) {
			r := newVersion()
			if a.out.object(r) {
				return
			}
			line := "ragdb " + buildinfo.Read().String()
			a.out.print("%s · format %d · %s %s/%s\n", line, r.Format, r.Go, r.OS, r.Arch)
		},
	}
}

// newVersion reads what the build recorded.
func newVersion() versionResult {
	b := buildinfo.Read()
	return versionResult{V: 1, Version: b.Version, Revision: b.Revision, Modified: b.Modified,
		Format: engine.Format, Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH}
}
