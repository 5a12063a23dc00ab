package query

import (
	"fmt"
	"io"
	"strings"

	"github.com/ragdb/ragdb/engine"
)

// Work is the kind of work that an operator does. It classes the times of a run.
type Work int

// The kinds of work. Operators that walk a graph or combine sets are the default.
const (
	WorkOnGraph    Work = iota // walking the graph, combining sets
	WorkOnVectors              // comparing vectors
	WorkOnTexts                // searching words and names
	WorkOnMass                 // spreading personalised PageRank
	WorkOnAssembly             // packing the evidence
)

// Explanation describes one operator.
type Explanation struct {
	// Op is the operator's name.
	Op string
	// Args are its parameters in order, as name=value.
	Args []string
	// Work is the kind of its work, apart from its inputs'.
	Work Work
	// Source names the paper's equation or section that it stands for.
	Source string
}

// String renders the operator on one line.
func (x Explanation) String() string {
	s := x.Op
	if len(x.Args) > 0 {
		s += "(" + strings.Join(x.Args, ", ") + ")"
	}
	if x.Source != "" {
		s += "   -- " + x.Source
	}
	return s
}

// arg is an argument of an explanation.
func arg(name string, value any) string { return fmt.Sprintf("%s=%v", name, value) }

// graphArgs are the arguments that operators on some types of a graph share.
func graphArgs(g *engine.Graph, types []string) []string {
	args := []string{arg("graph", g.Name())}
	if types != nil {
		args = append(args, arg("types", types))
	}
	return args
}

// Explain writes a plan as a tree, an operator a line, inputs indented below.
// An operator that stands in several places is written once and named after
// that by its number.
func Explain(w io.Writer, plan Op) error {
	if w == nil {
		return phase.At("", invalid("there is nothing to write to"))
	}
	seen := map[Op]int{}
	var walk func(op Op, depth int) error
	walk = func(op Op, depth int) error {
		if err := checkOp(op); err != nil {
			return phase.At("", err)
		}
		indent := strings.Repeat("  ", depth)
		if n, ok := seen[op]; ok {
			_, err := fmt.Fprintf(w, "%s(%d again)\n", indent, n)
			return err
		}
		seen[op] = len(seen) + 1
		if _, err := fmt.Fprintf(w, "%s%d %s\n", indent, seen[op], op.Explain()); err != nil {
			return err
		}
		for _, in := range op.Inputs() {
			if err := walk(in, depth+1); err != nil {
				return err
			}
		}
		return nil
	}
	return walk(plan, 0)
}
