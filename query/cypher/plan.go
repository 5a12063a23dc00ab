package cypher

import (
	"fmt"
	"strings"
	"time"
)

// PlanStep is a step of a plan, as EXPLAIN and PROFILE show it. Steps are in
// the order in which rows pass through them.
type PlanStep struct {
	// Name is the kind of step, such as Expand or Filter.
	Name string
	// Args are its particulars.
	Args []string
	// Estimate is the number of rows that the planner expects from the step, or
	// -1 if it is unknown.
	Estimate float64
	// Rows and Time are set by PROFILE: rows that the step made, and the time
	// that it took without that of the steps before and after it.
	Rows int64
	Time time.Duration
	// Inner are the steps of a pattern that runs for each row.
	Inner []*PlanStep
}

// String renders the step on one line.
func (p *PlanStep) String() string {
	if len(p.Args) == 0 {
		return p.Name
	}
	return p.Name + " " + strings.Join(p.Args, ", ")
}

// planned is embedded in steps to hold their part of the plan.
type planned struct{ PlanStep }

func (p *planned) plan() *PlanStep { return &p.PlanStep }

// describe sets the name and arguments of the step in the plan.
func (p *planned) describe(name string, args ...string) {
	p.Name = name
	p.Args = args
	p.Estimate = -1
}

// stepPlans returns the plans of steps.
func stepPlans(steps []step) []*PlanStep {
	var out []*PlanStep
	for _, s := range steps {
		out = append(out, s.plan())
	}
	return out
}

// refuse returns the error for a part of a statement that is not in the subset.
func refuse(text string, at Pos, format string, args ...any) error {
	start := min(int(at), len(text))
	end := start
	for end < len(text) && !strings.ContainsRune(" \t\r\n(){}[],;:", rune(text[end])) {
		end++
	}
	e := newSyntaxError(text, start, max(end, min(start+1, len(text))), "NotSupported", "not supported: "+fmt.Sprintf(format, args...))
	e.Unsupported = true
	return e
}
