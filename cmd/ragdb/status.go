package main

import (
	"context"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ragdb/ragdb/internal/service"
	"github.com/ragdb/ragdb/rag"
)

func (a *app) statusCommand() *cobra.Command {
	return &cobra.Command{
		Use:         "status DB",
		Short:       "Show what is indexed, what is left to do and what failed",
		Example:     `  ragdb status acme.ragdb`,
		Annotations: map[string]string{printsRows: "yes"},
		RunE: a.onDB(0, false, func(ctx context.Context, cmd *cobra.Command, path string, _ []string) error {
			return a.use(ctx, cmd, path, toRead, func(c *rag.Corpus) error {
				r, err := a.corpus(c).Status(ctx)
				if err == nil {
					a.printStatus(r, a.corpus(c).Running(ctx))
				}
				return err
			})
		}),
	}
}

// printStatus prints what is indexed. running says that this process works on it.
func (a *app) printStatus(r *service.Status, running bool) {
	o := a.out
	if o.format == asJSON {
		o.json(r)
		return
	}
	if o.text() {
		o.print("%s %s\n", o.bold(r.DB), o.dim("· format "+number(int(r.Format))+" · namespace "+r.NS))
		line := "  " + plural(r.Docs, "document")
		for _, c := range r.Chunks {
			line += " · " + plural(c.Count, "chunk") + " (" + c.Name + ")"
		}
		line += " · commit " + number(int(r.Epoch))
		if r.Latest > r.Epoch {
			line += ", latest " + number(int(r.Latest))
		}
		o.print("%s\n", line)
		for _, k := range storedKeys() {
			if v := r.Settings[k]; v != "" {
				o.print("  default %s: %s\n", k, v)
			}
		}
		if len(r.Namespaces) > 1 {
			o.print("  namespaces: %s\n", strings.Join(r.Namespaces, ", "))
		}
		o.print("\n")
	}
	t := &table{head: []string{"method", "step", "done", "pending", "failed"}, right: []bool{false, false, true, true, true}}
	left := false
	add := func(stages []service.StageStatus) {
		for _, s := range stages {
			t.add(s, s.Method, s.Stage, number(s.Done), number(s.Pending), number(s.Failed))
			left = left || s.Pending > 0
		}
	}
	add(r.Base)
	for _, m := range r.Methods {
		left = left || !m.Indexed
		if len(m.Stages) == 0 {
			step := "ready"
			if !m.Indexed {
				step = "not indexed"
			}
			t.add(service.StageStatus{Method: m.Instance, Stage: step}, m.Instance, step, "", "", "")
		}
		if o.text() && !m.Indexed {
			m.Stages = begunStages(m.Stages)
		}
		add(m.Stages)
	}
	o.rows(t)
	if !o.text() {
		return
	}
	for _, f := range r.Failed {
		o.print("failed: %s\n", escape(oneLine(f.Graph+" · "+f.Stage+" · "+f.Item+": "+f.Reason)))
	}
	for _, m := range r.Methods {
		for _, advice := range m.Advice {
			o.print("%s: %s\n", m.Instance, escape(advice.Reason))
			o.note("advised: ragdb index %s --%s", quote(r.DB), advice.Action)
		}
	}
	for _, m := range r.Methods {
		var all wholeStages
		for _, s := range m.Stages {
			all.add(s.Stage, s.Whole)
		}
		if line := all.line(); line != "" {
			o.print("%s: %s\n", m.Instance, line)
		}
	}
	a.printBeyondMemory(&r.Memory)
	a.printOwed(r.DB, "", r.Owed)
	switch {
	case running:
		o.note("process %d is at work on it", os.Getpid())
	case r.Docs == 0:
		o.note("next: ragdb index %s PATH", quote(r.DB))
	case left:
		o.note("next: ragdb index %s does what is left", quote(r.DB))
	}
}

// begunStages returns the stages that have work or have done some, and the one that
// comes after them: of a method in progress, most have nothing to show yet.
func begunStages(all []service.StageStatus) []service.StageStatus {
	var out []service.StageStatus
	next := 0
	for i, s := range all {
		if s.Done+s.Pending+s.Failed > 0 {
			out, next = append(out, s), i+1
		}
	}
	if next < len(all) {
		out = append(out, all[next])
	}
	return out
}
