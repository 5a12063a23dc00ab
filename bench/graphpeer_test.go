package main

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// buildIgraph compiles igraph's program, or skips the test.
func buildIgraph(t *testing.T) (bin string) {
	t.Helper()
	if testing.Short() {
		t.Skip("compiles C")
	}
	flags, err := exec.CommandContext(t.Context(), "pkg-config", "--cflags", "--libs", "igraph").Output()
	if err != nil {
		t.Skip("no igraph")
	}
	bin = filepath.Join(t.TempDir(), "igraph")
	args := append([]string{"-O1", "-Wall", "-Werror", "-o", bin, filepath.Join("peers", "igraph", "bench.c")}, strings.Fields(string(flags))...)
	if out, err := exec.CommandContext(t.Context(), "gcc", append(args, "-lm")...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return bin
}

// TestIgraph runs igraph's program if it can be built: what both compute
// must agree.
func TestIgraph(t *testing.T) {
	bin, dir := buildIgraph(t), t.TempDir()
	path, truth := filepath.Join(dir, "small.bin"), filepath.Join(dir, "small.truth")
	if err := run(t.Context(), []string{"graph-gen", "-kind", "lfr", "-nodes", "500", "-o", path, "-truth", truth}, io.Discard, io.Discard); err != nil {
		t.Fatal(err)
	}
	for _, task := range []string{"kcore", "components", "clustering", "pagerank", "bc:exact", "bc:10", "path", "wpath"} {
		args := []string{"--graph", path, "--labels", truth, "--task", task, "--reps", "2", "--queries", "30"}
		out, err := exec.CommandContext(t.Context(), bin, args...).Output()
		if err != nil {
			t.Fatalf("%s: %v", task, err)
		}
		var peer graphResult
		d := json.NewDecoder(bytes.NewReader(out))
		d.DisallowUnknownFields()
		if err := d.Decode(&peer); err != nil {
			t.Fatalf("%s: %v in %s", task, err, out)
		}
		own, _ := runJSON(t, append([]string{"graph"}, args...)...)
		if peer.V != 1 || !strings.HasPrefix(peer.Engine, "igraph ") || peer.Graph != own.Graph || peer.Nodes != own.Nodes || peer.Edges != own.Edges {
			t.Errorf("%s: %s", task, out)
		}
		if math.Abs(peer.Value-own.Value) > 1e-6*math.Abs(peer.Value) {
			t.Errorf("%s: %v, and igraph %v", task, own.Value, peer.Value)
		}
	}
	if err := exec.CommandContext(t.Context(), bin, "--graph", path, "--task", "nothing").Run(); err == nil {
		t.Error("a task that is not there")
	}
}

// TestGraphReport compares three runs of two engines.
func TestGraphReport(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs")
	const runs = `{"v":1,"engine":"ragdb","graph":"g","task":"leiden:2","nodes":3,"edges":2,"cpu_s":0.004,"value":0.5,"nmi":0.25,"disconnected":0}
{"v":1,"engine":"ragdb","graph":"g","task":"leiden:2","nodes":3,"edges":2,"cpu_s":0.002,"value":0.7,"nmi":0.75,"disconnected":0}
{"v":1,"engine":"igraph 1","graph":"g","task":"leiden:2","nodes":3,"edges":2,"cpu_s":0.008,"value":0.5}
{"v":1,"engine":"ragdb","graph":"g","task":"path","nodes":3,"edges":2,"queries":9,"p50_us":0.3,"p99_us":8,"store_p50_us":30}
{"v":1,"engine":"other","graph":"g","task":"path","nodes":3,"edges":2,"queries":9,"p50_us":12,"p99_us":16}
`
	if err := os.WriteFile(path, []byte(runs), 0o644); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := run(t.Context(), []string{"graph-report", "-md", "-command", "x", path}, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"| leiden:2 | ragdb | 2 | 0.25 | 3 | 0.38 | - | - | 0 | 0.6 | 0.5 to 0.7 | 2 | 0.5000 | 0 |",
		"| leiden:2 | igraph 1 | 8 | 1.00 | 8 | 1.00 |", "g: 3 nodes, 2 edges, queries",
		"| path | ragdb | 9 | 0.3 | 0.025 | 8 | 0.50 | 30 | - | 0 |", "command: `x`",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, out.String())
		}
	}
	for _, args := range [][]string{{}, {filepath.Join(t.TempDir(), "none")}} {
		if err := run(t.Context(), append([]string{"graph-report"}, args...), io.Discard, io.Discard); err == nil {
			t.Errorf("%v: no error", args)
		}
	}
}
