package main

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestQPSAt(t *testing.T) {
	points := []point{{Ef: 16, Recall: 0.96, QPS: 40_000}, {Ef: 32, Recall: 0.98, QPS: 10_000}, {Ef: 64, Recall: 0.99, QPS: 5000}}
	for _, c := range []struct {
		name   string
		points []point
		recall float64
		qps    float64
		ok     bool
	}{
		{"half way is the geometric mean", points, 0.97, 20_000, true},
		{"a quarter of the way", points, 0.965, 40_000 / math.Sqrt2, true},
		{"a point itself", points, 0.98, 10_000, true},
		{"the last point", points, 0.99, 5000, true},
		{"passed by the first", points, 0.9, 40_000, true},
		{"not reached", points, 0.995, 0, false},
		{"recall that falls again", []point{{Recall: 0.9, QPS: 400}, {Recall: 0.8, QPS: 200}, {Recall: 1, QPS: 100}}, 0.9, 400, true},
		{"no points", nil, 0.5, 0, false},
	} {
		qps, ok := qpsAt(c.points, c.recall)
		if ok != c.ok || math.Abs(qps-c.qps) > 1e-6*c.qps {
			t.Errorf("%s: %g, %v; want %g, %v", c.name, qps, ok, c.qps, c.ok)
		}
	}
}

func exampleRuns() []*vectorResult {
	return []*vectorResult{
		{V: 1, Engine: "ragdb", Set: "a", N: 100, Dim: 8, Metric: "ip", Build: 1, BuildDurable: 2, BytesPerVector: 100, Disk: 8, Open: 1,
			Points: []point{{Ef: 32, Recall: 0.999, QPS: 100}, {Ef: 16, Recall: 0.9, QPS: 400}}},
		{V: 1, Engine: "hnswlib 0.6", Set: "a", N: 100, Dim: 8, Metric: "ip", Build: 4, BuildDurable: 4, BytesPerVector: 400, Disk: 4, Open: 2,
			Points: []point{{Ef: 16, Recall: 0.99, QPS: 50}, {Ef: 64, Recall: 1, QPS: 20}}},
		{V: 1, Engine: "ragdb", Set: "b & c", N: 100, Dim: 8, Metric: "l2", Build: 3, Points: []point{{Ef: 16, Recall: 0.5, QPS: 7}}},
		{V: 1, Engine: "ragdb", Set: "a", N: 100, Dim: 8, Metric: "ip", Build: 2, BuildDurable: 1, BytesPerVector: 100, Disk: 8, Open: 3,
			Points: []point{{Ef: 16, Recall: 0.9, QPS: 300}, {Ef: 32, Recall: 0.999, QPS: 150}, {Ef: 64, Recall: 1, QPS: 10}}},
	}
}

func TestCompareRuns(t *testing.T) {
	runs := exampleRuns()
	sets := compareRuns(runs)
	if len(sets) != 2 || len(sets[0]) != 2 || len(sets[1]) != 1 || sets[1][0].Set != "b & c" {
		t.Fatalf("%v", sets)
	}
	own := sets[0][0]
	want := []point{{Ef: 16, Recall: 0.9, QPS: 400}, {Ef: 32, Recall: 0.999, QPS: 150}, {Ef: 64, Recall: 1, QPS: 10}}
	if own.Engine != "ragdb" || own.Build != 1 || own.BuildDurable != 1 || own.Open != 1 || !slices.Equal(own.Points, want) {
		t.Errorf("%+v", own)
	}
	if runs[0].Points[0].Ef != 32 || runs[0].BuildDurable != 2 {
		t.Error("a run was changed")
	}
}

// TestVectorReport reads results from files and checks ratios by hand.
func TestVectorReport(t *testing.T) {
	dir := t.TempDir()
	args := []string{"vector-report", "-md", "-at", "0.99", "-command", "all of it", "-svg", filepath.Join(dir, "plot.svg")}
	for i, v := range exampleRuns() {
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, fmt.Sprint(i))
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
		args = append(args, path)
	}
	var out bytes.Buffer
	if err := run(t.Context(), args, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	// Between (0.9, 400) and (0.999, 150), at 0.99.
	qps := 400 * math.Pow(150.0/400, 0.09/0.099)
	for _, want := range []string{
		"- command: `all of it`",
		"a: 100 vectors of 8 dimensions, ip",
		"| ragdb | 1 | 0.25 | 1 | 0.25 | 100 | 0.25 | 0 | 8 | 2.00 | 1 | 0.50 | 0.9000 / 400 / 0 | 0.9990 / 150 / 0 | 1.0000 / 10 / 0 | " +
			fmt.Sprintf("%.0f | %.2f |", qps, qps/50),
		"| hnswlib 0.6 | 4 | 1.00 | 4 | 1.00 | 400 | 1.00 | 0 | 4 | 1.00 | 2 | 1.00 | 0.9900 / 50 / 0 | - | 1.0000 / 20 / 0 | 50 | 1.00 |",
		"| ragdb | 3 | - | 0 | - | 0 | - | 0 | 0 | - | 0 | - | 0.5000 / 7 / 0 | - (at most 0.5000) | - |",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, out.String())
		}
	}
	svg, err := os.ReadFile(filepath.Join(dir, "plot.svg"))
	if err != nil {
		t.Fatal(err)
	}
	checkPlot(t, svg)

	bad := filepath.Join(dir, "bad")
	if err := os.WriteFile(bad, []byte(`{"v":2}`), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"vector-report"}, {"vector-report", bad}, {"vector-report", filepath.Join(dir, "none")}} {
		if err := run(t.Context(), args, io.Discard, io.Discard); err == nil {
			t.Errorf("%v: no error", args)
		}
	}
}

// checkPlot fails if the plot is not well formed, lacks a point, or does not
// show more recall further right and more speed higher.
func checkPlot(t *testing.T, svg []byte) {
	t.Helper()
	type at struct{ x, y float64 }
	var panel int
	var points []at
	var text strings.Builder
	for d := xml.NewDecoder(bytes.NewReader(svg)); ; {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, svg)
		}
		switch e := tok.(type) {
		case xml.CharData:
			text.Write(e)
		case xml.StartElement:
			switch e.Name.Local {
			case "g":
				panel++
			case "polyline":
				if panel > 1 {
					continue
				}
				for _, a := range e.Attr {
					if a.Name.Local != "points" {
						continue
					}
					for _, f := range strings.Fields(a.Value) {
						var p at
						if _, err := fmt.Sscanf(f, "%f,%f", &p.x, &p.y); err != nil {
							t.Fatal(err)
						}
						points = append(points, p)
					}
				}
			}
		}
	}
	if panel != 2 || len(points) != 5 {
		t.Fatalf("%d panels, points %v", panel, points)
	}
	for i := 1; i < 3; i++ {
		if points[i].x <= points[i-1].x || points[i].y <= points[i-1].y {
			t.Errorf("ragdb's points: %v", points[:3])
		}
	}
	for _, p := range points {
		if p.x < marginLeft || p.x > panelWidth-marginRight || p.y < marginTop || p.y > panelHeight-marginUnder {
			t.Errorf("point %v is outside", p)
		}
	}
	if !strings.Contains(text.String(), "b & c: 100 × 8, l2") || !strings.Contains(text.String(), "hnswlib 0.6") {
		t.Errorf("text %q", text.String())
	}
}

func TestQPSTicks(t *testing.T) {
	for _, c := range []struct {
		slow, fast float64
		want       []float64
	}{
		{30, 700, []float64{20, 50, 100, 200, 500, 1000}},
		{100, 100, []float64{100, 200}},
		{6000, 9000, []float64{5000, 10_000}},
		{0, 3, []float64{1, 2, 5}},
	} {
		if got := qpsTicks(c.slow, c.fast); !slices.Equal(got, c.want) {
			t.Errorf("%g to %g: %v, want %v", c.slow, c.fast, got, c.want)
		}
	}
}
