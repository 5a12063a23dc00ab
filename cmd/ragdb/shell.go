package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/service"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/stores"
	"github.com/ragdb/ragdb/query/cypher"
	"github.com/ragdb/ragdb/rag"
)

// shellFlags are the flags of ragdb DB.
type shellFlags struct {
	questionFlags
	scripts []script
	bail    bool
}

func (f *shellFlags) add(a *app, cmd *cobra.Command) {
	f.questionFlags.add(a, cmd)
	f.addStyle(cmd)
	fl := cmd.Flags()
	// They are the settings of questions, which the shell has commands for; the
	// help of ask explains them.
	for _, name := range append(modelKeys(), "where", "where-any", "top", "budget", "style", "method", "replay") {
		if fl.Lookup(name) != nil {
			_ = fl.MarkHidden(name) // the flag is there
		}
	}
	fl.VarP(&scriptFlag{&f.scripts, false}, "command", "c", "run `STATEMENTS` and leave; may be given several times")
	fl.VarP(&scriptFlag{&f.scripts, true}, "file", "f", "run the statements of `FILE` and leave; - is standard input")
	fl.BoolVar(&f.bail, "bail", true, "stop a script at its first error")
}

// shell is a session on an open database: statements of the query language,
// questions, and commands that begin with a dot.
type shell struct {
	a     *app
	cmd   *cobra.Command // whose flags are the settings of questions
	flags *shellFlags
	given questionFlags // as the command line has them

	path    string
	db      *engine.DB
	corpus  *rag.Corpus
	session *cypher.Session

	params  map[string]cypher.Value
	display display
	explain bool // show the plan before a statement runs
	bail    bool // stop a script at its first error
	echo    bool // print statements before they run
	timer   bool // print how long a statement took
	// interactive says that a person types at a prompt.
	interactive bool
	// stdout and what is known of it: where results go, unless .output sent them
	// elsewhere.
	stdout                 io.Writer
	stdoutTTY, stdoutColor bool
	file                   *os.File // of .output and .once
	fileName               string   // of file, as the user wrote it
	once                   bool     // file is for one statement

	editor   lineEditor // nil in scripts
	entered  string     // lines of an entry that has not ended
	question string     // that .why is about
	viewed   string     // what .view shows: a trace, or a statement
}

// runShell runs ragdb without the name of a command.
func (a *app) runShell(cmd *cobra.Command, f *shellFlags, args []string) error {
	path, err := a.shellDatabase(cmd, f, args)
	if err != nil {
		return err
	}
	if path == "" {
		return cmd.Help()
	}
	sh := &shell{a: a, cmd: cmd, flags: f, given: f.questionFlags, params: map[string]cypher.Value{}, bail: f.bail,
		stdout: a.out.stdout, stdoutTTY: a.out.outTTY, stdoutColor: a.out.color}
	a.spent = &spending{}
	sh.display.format = a.out.format
	sh.interactive = len(f.scripts) == 0 && isTerminal(a.stdin) && a.out.outTTY
	ctx := cmd.Context()
	a.interactive = sh.interactive
	if done, err := a.attachEarly(ctx, path); done {
		return err
	}
	if err := sh.open(ctx, path); err != nil {
		return err
	}
	if sh.interactive {
		err = sh.interact(ctx)
	} else {
		err = sh.runScripts(ctx)
	}
	if cerr := sh.close(); err == nil {
		err = cerr
	}
	return err
}

// shellDatabase returns the path of the database to open, "" if the user names
// one. A word that could be a command's is not taken for a path.
func (a *app) shellDatabase(cmd *cobra.Command, f *shellFlags, args []string) (string, error) {
	switch {
	case len(args) > 1 && !a.looksLikePath(args[0]):
		return "", a.unknownCommand(cmd, args)
	case len(args) > 1:
		return "", usage("write statements after -c; see ragdb help", "ragdb DB got %s", plural(len(args), "argument"))
	case len(args) == 1 && len(f.scripts) == 0 && !a.looksLikePath(args[0]):
		return "", a.unknownCommand(cmd, args)
	case len(args) == 1:
		return a.named(args[0]), nil
	}
	if path := a.setting("db"); path != "" {
		return a.named(path), nil
	}
	if len(f.scripts) > 0 {
		return "", usage("it is used as: ragdb DB -c 'QUERY'", "-c and -f need the path of a database")
	}
	return "", nil
}

// looksLikePath reports whether a word is meant as the path of a database and
// not as a command.
func (a *app) looksLikePath(word string) bool {
	if word == engine.Memory || filepath.Ext(word) != "" || strings.ContainsAny(word, `/\`) {
		return true
	}
	_, err := a.dir.stat(word)
	return err == nil
}

// open opens a database, which is made if it does not exist, and begins a
// session on it.
func (sh *shell) open(ctx context.Context, path string) error {
	a := sh.a
	m := toCreate
	if a.global.readOnly {
		m = toRead
	}
	db, err := a.open(ctx, path, m)
	if _, serr := a.dir.stat(path); serr == nil && mayNotWrite(err) {
		db, err = a.open(ctx, path, toRead)
	}
	if stores.OnServer(path) && errors.Is(err, kv.ErrLocked) {
		a.out.note("it is read, not written: %s", service.Message(err))
		db, err = a.open(ctx, path, toRead)
	}
	if err != nil {
		return err
	}
	// From here on commands use it and leave it open.
	sh.path, sh.db, a.shared, a.sharedPath, a.stays = path, db, db, path, true
	if err := sh.enter(ctx, a.global.ns); err != nil {
		return errors.Join(err, sh.close())
	}
	return nil
}

// enter begins a session in a namespace of the database.
func (sh *shell) enter(ctx context.Context, ns string) error {
	a := sh.a
	have, err := sh.db.Namespaces(ctx)
	if err != nil {
		return err
	}
	if len(have) > 0 && !slices.Contains(have, ns) {
		return notFound("it has "+strings.Join(have, ", ")+"; ragdb ns create makes one", "%s has no namespace %q", sh.path, ns)
	}
	if len(have) == 0 && sh.db.ReadOnly(ctx) {
		return notFound("open it without --readonly", "%s is empty", sh.path)
	}
	c, err := rag.OpenCorpus(ctx, sh.db, ns, &rag.Options{Path: sh.path})
	if err != nil {
		return err
	}
	kept, err := c.Settings(ctx)
	if err != nil {
		return err
	}
	a.sources[fromDatabase] = source{sh.path, kept}
	if err := sh.settle(); err != nil {
		return err
	}
	sh.corpus, a.global.ns = c, ns
	return sh.renew(ctx)
}

// settle gives the settings of questions that the user did not choose the values that the
// corpus keeps, or the defaults.
func (sh *shell) settle() error {
	keys := append(modelKeys(), "method", "budget", "top", "style")
	chosen := map[string]string{}
	for _, k := range keys {
		if f := sh.cmd.Flag(k); f != nil && f.Changed {
			chosen[k] = f.Value.String()
		}
	}
	sh.flags.questionFlags = sh.given
	for k, v := range chosen {
		if err := sh.cmd.Flag(k).Value.Set(v); err != nil {
			return err
		}
	}
	return sh.a.settle(sh.cmd, keys...)
}

// renew begins a new session, which sees what methods have built since.
func (sh *shell) renew(ctx context.Context) error {
	s, err := sh.a.asked(sh.corpus, &sh.flags.questionFlags).NewSession(ctx, service.SessionOptions{
		ReadOnly: sh.a.global.readOnly, Limits: cypher.Limits{Timeout: time.Duration(sh.a.global.timeout)}, Files: files{sh.a},
		Defaults: sh.flags.questionFlags.request,
	})
	if err != nil {
		return err
	}
	if sh.session != nil && sh.session.Namespace().Name() == s.Namespace().Name() && sh.session.Graph() != s.Graph() {
		// The graph may be gone; the new session is where sessions begin then.
		if err := s.Use(ctx, sh.session.Graph()); err != nil && !errors.Is(err, engine.ErrNotFound) {
			return err
		}
	}
	sh.session = s
	return nil
}

// close closes the database and the file of .output.
func (sh *shell) close() error {
	err := sh.redirect("", false)
	db := sh.db
	sh.db, sh.a.shared, sh.session = nil, nil, nil
	if db != nil {
		err = errors.Join(err, sh.a.close(db))
	}
	return err
}

// dispatch runs an entry: a command, a question or a statement.
func (sh *shell) dispatch(ctx context.Context, e entry) error {
	if sh.echo {
		sh.a.out.print("%s\n", escape(e.text))
	}
	once := sh.once
	err := sh.perform(ctx, e)
	if err == nil {
		err = sh.a.out.err
	}
	if once && sh.once && e.kind != entryCommand {
		if cerr := sh.redirect("", false); err == nil {
			err = cerr
		}
	}
	return err
}

func (sh *shell) perform(ctx context.Context, e entry) error {
	switch e.kind {
	case entryCommand:
		return sh.command(ctx, e.text)
	case entryQuestion:
		return sh.ask(ctx, e.text)
	}
	return sh.statement(ctx, e)
}
