package main

import (
	"context"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// run runs a command of the program on the open database, with the shell's
// settings as its flags if it has them.
func (sh *shell) run(ctx context.Context, name string, args []string) error {
	inner := sh.inner()
	root := inner.command()
	cmd, _, err := root.Find([]string{name})
	if err != nil {
		return err
	}
	root.SetArgs(slices.Concat([]string{name}, sh.flagsFor(cmd), []string{sh.path}, args))
	err = root.ExecuteContext(ctx)
	sh.keep(inner.out)
	// What a method built may be there, or gone.
	if rerr := sh.renew(ctx); err == nil && ctx.Err() == nil {
		err = rerr
	}
	return err
}

// inner is an application whose commands work on the shell's database and print
// where the shell prints.
func (sh *shell) inner() *app {
	b := *sh.a
	o := *sh.a.out
	b.out, b.client = &o, nil
	return &b
}

// keep remembers that the output takes no more.
func (sh *shell) keep(o *output) {
	if sh.a.out.err == nil {
		sh.a.out.err = o.err
	}
}

// flagsFor writes the flags that were set in the shell, or given to it, and that
// a command has too.
func (sh *shell) flagsFor(cmd *cobra.Command) []string {
	out := []string{"--ns=" + sh.a.global.ns}
	sh.cmd.Flags().VisitAll(func(f *pflag.Flag) {
		switch f.Name {
		case "json", "jsonl", "output", "ns", "command", "file", "bail":
			return
		}
		if f.Changed && cmd.Flag(f.Name) != nil {
			out = append(out, "--"+f.Name+"="+f.Value.String())
		}
	})
	switch m := sh.display.format; {
	case m == asTable:
	case m == asJSON, cmd.Annotations[printsRows] != "":
		out = append(out, "--output="+string(m))
	case m == asJSONL:
		out = append(out, "--output="+string(asJSON))
	}
	return out
}
