package main

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestPeer runs hnswlib's program on the same files where it can be built, and
// with a search that is as wide as the index, which finds everything.
func TestPeer(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles C++")
	}
	bin := filepath.Join(t.TempDir(), "hnswlib")
	if _, err := exec.LookPath("g++"); err != nil {
		t.Skip("no g++")
	}
	if _, err := os.Stat("/usr/include/hnswlib/hnswlib.h"); err != nil {
		t.Skip("no headers of hnswlib")
	}
	build := exec.CommandContext(t.Context(), "g++", "-std=c++17", "-O1", "-o", bin, filepath.Join("peers", "hnswlib", "bench.cpp"))
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	asked, itself := smallSet(t)
	for name, args := range map[string][]string{"queries": asked, "rows": itself} {
		for _, metric := range []string{"l2", "cosine"} {
			// With fewer rows the peer computes the truth, by each metric.
			n := map[string]string{"l2": "1000", "cosine": "900"}[metric]
			out, err := exec.CommandContext(t.Context(), bin, append(args, "--metric", metric, "--n", n)...).Output()
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			var v vectorResult
			var fields map[string]any
			if err := errors.Join(json.Unmarshal(out, &v), json.Unmarshal(out, &fields)); err != nil {
				t.Fatalf("%s: %v in %s", name, err, out)
			}
			checkFields(t, fields)
			if v.Engine != "hnswlib" || v.Set != "small" || v.Metric != metric || v.Queries != 40 || v.Points[1].Recall < 0.999 || v.Points[0].Recall >= v.Points[1].Recall {
				t.Errorf("%s, %s: %s", name, metric, out)
			}
		}
	}
}
