package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
)

// vectorReport sets runs on the same files side by side.
type vectorReport struct {
	at      float64 // recall at which speeds are compared
	peer    string  // prefix of the engine that ratios refer to
	svg     string
	command string
}

func vectorReportFlags(fs *flag.FlagSet) func(ctx context.Context, r *report) error {
	v := &vectorReport{}
	fs.Float64Var(&v.at, "at", 0.99, "`recall` at which speeds are compared")
	fs.StringVar(&v.peer, "peer", "hnswlib", "`name` that the engine begins with to which the ratios refer")
	fs.StringVar(&v.svg, "svg", "", "`file` for a plot of recall against speed")
	fs.StringVar(&v.command, "command", "", "`text` that the report names as its command")
	return func(_ context.Context, r *report) error { return v.run(r, fs.Args()) }
}

func (v *vectorReport) run(r *report, paths []string) error {
	if len(paths) == 0 {
		return errors.New("no files")
	}
	if v.command != "" {
		r.Command = v.command
	}
	var runs []*vectorResult
	for _, path := range paths {
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		run := &vectorResult{}
		if err := json.Unmarshal(b, run); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if run.V != 1 || run.Engine == "" || len(run.Points) == 0 {
			return fmt.Errorf("%s: not the result of a run", path)
		}
		runs = append(runs, run)
	}
	sets := compareRuns(runs)
	r.Input = fmt.Sprintf("%d runs of %d sets; of several of one engine on one set the best of each figure", len(runs), len(sets))
	for _, set := range sets {
		r.Tables = append(r.Tables, v.table(set))
	}
	if v.svg == "" {
		return nil
	}
	return os.WriteFile(v.svg, plotSets(sets), 0o644)
}

// compareRuns groups runs by set, both in the order of appearance, and makes one
// of those of the same engine.
func compareRuns(runs []*vectorResult) (sets [][]*vectorResult) {
	for _, run := range runs {
		same := func(o *vectorResult) bool { return o.Set == run.Set }
		i := slices.IndexFunc(sets, func(set []*vectorResult) bool { return slices.ContainsFunc(set, same) })
		if i < 0 {
			i, sets = len(sets), append(sets, nil)
		}
		j := slices.IndexFunc(sets[i], func(o *vectorResult) bool { return o.Engine == run.Engine })
		if j < 0 {
			merged := *run
			merged.Points = slices.SortedFunc(slices.Values(run.Points), byEf)
			sets[i] = append(sets[i], &merged)
			continue
		}
		sets[i][j].takeBetter(run)
	}
	return sets
}

func byEf(a, b point) int { return cmp.Compare(a.Ef, b.Ef) }

// takeBetter takes from another run of the same engine on the same files what
// other work on the machine disturbed less there.
func (v *vectorResult) takeBetter(o *vectorResult) {
	v.Build, v.BuildDurable = min(v.Build, o.Build), min(v.BuildDurable, o.BuildDurable)
	v.Open, v.RSS, v.Disk = min(v.Open, o.Open), min(v.RSS, o.RSS), min(v.Disk, o.Disk)
	v.BytesPerVector = min(v.BytesPerVector, o.BytesPerVector)
	for _, p := range o.Points {
		switch i, ok := slices.BinarySearchFunc(v.Points, p, byEf); {
		case !ok:
			v.Points = slices.Insert(v.Points, i, p)
		case p.QPS > v.Points[i].QPS:
			v.Points[i] = p
		}
	}
}

// qpsAt returns the speed at a recall: between two points of a sweep, ordered
// by ef, the logarithm of the speed is taken as linear in recall. A recall that
// the first point already passes is given that point's speed; ok is false if
// no point reaches it.
func qpsAt(points []point, recall float64) (qps float64, ok bool) {
	for i, p := range points {
		if p.Recall < recall {
			continue
		}
		if i == 0 {
			return p.QPS, true
		}
		q := points[i-1] // below recall, or it would have been returned
		t := (recall - q.Recall) / (p.Recall - q.Recall)
		return math.Exp((1-t)*math.Log(q.QPS) + t*math.Log(p.QPS)), true
	}
	return 0, false
}

// table compares the engines on one set.
func (v *vectorReport) table(set []*vectorResult) table {
	first := set[0]
	t := table{
		Title: fmt.Sprintf("%s: %d vectors of %d dimensions, %s, M %d, efConstruction %d; × is relative to %s",
			first.Set, first.N, first.Dim, first.Metric, first.M, first.EfConstruction, v.peer),
		Columns: []string{"engine", "build CPU-s", "×", "with disk CPU-s", "×", "B/vector", "×", "RSS MB", "disk MB", "×", "open s", "×"},
	}
	var efs []int
	for _, run := range set {
		for _, p := range run.Points {
			efs = append(efs, p.Ef)
		}
	}
	slices.Sort(efs)
	efs = slices.Compact(efs)
	for _, ef := range efs {
		t.Columns = append(t.Columns, fmt.Sprintf("ef=%d: recall / QPS / p99 CPU-µs", ef))
	}
	t.Columns = append(t.Columns, fmt.Sprintf("QPS at %g", v.at), "×")
	var peer vectorResult // zero if there is none: no ratio then
	if i := slices.IndexFunc(set, func(r *vectorResult) bool { return strings.HasPrefix(r.Engine, v.peer) }); i >= 0 {
		peer = *set[i]
	}
	peerQPS, _ := qpsAt(peer.Points, v.at)
	for _, run := range set {
		row := []string{
			run.Engine,
			number(run.Build), ratio(run.Build, peer.Build),
			number(run.BuildDurable), ratio(run.BuildDurable, peer.BuildDurable),
			number(run.BytesPerVector), ratio(run.BytesPerVector, peer.BytesPerVector),
			number(run.RSS), number(run.Disk), ratio(run.Disk, peer.Disk),
			number(run.Open), ratio(run.Open, peer.Open),
		}
		for _, ef := range efs {
			cell := "-"
			if i, ok := slices.BinarySearchFunc(run.Points, point{Ef: ef}, byEf); ok {
				p := run.Points[i]
				cell = fmt.Sprintf("%.4f / %s / %s", p.Recall, number(p.QPS), number(p.P99))
			}
			row = append(row, cell)
		}
		if qps, ok := qpsAt(run.Points, v.at); ok {
			row = append(row, number(qps), ratio(qps, peerQPS))
		} else {
			most := slices.MaxFunc(run.Points, func(a, b point) int { return cmp.Compare(a.Recall, b.Recall) })
			row = append(row, fmt.Sprintf("- (at most %.4f)", most.Recall), "-")
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// ratio renders a as a multiple of b, "-" if there is no b.
func ratio(a, b float64) string {
	if b == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", a/b)
}
