package query

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// Trace records a run: each operator in the order of its start.
type Trace struct {
	Ops []OpTrace
	// EmbedTime is what turning texts into vectors took.
	EmbedTime time.Duration
	// Warnings say what the plan should have done and could not, such as a model that
	// took too long to rerank the items.
	Warnings []string `json:",omitempty"`
}

// OpTrace is what one operator did.
type OpTrace struct {
	Explanation
	Depth int
	Rows  int
	// Time includes the operator's inputs.
	Time time.Duration
	// Notes say what the set does not show, such as the pairs of nodes that
	// no path joins.
	Notes []string

	inputs []int // in Ops
	rank   map[Ref]int
	items  []Item
	op     Op
}

// storedOp is what a stored trace keeps of an operator.
type storedOp struct {
	Op    string   `json:"op"`
	Args  []string `json:"args,omitempty"`
	Depth int      `json:"depth"`
	Rows  int      `json:"rows"`
	Us    int64    `json:"us"`
	Notes []string `json:"notes,omitempty"`
}

// MarshalJSON writes what a stored trace keeps: the operators, not their sets.
func (o OpTrace) MarshalJSON() ([]byte, error) {
	return json.Marshal(storedOp{o.Op, o.Args, o.Depth, o.Rows, o.Time.Microseconds(), o.Notes})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (o *OpTrace) UnmarshalJSON(b []byte) error {
	var s storedOp
	if err := json.Unmarshal(b, &s); err != nil {
		return err
	}
	*o = OpTrace{
		Explanation: Explanation{Op: s.Op, Args: s.Args},
		Depth:       s.Depth, Rows: s.Rows, Time: time.Duration(s.Us) * time.Microsecond, Notes: s.Notes,
	}
	return nil
}

func (t *Trace) begin(op Op, depth int) int {
	if t == nil {
		return 0
	}
	t.Ops = append(t.Ops, OpTrace{Explanation: op.Explain(), Depth: depth, op: op})
	return len(t.Ops) - 1
}

func (t *Trace) end(at int, s Set, d time.Duration) {
	if t == nil {
		return
	}
	o := &t.Ops[at]
	o.Rows, o.Time, o.items = len(s.Items), d, s.Items
	for _, in := range o.op.Inputs() {
		i := slices.IndexFunc(t.Ops, func(x OpTrace) bool { return x.op == in })
		if i >= 0 {
			o.inputs = append(o.inputs, i)
		}
	}
}

func (t *Trace) embedded(d time.Duration) {
	if t != nil {
		t.EmbedTime += d
	}
}

// place returns the rank of an item in an operator's set from 1, 0 if it is not
// in the set.
func (o *OpTrace) place(r Ref) int {
	if o.rank == nil {
		o.rank = make(map[Ref]int, len(o.items))
		for i := range o.items {
			o.rank[o.items[i].Ref()] = i + 1
		}
	}
	return o.rank[r]
}

// Finding says what one operator did with an item.
type Finding struct {
	Op    string
	Depth int
	// Rank is the item's place in the operator's set from 1, 0 if the
	// operator did not have it.
	Rank  int
	Rows  int
	Score float64
	// Lost says that an input had the item and this operator did not.
	Lost bool
	Why  []Step
}

// String renders the finding on one line.
func (f Finding) String() string {
	switch {
	case f.Lost:
		return fmt.Sprintf("%s: lost here (%d kept)", f.Op, f.Rows)
	case f.Rank == 0:
		return fmt.Sprintf("%s: not among %d", f.Op, f.Rows)
	}
	return fmt.Sprintf("%s: rank %d of %d, score %.4g", f.Op, f.Rank, f.Rows, f.Score)
}

// Why tells for an item what each operator did with it, in the order in which the
// operators started. For an item that is not in the result it tells which operator
// lost it, or that none found it.
func (t *Trace) Why(r Ref) []Finding {
	if t == nil {
		return nil
	}
	r.Edge.Weight = 0
	out := make([]Finding, 0, len(t.Ops))
	for i := range t.Ops {
		o := &t.Ops[i]
		f := Finding{Op: o.Explanation.String(), Depth: o.Depth, Rank: o.place(r), Rows: o.Rows}
		if f.Rank > 0 {
			f.Score, f.Why = o.items[f.Rank-1].Score, o.items[f.Rank-1].Why
		} else {
			f.Lost = slices.ContainsFunc(o.inputs, func(in int) bool { return t.Ops[in].place(r) > 0 })
		}
		out = append(out, f)
	}
	return out
}
