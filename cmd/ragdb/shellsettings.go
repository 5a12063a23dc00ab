package main

import (
	"cmp"
	"context"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/ragdb/ragdb/query/cypher"
	"github.com/ragdb/ragdb/rag/methods"
)

func (sh *shell) setMode(_ context.Context, args []string) error {
	if len(args) == 0 {
		sh.a.out.print("mode is %s\n", sh.display.format)
		return nil
	}
	if !slices.Contains(formats(), args[0]) {
		return usageOf("mode", "there is no mode %q", args[0])
	}
	sh.display.format = format(args[0])
	return nil
}

func (sh *shell) setWidth(_ context.Context, args []string) error {
	return setBound(sh, "width", "auto", &sh.display.width, args)
}

func (sh *shell) setMaxRows(_ context.Context, args []string) error {
	return setBound(sh, "maxrows", "all", &sh.display.maxRows, args)
}

// setBound sets a bound, which a word or 0 lifts, or tells it.
func setBound(sh *shell, name, none string, v *int, args []string) error {
	if len(args) == 0 {
		sh.a.out.print("%s is %s\n", name, bound(*v, none))
		return nil
	}
	n, err := strconv.Atoi(args[0])
	switch {
	case args[0] == none:
		n = 0
	case err != nil || n < 0:
		return usageOf(name, "%q is neither a number nor %s", args[0], none)
	}
	*v = n
	return nil
}

func bound(n int, none string) string {
	if n == 0 {
		return none
	}
	return strconv.Itoa(n)
}

func (sh *shell) setLog(_ context.Context, args []string) error {
	levels := []string{"off", "info", "debug"}
	if len(args) == 0 {
		sh.a.out.print("log is %s\n", levels[min(sh.a.out.verbose, 2)])
		return nil
	}
	i := slices.Index(levels, args[0])
	if i < 0 {
		return usageOf("log", "there is no level %q", args[0])
	}
	// The database, which is open, goes on as it was opened.
	sh.a.out.verbose = i
	return sh.cmd.Flags().Set("verbose", strconv.Itoa(i))
}

func (sh *shell) setOutput(ctx context.Context, args []string) error {
	return sh.writeTo(ctx, append(args, "")[0], false)
}

func (sh *shell) setOnce(ctx context.Context, args []string) error {
	return sh.writeTo(ctx, args[0], true)
}

// writeTo is redirect to a file that may be there already.
func (sh *shell) writeTo(ctx context.Context, name string, once bool) error {
	if name != "" {
		if err := sh.a.mayReplace(ctx, name); err != nil {
			return err
		}
	}
	return sh.redirect(name, once)
}

// redirect sends results to a file, or with "" to where they went at first.
func (sh *shell) redirect(name string, once bool) error {
	o := sh.a.out
	if sh.file != nil {
		err := sh.file.Close()
		sh.file, sh.once = nil, false
		o.stdout, o.outTTY, o.color = sh.stdout, sh.stdoutTTY, sh.stdoutColor
		if err != nil {
			return err
		}
	}
	if name == "" {
		return nil
	}
	f, err := sh.a.dir.openFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return err
	}
	sh.file, sh.fileName, sh.once = f, name, once
	o.stdout, o.outTTY, o.color = f, false, false
	return nil
}

func (sh *shell) readScript(ctx context.Context, args []string) error {
	return sh.runFile(ctx, args[0])
}

func (sh *shell) reopen(ctx context.Context, args []string) error {
	before := sh.path
	if args[0] == before {
		return nil
	}
	if err := sh.close(); err != nil {
		return err
	}
	ns := sh.a.global.ns
	sh.a.global.ns = "main"
	err := sh.open(ctx, args[0])
	if err == nil {
		sh.greet(ctx)
		return nil
	}
	// There is no shell without a database.
	sh.a.global.ns = ns
	if again := sh.open(ctx, before); again != nil {
		return again
	}
	return err
}

// setParam sets, lists and clears the parameters of statements.
func (sh *shell) setParam(ctx context.Context, args []string) error {
	switch {
	case len(args) == 0, len(args) == 1 && args[0] == "list":
		t := &table{head: []string{"parameter", "value"}}
		for _, name := range slices.Sorted(maps.Keys(sh.params)) {
			t.add(map[string]cypher.Value{name: sh.params[name]}, "$"+name, sh.params[name].String())
		}
		return sh.rows(t)
	case len(args) == 1 && args[0] == "clear":
		clear(sh.params)
		return nil
	case len(args) == 2 && args[0] == "clear":
		name := strings.TrimPrefix(args[1], "$")
		if _, ok := sh.params[name]; !ok {
			return notFound("", "there is no parameter $%s", name)
		}
		delete(sh.params, name)
		return nil
	}
	var name, value string
	if len(args) == 3 && args[0] == "set" {
		name, value = args[1], args[2]
	} else if before, after, ok := strings.Cut(strings.Join(args, " "), "=>"); ok {
		name, value = strings.TrimSpace(before), strings.TrimSpace(after)
	}
	if name == "" || value == "" || strings.Contains(name, " ") {
		return usageOf("param", "this sets no parameter")
	}
	v, err := sh.evaluate(ctx, value)
	if err == nil {
		sh.params[strings.TrimPrefix(name, "$")] = v
	}
	return err
}

// evaluate returns the value of an expression.
func (sh *shell) evaluate(ctx context.Context, expr string) (v cypher.Value, err error) {
	refuse := func(err error) error {
		f := *sh.a.explain(entry{}.locate(err))
		f.message = "this is not a value: " + strings.TrimRight(expr, ".")
		f.hint, f.detail = "write it as in a query, a text in quotes", ""
		return &f
	}
	res, err := sh.session.Run(ctx, "RETURN "+expr+"\nAS value", sh.params)
	if err != nil {
		return v, refuse(err)
	}
	defer res.Close()
	for row, err := range res.Rows() {
		if err != nil {
			return v, refuse(err)
		}
		v = row[0]
		break
	}
	switch v.Kind() {
	case cypher.KindNode, cypher.KindEdge, cypher.KindPath:
		return v, usage("give its key, and MATCH it", "a parameter cannot hold a %s", v.Kind())
	}
	return v, nil
}

func (sh *shell) setMethod(_ context.Context, args []string) error {
	f := &sh.flags.questionFlags
	switch {
	case len(args) == 0:
		if len(f.method.specs) > 0 {
			sh.a.out.print("method is %s\n", f.method.String())
		} else {
			sh.a.out.print("method is %s, %s\n", methods.ForQuestions, byDefault)
		}
		return nil
	case args[0] == "default":
		sh.cmd.Flag("method").Changed = false
		sh.given.method.specs = nil
		return sh.settle()
	}
	if err := sh.cmd.Flags().Set("method", args[0]); err != nil {
		return usage("there are "+strings.Join(methods.All().Names(), ", "), "%s", flagMessage(err))
	}
	return nil
}

func (sh *shell) setStyle(_ context.Context, args []string) error {
	style := &sh.flags.style
	switch {
	case len(args) == 0:
		sh.a.out.print("style is %s\n", cmp.Or(style.value, "that of the method"))
		return nil
	case args[0] == "default":
		sh.cmd.Flag("style").Changed = false
		sh.given.style.value = ""
		return sh.settle()
	}
	if !slices.Contains(style.values, args[0]) {
		return usageOf("style", "there is no style %q", args[0])
	}
	return sh.cmd.Flags().Set("style", args[0])
}

func (sh *shell) setModel(ctx context.Context, args []string) error {
	if len(args) == 0 {
		name := sh.flags.models.chat
		if isLocal(name) {
			name = "none: answers are sentences of the documents, chosen by rules"
		}
		sh.a.out.print("model is %s\n", name)
		return nil
	}
	if err := sh.cmd.Flags().Set("model", args[0]); err != nil {
		return err
	}
	return sh.renew(ctx) // procedures have opened the model before
}

// showSettings lists the settings of the shell.
func (sh *shell) showSettings(ctx context.Context, _ []string) error {
	t := &table{head: []string{"setting", "value"}}
	add := func(name, value string) { t.add(map[string]string{name: value}, name, value) }
	add("bail", onOff(sh.bail))
	add("db", sh.path)
	add("echo", onOff(sh.echo))
	add("explain", onOff(sh.explain))
	add("graph", sh.session.Graph())
	add("maxrows", bound(sh.display.maxRows, "all"))
	name := methods.ForQuestions
	if len(sh.flags.method.specs) > 0 {
		name = sh.flags.method.String()
	}
	add("method", name)
	add("mode", string(sh.display.format))
	model := sh.flags.models.chat
	if isLocal(model) {
		model = "local"
	}
	add("model", model)
	add("ns", sh.a.global.ns)
	output := "here"
	if sh.file != nil {
		output = sh.fileName
	}
	add("output", output)
	add("readonly", onOff(sh.db.ReadOnly(ctx)))
	add("style", cmp.Or(sh.flags.style.value, "default"))
	add("timer", onOff(sh.timer))
	add("width", bound(sh.display.width, "auto"))
	return sh.rows(t)
}
