package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// scaleBench runs other suites at a size, ten times that and a hundred times that, each
// in a process of its own, and sets the figures side by side.
type scaleBench struct {
	only, factors, dir string
	memory             int
	r                  *report
}

// scaled is an operation that is measured at several sizes.
type scaled struct {
	name string
	unit string // of the size
	base int    // the size x1
	// runs returns the commands that measure it, suites with their arguments; dir is a new
	// folder. What the last one prints counts.
	runs func(dir string, n, memory int) [][]string
	// want are the figures, by the beginnings of their names.
	want []string
}

// scales returns what is measured.
func scales() []scaled {
	vectors := func(index string, dim int) func(dir string, n, memory int) [][]string {
		return func(dir string, n, memory int) [][]string {
			args := []string{"beyond", "-db", filepath.Join(dir, "db"), "-n", strconv.Itoa(n), "-dim", strconv.Itoa(dim),
				"-budget", strconv.Itoa(memory), "-index", index, "-exact", "10", "-queries", "300"}
			if index == "ivf" {
				args = append(args, "-bulk")
			}
			return [][]string{args}
		}
	}
	figures := []string{"making", "writing", "settling", "peak", "search, p50", "search, p99", "recall", "resident", "disk"}
	graph := func(task string) func(dir string, n, memory int) [][]string {
		return func(dir string, n, memory int) [][]string {
			scale := 0
			for 1<<scale < n {
				scale++
			}
			file := filepath.Join(dir, "graph")
			return [][]string{
				{"graph-gen", "-kind", "rmat", "-scale", strconv.Itoa(scale), "-factor", "6", "-o", file},
				{"graph", "-graph", file, "-task", task, "-budget", strconv.Itoa(memory), "-queries", "200"},
			}
		}
	}
	costs := []string{"load_cpu_s", "project_cpu_s", "cpu_s", "peak_mb", "store_p50_us", "store_p99_us"}
	return []scaled{
		{"flat", "vectors of 128", 10_000, vectors("flat", 128), figures},
		{"hnsw", "vectors of 128", 10_000, vectors("hnsw", 128), figures},
		{"ivf", "vectors of 128", 10_000, vectors("ivf", 128), figures},
		{"documents", "documents", 200, func(dir string, n, memory int) [][]string {
			return [][]string{{"documents", "-docs", strconv.Itoa(n), "-memory", strconv.Itoa(memory), "-dir", dir}}
		}, []string{"index CPU-s", "peak MB", "B a chunk", "no news CPU ms", "one more CPU ms"}},
		{"text", "documents", 10_000, func(dir string, n, _ int) [][]string {
			return [][]string{{"text", "-docs", strconv.Itoa(n), "-queries", "300", "-dir", dir}}
		}, []string{""}},
		{"kcore", "nodes", 1 << 16, graph("kcore"), costs},
		{"components", "nodes", 1 << 16, graph("components"), costs},
		{"pagerank", "nodes", 1 << 16, graph("pagerank"), costs},
		{"leiden", "nodes", 1 << 16, graph("leiden:2"), costs},
		{"ppr", "nodes", 1 << 16, graph("ppr_bound"), costs},
		{"hop", "nodes", 1 << 16, graph("hop"), costs},
	}
}

func scaleFlags(fs *flag.FlagSet) func(ctx context.Context, r *report) error {
	b := &scaleBench{}
	var names []string
	for _, s := range scales() {
		names = append(names, s.name)
	}
	fs.StringVar(&b.only, "only", strings.Join(names, ","), "`operations`")
	fs.StringVar(&b.factors, "sizes", "1,10,100", "`multiples` of the least size; of graphs the next power of two")
	fs.IntVar(&b.memory, "memory", 512, "memory budget in `MiB`")
	fs.StringVar(&b.dir, "dir", "", "`folder` for the databases, removed after; the system's for temporary files if empty")
	return func(ctx context.Context, r *report) error {
		b.r = r
		return b.run(ctx)
	}
}

func (b *scaleBench) run(ctx context.Context) error {
	var factors []int
	for _, f := range strings.Split(b.factors, ",") {
		n, err := strconv.Atoi(f)
		if err != nil || n < 1 || n > 10_000 {
			return inputError{fmt.Errorf("-sizes: %q is not a multiple from 1 to 10,000", f)}
		}
		factors = append(factors, n)
	}
	all := scales()
	b.r.Input = fmt.Sprintf("memory budget of %d MiB", b.memory)
	for _, name := range strings.Split(b.only, ",") {
		i := slices.IndexFunc(all, func(s scaled) bool { return s.name == name })
		if i < 0 {
			return inputError{fmt.Errorf("-only: there is no operation %q", name)}
		}
		if err := b.measure(ctx, &all[i], factors); err != nil {
			return err
		}
	}
	return nil
}

// measure adds the table of an operation.
func (b *scaleBench) measure(ctx context.Context, s *scaled, factors []int) error {
	t := table{Title: s.name + ", " + s.unit, Columns: []string{"figure"}}
	rows := map[string][]string{}
	var order []string
	for column, f := range factors {
		t.Columns = append(t.Columns, fmt.Sprintf("x%d (%s)", f, number(float64(s.base*f))))
		figures, err := b.at(ctx, s, s.base*f)
		if err != nil {
			return err
		}
		for _, x := range figures {
			if !slices.ContainsFunc(s.want, func(w string) bool { return strings.HasPrefix(x.Name, w) }) {
				continue
			}
			name := x.Name
			if x.Unit != "" {
				name += ", " + x.Unit
			}
			if rows[name] == nil {
				rows[name] = make([]string, len(factors))
				order = append(order, name)
			}
			rows[name][column] = number(x.Value)
		}
	}
	for _, name := range order {
		t.Rows = append(t.Rows, append([]string{name}, rows[name]...))
	}
	b.r.Tables = append(b.r.Tables, t)
	return nil
}

// at runs the commands of an operation at one size.
func (b *scaleBench) at(ctx context.Context, s *scaled, n int) (_ []measure, err error) {
	dir, err := os.MkdirTemp(b.dir, "ragdb-scale-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	var out []byte
	for _, args := range s.runs(dir, n, b.memory) {
		fmt.Fprintln(b.r.log, strings.Join(args, " "))
		cmd := exec.CommandContext(ctx, self, append(args, "-json")...)
		cmd.Stderr = b.r.log
		if out, err = cmd.Output(); err != nil {
			return nil, fmt.Errorf("%s: %w", cmd, err)
		}
	}
	figures, err := figuresOf(out)
	if err != nil {
		return nil, fmt.Errorf("%s of %d: %w", s.name, n, err)
	}
	return figures, nil
}

// figuresOf reads the figures of a suite's JSON: its measures and the numbers in tables of one
// row, or the numbers of a result of another form.
func figuresOf(b []byte) ([]measure, error) {
	var r report
	if err := json.Unmarshal(b, &r); err != nil {
		return nil, err
	}
	out := r.Measures
	for _, t := range r.Tables {
		if len(t.Rows) != 1 {
			continue
		}
		for i, cell := range t.Rows[0] {
			if v, ok := parsed(cell); ok {
				out = append(out, measure{Name: t.Columns[i], Value: v})
			}
		}
	}
	if len(out) > 0 {
		return out, nil
	}
	var other map[string]any
	if err := json.Unmarshal(b, &other); err != nil {
		return nil, err
	}
	for name, x := range other {
		if v, ok := x.(float64); ok {
			out = append(out, measure{Name: name, Value: v})
		}
	}
	slices.SortFunc(out, func(a, b measure) int { return strings.Compare(a.Name, b.Name) })
	if len(out) == 0 {
		return nil, errors.New("no figures")
	}
	return out, nil
}

// parsed reads what number wrote.
func parsed(cell string) (float64, bool) {
	times := 1.0
	for suffix, f := range map[string]float64{" k": 1e3, " M": 1e6} {
		if rest, ok := strings.CutSuffix(cell, suffix); ok {
			cell, times = rest, f
		}
	}
	v, err := strconv.ParseFloat(cell, 64)
	return v * times, err == nil
}
