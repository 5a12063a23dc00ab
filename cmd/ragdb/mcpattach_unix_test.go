//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAttachedMCP says that a server of tools works beside an index that runs, and that it
// writes there too.
func TestAttachedMCP(t *testing.T) {
	p := newProcesses(t)
	p.must("demo", "-q")
	g := newGate(t)
	holder := p.hold(g, "demo.ragdb")
	talk, err := os.ReadFile(filepath.Join("testdata", "mcp.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		part string
		args []string
		want []string
	}{
		{"talk.jsonl", []string{"mcp", "demo.ragdb"}, []string{`"id":1,"result"`, "answered: true", "Ottilie Brandt", "remove is not available", `"id":5,"result"`}},
		{"write.jsonl", []string{"mcp", "demo.ragdb", "--write"}, []string{"was added"}},
		{"remove.jsonl", []string{"mcp", "demo.ragdb", "--write"}, []string{"removed, with 1 passage"}},
	} {
		_, in, _ := strings.Cut(string(talk), "-- "+x.part+" --\n")
		in, _, _ = strings.Cut(in, "\n-- ")
		c := p.start(in+"\n", x.args...)
		if code := c.wait(); code != 0 {
			t.Errorf("%q ended with %d: %s", x.args, code, c.err.String())
		}
		for _, w := range x.want {
			if !strings.Contains(c.out.String(), w) {
				t.Errorf("%q does not say %q: %s", x.args, w, c.out.String())
			}
		}
		holder.running()
	}
	g.open()
	if code := holder.wait(); code != 0 {
		t.Errorf("the index ended with %d: %s", code, holder.err.String())
	}
}
