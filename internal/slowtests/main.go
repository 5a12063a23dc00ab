// Command slowtests reads the output of go test -json from standard input. It
// prints what go test prints without -json, and then the slowest tests.
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// shown is the number of tests that the list at the end has.
const shown = 20

// event is a line of go test -json; see go doc test2json.
type event struct {
	Action     string
	Package    string
	ImportPath string // of a build's output
	Test       string
	Elapsed    float64 // seconds of wall time
	Output     string
}

// test names a test within a package.
type test struct{ pkg, name string }

type timed struct {
	test
	seconds float64
}

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "slowtests:", err)
		os.Exit(1)
	}
}

func run(r io.Reader, w io.Writer) error {
	out := bufio.NewWriter(w)
	defer out.Flush()
	held := map[test][]string{} // the output of tests that have not ended
	var all []timed
	in := json.NewDecoder(r)
	for {
		var e event
		if err := in.Decode(&e); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return fmt.Errorf("not the output of go test -json: %w", err)
		}
		at := test{e.Package, e.Test}
		switch {
		case e.Action == "output" && e.Test != "":
			held[at] = append(held[at], e.Output)
		case e.Action == "output" && e.Output == "PASS\n" || strings.HasSuffix(e.Output, "[no test files]\n"):
		case e.Action == "output" || e.Action == "build-output":
			fmt.Fprint(out, e.Output)
			out.Flush()
		case e.Test == "":
		case e.Action == "fail":
			fmt.Fprint(out, strings.Join(held[at], ""))
			fallthrough
		case e.Action == "pass" || e.Action == "skip":
			delete(held, at)
			if !strings.Contains(e.Test, "/") {
				all = append(all, timed{at, e.Elapsed})
			}
		}
	}
	for _, lines := range held { // a package that ended in the midst of a test
		fmt.Fprint(out, strings.Join(lines, ""))
	}
	slices.SortStableFunc(all, func(a, b timed) int { return cmp.Compare(b.seconds, a.seconds) })
	fmt.Fprintf(out, "\nThe slowest of %d tests, in seconds of wall time beside the others:\n", len(all))
	for _, t := range all[:min(shown, len(all))] {
		fmt.Fprintf(out, "%8.2f  %s  %s\n", t.seconds, t.pkg, t.name)
	}
	return nil
}
