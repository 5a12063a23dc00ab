package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/ragdb/ragdb/query/cypher"
)

// statement runs a statement and prints what it gives.
func (sh *shell) statement(ctx context.Context, e entry) error {
	if sh.explain {
		if err := sh.showPlan(ctx, e.text); err != nil {
			return err
		}
	}
	res, err := sh.session.Run(ctx, e.text, sh.params)
	if err != nil {
		return e.locate(err)
	}
	defer res.Close()
	p := sh.newPrinter(res.Columns)
	defer func() { sh.keep(p.out) }()
	for row, err := range res.Rows() {
		if err != nil {
			p.abandon()
			return e.locate(err)
		}
		if more, err := p.row(row); err != nil {
			return err
		} else if !more {
			break
		}
	}
	if res.Plan != nil {
		p.plan(res.Plan)
	}
	p.end(res)
	sh.report(res, p)
	if res.Columns != nil && !res.Counts.Any() && e.kind == entryStatement {
		sh.viewed = e.text
	}
	return nil
}

// report says what a statement did: at a prompt always, in a script if it
// wrote or .timer is on.
func (sh *shell) report(res *cypher.Result, p *printer) {
	for _, notice := range res.Notices {
		sh.message(notice)
	}
	var parts []string
	counts := countsText(res.Counts)
	switch {
	case counts != "":
		parts = append(parts, counts)
	case res.Columns == nil || !sh.interactive:
	case p.cut:
		parts = append(parts, "the first "+plural(p.rows, "row")+" (.maxrows N shows more)")
	default:
		parts = append(parts, plural(p.rows, "row"))
	}
	if sh.timer && (sh.interactive || counts == "") || counts != "" {
		parts = append(parts, duration(res.Elapsed()))
	}
	if len(parts) > 0 {
		sh.message(strings.Join(parts, " · "))
	}
}

// message tells something that is not a result: below the result at a prompt, on
// stderr in a script.
func (sh *shell) message(text string) {
	if sh.interactive {
		fmt.Fprintln(sh.a.out.stderr, sh.a.out.dim(text))
		return
	}
	sh.a.out.note("%s", text)
}

// countsText tells what was written, "" for nothing.
func countsText(c cypher.Counts) string {
	var parts []string
	for _, p := range []struct {
		n    int
		what string
		did  string
	}{
		{c.NodesCreated, "node", "created"}, {c.EdgesCreated, "edge", "created"},
		{c.NodesDeleted, "node", "deleted"}, {c.EdgesDeleted, "edge", "deleted"},
		{c.LabelsAdded, "label", "added"}, {c.LabelsRemoved, "label", "removed"},
		{c.PropertiesSet, "property", "set"}, {c.VectorsSet, "vector", "set"},
		{c.GraphsMade, "graph", "made"}, {c.GraphsDropped, "graph", "dropped"},
		{c.IndexesAdded, "index", "made"}, {c.IndexesRemoved, "index", "dropped"},
		{c.ConstraintsAdded, "constraint", "made"}, {c.ConstraintsRemoved, "constraint", "dropped"},
	} {
		switch {
		case p.n == 0:
		case p.what == "index" && p.n > 1:
			parts = append(parts, number(p.n)+" indexes "+p.did)
		default:
			parts = append(parts, plural(p.n, p.what)+" "+p.did)
		}
	}
	return strings.Join(parts, " · ")
}

// showPlan prints the plan of a statement, for .explain. One that has none, or
// is wrong, is told of when it runs.
func (sh *shell) showPlan(ctx context.Context, text string) error {
	res, err := sh.session.Run(ctx, "EXPLAIN "+text, sh.params)
	if err != nil {
		return nil
	}
	defer res.Close()
	p := sh.newPrinter(nil)
	p.plan(res.Plan)
	p.end(res)
	return nil
}

// locate turns an error of the language into what the user is told, with the
// place in the script and the line of the text.
func (e entry) locate(err error) error {
	var syntax *cypher.SyntaxError
	var eval *cypher.EvalError
	switch {
	case errors.As(err, &syntax):
		f := &failure{exit: exitUsage, code: "syntax", err: err, detail: syntax.Caret()}
		if syntax.Code == "GraphNotFound" {
			f.exit, f.code = exitNotFound, "not_found"
		}
		line, column := syntax.Line+e.line-1, syntax.Column
		if syntax.Line == 1 {
			column += e.indent
		}
		f.message = e.place(line, column) + syntax.Message
		return f
	case errors.As(err, &eval):
		at := min(max(int(eval.Pos), 0), len(e.text))
		before := e.text[:at]
		line := e.line + strings.Count(before, "\n")
		start := strings.LastIndexByte(before, '\n') + 1
		column := len([]rune(before[start:])) + 1
		if start == 0 {
			column += e.indent
		}
		return &failure{exit: exitFailed, code: "evaluation", err: err, message: e.place(line, column) + eval.Message}
	}
	return err
}

// place writes where an error is.
func (e entry) place(line, column int) string {
	s := fmt.Sprintf("line %d, column %d: ", max(1, line), column)
	if e.file != "" {
		s = e.file + ": " + s
	}
	return s
}

// interruptible runs an entry of a prompt: an interrupt ends it, and not the
// shell.
func (sh *shell) interruptible(ctx context.Context, fn func(ctx context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	sh.a.interrupts.set(func() { cancel(errInterrupted) })
	defer sh.a.interrupts.set(func() {})
	err := fn(ctx)
	if err != nil && errors.Is(err, context.Canceled) && context.Cause(ctx) == errInterrupted {
		err = interrupted(err)
	}
	return err
}
