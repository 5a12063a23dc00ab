package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/peterh/liner"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
)

// interact reads entries at a prompt until the user leaves.
func (sh *shell) interact(ctx context.Context) error {
	o := sh.a.out
	// Messages are for people whatever the rows look like.
	o.format = asTable
	sh.timer, sh.display.maxRows = true, promptRows
	// Until a statement runs there is nothing to interrupt.
	sh.a.interrupts.set(func() {})
	defer sh.a.interrupts.set(nil)
	if sh.a.held != nil {
		sh.a.held.session.SetComplete(sh.complete)
		sh.editor = remoteEditor{sh.a.held.session}
	} else {
		sh.editor = sh.a.client.lineEditor(sh.a.stateDir(), sh.complete)
	}
	sh.a.readLine = sh.editor.ask
	sh.greet(ctx)
	if err := sh.readRC(ctx); err != nil {
		return quit(err)
	}
	in := &input{}
	for {
		line, err := sh.editor.read(ctx, sh.prompt(in.open()))
		switch {
		case errors.Is(err, liner.ErrPromptAborted):
			in.drop()
			sh.entered = ""
			continue
		case errors.Is(err, io.EOF):
			fmt.Fprintln(o.stderr)
			return nil
		case err != nil:
			return err
		}
		sh.entered += line + "\n"
		entries := in.add(line)
		if !in.open() {
			sh.editor.remember(sh.entered)
			sh.entered = ""
		}
		if err := sh.runEntries(ctx, entries); err != nil {
			return quit(err)
		}
		// Each statement counts its own lines.
		if !in.open() {
			in.read = 0
		}
	}
}

// quit turns the wish to leave into its success.
func quit(err error) error {
	if errors.Is(err, errQuit) {
		return nil
	}
	return err
}

// runEntries runs what was entered. Its errors are told, and end the shell only
// if it cannot go on.
func (sh *shell) runEntries(ctx context.Context, entries []entry) error {
	for _, e := range entries {
		var err error
		sh.editor.cooked(func() {
			err = sh.interruptible(ctx, func(ctx context.Context) error { return sh.dispatch(ctx, e) })
		})
		switch {
		case err == nil:
			continue
		case errors.Is(err, errQuit), ctx.Err() != nil, sh.db == nil, sh.a.out.err != nil && sh.file == nil:
			return err
		}
		sh.a.out.err = nil // that of a file
		f := *sh.a.explain(err)
		if f.code == "interrupted" {
			f.hint = ""
			fmt.Fprintln(sh.a.out.stderr) // after the ^C of the terminal
		}
		sh.a.out.failure(&f)
		return nil // what follows on the line was meant to come after it
	}
	return nil
}

// prompt names the namespace and, if it is not the base graph, the graph.
func (sh *shell) prompt(open bool) string {
	p := "ragdb:" + sh.a.global.ns
	if g := sh.session.Graph(); g != engine.Base {
		p += "/" + g
	}
	p = cut(oneLine(escape(p)), 40) + "> "
	if open {
		return pad("..> ", columns(p), true)
	}
	return p
}

// greet says what was opened.
func (sh *shell) greet(ctx context.Context) {
	if !sh.interactive || sh.a.out.quiet {
		return
	}
	parts := []string{"ragdb " + newVersion().Version, filepath.Base(sh.path)}
	if n, err := countNodes(ctx, sh.corpus); err == nil {
		parts = append(parts, plural(n, "node"))
	}
	if sh.db.ReadOnly(ctx) {
		parts = append(parts, "for reading")
	}
	sh.a.out.print("%s\n", escape(strings.Join(append(parts, ".help for help"), " · ")))
}

// countNodes counts the nodes of all graphs of a corpus's namespace.
func countNodes(ctx context.Context, c *rag.Corpus) (n int64, err error) {
	names, err := c.Namespace().Graphs(ctx)
	if err != nil {
		return 0, err
	}
	err = c.DB().View(ctx, func(s *engine.Snapshot) error {
		for _, name := range names {
			g, err := c.Graph(ctx, name)
			if err != nil {
				return err
			}
			v := s.Graph(g)
			set, err := v.Nodes(engine.AnyType)
			if err != nil {
				return err
			}
			n += int64(set.GetCardinality())
		}
		return nil
	})
	return n, err
}

// readRC runs the start script, if there is one.
func (sh *shell) readRC(ctx context.Context) error {
	dir := sh.a.stateDir()
	if dir == "" {
		return nil
	}
	name := filepath.Join(dir, "shellrc")
	if _, err := sh.a.dir.stat(name); err != nil {
		return nil
	}
	return sh.runEntries(ctx, []entry{{kind: entryCommand, text: ".read " + `"` + name + `"`}})
}
