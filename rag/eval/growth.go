package eval

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing/fstest"

	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/method"
)

// GrowthPlan says in which steps a corpus grows: by the batches that a field of
// its records numbers, or by a first part and equal batches of the rest, in the
// order of the file.
type GrowthPlan struct {
	// Field has a number for each record; the records of its lowest are there
	// first. "" is by parts.
	Field string
	// Initial is the part of the records that is there first: below 1 a share,
	// else a number. Batches is how many batches the rest comes in.
	Initial float64
	Batches int
}

// ParseGrowth reads FIELD, or INITIAL,BATCHES such as 0.5,10.
func ParseGrowth(s string) (*GrowthPlan, error) {
	bad := wrong("growth %q is neither a field of the records nor INITIAL,BATCHES such as 0.5,10", s)
	initial, batches, parts := strings.Cut(s, ",")
	if !parts {
		if s = strings.TrimSpace(s); s == "" {
			return nil, bad
		}
		return &GrowthPlan{Field: s}, nil
	}
	x, err := strconv.ParseFloat(strings.TrimSpace(initial), 64)
	n, err2 := strconv.Atoi(strings.TrimSpace(batches))
	if errors.Join(err, err2) != nil || !(x > 0) || math.IsInf(x, 0) || x >= 1 && x != math.Trunc(x) || n < 1 || n > maxSweep {
		return nil, bad
	}
	return &GrowthPlan{Initial: x, Batches: n}, nil
}

// String writes the plan as ParseGrowth reads it.
func (p *GrowthPlan) String() string {
	if p.Field != "" {
		return p.Field
	}
	return strconv.FormatFloat(p.Initial, 'f', -1, 64) + "," + strconv.Itoa(p.Batches)
}

// Growth is the outcome of a growth protocol: an index that grows, step by
// step, and beside it in the report's Methods one of everything at once.
type Growth struct {
	Plan  string       `json:"plan"`
	Steps []growthStep `json:"steps"`
}

// growthStep is one batch of records.
type growthStep struct {
	// Added counts the records of the step, Documents and Chunks all that are
	// there after it.
	Added     int            `json:"added"`
	Documents int            `json:"documents"`
	Chunks    int            `json:"chunks"`
	Methods   []growthFigure `json:"methods"`
}

// growthFigure is what a step cost a method, with what all methods share, and
// how the method does after it: on all questions after the last step, on 250 of
// them, evenly spread, after the others.
type growthFigure struct {
	Name      string      `json:"name"`
	Cost      IndexCost   `json:"cost"`
	Questions int         `json:"questions"`
	Coverage  *float64    `json:"coverage,omitempty"`
	Recall5   *float64    `json:"recall@5,omitempty"`
	Perfect   *float64    `json:"perfect,omitempty"`
	MRR       *float64    `json:"mrr,omitempty"`
	Times     growthTimes `json:"times"`
}

// growthTimes are the figures that differ from run to run, in seconds of the
// step's indexing and milliseconds of a retrieval after it.
type growthTimes struct {
	CPU  float64 `json:"cpu_s"`
	Wall float64 `json:"wall_s"`
	P50  float64 `json:"p50_ms"`
}

// grow runs the plan in a database of its own.
func (r *runner) grow(ctx context.Context) (out *Growth, err error) {
	steps, err := r.steps()
	if err != nil {
		return nil, err
	}
	g := &runner{o: r.o, specs: r.specs}
	g.o.DB, g.o.Known, g.o.Answers, g.o.At = "", nil, nil, nil
	defer g.close()
	if err := g.open(ctx); err != nil {
		return nil, err
	}
	systems := make([]*method.System, len(g.specs))
	for i, spec := range g.specs {
		if systems[i], err = g.system(ctx, spec); err != nil {
			return nil, err
		}
	}
	shared, err := g.system(ctx, method.Spec{Name: "naive"})
	if err != nil {
		return nil, err
	}
	out = &Growth{Plan: r.o.Growth.String()}
	all := g.questions
	for i, in := range steps {
		if g.questions = all; i < len(steps)-1 {
			g.questions = sample(all, stepQuestions)
		}
		r.o.Notify(rag.Event{Stage: "grow", Done: i, Total: len(steps)})
		res, base, err := g.index(ctx, shared, []rag.Input{in})
		if err != nil {
			return nil, fmt.Errorf("step %d: %w", i+1, err)
		}
		step := growthStep{Added: res.Added, Documents: res.Documents, Chunks: res.Chunks}
		for j, sys := range systems {
			f, err := g.growBy(ctx, sys, base, g.specs[j])
			if err != nil {
				return nil, fmt.Errorf("step %d: %s: %w", i+1, g.specs[j].Title(), err)
			}
			step.Methods = append(step.Methods, *f)
		}
		out.Steps = append(out.Steps, step)
	}
	return out, nil
}

// stepQuestions bounds the questions that are asked after each step but the
// last: every n-th of them, the same after each.
const stepQuestions = 250

// sample returns at most n questions, evenly spread.
func sample(all []question, n int) []question {
	if len(all) <= n {
		return all
	}
	out := make([]question, n)
	for i := range out {
		out[i] = all[i*len(all)/n]
	}
	return out
}

// growBy brings a method's index up to date and asks it the questions.
func (r *runner) growBy(ctx context.Context, sys *method.System, base build, spec method.Spec) (*growthFigure, error) {
	_, own, err := r.index(ctx, sys, nil)
	if err != nil {
		return nil, err
	}
	f, err := r.ask(ctx, sys, spec)
	if err != nil {
		return nil, err
	}
	all := base.plus(own)
	return &growthFigure{
		Name: spec.Title(), Cost: all.Cost, Questions: f.Questions, Coverage: f.Coverage, Recall5: f.Recall5, Perfect: f.Perfect, MRR: f.MRR,
		Times: growthTimes{CPU: float64(all.CPU), Wall: float64(all.Wall), P50: f.Ms.P50},
	}, nil
}

// steps returns the records of each step as an input.
func (r *runner) steps() ([]rag.Input, error) {
	file, err := find(r.o.Data, "corpus.jsonl")
	if err != nil {
		return nil, err
	}
	var lines [][]byte
	var numbers []float64 // by line, of the field
	plan := r.o.Growth
	err = everyLine(file, func(line []byte) error {
		lines = append(lines, bytes.Clone(line))
		if plan.Field == "" || len(bytes.TrimSpace(line)) == 0 {
			numbers = append(numbers, 0)
			return nil
		}
		var fields map[string]any
		if err := json.Unmarshal(line, &fields); err != nil {
			return err
		}
		n, ok := fields[plan.Field].(float64)
		if !ok {
			return wrong("no number %q, which the corpus is to grow by", plan.Field)
		}
		numbers = append(numbers, n)
		return nil
	})
	if err != nil {
		return nil, err
	}
	of := plan.parts(lines, numbers)
	last := slices.Max(of)
	if last == 0 {
		return nil, wrong("growth by %s leaves nothing to insert", plan)
	}
	out := make([]rag.Input, last+1)
	for i := range out {
		// The other records are blank lines, so that keys made of the number of
		// a line stay the same.
		var b bytes.Buffer
		for j, line := range lines {
			if of[j] == i {
				b.Write(line)
			}
			b.WriteByte('\n')
		}
		out[i] = r.source
		out[i].Root = "corpus.jsonl"
		out[i].FS = fstest.MapFS{"corpus.jsonl": &fstest.MapFile{Data: b.Bytes()}}
	}
	return out, nil
}

// parts returns for each line the step that it comes in, from 0.
func (p *GrowthPlan) parts(lines [][]byte, numbers []float64) []int {
	out := make([]int, len(lines))
	if p.Field != "" {
		distinct := slices.Clone(numbers)
		slices.SortFunc(distinct, cmp.Compare[float64])
		distinct = slices.Compact(distinct)
		for i, n := range numbers {
			out[i], _ = slices.BinarySearch(distinct, n)
		}
		return out
	}
	records := 0
	for _, l := range lines {
		if len(bytes.TrimSpace(l)) > 0 {
			records++
		}
	}
	first := int(p.Initial)
	if p.Initial < 1 {
		first = int(math.Round(p.Initial * float64(records)))
	}
	first = min(first, records)
	at := 0
	for i, l := range lines {
		if len(bytes.TrimSpace(l)) == 0 {
			continue
		}
		if at >= first {
			// The rest in batches whose sizes differ by one at most.
			out[i] = 1 + (at-first)*p.Batches/(records-first)
		}
		at++
	}
	return out
}
