package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ragdb/ragdb/rag/method"
)

// errQuit ends the shell.
var errQuit = errors.New("quit")

// dotCommand is a command of the shell.
type dotCommand struct {
	name string
	args string // as help shows them
	help string
	// arg is what its arguments are completed with.
	arg argKind
	// least and most bound the number of arguments; most is -1 for any.
	least, most int
	run         func(sh *shell, ctx context.Context, args []string) error
}

// argKind is what an argument of a command names.
type argKind uint8

const (
	argNone argKind = iota
	argFile
	argGraph
	argNamespace
	argLabel
	argProcedure
	argMethod
	argFormat
	argOnOff
	argStyle
	argCommand
)

// dotCommands are the commands of the shell, by name.
func dotCommands() []dotCommand {
	return []dotCommand{
		{"ask", "QUESTION", "answer a question with sources; ? QUESTION does the same", argNone, 1, -1,
			func(sh *shell, ctx context.Context, args []string) error {
				return sh.ask(ctx, strings.Join(args, " "))
			}},
		{"backup", "DIR", "copy the database to a folder", argFile, 1, 1, outer("backup")},
		{"bail", "on|off", "stop a script at its first error", argOnOff, 0, 1, toggle("bail", func(sh *shell) *bool { return &sh.bail })},
		{"check", "[--level full] [--repair]", "look for damage", argNone, 0, -1, outer("check")},
		{"cost", "", "what models were asked in this session: calls, tokens, money", argNone, 0, 0, (*shell).showCost},
		{"docs", "", "list the documents", argNone, 0, 0, (*shell).showDocs},
		{"echo", "on|off", "print what is run before it runs", argOnOff, 0, 1, toggle("echo", func(sh *shell) *bool { return &sh.echo })},
		{"estimate", "PATH...", "what indexing would cost", argFile, 1, -1, outer("index", "--estimate")},
		{"explain", "on|off", "print the plan of each statement before it runs", argOnOff, 0, 1, toggle("explain", func(sh *shell) *bool { return &sh.explain })},
		{"export", "FORMAT PATH", "write the corpus to a file", argFile, 1, -1, outer("export")},
		{"graph", "[NAME]", "list the graphs, or move to one", argGraph, 0, 1, (*shell).showGraphs},
		{"help", "[COMMAND | PROCEDURE]", "list the commands, or tell about one, or about procedures", argCommand, 0, 1, (*shell).showHelp},
		{"import", "FORMAT PATH", "read what export wrote, or another program made", argFile, 2, -1, outer("import")},
		{"index", "PATH...", "put documents in", argFile, 0, -1, outer("index")},
		{"labels", "", "the labels of the graph and how many nodes have each", argNone, 0, 0, (*shell).showLabels},
		{"log", "off|info|debug", "print what the libraries log", argNone, 0, 1, (*shell).setLog},
		{"maxrows", "N|all", "how many rows of a result to show", argNone, 0, 1, (*shell).setMaxRows},
		{"merge", "[NAME INTO --apply]", "list names that may be names of one thing, or join two", argNone, 0, -1, outer("merge")},
		{"method", "[METHOD|default]", "the method that questions retrieve by", argMethod, 0, 1, (*shell).setMethod},
		{"mode", strings.Join(formats(), "|"), "how to print rows", argFormat, 0, 1, (*shell).setMode},
		{"model", "[MODEL]", "the chat model of questions; local is none", argNone, 0, 1, (*shell).setModel},
		{"ns", "[NAME]", "list the namespaces, or move to one", argNamespace, 0, 1, (*shell).showNamespaces},
		{"once", "FILE", "write the next result to a file", argFile, 1, 1, (*shell).setOnce},
		{"open", "DB", "close the database and open another", argFile, 1, 1, (*shell).reopen},
		{"output", "[FILE]", "write results to a file; without one, here again", argFile, 0, 1, (*shell).setOutput},
		{"param", "set NAME VALUE | NAME => VALUE | list | clear [NAME]", "parameters of statements: $NAME", argNone, 0, -1, (*shell).setParam},
		{"procs", "[PREFIX]", "the procedures that CALL knows", argProcedure, 0, 1, (*shell).showProcedures},
		{"quit", "", "leave; Ctrl-D does the same", argNone, 0, 0, func(*shell, context.Context, []string) error { return errQuit }},
		{"read", "FILE", "run a script", argFile, 1, 1, (*shell).readScript},
		{"schema", "[LABEL]", "labels, edge types and indexes of the graph, with their properties", argLabel, 0, 1, (*shell).showSchema},
		{"show", "", "the settings of the shell", argNone, 0, 0, (*shell).showSettings},
		{"stats", "[--method METHOD]", "count what is stored, and its bytes", argNone, 0, -1, outer("stats")},
		{"status", "", "what is indexed, what is left to do, what failed", argNone, 0, 0, outer("status")},
		{"style", "[" + strings.Join(method.Styles(), "|") + "|default]", "the form of a model's answers", argStyle, 0, 1, (*shell).setStyle},
		{"timer", "on|off", "print how long statements take", argOnOff, 0, 1, toggle("timer", func(sh *shell) *bool { return &sh.timer })},
		{"view", "[graph | t:ID | STATEMENT]", "write a page of the graph in use, of an answer's way, or of what a statement returns", argNone, 0, -1, (*shell).view},
		{"why", "ID", "why something is, or is not, in the evidence for the last question", argNone, 1, 1, (*shell).why},
		{"width", "N|auto", "the columns that tables may take", argNone, 0, 1, (*shell).setWidth},
	}
}

// findCommand returns a command by its name, with .exit as a second name of
// .quit.
func findCommand(name string) (dotCommand, bool) {
	if name == "exit" {
		name = "quit"
	}
	all := dotCommands()
	i := slices.IndexFunc(all, func(c dotCommand) bool { return c.name == name })
	if i < 0 {
		return dotCommand{}, false
	}
	return all[i], true
}

// usage is how a command is written.
func (c *dotCommand) usage() string { return strings.TrimRight("."+c.name+" "+c.args, " ") }

// command runs a line that begins with a dot, or with a colon.
func (sh *shell) command(ctx context.Context, line string) error {
	line = strings.TrimRight(line, "; \t")
	name, rest, _ := strings.Cut(line[1:], " ")
	c, ok := findCommand(name)
	if !ok {
		return usage(nearCommand(name), "there is no command .%s", name)
	}
	var args []string
	var err error
	switch c.name {
	case "ask", "param", "view", "why": // what follows is text, and ids hold blanks
		args = verbatim(c.name, rest)
	default:
		args, err = splitWords(rest)
	}
	if err != nil {
		return err
	}
	if len(args) < c.least || c.most >= 0 && len(args) > c.most {
		return usage("", "it is used as: %s", c.usage())
	}
	return c.run(sh, ctx, args)
}

// verbatim returns the arguments of a command whose last one is the rest of the
// line.
func verbatim(name, rest string) []string {
	rest = strings.TrimSpace(rest)
	n := 1
	if name == "param" {
		n = 3
	}
	var out []string
	for rest != "" && len(out) < n-1 {
		word, after, _ := strings.Cut(rest, " ")
		out, rest = append(out, word), strings.TrimSpace(after)
	}
	if rest != "" {
		out = append(out, rest)
	}
	return out
}

// nearCommand is the hint for a name that is not a command.
func nearCommand(name string) string {
	for _, c := range dotCommands() {
		if name != "" && (strings.HasPrefix(c.name, name) || strings.HasPrefix(name, c.name)) {
			return "did you mean ." + c.name + "?"
		}
	}
	return ".help lists them"
}

// splitWords splits a line at blanks, outside of quotes.
func splitWords(s string) ([]string, error) {
	var out []string
	var word strings.Builder
	quoted, begun := rune(0), false
	for _, r := range s {
		switch {
		case quoted != 0 && r == quoted:
			quoted = 0
		case quoted == 0 && (r == '"' || r == '\''):
			quoted, begun = r, true
		case quoted == 0 && (r == ' ' || r == '\t'):
			if begun {
				out = append(out, word.String())
			}
			word.Reset()
			begun = false
		default:
			word.WriteRune(r)
			begun = true
		}
	}
	if quoted != 0 {
		return nil, usage("", "a quotation does not end: %c", quoted)
	}
	if begun {
		out = append(out, word.String())
	}
	return out, nil
}

// toggle is a command that turns something on or off, or tells which it is.
func toggle(name string, of func(sh *shell) *bool) func(*shell, context.Context, []string) error {
	return func(sh *shell, _ context.Context, args []string) error {
		v := of(sh)
		switch {
		case len(args) == 0:
			sh.a.out.print("%s is %s\n", name, onOff(*v))
		case args[0] == "on", args[0] == "off":
			*v = args[0] == "on"
		default:
			return usage("", "it is used as: .%s on|off", name)
		}
		return nil
	}
}

func onOff(b bool) string {
	if b {
		return "on"
	}
	return "off"
}

// helpColumn is the room that help has for how a command is written.
const helpColumn = 24

func (sh *shell) showHelp(ctx context.Context, args []string) error {
	o := sh.a.out
	if len(args) == 1 {
		name := strings.TrimLeft(args[0], ".:")
		c, ok := findCommand(name)
		if !ok {
			err := sh.showProcedures(ctx, []string{name})
			if f := (*failure)(nil); errors.As(err, &f) && f.exit == exitNotFound {
				return notFound(".help lists the commands, .procs the procedures", "no command or procedure begins with %.100q", name)
			}
			return err
		}
		o.print("%s\n  %s\n", o.bold(c.usage()), c.help)
		return nil
	}
	o.print("Statements end with a semicolon: MATCH (d:document) RETURN d.key LIMIT 5;\n? and a question asks it. Lines that begin with a dot are commands:\n\n")
	for _, c := range dotCommands() {
		use := c.usage()
		if columns(use) > helpColumn {
			use += "\n  " + strings.Repeat(" ", helpColumn)
		}
		o.print("  %s  %s\n", pad(use, helpColumn, false), c.help)
	}
	o.print("\nTab completes. Ctrl-C stops a statement, Ctrl-D leaves.\n")
	return nil
}

// outer is a command that the program has too, run on the open database.
func outer(name string, flags ...string) func(*shell, context.Context, []string) error {
	return func(sh *shell, ctx context.Context, args []string) error {
		return sh.run(ctx, name, append(slices.Clone(flags), args...))
	}
}

// usageOf is the error of arguments that a command does not take.
func usageOf(name string, format string, args ...any) error {
	c, _ := findCommand(name)
	return usage("it is used as: "+c.usage(), "%s", fmt.Sprintf(format, args...))
}
