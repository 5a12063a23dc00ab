package main

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ragdb/ragdb/vecindex"
)

// writeFile writes 32-bit little-endian elements and returns the path.
func writeFile(t *testing.T, name string, data any) string {
	t.Helper()
	var b bytes.Buffer
	if err := binary.Write(&b, binary.LittleEndian, data); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func randomRows(seed uint64, n int) []float32 {
	r := rand.New(rand.NewPCG(seed, 0))
	out := make([]float32, n)
	for i := range out {
		out[i] = float32(r.NormFloat64())
	}
	return out
}

// sorted returns all n rows but self by squared distance, the nearest first.
func sorted(base, q []float32, n, self int) []int32 {
	dim := len(q)
	distance := func(row int32) (sum float64) {
		for i, v := range q {
			d := float64(v) - float64(base[int(row)*dim+i])
			sum += d * d
		}
		return sum
	}
	var rows []int32
	for i := range int32(n) {
		if int(i) != self {
			rows = append(rows, i)
		}
	}
	slices.SortStableFunc(rows, func(a, b int32) int { return cmp.Compare(distance(a), distance(b)) })
	return rows
}

func TestRecallOf(t *testing.T) {
	ten := []int32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
	for _, c := range []struct {
		name       string
		truth, got []int32
		want       float64
	}{
		{"all, in another order", ten, []int32{9, 8, 7, 6, 5, 4, 3, 2, 1, 0}, 1},
		{"none", ten, []int32{10, 11}, 0},
		{"three", ten, []int32{3, 40, 1, 41, 2}, 0.3},
		{"beyond the tenth does not count", append(slices.Clone(ten), 50), []int32{50, 0}, 0.1},
		{"short truth", []int32{4, 5}, []int32{5}, 0.5},
		{"nothing to find", nil, []int32{5}, 1},
	} {
		if got := recallOf(c.truth, c.got); got != c.want {
			t.Errorf("%s: %g, want %g", c.name, got, c.want)
		}
	}
}

func TestSpread(t *testing.T) {
	if got := spread(10, 4); !slices.Equal(got, []int{0, 2, 5, 7}) {
		t.Errorf("4 of 10: %v", got)
	}
	if got := spread(3, 1000); !slices.Equal(got, []int{0, 1, 2}) {
		t.Errorf("1000 of 3: %v", got)
	}
}

// TestNearest checks the metrics on vectors whose order each of them changes,
// and that equal ones come by row.
func TestNearest(t *testing.T) {
	s := &vectorSet{dim: 2, n: 5, base: []float32{
		3, 3, // longest: best by inner product
		1, 0, // same direction as the query: best by cosine
		2, 1, // nearest but one
		1, 0,
		2.5, 0, // nearest
	}}
	q := query{vector: []float32{2.4, 0.2}, self: -1}
	for metric, want := range map[string][]int32{
		"ip":     {0, 4, 2, 1, 3},
		"cosine": {1, 3, 4, 2, 0},
		"l2":     {4, 2, 1, 3, 0},
	} {
		near, err := nearness(metric)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.nearest(&q, near); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", metric, got, want)
		}
	}
	if _, err := nearness("manhattan"); err == nil {
		t.Error("unknown metric")
	}
}

// TestReadVectorSet reads queries of a file and rows that ask themselves, with
// truth of files and of its own.
func TestReadVectorSet(t *testing.T) {
	const rows, dim, width = 60, 5, 12
	base := randomRows(1, rows*dim)
	asks := randomRows(2, 7*dim)
	var truth, itself []int32
	for i := range 7 {
		truth = append(truth, sorted(base, asks[i*dim:(i+1)*dim], rows, -1)[:width]...)
	}
	for i := range rows {
		itself = append(itself, sorted(base, base[i*dim:(i+1)*dim], rows, i)[:width]...)
	}
	files := vectorFiles{base: writeFile(t, "base", base), query: writeFile(t, "query", asks), truth: writeFile(t, "gt", truth)}
	s, err := readVectorSet(files, dim, "l2")
	if err != nil {
		t.Fatal(err)
	}
	if s.n != rows || len(s.queries) != 7 || !slices.Equal(s.base, base) {
		t.Fatalf("%d rows, %d queries", s.n, len(s.queries))
	}
	for i, q := range s.queries {
		if q.self != -1 || !slices.Equal(q.vector, asks[i*dim:(i+1)*dim]) || !slices.Equal(q.truth, truth[i*width:(i+1)*width]) {
			t.Errorf("query %d: %+v", i, q)
		}
	}

	leave := vectorFiles{base: files.base, truth: writeFile(t, "gt", itself), queriesAreBase: true, queries: 4}
	if s, err = readVectorSet(leave, dim, "l2"); err != nil {
		t.Fatal(err)
	}
	for i, q := range s.queries {
		if q.self != 15*i || !slices.Equal(q.truth, itself[q.self*width:(q.self+1)*width]) {
			t.Errorf("row %d asks: %+v", q.self, q)
		}
	}

	// The truth of 60 rows is of no use where 25 are in the index.
	files.n, leave.n = 25, 25
	for _, f := range []vectorFiles{files, leave} {
		if s, err = readVectorSet(f, dim, "l2"); err != nil {
			t.Fatal(err)
		}
		for _, q := range s.queries {
			if want := sorted(base, q.vector, 25, q.self)[:recallAt]; !slices.Equal(q.truth, want) {
				t.Errorf("row %d asks 25: %v, want %v", q.self, q.truth, want)
			}
		}
	}

	for name, f := range map[string]vectorFiles{
		"rows of another width":       {base: writeFile(t, "base", base[1:]), query: files.query, truth: files.truth},
		"truth of other queries":      {base: files.base, query: files.query, truth: writeFile(t, "gt", truth[1:])},
		"a neighbour that is not one": {base: files.base, query: files.query, truth: writeFile(t, "gt", []int32{0, 1, 2, 3, 60, 5, 6})},
		"no file":                     {base: "none", query: files.query},
	} {
		if _, err := readVectorSet(f, dim, "l2"); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestVectorTier(t *testing.T) {
	for name, want := range map[string]vecindex.Rerank{"lowplane": vecindex.RerankPlane, "store": vecindex.RerankStore} {
		if got, err := vectorTier(name); err != nil || got != want {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	if _, err := vectorTier("disk"); err == nil {
		t.Error("unknown tier")
	}
}

func TestThreadTime(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	from, ok := threadTime()
	if !ok {
		t.Skip("the time of a thread is not told here")
	}
	time.Sleep(20 * time.Millisecond)
	slept, _ := threadTime()
	if d := slept - from; d < 0 || d > 10*time.Millisecond {
		t.Errorf("sleeping took %v", d)
	}
	for until := time.Now().Add(30 * time.Second); ; {
		if now, _ := threadTime(); now-slept > 5*time.Millisecond {
			return
		}
		if time.Now().After(until) {
			t.Fatal("working takes no time")
		}
	}
}

// smallSet writes a set of 1,000 rows of 24 elements and returns the flags that
// name its files: with queries, and with rows that ask themselves.
func smallSet(t *testing.T) (asked, itself []string) {
	const rows, dim = 1000, 24
	base, asks := randomRows(3, rows*dim), randomRows(4, 40*dim)
	var truth, loo []int32
	for i := range 40 {
		truth = append(truth, sorted(base, asks[i*dim:(i+1)*dim], rows, -1)[:20]...)
	}
	for i := range rows {
		near := make([]int32, recallAt)
		if i%25 == 0 { // those of 40 queries
			copy(near, sorted(base, base[i*dim:(i+1)*dim], rows, i))
		}
		loo = append(loo, near...)
	}
	b := writeFile(t, "base.f32", base)
	asked = []string{"--base", b, "--query", writeFile(t, "query.f32", asks), "--gt", writeFile(t, "gt.i32", truth)}
	itself = []string{"--base", b, "--queries-are-base", "--gt", writeFile(t, "gt.i32", loo)}
	more := []string{"--dim", "24", "--metric", "l2", "--queries", "40", "--ef", "16,1000", "--set", "small"}
	return append(asked, more...), append(itself, more...)
}

// runVector runs the suite and returns its result and the same as JSON.
func runVector(t *testing.T, args ...string) (v vectorResult, fields map[string]any, err error) {
	t.Helper()
	var out bytes.Buffer
	if err := run(t.Context(), append([]string{"vector", "--json"}, args...), &out, io.Discard); err != nil {
		return v, nil, err
	}
	if err := errors.Join(json.Unmarshal(out.Bytes(), &v), json.Unmarshal(out.Bytes(), &fields)); err != nil {
		t.Fatal(err)
	}
	return v, fields, nil
}

// checkFields fails if a field that a reader of the output relies on is
// missing or not positive.
func checkFields(t *testing.T, fields map[string]any) {
	t.Helper()
	if fields["v"] != 1.0 {
		t.Errorf("form %v", fields["v"])
	}
	for _, name := range []string{"build_cpu_s", "build_cpu_s_durable", "rss_mb", "disk_mb", "open_s", "bytes_per_vector"} {
		n, ok := fields[name].(float64)
		unknown := name == "rss_mb" && runtime.GOOS != "linux"
		if !ok || n < 0 || n == 0 && name != "build_cpu_s" && !unknown {
			t.Errorf("%s is %v", name, fields[name])
		}
	}
	points, _ := fields["points"].([]any)
	if len(points) != 2 {
		t.Fatalf("points %v", fields["points"])
	}
	for i, ef := range []float64{16, 1000} {
		p := points[i].(map[string]any)
		if p["ef"] != ef {
			t.Errorf("point %d: %v", i, p)
		}
		for _, name := range []string{"recall", "qps_cpu", "p50_us", "p99_us", "p50_wall_us", "p99_wall_us"} {
			if n, ok := p[name].(float64); !ok || n <= 0 {
				t.Errorf("point %d: %s is %v", i, name, p[name])
			}
		}
		if p["p99_us"].(float64) < p["p50_us"].(float64) {
			t.Errorf("point %d: %v", i, p)
		}
	}
}

// TestVector runs the whole suite with a flat index, which must find what the
// truth says, whatever came and went.
func TestVector(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	asked, itself := smallSet(t)
	for name, args := range map[string][]string{"queries": asked, "rows": itself} {
		args = append(args, "--index", "flat", "--filter", "0.01,0.5", "--churn", "--writing", "--reading", "50ms")
		v, fields, err := runVector(t, args...)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		checkFields(t, fields)
		if v.Set != "small" || v.N != 1000 || v.Dim != 24 || v.Queries != 40 || v.Machine == nil || v.Machine.Cores < 1 || v.Commit == "" {
			t.Errorf("%s: head %+v", name, v)
		}
		points := slices.Clone(v.Points)
		for i, allowed := range []int{10, 500} {
			f := v.Filters[i]
			if f.Allowed != allowed || f.Scan.P50 <= 0 {
				t.Errorf("%s: filter %+v", name, f)
			}
			for _, p := range f.Points {
				points = append(points, p.point)
			}
		}
		for _, c := range []changed{v.Churn.Replaced, v.Churn.Deleted} {
			if c.Vectors != 500 || c.CPU <= 0 || c.Bytes <= 0 {
				t.Errorf("%s: churn %+v", name, c)
			}
			for _, p := range c.Points {
				if p.Fresh != 1 {
					t.Errorf("%s: recall before churn %g", name, p.Fresh)
				}
				points = append(points, p.point)
			}
		}
		if len(points) != 10 {
			t.Errorf("%s: %d points", name, len(points))
		}
		for _, p := range points {
			if p.Recall != 1 {
				t.Errorf("%s: recall of an exact index: %+v", name, p)
			}
		}
		if w := v.Writing; w.Written != 200 || w.Searches < 1 || w.ReadOnly.P99 <= 0 || w.Writing.P99 <= 0 {
			t.Errorf("%s: writing %+v", name, w)
		}
	}
	if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

// TestVectorRecall gives the suite a truth whose second row is wrong.
func TestVectorRecall(t *testing.T) {
	args, _ := smallSet(t)
	path := args[slices.Index(args, "--gt")+1]
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for at := 0; at < len(b); at += 20 * 4 { // the 20th is not among the ten nearest
		copy(b[at+4:at+8], b[at+19*4:at+20*4])
	}
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
	v, _, err := runVector(t, append(args, "--index", "flat")...)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range v.Points {
		if math.Abs(p.Recall-0.9) > 1e-9 {
			t.Errorf("recall %g", p.Recall)
		}
	}
}

func TestVectorHNSW(t *testing.T) {
	_, args := smallSet(t)
	v, fields, err := runVector(t, append(args, "--churn")...)
	if err != nil {
		t.Fatal(err)
	}
	checkFields(t, fields)
	if v.Build <= 0 || v.Points[0].Recall < 0.5 || v.Points[1].Recall < 0.99 || v.Points[1].Recall < v.Points[0].Recall {
		t.Errorf("%+v", v)
	}
}

func TestVectorText(t *testing.T) {
	args, _ := smallSet(t)
	db := filepath.Join(t.TempDir(), "kept")
	args = append([]string{"vector"}, append(args, "-index", "flat", "-filter", "0.1", "-db", db)...)
	var out bytes.Buffer
	if err := run(t.Context(), args, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"command  go run ./bench vector --base", "machine ", "small: 1000 vectors of 24 dimensions", "recall@10", "100 of the vectors allowed"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, out.String())
		}
	}
	if files, err := os.ReadDir(db); err != nil || len(files) == 0 {
		t.Errorf("the database was not kept: %v", err)
	}
	if err := run(t.Context(), args, io.Discard, io.Discard); err == nil {
		t.Error("a database that is there was used again")
	}
}

func TestVectorArguments(t *testing.T) {
	args, _ := smallSet(t)
	for name, more := range map[string][]string{
		"both kinds of queries": {"-queries-are-base"},
		"metric":                {"-metric", "cosin"},
		"index":                 {"-index", "tree"},
		"tier":                  {"-tier", "disk"},
		"ef":                    {"-ef", "16,x"},
		"filter":                {"-filter", "1.5"},
		"dim":                   {"-dim", "0"},
	} {
		if _, _, err := runVector(t, append(slices.Clone(args), more...)...); err == nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
