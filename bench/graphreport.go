package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
)

// graphReport sets what graph and the peers printed side by side.
type graphReport struct {
	peer, command string
}

func graphReportFlags(fs *flag.FlagSet) func(ctx context.Context, r *report) error {
	g := &graphReport{}
	fs.StringVar(&g.peer, "peer", "igraph", "`name` that the engine begins with to which the ratios refer; where it is not there, the first that is not ragdb")
	fs.StringVar(&g.command, "command", "", "`text` that the report names as its command")
	return func(_ context.Context, r *report) error { return g.run(r, fs.Args()) }
}

func (g *graphReport) run(r *report, paths []string) error {
	if len(paths) == 0 {
		return inputError{errors.New("no files")}
	}
	if g.command != "" {
		r.Command = g.command
	}
	var rows []*graphRow
	for _, path := range paths {
		b, err := os.ReadFile(path)
		if err != nil {
			return inputError{err}
		}
		for d := json.NewDecoder(bytes.NewReader(b)); ; {
			run := &graphResult{}
			if err := d.Decode(run); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return inputError{fmt.Errorf("%s: %w", path, err)}
			}
			if run.V != 1 || run.Engine == "" || run.Task == "" {
				return inputError{fmt.Errorf("%s: not the result of a run", path)}
			}
			rows = addRun(rows, run)
		}
	}
	r.Input = fmt.Sprintf("%d files; × is relative to %s, results are means of the runs", len(paths), g.peer)
	for len(rows) > 0 {
		graph := rows[0].Graph
		var own, rest []*graphRow
		for _, row := range rows {
			if row.Graph == graph {
				own = append(own, row)
			} else {
				rest = append(rest, row)
			}
		}
		rows = rest
		r.Tables = append(r.Tables, g.tables(own)...)
	}
	return nil
}

// graphRow are the runs of one engine with one task on one graph: of times,
// the least and the median of all runs, of values the mean.
type graphRow struct {
	graphResult
	cpus, values, nmis []float64
	broken             int // the most communities that were not connected
}

func addRun(rows []*graphRow, run *graphResult) []*graphRow {
	i := slices.IndexFunc(rows, func(r *graphRow) bool {
		return r.Graph == run.Graph && r.Task == run.Task && r.Engine == run.Engine
	})
	if i < 0 {
		i, rows = len(rows), append(rows, &graphRow{graphResult: *run})
	}
	r := rows[i]
	r.cpus = append(r.cpus, run.CPU)
	r.values = append(r.values, run.Value)
	if run.NMI != nil {
		r.nmis = append(r.nmis, *run.NMI)
	}
	if run.Disconnected != nil {
		r.broken = max(r.broken, *run.Disconnected)
	}
	for _, f := range []struct {
		at  *float64
		now float64
	}{
		{&r.Load, run.Load}, {&r.Project, run.Project}, {&r.Peak, run.Peak},
		{&r.P50, run.P50}, {&r.P99, run.P99}, {&r.StoreP50, run.StoreP50}, {&r.StoreP99, run.StoreP99},
	} {
		*f.at = min(*f.at, f.now)
	}
	r.CPU, r.CPUMedian = leastMedian(slices.Clone(r.cpus))
	return rows
}

func mean(list []float64) float64 {
	var sum float64
	for _, x := range list {
		sum += x
	}
	return sum / float64(len(list))
}

// tables compares the engines on one graph: what runs once, and queries.
func (g *graphReport) tables(rows []*graphRow) []table {
	first := rows[0]
	title := fmt.Sprintf("%s: %d nodes, %d edges", first.Graph, first.Nodes, first.Edges)
	if first.Edges == 0 {
		title = fmt.Sprintf("%s: %d vectors", first.Graph, first.Nodes)
	}
	once := table{Title: title, Columns: []string{
		"task", "engine", "CPU-ms", "×", "median CPU-ms", "×", "load CPU-ms", "project CPU-ms", "peak MB", "result", "range", "runs", "NMI", "not connected",
	}}
	asked := table{Title: title + ", queries", Columns: []string{
		"task", "engine", "queries", "p50 CPU-µs", "×", "p99 CPU-µs", "×", "store p50", "store p99", "result",
	}}
	var tasks []string
	for _, r := range rows {
		if !slices.Contains(tasks, r.Task) {
			tasks = append(tasks, r.Task)
		}
	}
	for _, task := range tasks {
		peer := g.reference(rows, task)
		for _, r := range rows {
			switch {
			case r.Task != task:
			case r.Queries > 0:
				asked.Rows = append(asked.Rows, []string{
					task, r.Engine, fmt.Sprint(r.Queries), number(r.P50), share(r.P50, peer.P50), number(r.P99), share(r.P99, peer.P99),
					orDash(r.StoreP50), orDash(r.StoreP99), fmt.Sprintf("%.6g", mean(r.values)),
				})
			default:
				once.Rows = append(once.Rows, r.cells(peer))
			}
		}
	}
	var out []table
	for _, t := range []table{once, asked} {
		if len(t.Rows) > 0 {
			out = append(out, t)
		}
	}
	return out
}

// reference returns the row that the others of a task are compared with: a row
// of zeros, which gives no ratios, if there is none.
func (g *graphReport) reference(rows []*graphRow, task string) *graphRow {
	best := &graphRow{}
	for _, r := range rows {
		switch {
		case r.Task != task:
		case strings.HasPrefix(r.Engine, g.peer):
			return r
		case best.Engine == "" && r.Engine != "ragdb":
			best = r
		}
	}
	return best
}

func (r *graphRow) cells(peer *graphRow) []string {
	span, nmi, broken := "", "-", "-"
	if lo, hi := slices.Min(r.values), slices.Max(r.values); lo != hi {
		span = fmt.Sprintf("%.6g to %.6g", lo, hi)
	}
	if len(r.nmis) > 0 {
		nmi = fmt.Sprintf("%.4f", mean(r.nmis))
	}
	if r.Disconnected != nil {
		broken = fmt.Sprint(r.broken)
	}
	return []string{
		r.Task, r.Engine, number(r.CPU * 1e3), share(r.CPU, peer.CPU), number(r.CPUMedian * 1e3), share(r.CPUMedian, peer.CPUMedian),
		orDash(r.Load * 1e3), orDash(r.Project * 1e3), number(math.Round(r.Peak)), fmt.Sprintf("%.6g", mean(r.values)), span,
		fmt.Sprint(len(r.values)), nmi, broken,
	}
}

// share renders a as a multiple of b to two digits at least, "-" if there is
// no b.
func share(a, b float64) string {
	if b == 0 || a/b >= 0.1 {
		return ratio(a, b)
	}
	return strconv.FormatFloat(a/b, 'g', 2, 64)
}

func orDash(x float64) string {
	if x == 0 {
		return "-"
	}
	return number(x)
}
