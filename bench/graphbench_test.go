package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/graphops"
)

// cliques is a text of a graph and labels: two cliques of 5 nodes, 10 to 14 and
// 20 to 24, joined by an edge, a leaf 30 at 24, and node 40, which has a label
// and no edge. Edges inside cliques weigh 2.
func cliques() (edges, labels string) {
	var b strings.Builder
	b.WriteString("# a comment\n24,20,1\n30 24 0.5\n14\t20\t0.25\n12 12 3\n")
	for _, first := range []int{10, 20} {
		for i := range 5 {
			for j := range i {
				w := 2
				if first+i == 24 && j == 0 {
					w = 1 // with the line above that turns it: 2
				}
				fmt.Fprintf(&b, "%d %d %d\n", first+j, first+i, w)
			}
		}
	}
	labels = "40 c a name\n30 b\n"
	for i := range 5 {
		labels += fmt.Sprintf("%d a\n%d b\n", 10+i, 20+i)
	}
	return b.String(), labels
}

// cliquesFiles writes cliques, compressed, and returns the paths.
func cliquesFiles(t *testing.T) (edges, labels string) {
	t.Helper()
	e, l := cliques()
	dir := t.TempDir()
	edges, labels = filepath.Join(dir, "two.tsv.gz"), filepath.Join(dir, "labels.tsv")
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := z.Write([]byte(e))
	err = errors.Join(err, z.Close(), os.WriteFile(edges, b.Bytes(), 0o644), os.WriteFile(labels, []byte(l), 0o644))
	if err != nil {
		t.Fatal(err)
	}
	return edges, labels
}

// runJSON runs a suite and returns the fields that it prints.
func runJSON(t *testing.T, args ...string) (out graphResult, fields map[string]any) {
	t.Helper()
	var b bytes.Buffer
	if err := run(t.Context(), append(args, "--json"), &b, io.Discard); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(b.String(), "\n"); n != 1 {
		t.Errorf("%d lines", n)
	}
	if err := errors.Join(json.Unmarshal(b.Bytes(), &out), json.Unmarshal(b.Bytes(), &fields)); err != nil {
		t.Fatal(err)
	}
	return out, fields
}

// pageRanks returns the scores of the nodes of a small graph by power iteration
// on a dense matrix.
func pageRanks(g *graphFile) []float64 {
	n := len(g.types)
	degree := make([]float64, n)
	for _, e := range g.edges {
		degree[e.from]++
		degree[e.to]++
	}
	score := slices.Repeat([]float64{1 / float64(n)}, n)
	for range 500 {
		next := make([]float64, n)
		lost := 0.0
		for u, d := range degree {
			if d == 0 {
				lost += score[u]
			}
		}
		for _, e := range g.edges {
			next[e.to] += 0.85 * score[e.from] / degree[e.from]
			next[e.from] += 0.85 * score[e.to] / degree[e.to]
		}
		for u := range next {
			next[u] += 0.85*lost/float64(n) + 0.15/float64(n)
		}
		score = next
	}
	return score
}

// distances returns the number of edges from a node to each, 0 if no path
// leads.
func distances(g *graphFile, from uint32) []int {
	out := make([]int, len(g.types))
	for round, reached := 1, []uint32{from}; len(reached) > 0; round++ {
		var next []uint32
		for _, u := range reached {
			for _, e := range g.edges {
				for _, v := range []uint32{e.from, e.to} {
					if (e.from == u || e.to == u) && v != from && out[v] == 0 {
						out[v] = round
						next = append(next, v)
					}
				}
			}
		}
		reached = next
	}
	return out
}

func TestGraph(t *testing.T) {
	edges, labels := cliquesFiles(t)
	g, err := readGraph(edges, labels, false)
	if err != nil {
		t.Fatal(err)
	}
	if len(g.types) != 12 || len(g.edges) != 22 || g.name != "two" {
		t.Fatalf("%s of %d nodes and %d edges", g.name, len(g.types), len(g.edges))
	}
	// 12 nodes: 8 of the cliques have all pairs of 4 neighbours joined; nodes
	// 14 and 20 have 5 neighbours and 6 of 10 pairs, and so has 24.
	clustering := (7 + 3*0.6) / 12
	rank := slices.Max(pageRanks(g))
	// A shortest path of length d has d-1 inner nodes. Sources are drawn from
	// 12345, whatever the seed.
	var betweenness, fromThree float64
	for s := range uint32(12) {
		for _, d := range distances(g, s) {
			betweenness += float64(max(d-1, 0)) / 2
		}
	}
	for _, s := range drawn(12345, 3, 12) {
		for _, d := range distances(g, uint32(s)) {
			fromThree += float64(max(d-1, 0)) / 2
		}
	}
	// The cliques, of the second with the leaf, are communities; of 22 edges
	// one is between them.
	q := 21.0/22 - (21.0*21+23*23)/(44*44)
	weightedQ := 40.5/40.75 - (40.25*40.25+41.25*41.25)/(81.5*81.5)
	for _, c := range []struct {
		task  string
		value float64
		by    float64 // how far off it may be
	}{
		{"project", 22, 0}, {"kcore", 4, 0}, {"components", 2, 0},
		{"clustering", clustering, 1e-12}, {"pagerank", rank, 1e-6}, {"pagerank:1e-10", rank, 1e-10},
		{"bc:exact", betweenness, 1e-9}, {"bc:3", fromThree, 1e-9},
		{"leiden", q, 1e-12}, {"leiden:3", q, 1e-12}, {"leiden_w:2", weightedQ, 1e-7},
	} {
		t.Run(c.task, func(t *testing.T) {
			out, fields := runJSON(t, "graph", "--graph", edges, "--labels", labels, "--task", c.task, "--reps", "2", "--workers", "1", "--dir", t.TempDir())
			if math.Abs(out.Value-c.value) > c.by || math.IsNaN(out.Value) {
				t.Errorf("value %v, not %v", out.Value, c.value)
			}
			for _, name := range []string{"v", "task", "load_cpu_s", "project_cpu_s", "cpu_s", "cpu_median_s", "wall_s", "total_cpu_s", "peak_mb", "value"} {
				if _, ok := fields[name]; !ok {
					t.Errorf("no field %s", name)
				}
			}
			if out.V != 1 || out.Engine != "ragdb" || out.Graph != "two" || out.Task != c.task || out.Nodes != 12 || out.Edges != 22 ||
				out.Reps != 2 || out.Workers != 1 || out.Seed != 1 || out.Machine == nil || !strings.Contains(out.Command, c.task) {
				t.Errorf("%+v", out)
			}
			if strings.HasPrefix(c.task, "leiden") && (out.Modularity == nil || *out.Modularity != out.Value || out.Communities != 3 ||
				out.Disconnected == nil || *out.Disconnected != 0 || out.NMI == nil || math.Abs(*out.NMI-1) > 1e-12) {
				t.Errorf("partition %v", fields)
			}
			if out.Load <= 0 || out.CPU < 0 || out.CPUMedian < out.CPU || out.Wall <= 0 || out.WallMedian < out.Wall ||
				math.Abs(out.Total-out.Load-out.Project-out.CPU) > 1e-9 {
				t.Errorf("times %+v", out)
			}
		})
	}
}

// drawn returns the first numbers below n of the sequence of a seed.
func drawn(seed uint64, count, n int) []int {
	out := make([]int, count)
	for i := range out {
		seed = seed*6364136223846793005 + 1442695040888963407
		out[i] = int((seed >> 33) % uint64(n))
	}
	return out
}

// TestGraphQueries compares the means of what queries answer with those of all
// distances, and of two steps over a dense matrix.
func TestGraphQueries(t *testing.T) {
	edges, labels := cliquesFiles(t)
	g, err := readGraph(edges, labels, false)
	if err != nil {
		t.Fatal(err)
	}
	n := len(g.types)
	length := make([][]float64, n) // by Floyd and Warshall
	for u := range length {
		length[u] = slices.Repeat([]float64{math.Inf(1)}, n)
		length[u][u] = 0
	}
	degree := make([]float64, n)
	for _, e := range g.edges {
		length[e.from][e.to], length[e.to][e.from] = float64(e.w), float64(e.w)
		degree[e.from]++
		degree[e.to]++
	}
	for k := range n {
		for i := range n {
			for j := range n {
				length[i][j] = min(length[i][j], length[i][k]+length[k][j])
			}
		}
	}
	const queries, seed = 40, 3
	var hops, weights, reached, top float64
	pairs := drawn(seed, 2*queries, n)
	for i := range queries {
		u, v := pairs[2*i], pairs[2*i+1]
		if w := length[u][v]; !math.IsInf(w, 1) {
			hops += float64(distances(g, uint32(u))[v])
			weights += w
			reached++
		}
	}
	seeds := drawn(seed, 20*queries, n)
	for i := range queries {
		start := make([]float64, n)
		for _, u := range seeds[20*i:][:20] {
			start[u] += 0.05
		}
		score := slices.Clone(start)
		for range 2 {
			next := make([]float64, n)
			for u, x := range start {
				next[u] += x / 2 * (1 + score[11]) // the lone node starts again
			}
			for _, e := range g.edges {
				next[e.to] += score[e.from] / degree[e.from] / 2
				next[e.from] += score[e.to] / degree[e.to] / 2
			}
			score = next
		}
		top += slices.Max(score)
	}
	for task, want := range map[string]float64{"path": hops / reached, "wpath": weights / reached, "ppr": top / queries} {
		out, _ := runJSON(t, "graph", "--graph", edges, "--labels", labels, "--task", task, "--seed", "3", "--queries", "40")
		if math.Abs(out.Value-want) > 1e-7 || out.Queries != queries {
			t.Errorf("%s: value %v of %d queries, not %v", task, out.Value, out.Queries, want)
		}
		if !(out.P50 > 0 && out.P50 <= out.P99 && out.P50Wall <= out.P99Wall && out.StoreP50 > out.P50 && out.StoreP50 <= out.StoreP99 && out.StoreP50Wall > 0) {
			t.Errorf("%s: percentiles %+v", task, out)
		}
		if r := out.More["reached"]; task != "ppr" && r != reached || task == "ppr" && r != queries {
			t.Errorf("%s: %v answers", task, r)
		}
	}
}

// TestGraphText runs a task for people.
func TestGraphText(t *testing.T) {
	edges, _ := cliquesFiles(t)
	var b bytes.Buffer
	if err := run(t.Context(), []string{"graph", "--graph", edges, "--task", "kcore"}, &b, io.Discard); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"two: 11 nodes, 22 edges", "kcore, seed 1", "peak MB"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in\n%s", want, b.String())
		}
	}
}

func TestGraphInput(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good := file("good", "1 2\n")
	short := file("short", "RGB1\x02\x00\x00\x00\x01\x00\x00\x00\x00\x00")
	outside := file("outside", "RGB1\x02\x00\x00\x00\x01\x00\x00\x00\x00\x00"+"\x00\x00\x00\x00\x02\x00\x00\x00\x00\x00\x80\x3f")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{}, `task "" is none of load`},
		{[]string{"--task", "nothing"}, `task "nothing" is none of`},
		{[]string{"--task", "kcore"}, "needs -graph"},
		{[]string{"--task", "kcore:3", "--graph", good}, "takes nothing after it"},
		{[]string{"--task", "pagerank:2", "--graph", good}, "not between 0 and 1"},
		{[]string{"--task", "leiden:0", "--graph", good}, "at least 1"},
		{[]string{"--task", "kmeans"}, "needs kmeans:K"},
		{[]string{"--task", "gmm:some"}, "at least 1"},
		{[]string{"--task", "kmeans:2", "--graph", good}, "takes -vectors"},
		{[]string{"--task", "kmeans:2", "--vectors", good}, "needs -dim"},
		{[]string{"--task", "kmeans:2", "--vectors", good, "--dim", "3"}, "are not rows of 3"},
		{[]string{"--task", "kcore", "--graph", good, "--reps", "0"}, "-reps"},
		{[]string{"--task", "kcore", "--graph", good, "--workers", "-1"}, "-workers"},
		{[]string{"--task", "clustering", "--graph", good, "--directed"}, "-directed"},
		{[]string{"--task", "kcore", "--graph", filepath.Join(dir, "none")}, "no such file"},
		{[]string{"--task", "kcore", "--graph", file("empty", "# nothing\n")}, "no edges"},
		{[]string{"--task", "kcore", "--graph", file("word", "1 2\n3 x\n")}, `line 2: "x" is no node`},
		{[]string{"--task", "kcore", "--graph", file("one", "1\n")}, "line 1"},
		{[]string{"--task", "kcore", "--graph", file("nan", "1 2 NaN\n")}, "is no weight"},
		{[]string{"--task", "kcore", "--graph", short}, "2 nodes and 1 edges take 26"},
		{[]string{"--task", "kcore", "--graph", outside}, "joins 0 and 2 of 2 nodes"},
	} {
		err := run(t.Context(), append([]string{"graph"}, c.args...), io.Discard, io.Discard)
		if err == nil || !errors.As(err, new(inputError)) || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v: %v, not %q", c.args, err, c.want)
		}
	}
}

// TestDirected keeps which way edges lead: all scores flow to the last node.
func TestDirected(t *testing.T) {
	path := filepath.Join(t.TempDir(), "chain.txt")
	if err := os.WriteFile(path, []byte("7 5\n6 5\n8 7\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	out, _ := runJSON(t, "graph", "--graph", path, "--task", "pagerank:1e-12", "--directed")
	// Nodes 6 and 8 have the score s, 7 s(1+d), 5 s(1 + d + d(1+d)); they sum to 1.
	const d = 0.85
	top := 1 + d + d*(1+d)
	if want := top / (2 + (1 + d) + top); math.Abs(out.Value-want) > 1e-9 || out.Edges != 3 {
		t.Errorf("value %v of %d edges, not %v", out.Value, out.Edges, want)
	}
}

// TestClusters clusters the corners of two squares of side 2, far apart.
func TestClusters(t *testing.T) {
	path := writeFile(t, "squares.f32", []float32{0, 0, 0, 2, 2, 0, 2, 2, 10, 0, 10, 2, 12, 0, 12, 2})
	// One normal distribution of variances 26 and 1 that are not correlated has
	// 5 parameters.
	const n, d = 8, 2
	bic := 5*math.Log(n) + n*(d*math.Log(2*math.Pi)+math.Log(26)+d)
	for _, c := range []struct {
		task      string
		value, by float64
	}{
		{"kmeans:2", 16, 1e-6}, {"kmeans:8", 0, 1e-6}, {"gmm:1", bic, 1e-3},
	} {
		out, _ := runJSON(t, "graph", "--task", c.task, "--vectors", path, "--dim", "2")
		if math.Abs(out.Value-c.value) > c.by || math.IsNaN(out.Value) || out.Nodes != n || out.Graph != "squares" {
			t.Errorf("%s: value %v, not %v, of %d vectors of %s", c.task, out.Value, c.value, out.Nodes, out.Graph)
		}
	}
	sweep, _ := runJSON(t, "graph", "--task", "gmm:sweep", "--vectors", path, "--dim", "2")
	if sweep.Value > bic+1e-3 || sweep.More["tried"] < 2 {
		t.Errorf("a sweep of %v has the BIC %v, and one component %v", sweep.More["tried"], sweep.Value, bic)
	}
}

// TestBlobs draws vectors around centres and writes them.
func TestBlobs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "blobs.f32")
	args := []string{"graph-gen", "-kind", "blobs", "-n", "300", "-dim", "8", "-centres", "3", "-apart", "50", "-spread", "0.5", "-o", path}
	if err := run(t.Context(), args, io.Discard, io.Discard); err != nil {
		t.Fatal(err)
	}
	out, _ := runJSON(t, "graph", "--task", "kmeans:3", "--vectors", path, "--dim", "8")
	// Each element is off its centre by 0.5.
	if want := 300 * 8 * 0.25; out.Value < 0.85*want || out.Value > 1.15*want {
		t.Errorf("inertia %v, not about %v", out.Value, want)
	}
}

func TestGraphGen(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, args ...string) (path string, g *graphFile) {
		path = filepath.Join(dir, name)
		if err := run(t.Context(), append([]string{"graph-gen", "-o", path}, args...), io.Discard, io.Discard); err != nil {
			t.Fatal(err)
		}
		g, err := readGraph(path, "", false)
		if err != nil {
			t.Fatal(err)
		}
		return path, g
	}
	truthPath := filepath.Join(dir, "truth")
	for name, c := range map[string]struct {
		args         []string
		nodes        int
		least, most  int // edges
		weight, over float64
	}{
		"rmat":    {[]string{"-scale", "8", "-factor", "4"}, 256, 600, 1020, 0.1, 1},
		"lfr":     {[]string{"-nodes", "1000", "-truth", truthPath}, 1000, 3500, 7000, 0.1, 1},
		"layered": {[]string{"-texts", "40"}, 40*(1+8+45) + 1140 + 13 + 90 + 90, 10_000, 20_000, 0, 1},
	} {
		path, g := write(name, append(c.args, "-kind", name)...)
		if len(g.types) != c.nodes || len(g.edges) < c.least || len(g.edges) > c.most {
			t.Errorf("%s: %d nodes, %d edges", name, len(g.types), len(g.edges))
		}
		for i, e := range g.edges {
			if e.from >= e.to || i > 0 && (g.edges[i-1].from > e.from || g.edges[i-1].from == e.from && g.edges[i-1].to >= e.to) {
				t.Fatalf("%s: edge %d is %v", name, i, e)
			}
			if !(float64(e.w) > c.weight*0.999) || float64(e.w) > c.over {
				t.Fatalf("%s: weight %v", name, e.w)
			}
		}
		again, _ := write("again", append(c.args, "-kind", name)...)
		other, _ := write("other", append(c.args, "-kind", name, "-seed", "2")...)
		var b [3][]byte
		for i, p := range []string{path, again, other} {
			var err error
			if b[i], err = os.ReadFile(p); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(b[0], b[1]) || bytes.Equal(b[0], b[2]) {
			t.Errorf("%s does not follow from the seed", name)
		}
	}
	// Of a planted partition about a share of 0.3 of the edges leaves communities.
	_, g := write("lfr", "-kind", "lfr", "-nodes", "3000", "-truth", truthPath)
	truth, err := g.truth(truthPath)
	if err != nil {
		t.Fatal(err)
	}
	leave := 0
	for _, e := range g.edges {
		if truth[e.from] != truth[e.to] {
			leave++
		}
	}
	if share := float64(leave) / float64(len(g.edges)); share < 0.25 || share > 0.35 {
		t.Errorf("%.3f of the edges leave communities", share)
	}
	_, g = write("layered", "-kind", "layered", "-texts", "40")
	for _, e := range g.edges {
		if g.types[e.from] == layerEntity && g.types[e.to] == layerEntity {
			t.Fatal("two entities are joined")
		}
	}
	for _, args := range [][]string{{"-kind", "rmat"}, {"-kind", "x", "-o", truthPath}, {"-kind", "lfr", "-nodes", "1", "-o", truthPath}, {"-kind", "edges", "-o", truthPath}} {
		if err := run(t.Context(), append([]string{"graph-gen"}, args...), io.Discard, io.Discard); !errors.As(err, new(inputError)) {
			t.Errorf("%v: %v", args, err)
		}
	}
}

// TestGraphGenEdges turns a text into a binary file and labels by node.
func TestGraphGenEdges(t *testing.T) {
	edges, labels := cliquesFiles(t)
	dir := t.TempDir()
	path, truthPath := filepath.Join(dir, "two.bin"), filepath.Join(dir, "two.truth")
	if err := run(t.Context(), []string{"graph-gen", "-kind", "edges", "-from", edges, "-labels", labels, "-o", path, "-truth", truthPath}, io.Discard, io.Discard); err != nil {
		t.Fatal(err)
	}
	text, err := readGraph(edges, labels, false)
	if err != nil {
		t.Fatal(err)
	}
	binary, err := readGraph(path, "", false)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(text.edges, binary.edges) || !slices.Equal(text.types, binary.types) {
		t.Error("the graphs differ")
	}
	for i, w := range map[int]float32{0: 2, 10: 0.25, 14: 2, 21: 0.5} {
		if binary.edges[i].w != w {
			t.Errorf("edge %d: %v, not %v", i, binary.edges[i], w)
		}
	}
	truth, err := binary.truth(truthPath)
	if want := []int32{0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 2}; err != nil || !slices.Equal(truth, want) {
		t.Errorf("labels %v %v", truth, err)
	}
}

func TestQuality(t *testing.T) {
	p, err := graphops.FromEdges(5, []graphops.WeightedEdge{
		{From: 0, To: 1, Weight: 1}, {From: 1, To: 2, Weight: 3}, {From: 3, To: 4, Weight: 2},
	}, graphops.EdgeOptions{Weighted: true})
	if err != nil {
		t.Fatal(err)
	}
	of := []uint32{0, 1, 0, 1, 1}
	// Of the weight 6, 2 lies inside; strengths are 4 and 8.
	if q, want := modularity(p, of, 2), 2.0/6-(4.0/12)*(4.0/12)-(8.0/12)*(8.0/12); math.Abs(q-want) > 1e-12 {
		t.Errorf("modularity %v, not %v", q, want)
	}
	if n := disconnected(p, of, 2); n != 2 {
		t.Errorf("%d communities are not connected, not 2", n)
	}
	if n := disconnected(p, []uint32{0, 0, 0, 1, 1}, 2); n != 0 {
		t.Errorf("%d connected communities are not connected", n)
	}
	for _, c := range []struct {
		truth []int32
		of    []uint32
		want  float64
	}{
		{[]int32{0, 0, 1, 1}, []uint32{5, 5, 2, 2}, 1},
		{[]int32{0, 0, 1, 1}, []uint32{0, 1, 0, 1}, 0},
		{[]int32{0, 0, 0, -1}, []uint32{0, 0, 0, 1}, 1},
		// I = ln 2 and the entropies are ln 2 and 2 ln 2.
		{[]int32{0, 0, 1, 1}, []uint32{0, 1, 2, 3}, 2.0 / 3},
	} {
		if got := mutualInformation(c.truth, c.of); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%v and %v: %v, not %v", c.truth, c.of, got, c.want)
		}
	}
}
