package service

import (
	"fmt"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/plain"
	"github.com/ragdb/ragdb/query"
)

// PathStep is one or more steps of an item's way that one operator made.
type PathStep struct {
	Op string `json:"op"`
	// From are the items that it came from.
	From  []string `json:"from,omitempty"`
	Note  string   `json:"note,omitempty"`
	Score float64  `json:"score"`
}

// path returns an item's way, neighbouring steps of one operator as one.
func path(s *engine.Snapshot, graphs []*engine.Graph, steps []query.Step) ([]PathStep, error) {
	out := []PathStep{}
	for _, st := range steps {
		from := ""
		if st.From.ID != 0 || st.From.Edge.From != 0 {
			var err error
			if from, err = refName(s, graphs, st.From); err != nil {
				return nil, err
			}
		}
		n := len(out)
		if n == 0 || out[n-1].Op != st.Op || out[n-1].Note != st.Note || from == "" {
			out = append(out, PathStep{Op: st.Op, Note: st.Note})
			n++
		}
		if last := &out[n-1]; from != "" {
			last.From, last.Score = append(last.From, from), st.Score
		} else {
			last.Score = st.Score
		}
	}
	return out, nil
}

// String renders the step on one line.
func (p PathStep) String() string {
	const most = 4
	s := p.Op
	if len(p.From) > 0 {
		s += " of " + strings.Join(p.From[:min(most, len(p.From))], ", ")
		if len(p.From) > most {
			s += fmt.Sprintf(" and %d more", len(p.From)-most)
		}
	}
	if p.Note != "" {
		s += " · " + p.Note
	}
	return s + " · score " + plain.Score(p.Score)
}
