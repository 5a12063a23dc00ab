package main

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ragdb/ragdb/graphops"
)

// writeGzip writes a compressed file below a new folder of the set's name.
func writeGzip(t *testing.T, path, text string) {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	io.WriteString(z, text)
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestCommunities runs the suite on a graph of four cliques, each of its own
// features, and on vectors without edges.
func TestCommunities(t *testing.T) {
	data := t.TempDir()
	var edges, features strings.Builder
	var raw []byte
	for u := range 40 {
		clique := u / 10
		for v := u + 1; v < (clique+1)*10; v++ {
			fmt.Fprintf(&edges, "%d\t%d\n", u, v)
		}
		fmt.Fprintf(&features, `{"id":%d,"nz":[%d,%d,%d]}`+"\n", u, 2*clique, 2*clique+1, 8+u%3)
		for i := range 5 {
			x := float32(u%7) / 20
			if i == clique {
				x = 3
			}
			raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(x))
		}
	}
	for clique := range 3 {
		fmt.Fprintf(&edges, "%d\t%d\n", 10*clique, 10*clique+10)
	}
	writeGzip(t, filepath.Join(data, "cliques", "edges.tsv.gz"), edges.String())
	writeGzip(t, filepath.Join(data, "cliques", "features.jsonl.gz"), features.String())
	writeGzip(t, filepath.Join(data, "points", "p.f32.gz"), string(raw))
	if err := os.WriteFile(filepath.Join(data, "points", "p.json"), []byte(`{"n":40,"d":5}`), 0o666); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	args := []string{"communities", "-json", "-data", data, "-sets", "cliques,points", "-clusters", "leiden,spectral", "-augments", "knn,codicil"}
	if err := run(t.Context(), args, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	var r report
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Tables) != 1 || len(r.Tables[0].Rows) != 8 {
		t.Fatalf("tables %v", r.Tables)
	}
	for _, row := range r.Tables[0].Rows {
		ch, err := strconv.ParseFloat(row[6], 64)
		if err != nil || ch <= 0 || row[5] != "100" {
			t.Errorf("row %v", row)
		}
		if row[0] == "cliques" && row[2] == "leiden" && row[1] == "knn" && (row[3] != "4" || row[4] != "10") {
			t.Errorf("four cliques are %v", row)
		}
	}
}

// TestReadAttributed checks what is read against what was written, and that
// malformed sets are refused.
func TestReadAttributed(t *testing.T) {
	folder := t.TempDir()
	edges, features := filepath.Join(folder, "edges.tsv.gz"), filepath.Join(folder, "features.jsonl.gz")
	writeGzip(t, edges, "0\t2\n1\t2\n")
	writeGzip(t, features, `{"id":2,"nz":[3]}{"id":0,"nz":[0,1]}{"id":1,"nz":[]}`)
	set, err := readAttributed(folder)
	if err != nil {
		t.Fatal(err)
	}
	if want := []float32{1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}; set.vectors.Dim != 4 || !slices.Equal(set.vectors.Data, want) {
		t.Errorf("vectors %+v", set.vectors)
	}
	if want := []graphops.WeightedEdge{{From: 0, To: 2, Weight: 1}, {From: 1, To: 2, Weight: 1}}; !slices.Equal(set.edges, want) {
		t.Errorf("edges %v", set.edges)
	}
	for path, texts := range map[string][]string{
		edges:    {"0\t3\n", "0\tx\n", "-1\t0\n"},
		features: {`{"id":0,"nz":[-1]}`, `{"id":1,"nz":[0]}`, `{`},
	} {
		for _, text := range texts {
			writeGzip(t, edges, "")
			writeGzip(t, features, `{"id":0,"nz":[0]}{"id":1,"nz":[0]}{"id":2,"nz":[0]}`)
			writeGzip(t, path, text)
			if _, err := readAttributed(folder); err == nil {
				t.Errorf("%s with %q was read", filepath.Base(path), text)
			}
		}
	}
	if _, err := readAttributed(t.TempDir()); err == nil {
		t.Error("an empty folder was read")
	}
}

// TestNearestOthers compares with sorting all cosines, among them equal ones.
func TestNearestOthers(t *testing.T) {
	const count, dim = 60, 6
	m := graphops.Matrix{Dim: dim, Data: randomRows(3, count*dim)}
	copy(m.Row(7), m.Row(50))
	copy(m.Row(8), m.Row(50))
	clear(m.Row(20))
	cosine := func(u, v int) float64 {
		var uv, uu, vv float64
		for i := range dim {
			x, y := float64(m.Row(u)[i]), float64(m.Row(v)[i])
			uv, uu, vv = uv+x*y, uu+x*x, vv+y*y
		}
		if uu*vv == 0 {
			return 0
		}
		return math.Round(1e5*uv/math.Sqrt(uu*vv)) / 1e5 // float32 does not tell further
	}
	n := &nearest{vectors: m}
	for _, k := range []int{3, 9, 5} {
		near, err := n.edges(t.Context(), k)
		if err != nil {
			t.Fatal(err)
		}
		if len(near) != count*k {
			t.Fatalf("%d edges", len(near))
		}
		for u := range count {
			var others []int
			for v := range count {
				if v != u {
					others = append(others, v)
				}
			}
			slices.SortStableFunc(others, func(a, b int) int { return cmp.Compare(cosine(u, b), cosine(u, a)) })
			for i, v := range others[:k] {
				if e := near[u*k+i]; int(e.From) != u || cosine(u, int(e.To)) != cosine(u, v) {
					t.Errorf("neighbour %d of %d is %d, want %d", i, u, e.To, v)
				}
			}
		}
	}
	g, err := n.graph(t.Context(), 4)
	if err != nil {
		t.Fatal(err)
	}
	if len(g) < 2*count || len(g) > 4*count || !slices.IsSortedFunc(g, func(a, b graphops.WeightedEdge) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	}) {
		t.Errorf("%d edges, or out of order", len(g))
	}
	for _, e := range g {
		if e.From >= e.To {
			t.Errorf("edge %v", e)
		}
	}
}
