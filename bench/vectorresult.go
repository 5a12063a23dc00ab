package main

import (
	"fmt"
)

// vectorResult is what a run of vector, or of a peer on the same files, found
// out. bench/peers/hnswlib prints the same fields, those of the first part.
type vectorResult struct {
	V      int    `json:"v"`      // of this form: 1
	Engine string `json:"engine"` // with what tells its runs apart
	Set    string `json:"set"`
	N      int    `json:"n"`
	Dim    int    `json:"dim"`
	Metric string `json:"metric"`
	// M and EfConstruction are what the index was built with.
	M              int `json:"m"`
	EfConstruction int `json:"efc"`

	// Build is the processor time of settling alone, with everything written
	// before: linking, but for what writers linked on the way. BuildDurable is
	// that of the process from the first write until all is settled and
	// flushed to disk, BuildWall the wall time of it. Of a peer Build is making
	// the index in memory, BuildDurable that and saving it to a file.
	Build        float64 `json:"build_cpu_s"`
	BuildDurable float64 `json:"build_cpu_s_durable"`
	BuildWall    float64 `json:"build_wall_s"`
	// RSS is the resident memory of a process that opened the database and
	// asked every query, RSSBefore what it had before; 0 if the system does
	// not tell. BytesPerVector is what the index says it keeps in memory; of a
	// peer by what opening and asking make the process grow, but for what an
	// index of any size has.
	RSS            float64 `json:"rss_mb"`
	RSSBefore      float64 `json:"rss_before_mb"`
	BytesPerVector float64 `json:"bytes_per_vector"`
	Disk           float64 `json:"disk_mb"`
	// Open is the wall time from opening to the first answer that holds the
	// nearest vector, in a new process, with the files in the system's cache.
	Open   float64 `json:"open_s"`
	Points []point `json:"points"`

	// OnDisk says that searches read all vectors from the store.
	OnDisk  bool           `json:"on_disk,omitempty"`
	Filters []filterResult `json:"filters,omitempty"`
	Churn   *churnResult   `json:"churn,omitempty"`
	Writing *writingResult `json:"writing,omitempty"`

	Queries int    `json:"queries"`
	Budget  int64  `json:"budget_bytes,omitempty"`
	Command string `json:"command"`
	Commit  string `json:"commit,omitempty"`
	// Machine is left out by peers: they run on that of ragdb.
	Machine *machine `json:"machine,omitempty"`
}

func newVectorResult(b *vectorBench) *vectorResult {
	return &vectorResult{
		V: 1, Engine: "ragdb " + b.index + " " + b.tier, Set: b.s.name, N: b.s.n, Dim: b.dim, Metric: b.metric, M: b.m, EfConstruction: b.efc,
		Queries: len(b.s.queries), Budget: b.budget,
		Command: b.r.Command, Commit: b.r.Commit, Machine: &b.r.Machine,
	}
}

func (v *vectorResult) input() string {
	return fmt.Sprintf("%s: %d vectors of %d dimensions, %s, %d queries", v.Set, v.N, v.Dim, v.Metric, v.Queries)
}

// describe puts the result into a report for people.
func (v *vectorResult) describe(r *report) {
	r.atMost("linking", v.Build, "CPU-s", 0, "settling alone")
	r.atMost("build, durable", v.BuildDurable, "CPU-s", 0, fmt.Sprintf("%s s wall", number(v.BuildWall)))
	where := "in memory"
	if v.OnDisk {
		where = "searched on disk"
	}
	r.atMost("index", v.BytesPerVector, "B/vector", 0, where)
	r.atMost("resident memory of a process that searches", v.RSS, "MB", 0, fmt.Sprintf("%s MB before opening", number(v.RSSBefore)))
	r.atMost("disk", v.Disk, "MB", 0, "")
	r.atMost("open to the first right answer", v.Open, "s", 0, "page cache warm")
	t := table{Title: v.Engine + ", " + v.Set, Columns: append([]string{}, pointColumns...)}
	for _, p := range v.Points {
		t.Rows = append(t.Rows, p.cells())
	}
	r.Tables = append(r.Tables, t)
	for _, f := range v.Filters {
		r.Tables = append(r.Tables, f.table())
	}
	if v.Churn != nil {
		r.Tables = append(r.Tables,
			v.Churn.Replaced.table(fmt.Sprintf("%d vectors replaced in %d rounds", v.Churn.Replaced.Vectors, churnRounds)),
			v.Churn.Deleted.table(fmt.Sprintf("%d vectors deleted", v.Churn.Deleted.Vectors)))
	}
	if v.Writing != nil {
		r.Tables = append(r.Tables, v.Writing.table())
	}
}

var pointColumns = []string{"ef", "recall@10", "QPS, CPU", "p50 CPU-µs", "p99 CPU-µs", "p50 µs", "p99 µs"}

func (p *point) cells() []string {
	return []string{
		fmt.Sprint(p.Ef), fmt.Sprintf("%.4f", p.Recall), number(p.QPS),
		number(p.P50), number(p.P99), number(p.P50W), number(p.P99W),
	}
}

func (f *filterResult) table() table {
	t := table{
		Title: fmt.Sprintf("%d of the vectors allowed (%g %%); comparing them all: p50 %s, p99 %s CPU-µs",
			f.Allowed, 100*f.Share, number(f.Scan.P50), number(f.Scan.P99)),
		Columns: append(append([]string{}, pointColumns...), "p50 CPU-µs without", "× min(scan, without)"),
	}
	for _, p := range f.Points {
		t.Rows = append(t.Rows, append(p.cells(), number(p.WalkP50), number(p.P50/min(f.Scan.P50, p.WalkP50))))
	}
	return t
}

func (c *changed) table(title string) table {
	t := table{
		Title:   fmt.Sprintf("%s: %s CPU-µs a vector, then %s B/vector", title, number(c.CPU), number(c.Bytes)),
		Columns: append(append([]string{}, pointColumns...), "recall of the fresh index", "gained"),
	}
	for _, p := range c.Points {
		t.Rows = append(t.Rows, append(p.cells(), fmt.Sprintf("%.4f", p.Fresh), fmt.Sprintf("%+.4f", p.Recall-p.Fresh)))
	}
	return t
}

func (w *writingResult) table() table {
	return table{
		Title: fmt.Sprintf("%d searches beside a writer of %d vectors, %d a transaction, ef %d; each opens a snapshot; settled after in %s CPU-s",
			w.Searches, w.Written, writingBatch, w.Ef, number(w.Settle)),
		Columns: []string{"", "p50 CPU-µs", "p99 CPU-µs", "p50 µs", "p99 µs"},
		Rows: [][]string{
			{"read only", number(w.ReadOnly.P50), number(w.ReadOnly.P99), number(w.ReadOnly.P50W), number(w.ReadOnly.P99W)},
			{"writing", number(w.Writing.P50), number(w.Writing.P99), number(w.Writing.P50W), number(w.Writing.P99W)},
			{"×", number(w.Writing.P50 / w.ReadOnly.P50), number(w.Writing.P99 / w.ReadOnly.P99),
				number(w.Writing.P50W / w.ReadOnly.P50W), number(w.Writing.P99W / w.ReadOnly.P99W)},
		},
	}
}
