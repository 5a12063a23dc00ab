package service

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/ragdb/ragdb/query/cypher"
)

// Encode writes a value as JSON in which every control character is escaped,
// the ones that change the direction of writing among them.
func Encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return plainJSON(bytes.TrimSuffix(b.Bytes(), []byte("\n"))), nil
}

// plainJSON escapes the control characters that JSON allows to stand for
// themselves. They stand in strings only, so that the value stays the same.
func plainJSON(b []byte) []byte {
	// Marks of direction are common in some scripts, and shown in texts.
	hidden := func(r rune) bool { return IsHidden(r) || r == 0x61c || r == 0x200e || r == 0x200f }
	if !bytes.ContainsFunc(b, hidden) {
		return b
	}
	var out bytes.Buffer
	for _, r := range string(b) {
		if hidden(r) {
			fmt.Fprintf(&out, `\u%04x`, r)
		} else {
			out.WriteRune(r)
		}
	}
	return out.Bytes()
}

// AppendRow appends a row of a statement as an object, its columns in order.
func AppendRow(b []byte, columns []string, values []cypher.Value) ([]byte, error) {
	from := len(b)
	b = append(b, '{')
	for i, v := range values {
		if i > 0 {
			b = append(b, ',')
		}
		name, err := Encode(columns[i])
		if err != nil {
			return nil, err
		}
		b = append(append(b, name...), ':')
		text, err := v.MarshalJSON()
		if err != nil {
			return nil, err
		}
		b = append(b, text...)
	}
	b = append(b, '}')
	return append(b[:from], plainJSON(b[from:])...), nil
}

// Counts is what a statement wrote.
type Counts struct {
	NodesCreated   int `json:"nodes_created"`
	NodesDeleted   int `json:"nodes_deleted"`
	EdgesCreated   int `json:"edges_created"`
	EdgesDeleted   int `json:"edges_deleted"`
	PropertiesSet  int `json:"properties_set"`
	VectorsSet     int `json:"vectors_set"`
	IndexesAdded   int `json:"indexes_added"`
	IndexesRemoved int `json:"indexes_removed"`
	LabelsAdded    int `json:"labels_added,omitempty"`
	LabelsRemoved  int `json:"labels_removed,omitempty"`
	GraphsMade     int `json:"graphs_made,omitempty"`
	GraphsDropped  int `json:"graphs_dropped,omitempty"`

	ConstraintsAdded   int `json:"constraints_added,omitempty"`
	ConstraintsRemoved int `json:"constraints_removed,omitempty"`
}

// CountsOf returns what a statement wrote, nil for nothing.
func CountsOf(c cypher.Counts) *Counts {
	if !c.Any() {
		return nil
	}
	return &Counts{
		c.NodesCreated, c.NodesDeleted, c.EdgesCreated, c.EdgesDeleted, c.PropertiesSet, c.VectorsSet, c.IndexesAdded, c.IndexesRemoved,
		c.LabelsAdded, c.LabelsRemoved, c.GraphsMade, c.GraphsDropped, c.ConstraintsAdded, c.ConstraintsRemoved,
	}
}

// PlanRow is a step of a plan.
type PlanRow struct {
	Part  int      `json:"part"` // of a UNION, from 1
	Depth int      `json:"depth"`
	Step  string   `json:"step"`
	Args  []string `json:"args"`
	// About is the planner's guess of the rows, left out if it has none.
	About *float64 `json:"rows_est,omitempty"`
	Rows  *int64   `json:"rows,omitempty"` // with PROFILE
	Ms    *float64 `json:"ms,omitempty"`
}

// PlanRows lists the steps of a plan, those of patterns below theirs.
func PlanRows(parts [][]*cypher.PlanStep) []PlanRow {
	profiled := false
	for _, steps := range parts {
		profiled = profiled || ran(steps)
	}
	var out []PlanRow
	var add func(part, depth int, steps []*cypher.PlanStep)
	add = func(part, depth int, steps []*cypher.PlanStep) {
		for _, s := range steps {
			r := PlanRow{Part: part, Depth: depth, Step: s.Name, Args: append([]string{}, s.Args...)}
			if s.Estimate >= 0 {
				r.About = &s.Estimate
			}
			if profiled {
				took := ms(s.Time)
				r.Rows, r.Ms = &s.Rows, &took
			}
			out = append(out, r)
			add(part, depth+1, s.Inner)
		}
	}
	for i, steps := range parts {
		add(i+1, 0, steps)
	}
	return out
}

// ran reports whether a plan was run, by PROFILE.
func ran(steps []*cypher.PlanStep) bool {
	return slices.ContainsFunc(steps, func(s *cypher.PlanStep) bool {
		return s.Rows > 0 || s.Time > time.Duration(0) || ran(s.Inner)
	})
}

// IsHidden reports whether a character is a control character beyond those of
// ASCII, or changes the direction of writing.
func IsHidden(r rune) bool {
	return r == 0x7f || r >= 0x80 && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}
