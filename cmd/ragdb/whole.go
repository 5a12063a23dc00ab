package main

import (
	"fmt"
	"strings"

	"github.com/ragdb/ragdb/rag/cost"
)

// wholeStages are the stages that look at a whole graph when anything of it changed.
type wholeStages struct {
	names []string
	most  cost.Whole // the most nodes and edges of one, and the time of all
}

// add adds a stage, if it is one.
func (w *wholeStages) add(stage string, of *cost.Whole) {
	if of == nil {
		return
	}
	w.names = append(w.names, stage)
	w.most.Nodes, w.most.Edges = max(w.most.Nodes, of.Nodes), max(w.most.Edges, of.Edges)
	w.most.CPUSeconds += of.CPUSeconds
}

// line says what they cost, "" if there are none.
func (w *wholeStages) line() string {
	if len(w.names) == 0 {
		return ""
	}
	names, look := w.names[0]+" looks", ""
	if n := len(w.names); n > 1 {
		names = strings.Join(w.names[:n-1], ", ") + " and " + w.names[n-1] + " look"
	}
	look = "up to " + plural(w.most.Nodes, "node")
	if w.most.Edges > 0 {
		look += " and " + plural(w.most.Edges, "edge")
	}
	return fmt.Sprintf("%s at the whole graph when documents come or go: %s, %s s of CPU when last measured", names, look, seconds(w.most.CPUSeconds))
}

// seconds writes a time with two digits at least.
func seconds(s float64) string {
	switch {
	case s >= 10:
		return fmt.Sprintf("%.0f", s)
	case s >= 0.1:
		return fmt.Sprintf("%.1f", s)
	}
	return fmt.Sprintf("%.2f", s)
}
