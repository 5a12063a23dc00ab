package cypher

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/query"
)

// call compiles CALL. That of a whole statement yields all columns.
func (pl *planner) call(c *callClause, alone bool) error {
	proc := pl.registry.Get(c.Procedure)
	if proc == nil {
		return pl.unknownProcedure(c)
	}
	if pl.graph.filtered && !proc.Filtered {
		return phase.Mark(engine.ErrInvalid, "%s reads more than the filter of this session lets it see: run it without the filter", proc.Name)
	}
	s := &callStep{proc: proc, at: c.Pos, text: pl.text}
	if err := pl.arguments(c, proc, s); err != nil {
		return err
	}
	items := c.Yield
	if c.Star || items == nil && alone {
		items = nil
		for _, col := range proc.Columns {
			items = append(items, &yieldItem{Pos: c.Pos, Column: col.Name, Variable: col.Name})
		}
	}
	s.slots = make([]int, len(proc.Columns))
	for i := range s.slots {
		s.slots[i] = -1
	}
	for _, item := range items {
		col := columnOf(proc, item.Column)
		if col < 0 {
			return newSyntaxError(pl.text, int(item.Pos), int(item.Pos)+len(item.Column), "UndefinedVariable",
				fmt.Sprintf("%s yields no column %s; it yields %s", proc.Name, item.Column, columnsText(proc)))
		}
		s.slots[col] = pl.scope.add(item.Variable)
	}
	s.once = len(items) == 0
	s.describe("Call", proc.Name)
	pl.add(s)
	if c.Where == nil {
		return nil
	}
	f, err := pl.filter(c.Where)
	if err == nil {
		pl.add(f)
	}
	return err
}

// arguments compiles the arguments of a call.
func (pl *planner) arguments(c *callClause, proc *Procedure, s *callStep) error {
	args := c.Args
	if c.Implicit {
		for _, a := range proc.Args {
			if _, ok := pl.params[a.Name]; ok {
				args = append(args, &param{Pos: c.Pos, Name: a.Name})
			} else if a.Optional {
				args = append(args, &literal{Pos: c.Pos})
			} else {
				return newSyntaxError(pl.text, int(c.Pos), int(c.Pos)+4, "MissingParameter",
					fmt.Sprintf("CALL without arguments takes them from the parameters, and there is no $%s", a.Name))
			}
		}
	}
	least := 0
	for i, a := range proc.Args {
		if !a.Optional {
			least = i + 1
		}
	}
	if len(args) < least || len(args) > len(proc.Args) {
		return newSyntaxError(pl.text, int(c.Pos), int(c.Pos)+4, "InvalidNumberOfArguments",
			fmt.Sprintf("wrong number of arguments; it is %s", proc.Signature()))
	}
	if err := pl.checkTypes(proc, args); err != nil {
		return err
	}
	s.written = args
	for _, a := range args {
		ev, err := pl.expr(a)
		if err != nil {
			return err
		}
		s.args = append(s.args, ev)
	}
	return nil
}

func columnOf(p *Procedure, name string) int {
	for i, c := range p.Columns {
		if c.Name == name {
			return i
		}
	}
	return -1
}

func columnsText(p *Procedure) string {
	text := ""
	for i, c := range p.Columns {
		if i > 0 {
			text += ", "
		}
		text += c.Name
	}
	return text
}

// callStep runs a procedure for each row.
type callStep struct {
	planned
	at   Pos
	text string // of the statement
	proc *Procedure
	// written are the arguments as they stand in the statement.
	written []expr
	args    []evaluator
	slots   []int // places of the procedure's columns, -1 for those not wanted
	// once lets the row pass once, because no column is used.
	once bool
}

func (s *callStep) open(x *exec, next sink) sink {
	return stream(next, func(r row) error {
		c, err := s.call(x, r)
		if err != nil {
			return err
		}
		n := 0
		var stopped error
		err = s.proc.Run(x.ctx, c, func(out []Value) error {
			if err := x.tick(); err != nil {
				return err
			}
			if len(out) != len(s.slots) {
				return phase.Mark(engine.ErrInvalid, "%s yielded %d values for %d columns", s.proc.Name, len(out), len(s.slots))
			}
			n++
			if s.once {
				return nil
			}
			for i, slot := range s.slots {
				if slot >= 0 {
					r[slot] = out[i]
				}
			}
			stopped = next.push(r)
			return stopped
		})
		if s.proc.Writes {
			x.graph.changed()
		}
		if stopped == errEnough {
			return errEnough // whatever the procedure made of it
		}
		if err != nil {
			return s.placed(err)
		}
		if s.once {
			return next.push(r)
		}
		return nil
	})
}

// placed gives an error about an option its place in the statement, if it stands there.
func (s *callStep) placed(err error) error {
	var o interface{ Option() string }
	if !errors.As(err, &o) {
		return err
	}
	for _, a := range s.written {
		m, ok := a.(*mapLit)
		if !ok {
			continue
		}
		if i := slices.Index(m.Keys, o.Option()); i >= 0 {
			// The key is the last word of its name before the value.
			at := int(m.Pos) + max(0, strings.LastIndex(s.text[m.Pos:m.Values[i].At()], o.Option()))
			return newSyntaxError(s.text, at, at+len(o.Option()), "InvalidArgumentValue", err.Error())
		}
	}
	return err
}

// call returns the call for a row.
func (s *callStep) call(x *exec, r row) (*ProcedureCall, error) {
	c := x.session.procedureCall(x)
	c.Args = make([]Value, len(s.proc.Args))
	if err := evaluate(x, r, s.args, c.Args); err != nil {
		return nil, err
	}
	for i, a := range s.proc.Args {
		if !a.nullable() && c.Args[i].IsNull() {
			return nil, phase.Mark(engine.ErrInvalid, "%s: the argument %s is null", s.proc.Name, a.Name)
		}
		if !a.takes(c.Args[i].kind) {
			return nil, typeError(s.at, "%s: the argument %s is of the type %s, not %s", s.proc.Name, a.Name, a.Type, aKind(c.Args[i]))
		}
	}
	return c, nil
}

// explain adds the plan of the called procedure to the step's. The arguments
// must not depend on rows.
func (s *callStep) explain(ctx context.Context, x *exec, width int) error {
	if s.proc.Plan == nil {
		return nil
	}
	c, err := s.call(x, make(row, width))
	if err != nil {
		return nil // the arguments are known row by row
	}
	plan, err := s.proc.Plan(ctx, c)
	if err != nil {
		return err
	}
	s.Inner = append(s.Inner, operatorPlan(plan, map[query.Op]bool{}))
	return nil
}

// operatorPlan describes a plan of query operators. One that stands in several
// places is described once.
func operatorPlan(op query.Op, seen map[query.Op]bool) *PlanStep {
	x := op.Explain()
	p := &PlanStep{Name: x.Op, Args: x.Args, Estimate: -1}
	if seen[op] {
		p.Args = []string{"again"}
		return p
	}
	seen[op] = true
	if x.Source != "" {
		p.Args = append(p.Args[:len(p.Args):len(p.Args)], "["+x.Source+"]")
	}
	for _, in := range op.Inputs() {
		p.Inner = append(p.Inner, operatorPlan(in, seen))
	}
	return p
}
