package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
)

// engineRow is what one engine made of the edges. The peers print it as JSON;
// the field names are those of bench/peers.
type engineRow struct {
	Engine     string  `json:"engine"`
	Directions int     `json:"directions"` // in which the edges are stored
	LoadCPU    float64 `json:"load_cpu"`   // seconds
	Bytes      float64 `json:"bytes"`      // compacted
	Expand     float64 `json:"expand"`     // neighbours a second of processor time
	P50        float64 `json:"p50"`        // microseconds a node
}

// runPeers measures the peers on the same edges.
func (g *graphstore) runPeers(ctx context.Context) error {
	path := filepath.Join(g.dir, "edges")
	if err := writeEdges(path, g.edges); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "go", "run", "-C", g.peersDir, ".",
		"-edges", path, "-nodes", fmt.Sprint(g.nodes()), "-dir", g.dir)
	cmd.Stderr = g.r.log
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("%s: %w", cmd, err)
	}
	var rows []engineRow
	if err := json.Unmarshal(out, &rows); err != nil {
		return fmt.Errorf("%s: %w", cmd, err)
	}
	g.rows = append(g.rows, rows...)
	return nil
}

// compareEngines sets the engines side by side: costs as multiples of those of
// ragdb's bulk load, which is the first row.
func compareEngines(g *graphstore, rows []engineRow) table {
	t := table{
		Title: "Engines on the same edges",
		Columns: []string{"engine", "directions", "load CPU-µs/edge", "×", "B/edge", "×",
			"neighbours/CPU-s", "ragdb is × faster", "p50 µs/node"},
	}
	first := rows[0]
	for _, r := range rows {
		t.Rows = append(t.Rows, []string{
			r.Engine, fmt.Sprint(r.Directions),
			number(r.LoadCPU * 1e6 / float64(g.count)), number(r.LoadCPU / first.LoadCPU),
			number(r.Bytes / g.unique), number(r.Bytes / first.Bytes),
			number(r.Expand), number(first.Expand / r.Expand), number(r.P50),
		})
	}
	return t
}
