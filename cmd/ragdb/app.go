package main

import (
	"context"
	"io"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/fault"
	"github.com/ragdb/ragdb/rag/method"
	"github.com/ragdb/ragdb/rag/methods"
)

// app is one run of the command.
type app struct {
	env     map[string]string
	stdin   io.Reader
	out     *output
	methods method.Methods
	sources []source // of settings, see setting
	// dir is the working directory of who runs the command.
	dir    folder
	global globals
	// ctx ends with an interrupt; name is the command's, interactive says that it is a
	// shell at a prompt.
	ctx         context.Context
	name        string
	interactive bool
	// client is the process that may have the command run elsewhere; nil if it must run
	// here. holds are the databases that it holds for others, held the one that it uses in
	// the process that holds it; nil if there is none.
	client *client
	opened string // the path of the database that was opened last
	// addresses are those of databases on servers, by their names; see named.
	addresses map[string]string
	stays     bool // it has begun here, and does not move to another process
	serves    bool // it is a server
	// memoryWith is an open database whose memory budget those share that are opened after
	// it; nil if they have their own.
	memoryWith *engine.DB
	holds      []*hold
	held       *held
	// shared is the database of the shell at sharedPath: commands that it runs use it
	// and leave it open. Nil for other commands.
	shared     *engine.DB
	sharedPath string
	interrupts *interrupts
	spent      *spending // of the shell's session, nil elsewhere
	// folders are the models of folders that are open, by name; see modelIn.
	folders *modelFolders
	// readLine asks a question and reads the answer in the shell, whose editor
	// has the terminal. Nil reads standard input.
	readLine func(ctx context.Context, question string) (string, error)
}

// globals are the flags that every command takes.
type globals struct {
	json, jsonl bool
	output      choice
	readOnly    bool
	quiet       bool
	verbose     int
	noColor     bool
	progress    choice
	timeout     timeLimit
	yes         bool
	config      string
	ns          string
	memory      byteCount
	noAttach    bool
}

func newApp(env []string, stdin io.Reader, stdout, stderr io.Writer) *app {
	vars := map[string]string{}
	for _, e := range env {
		if k, v, ok := strings.Cut(e, "="); ok {
			vars[k] = v
		}
	}
	return &app{env: vars, stdin: stdin, out: newOutput(stdout, stderr, vars), methods: methods.All(), interrupts: &interrupts{}, folders: &modelFolders{}}
}

// printsRows annotates commands that have a table: every --output is possible.
const printsRows = "rows"

// command builds the tree of commands.
func (a *app) command() *cobra.Command {
	shell := &shellFlags{}
	root := &cobra.Command{
		Use:   "ragdb [DB]",
		Short: "Put documents into a directory and ask, with sources",
		Long: `ragdb keeps documents, a knowledge graph of them, vectors and an index of their
words in one directory, and answers questions from it with sources. It needs no
server, no network and no model: without one it answers by rules, in the words
of the documents.

ragdb DB opens a shell for its query language and for questions; -c, -f and
standard input that is no terminal run statements without one.

DB is a folder, or in PostgreSQL postgres://USER@HOST/DATABASE, with the password in
PGPASSWORD or ~/.pgpass.`,
		Example: `  ragdb demo
  ragdb acme.ragdb
  ragdb acme.ragdb -c 'MATCH (d:document) RETURN count(*)'
  ragdb index acme.ragdb ./docs
  ragdb ask acme.ragdb "How long is the warranty on model B?"
  ragdb why acme.ragdb "How long is the warranty?" c:handbook.md#3`,
		SilenceErrors:              true,
		SilenceUsage:               true,
		SuggestionsMinimumDistance: 2,
		CompletionOptions:          cobra.CompletionOptions{DisableDefaultCmd: true},
		Args:                       cobra.ArbitraryArgs,
		Annotations:                map[string]string{printsRows: "yes"},
		RunE:                       func(cmd *cobra.Command, args []string) error { return a.runShell(cmd, shell, args) },
		PersistentPreRunE:          a.prepare,
	}
	root.SetOut(checkedWriter{a.out})
	root.SetErr(a.out.stderr)
	a.globalFlags(root.PersistentFlags())
	shell.add(a, root)
	root.SetUsageTemplate(strings.Replace(root.UsageTemplate(),
		"Global Flags:\n{{.InheritedFlags.FlagUsages | trimTrailingWhitespaces}}",
		"ragdb help lists the flags that every command takes.", 1))
	root.SetHelpCommand(a.helpCommand())
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		message, hint := flagMessage(err), helpHint(cmd)
		if strings.Contains(message, " flag --") && strings.Contains(message[strings.Index(message, "--"):], " ") {
			hint = "write -- before a text that begins with a hyphen"
		}
		return usage(hint, "%s", message)
	})
	for _, g := range []cobra.Group{{ID: "use", Title: "Documents and questions:"}, {ID: "look", Title: "Looking inside:"}, {ID: "keep", Title: "Keeping it:"}} {
		root.AddGroup(&g)
	}
	add := func(group string, cmds ...*cobra.Command) {
		for _, c := range cmds {
			c.GroupID = group
			root.AddCommand(c)
		}
	}
	add("use", a.initCommand(), a.indexCommand(), a.syncCommand(), a.watchCommand(), a.askCommand(), a.removeCommand(), a.retryCommand(), a.mergeCommand(), a.serveCommand(), a.mcpCommand(), a.demoCommand())
	add("look", a.whyCommand(), a.showCommand(), a.statusCommand(), a.statsCommand(), a.checkCommand())
	add("keep", a.reembedCommand(), a.namespacesCommand(), a.backupCommand(), a.restoreCommand(), a.exportCommand(), a.importCommand(), a.compactCommand(), a.upgradeCommand())
	add("", a.evalCommand(), a.cacheCommand(), a.promptsCommand(), a.doctorCommand(), a.modelCommand(), a.completionCommand(), a.versionCommand())
	a.placeFlags(root)
	return root
}

// placeFlags tells the flags that name folders what the names are relative to.
func (a *app) placeFlags(cmd *cobra.Command) {
	place := func(f *pflag.Flag) {
		if v, ok := f.Value.(interface{ in(folder) }); ok {
			v.in(a.dir)
		}
	}
	cmd.Flags().VisitAll(place)
	for _, c := range cmd.Commands() {
		a.placeFlags(c)
	}
}

func (a *app) globalFlags(f *pflag.FlagSet) {
	g := &a.global
	g.output = choice{value: string(asTable), values: formats()}
	g.progress = choice{value: "auto", values: []string{"auto", "bar", "plain", "json", "none"}}
	f.BoolVar(&g.json, "json", false, "print one JSON object")
	f.BoolVar(&g.jsonl, "jsonl", false, "print a JSON object a line")
	f.VarP(&g.output, "output", "o", "how to print rows: "+strings.Join(formats(), ", "))
	f.BoolVarP(&g.readOnly, "readonly", "r", false, "open the database for reading")
	f.BoolVarP(&g.quiet, "quiet", "q", false, "print results and errors only")
	f.CountVarP(&g.verbose, "verbose", "v", "say more; twice for everything")
	f.BoolVar(&g.noColor, "no-color", false, "print without colours (also NO_COLOR)")
	f.Var(&g.progress, "progress", "how to show progress: auto, bar, plain, json, none")
	f.Var(&g.timeout, "timeout", "give up after `TIME`, such as 90s or 5m")
	f.BoolVarP(&g.yes, "yes", "y", false, "do not ask before removing or overwriting")
	f.StringVar(&g.config, "config", "", "settings `FILE` in place of ./ragdb.yaml")
	f.StringVar(&g.ns, "ns", "main", "namespace `NAME`: one corpus of the database")
	f.BoolVar(&g.noAttach, "no-attach", false, "use a database alone: neither work through the process that holds it, nor let others")
	f.Var(&g.memory, "memory", "hold at most `SIZE` in memory of indexes, caches and work, such as 2GB (default 512MiB)")
}

// prepare settles what every command needs, before it runs.
func (a *app) prepare(cmd *cobra.Command, _ []string) error {
	g := &a.global
	a.out.quiet, a.out.verbose = g.quiet, g.verbose
	a.name = named(words(cmd))
	if a.held != nil {
		a.held.session.SetResumable(slices.Contains(resumableCommands, a.name), a.name == "mcp")
		if g.readOnly {
			cmd.SetContext(a.held.db.Reading(cmd.Context()))
		}
	}
	if err := a.readSettings(); err != nil {
		return err
	}
	if err := a.settle(cmd, "memory", "ns", "progress"); err != nil {
		return err
	}
	a.out.color = a.out.color && !g.noColor
	return a.chooseFormat(cmd)
}

// chooseFormat settles the output format and refuses one that the command
// cannot print.
func (a *app) chooseFormat(cmd *cobra.Command) error {
	g := &a.global
	f := format(g.output.value)
	switch {
	case g.json && g.jsonl, (g.json || g.jsonl) && cmd.Flags().Changed("output"):
		return usage("give one of them", "--json, --jsonl and --output exclude each other")
	case g.json:
		f = asJSON
	case g.jsonl:
		f = asJSONL
	}
	a.out.format = f
	if f != asTable && f != asJSON && cmd.Annotations[printsRows] == "" {
		return usage("use --json, or leave it out", "%s has no rows to print as %s", cmd.Name(), f)
	}
	return nil
}

// context returns a command's context with its time limit.
func (a *app) context(cmd *cobra.Command) (context.Context, context.CancelFunc) {
	if a.global.timeout > 0 {
		return context.WithTimeout(cmd.Context(), time.Duration(a.global.timeout))
	}
	return context.WithCancel(cmd.Context())
}

// logger writes what the libraries log, by --verbose.
func (a *app) logger() *slog.Logger {
	level := slog.LevelInfo
	switch {
	case a.out.verbose == 0 || a.out.machine():
		return nil
	case a.out.verbose > 1:
		level = slog.LevelDebug
	}
	return slog.New(slog.NewTextHandler(a.out.stderr, &slog.HandlerOptions{Level: level}))
}

// unknownCommand is the error of a word that names neither a command nor a
// database.
func (a *app) unknownCommand(cmd *cobra.Command, args []string) error {
	here := "; for a database of that name write ./" + quote(fault.Cut(args[0]))
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		return usage("did you mean "+strings.Join(near, " or ")+"?"+here, "there is no command %q", args[0])
	}
	return usage("ragdb help lists them"+here, "there is no command %q", args[0])
}

func (a *app) helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Tell about a command",
		RunE: func(cmd *cobra.Command, args []string) error {
			about, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return usage("ragdb help lists them", "there is no command %q", strings.Join(args, " "))
			}
			about.InitDefaultHelpFlag()
			return about.Help()
		},
	}
}

func helpHint(cmd *cobra.Command) string { return strings.TrimSpace("see ragdb help " + words(cmd)) }

// words returns the words that call a command, without the program's name.
func words(cmd *cobra.Command) string {
	return strings.TrimPrefix(strings.TrimPrefix(cmd.CommandPath(), "ragdb"), " ")
}

// usedAs is the error of a command that was given the wrong arguments.
func usedAs(cmd *cobra.Command, format string, args ...any) *failure {
	use := cmd.CommandPath() + strings.TrimPrefix(cmd.Use, cmd.Name())
	return usage("it is used as: "+use, "%s "+format, append([]any{words(cmd)}, args...)...)
}

// chooseOne runs a command that does nothing without one of its subcommands.
func chooseOne(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usedAs(cmd, "has no %q", args[0])
	}
	return usedAs(cmd, "needs to know what to do")
}

// flagMessage is pflag's error with the reason first and in our words.
func flagMessage(err error) string {
	s := err.Error()
	if rest, ok := strings.CutPrefix(s, "unknown flag: "); ok {
		return "there is no flag " + rest
	}
	if rest, ok := strings.CutPrefix(s, "unknown shorthand flag: "); ok {
		return "there is no flag " + rest[strings.LastIndex(rest, " ")+1:]
	}
	if _, why, ok := strings.Cut(s, `" flag: `); ok && strings.HasPrefix(s, "invalid argument") {
		i := strings.Index(s, `for "`)
		return s[i+len(`for "`):strings.LastIndex(s, `" flag: `)] + ": " + why
	}
	return s
}
