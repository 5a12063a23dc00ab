//go:build unix

package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
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

// TestMCPMoves says that a server of tools goes on by itself when the command ends through
// which it worked: the program of the model notices nothing.
func TestMCPMoves(t *testing.T) {
	p := newProcesses(t)
	p.must("demo", "-q")
	g := newGate(t)
	holder := p.hold(g, "demo.ragdb")
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	c := p.startOn(r, "mcp", "demo.ragdb")
	answer := func(id string) string {
		t.Helper()
		for end := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
			for line := range strings.Lines(c.out.String()) {
				if strings.Contains(line, `"id":`+id+`,`) && strings.HasSuffix(line, "\n") {
					return line
				}
			}
			if time.Now().After(end) {
				t.Fatalf("no answer %s: %s %s", id, c.out.String(), c.err.String())
			}
		}
	}
	say := func(line string) {
		t.Helper()
		if _, err := io.WriteString(w, line+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	say(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	answer("1")
	say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	say(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	answer("2")
	g.open()
	if code := holder.wait(); code != 0 {
		t.Fatalf("the index ended with %d: %s", code, holder.err.String())
	}
	say(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"ask","arguments":{"question":"Who built the lighthouse on Lantern Point?"}}}`)
	if said := answer("3"); !strings.Contains(said, "Ottilie Brandt") {
		t.Errorf("after the move: %s", said)
	}
	if n := strings.Count(c.out.String(), `"id":1,`); n != 1 {
		t.Errorf("the greeting was answered %d times: %s", n, c.out.String())
	}
	w.Close()
	if code := c.wait(); code != 0 {
		t.Errorf("mcp ended with %d: %s", code, c.err.String())
	}
}
