package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestMain lets the test's binary be the process that a suite starts to
// measure memory.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && (os.Args[1] == "serve" || os.Args[1] == "vector-serve") {
		main()
		return
	}
	os.Exit(m.Run())
}

func TestRMAT(t *testing.T) {
	a, b := rmat(1, 10, 5000), rmat(1, 10, 5000)
	if !slices.Equal(a, b) || slices.Equal(a, rmat(2, 10, 5000)) {
		t.Error("edges do not follow from the seed")
	}
	low, degree := 0, map[uint32]int{}
	for _, e := range a {
		if e.from >= 1<<10 || e.to >= 1<<10 {
			t.Fatalf("edge %v is outside", e)
		}
		if e.from < 512 {
			low++
		}
		degree[e.from]++
	}
	// The first bit of the source is 0 with probability 0.57 + 0.19.
	if share := float64(low) / 5000; share < 0.73 || share > 0.79 {
		t.Errorf("%.3f of the edges begin in the lower half", share)
	}
	if degree[0] < 50 {
		t.Errorf("no hub: degree %d", degree[0])
	}
	if n := distinct([]edge{{1, 2}, {2, 1}, {1, 2}}); n != 2 {
		t.Errorf("%d different edges of 2", n)
	}
}

// TestGraphstore runs the whole suite on a small graph; it compares what it
// reads with what it wrote itself.
func TestGraphstore(t *testing.T) {
	t.Chdir(t.TempDir())
	var out bytes.Buffer
	args := []string{"graphstore", "-json", "-scale", "8", "-edges", "2500", "-hub", "3000", "-dir", "."}
	if err := run(t.Context(), args, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	var r report
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	if r.Command != "go run ./bench "+strings.Join(args, " ") || r.Machine.Cores < 1 || r.Machine.Go == "" || r.Commit == "" {
		t.Errorf("head %+v", r)
	}
	for _, m := range r.Measures {
		if m.Name == "" || m.Unit == "" || m.Value < 0 || m.Value == 0 && m.Name != "hub: memory while paging" {
			t.Errorf("measure %+v", m)
		}
	}
	if len(r.Measures) < 20 || len(r.Tables) != 1 || len(r.Tables[0].Rows) != 2 {
		t.Errorf("%d measures, tables %v", len(r.Measures), r.Tables)
	}
	if left, err := os.ReadDir("."); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

func TestReport(t *testing.T) {
	r := &report{Command: "c", Commit: "d", Input: "i", log: io.Discard}
	r.atMost("time", 3, "ms", 2, "slow")
	r.atMost("size", 1, "B", 2, "")
	r.atLeast("rate", 2e6, "edges/s", 1e6, "")
	r.atLeast("other", 12_345, "x", 0, "")
	r.Tables = append(r.Tables, table{"T", []string{"a", "b"}, [][]string{{"1", "2"}}})
	var text, md bytes.Buffer
	if err := errors.Join(r.writeText(&text), r.writeMarkdown(&md)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"| time | 3 ms | ≤ 2 | missed | slow |", "| size | 1 B | ≤ 2 | met |  |",
		"| rate | 2 M edges/s | ≥ 1 M | met |  |", "| other | 12.3 k x |  |  |  |", "| 1 | 2 |",
	} {
		if !strings.Contains(md.String(), want) {
			t.Errorf("%q is not in\n%s", want, md.String())
		}
	}
	if !strings.Contains(text.String(), "missed") || !strings.Contains(text.String(), "command  c") {
		t.Errorf("text:\n%s", text.String())
	}
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{nil, {"nothing"}, {"graphstore", "-unknown"}} {
		if err := run(t.Context(), args, io.Discard, io.Discard); !errors.Is(err, errUsage) {
			t.Errorf("%v: %v", args, err)
		}
	}
	if err := run(t.Context(), []string{"graphstore", "-scale", "40"}, io.Discard, io.Discard); err == nil {
		t.Error("2^40 nodes")
	}
	if err := run(t.Context(), []string{"serve"}, io.Discard, io.Discard); err == nil {
		t.Error("serve without a database")
	}
}
