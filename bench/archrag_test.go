package main

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
)

// TestArchRAG runs the suite on few entities.
func TestArchRAG(t *testing.T) {
	var out bytes.Buffer
	args := []string{"archrag", "-json", "-n", "90,700", "-dim", "24", "-questions", "60", "-exact", "30"}
	if err := run(t.Context(), args, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	var r report
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	for _, m := range r.Measures {
		if m.Name == "" || m.Value <= 0 || strings.Contains(m.Name, "recall") && (m.Value < 0.99 || m.Value > 1+1e-9) {
			t.Errorf("measure %+v", m)
		}
	}
	// Three figures of each size and two of the growth; two ways of each size;
	// layers of 90 and 11, and of 700, 87 and 10.
	if len(r.Measures) != 8 || len(r.Tables) != 3 || len(r.Tables[0].Rows) != 4 || len(r.Tables[1].Rows) != 5 || len(r.Tables[2].Rows) != 4 {
		t.Fatalf("%d measures, tables %v", len(r.Measures), r.Tables)
	}
	// A layer not wider than the search is compared whole.
	if row := r.Tables[1].Rows[4]; !slices.Equal(row, []string{"700", "2", "10", "1.0000", "1.0000", row[5], "10"}) {
		t.Errorf("the highest layer is %v", row)
	}
	for _, n := range []string{"9", "700,90", "x", ""} {
		if err := run(t.Context(), []string{"archrag", "-n", n}, io.Discard, io.Discard); err == nil {
			t.Errorf("-n %q was taken", n)
		}
	}
}

// TestPyramid checks that the draw follows from the seed and that nodes lie
// around those of the layer above.
func TestPyramid(t *testing.T) {
	d, again := drawPyramid(500, 32, 5, 4), drawPyramid(500, 32, 5, 4)
	if !slices.Equal(d.sizes(), []int{500, 62}) {
		t.Fatalf("layers of %v", d.sizes())
	}
	if !slices.Equal(d.questions[4], again.questions[4]) || slices.Equal(d.questions[4], drawPyramid(500, 32, 5, 5).questions[4]) {
		t.Error("vectors do not follow from the seed")
	}
	apart := func(a, b []float32) (sum float64) {
		for i := range a {
			sum += math.Pow(float64(a[i]-b[i]), 2) / float64(len(a))
		}
		return sum
	}
	var own, other float64
	for i, x := range d.layers[0] {
		own += apart(x, d.layers[1][i%62]) / 500
		other += apart(x, d.layers[1][(i+1)%62]) / 500
	}
	// The variances are 0.49, and that and those of two communities.
	if math.Abs(own-0.49) > 0.03 || math.Abs(other-2.49) > 0.25 {
		t.Errorf("members are %.2f from their community and %.2f from another", own, other)
	}
}
