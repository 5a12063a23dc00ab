package main

import (
	"fmt"
	"slices"
)

// graphResult is what one task cost and found out. The peers print the same
// fields, as far as they have them, so that graph-report can set them side by
// side.
type graphResult struct {
	V      int    `json:"v"`      // of this form: 1
	Engine string `json:"engine"` // ragdb, or the peer and its version
	Graph  string `json:"graph"`  // or the set of vectors
	Task   string `json:"task"`
	Nodes  int    `json:"nodes"` // or vectors
	Edges  int    `json:"edges,omitempty"`

	// Load is the processor time of loading the graph into the store, or, of a
	// peer, of making its graph of the edges in memory; Project that of reading
	// what the task needs from the store into rows in memory.
	Load    float64 `json:"load_cpu_s"`
	Project float64 `json:"project_cpu_s"`
	// CPU is the processor time of the algorithm alone, all threads and the
	// collection of garbage during it included: the least of the repetitions,
	// beside it their median. Wall is wall time likewise. Of tasks that ask
	// queries it is that of all queries.
	CPU        float64 `json:"cpu_s"`
	CPUMedian  float64 `json:"cpu_median_s"`
	Wall       float64 `json:"wall_s"`
	WallMedian float64 `json:"wall_median_s"`
	// Total is Load, Project and CPU together.
	Total float64 `json:"total_cpu_s"`
	// Peak is the most memory that was resident from opening the loaded
	// database on, in MB of 2^20 bytes; of a peer that of the process. 0 if
	// the system does not tell.
	Peak float64 `json:"peak_mb"`

	// Value sums the result up in one number, so that engines can be compared:
	// see the tasks.
	Value float64 `json:"value"`
	// Of a partition: its modularity, computed from the rows by the benchmark
	// and not by the algorithm, the number of communities, how many of them are
	// not connected, and the normalised mutual information with the labels.
	Modularity   *float64 `json:"modularity,omitempty"`
	Communities  int      `json:"communities,omitempty"`
	Disconnected *int     `json:"disconnected,omitempty"`
	NMI          *float64 `json:"nmi,omitempty"`

	// Of queries: processor time of a query on the projection, wall time beside
	// it, and the same straight on the store.
	Queries      int     `json:"queries,omitempty"`
	P50          float64 `json:"p50_us,omitempty"`
	P99          float64 `json:"p99_us,omitempty"`
	P50Wall      float64 `json:"p50_wall_us,omitempty"`
	P99Wall      float64 `json:"p99_wall_us,omitempty"`
	StoreP50     float64 `json:"store_p50_us,omitempty"`
	StoreP99     float64 `json:"store_p99_us,omitempty"`
	StoreP50Wall float64 `json:"store_p50_wall_us,omitempty"`
	StoreP99Wall float64 `json:"store_p99_wall_us,omitempty"`

	// More figures, by name.
	More map[string]float64 `json:"more,omitempty"`

	Seed    uint64   `json:"seed"`
	Workers int      `json:"workers"`
	Reps    int      `json:"reps"`
	Command string   `json:"command,omitempty"`
	Commit  string   `json:"commit,omitempty"`
	Machine *machine `json:"machine,omitempty"`

	loadMB float64 // what loading held at most, in MB of 2^20 bytes
}

// describe puts the result into a report for people.
func (g *graphResult) describe(r *report) {
	r.Input = fmt.Sprintf("%s: %d nodes, %d edges", g.Graph, g.Nodes, g.Edges)
	if g.Edges == 0 {
		r.Input = fmt.Sprintf("%s: %d vectors", g.Graph, g.Nodes)
	}
	t := table{
		Title:   fmt.Sprintf("%s, seed %d, least and median of %d", g.Task, g.Seed, g.Reps),
		Columns: []string{"load CPU-ms", "project CPU-ms", "CPU-ms", "median", "wall ms", "peak MB", "value"},
		Rows: [][]string{{
			number(g.Load * 1e3), number(g.Project * 1e3), number(g.CPU * 1e3), number(g.CPUMedian * 1e3),
			number(g.Wall * 1e3), number(g.Peak), fmt.Sprintf("%.6g", g.Value),
		}},
	}
	add := func(column, format string, value any) {
		t.Columns = append(t.Columns, column)
		t.Rows[0] = append(t.Rows[0], fmt.Sprintf(format, value))
	}
	if g.Disconnected != nil {
		add("communities", "%d", g.Communities)
		add("not connected", "%d", *g.Disconnected)
	}
	if g.NMI != nil {
		add("NMI", "%.4f", *g.NMI)
	}
	if g.Queries > 0 {
		add("queries", "%d", g.Queries)
		for _, f := range []struct {
			name string
			us   float64
		}{
			{"p50 CPU-µs", g.P50}, {"p99 CPU-µs", g.P99}, {"store p50 CPU-µs", g.StoreP50}, {"store p99 CPU-µs", g.StoreP99},
		} {
			add(f.name, "%s", number(f.us))
		}
	}
	r.Tables = append(r.Tables, t)
}

// leastMedian returns the least and the median of a list, which it sorts.
func leastMedian(list []float64) (least, median float64) {
	slices.Sort(list)
	n := len(list)
	return list[0], (list[n/2] + list[(n-1)/2]) / 2
}
