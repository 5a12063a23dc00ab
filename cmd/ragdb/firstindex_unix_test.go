//go:build unix

package main

import (
	"fmt"
	"strings"
	"testing"
)

// TestAskBesideFirstIndex says what questions get while the first run indexes: an answer
// from what is there by a method that builds nothing, and who is at work and how far it
// is from the others.
func TestAskBesideFirstIndex(t *testing.T) {
	t.Parallel() // it waits most of its time
	p := newProcesses(t)
	g := newGate(t)
	holder := p.hold(g, "new.ragdb", "--method", "ketrag")
	const question = "Who served at Skarholm?"
	ask := func(more ...string) *command {
		c := p.start("", append([]string{"ask", "new.ragdb", question, "--ns", "other", "--model", "local"}, more...)...)
		c.wait()
		return c
	}
	for _, method := range []string{"bridge", "naive", "bm25"} {
		c := ask("--method", method)
		if c.code != 0 || !strings.Contains(c.out.String(), "Anna Berg") || !strings.Contains(c.err.String(), "the evidence is from what is indexed so far") {
			t.Errorf("%s exits with %d, prints %s and says %s", method, c.code, c.out.String(), c.err.String())
		}
	}
	pid := holder.cmd.Process.Pid
	want := fmt.Sprintf("ragdb: new.ragdb is not indexed by ketrag yet, and process %d is at work on it (extract: 0 of 1); ask again when that has ended; ragdb status new.ragdb tells how far it is\n", pid)
	if c := ask("--method", "ketrag"); c.code != exitNotFound || c.err.String() != want {
		t.Errorf("ketrag exits with %d and says %s\nwant %s", c.code, c.err.String(), want)
	}
	status := p.start("", "status", "new.ragdb", "--ns", "other")
	if status.wait() != 0 || status.err.String() != fmt.Sprintf("process %d is at work on it\n", pid) {
		t.Errorf("status says %s", status.err.String())
	}
	g.open()
	if code := holder.wait(); code != 0 {
		t.Fatalf("the index ends with %d: %s", code, holder.err.String())
	}
	if c := ask("--method", "ketrag"); c.code != 0 || c.err.String() != "" {
		t.Errorf("after the index ketrag exits with %d and says %s", c.code, c.err.String())
	}
}
