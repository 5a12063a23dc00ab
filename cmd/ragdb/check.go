package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/service"
	"github.com/ragdb/ragdb/rag"
)

// checkResult is what check prints.
type checkResult struct {
	V        int              `json:"v"`
	DB       string           `json:"db"`
	Level    string           `json:"level"`
	OK       bool             `json:"ok"`
	Findings []engine.Finding `json:"findings"`
	Repaired int              `json:"repaired"`
	// Owed is what interrupted commands have left to do, by namespace.
	Owed map[string]*service.Owed `json:"owed,omitempty"`
	Ms   int64                    `json:"ms"`
}

func (a *app) checkCommand() *cobra.Command {
	level := choice{value: "full", values: []string{"quick", "full"}}
	var repair bool
	cmd := &cobra.Command{
		Use:   "check DB",
		Short: "Verify that what is stored is sound",
		Long: `Check exits with 0 if DB is sound, with 5 if it found something, and with 1 if it
could not run. The quick level verifies the files and the catalogs, the full
one reads every key and compares whatever is stored twice. --repair rewrites
what can be computed from other data. Check also tells what interrupted removals and
merges have left to do, which is no finding.`,
		Example:     `  ragdb check acme.ragdb --level quick`,
		Annotations: map[string]string{printsRows: "yes"},
		RunE: a.onDB(0, false, func(ctx context.Context, cmd *cobra.Command, path string, _ []string) error {
			if repair && level.value == "quick" {
				return usage("leave out --level quick", "--repair needs the full level")
			}
			m := toRead
			if repair {
				m = toWrite
			}
			return a.with(ctx, path, m, func(db *engine.DB) error {
				return a.check(ctx, path, db, engine.CheckOptions{Repair: repair, Full: level.value == "full"}, level.value)
			})
		}),
	}
	cmd.Flags().Var(&level, "level", "how much to read: quick or full")
	cmd.Flags().BoolVar(&repair, "repair", false, "put right what can be computed from other data")
	return cmd
}

func (a *app) check(ctx context.Context, path string, db *engine.DB, o engine.CheckOptions, level string) error {
	p := a.newProgress()
	o.Progress = func(space string, keys int64) { p.notify(rag.Event{Stage: space, Done: int(keys)}) }
	start := time.Now()
	r := checkResult{V: 1, DB: path, Level: level, Findings: []engine.Finding{}}
	for f, err := range db.Check(ctx, o) {
		if err != nil {
			p.end()
			return err
		}
		r.Findings = append(r.Findings, f)
		if f.Repaired {
			r.Repaired++
		}
	}
	p.end()
	var err error
	if r.Owed, err = owedIn(ctx, db); err != nil && len(r.Findings) == 0 {
		return err
	}
	r.OK, r.Ms = len(r.Findings) == 0, time.Since(start).Milliseconds()
	a.printCheck(&r)
	if o := a.out; o.text() {
		for _, ns := range slices.Sorted(maps.Keys(r.Owed)) {
			a.printOwed(path, ns, r.Owed[ns])
		}
	}
	if r.OK {
		return nil
	}
	f := &failure{exit: exitCorrupt, code: "findings", message: path + " is not sound: " + plural(len(r.Findings), "finding")}
	repairable := 0
	for _, x := range r.Findings {
		if x.Repairable && !x.Repaired {
			repairable++
		}
	}
	switch {
	case r.Repaired == len(r.Findings):
		f.message, f.hint = fmt.Sprintf("%s had %s", path, plural(len(r.Findings), "finding")), "all are repaired; check it again"
	case repairable > 0:
		f.hint = fmt.Sprintf("ragdb check %s --repair puts %d of them right", quote(path), repairable)
	default:
		f.hint = "restore a backup, or export what can be read"
	}
	return f
}

func (a *app) printCheck(r *checkResult) {
	o := a.out
	if o.format == asJSON {
		o.json(r)
		return
	}
	if o.text() && r.OK {
		o.print("%s is sound · %s check in %s\n", r.DB, r.Level, duration(time.Duration(r.Ms)*time.Millisecond))
		return
	}
	t := &table{head: []string{"", "key space", "graph", "key", "what"}}
	for _, f := range r.Findings {
		state := "damaged"
		switch {
		case f.Repaired:
			state = "repaired"
		case f.Repairable:
			state = "repairable"
		}
		t.add(f, state, f.Space, f.Graph, f.Key, f.What)
	}
	o.rows(t)
}
