package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/rag"
)

// database takes the path of the database from a command's arguments, which
// are DB and then n others, or at least n. Where a setting names the database
// DB may be left out; a command that takes any number of arguments then takes
// its first for DB only if it ends in .ragdb.
func (a *app) database(cmd *cobra.Command, args []string, n int, orMore bool) (path string, rest []string, err error) {
	set := a.setting("db")
	first := len(args) > 0 && strings.HasSuffix(args[0], ".ragdb")
	switch {
	case orMore && set != "" && !first && len(args) >= n:
		return set, args, nil
	case len(args) == n+1, orMore && len(args) > n:
		return args[0], args[1:], nil
	case set != "" && len(args) == n:
		return set, args, nil
	case len(args) == 0:
		return "", nil, usage("it is used as: ragdb "+cmd.Use, "%s needs the path of a database", cmd.Name())
	}
	return "", nil, usage("it is used as: ragdb "+cmd.Use, "%s got %s", cmd.Name(), plural(len(args), "argument"))
}

// mode says how a database is opened.
type mode uint8

const (
	toRead   mode = iota // nothing is changed
	toWrite              // it must exist
	toCreate             // made where it does not exist
)

// open opens a database.
func (a *app) open(ctx context.Context, path string, m mode) (*engine.DB, error) {
	if path == "" {
		return nil, usage("give its path", "the path of the database is empty")
	}
	if m == toWrite && a.global.readOnly {
		m = toRead
	}
	if m == toCreate && a.global.readOnly {
		return nil, usage("run it without --readonly", "this command writes")
	}
	if a.shared != nil && path == a.shared.Path() {
		return a.shared, nil
	}
	if info, err := os.Stat(path); m != toCreate && path != engine.Memory && err != nil {
		if errors.Is(err, os.ErrNotExist) {
			return nil, notFound("make it with ragdb index "+quote(path)+" PATH, or check the spelling", "there is no database %s", path)
		}
		return nil, err
	} else if err == nil && !info.IsDir() {
		return nil, &failure{exit: exitCorrupt, code: "foreign", hint: "give the path of a database, or one that does not exist yet",
			message: path + " is a file, and a database is a directory"}
	}
	db, err := engine.Open(ctx, path, &engine.Options{ReadOnly: m == toRead, MustExist: m == toWrite, Logger: a.logger()})
	if errors.Is(err, engine.ErrNotFound) {
		return nil, &failure{exit: exitNotFound, code: "not_found", err: err, message: "there is no database in " + path,
			hint: "make it with ragdb index " + quote(path) + " PATH, or check the spelling"}
	}
	return db, err
}

// close closes a database, unless it is the shell's.
func (a *app) close(db *engine.DB) error {
	if db == a.shared {
		return nil
	}
	return db.Close()
}

// use opens a database and its namespace, settles the command's flags with what
// it keeps, calls fn and closes it.
func (a *app) use(ctx context.Context, cmd *cobra.Command, path string, m mode, fn func(c *rag.Corpus) error) (err error) {
	db, err := a.open(ctx, path, m)
	if err != nil {
		return err
	}
	defer func() {
		if cerr := a.close(db); err == nil {
			err = cerr
		}
	}()
	if m != toCreate {
		if err := a.checkNamespace(ctx, db, path); err != nil {
			return err
		}
	}
	c, err := rag.OpenCorpus(ctx, db, a.global.ns)
	if err != nil {
		return err
	}
	kept, err := stored(ctx, c)
	if err != nil {
		return err
	}
	a.sources[fromDatabase] = source{path, kept}
	if err := a.settle(cmd, append(modelKeys(), "method", "budget", "top")...); err != nil {
		return err
	}
	return fn(c)
}

func (a *app) checkNamespace(ctx context.Context, db *engine.DB, path string) error {
	names, err := db.Namespaces(ctx)
	if err != nil || slices.Contains(names, a.global.ns) {
		return err
	}
	if len(names) == 0 {
		return notFound("fill it with ragdb index "+quote(path)+" PATH", "%s is empty", path)
	}
	return notFound("it has "+strings.Join(names, ", "), "%s has no namespace %q", path, a.global.ns)
}

// only returns the one method of a flag, or another where it has none.
func (l *specList) only(other string) rag.Spec {
	if len(l.specs) == 0 {
		return rag.Spec{Name: other}
	}
	return l.specs[0]
}

// indexed opens the method of a spec and refuses one that the corpus is not
// indexed by.
func (a *app) indexed(ctx context.Context, c *rag.Corpus, spec rag.Spec) (rag.System, error) {
	have, err := instances(ctx, c)
	if err != nil {
		return nil, err
	}
	refuse := func() error {
		hint := "index it with ragdb index " + quote(c.DB.Path()) + " --method " + quote(spec.String())
		if len(have) > 0 {
			hint += ", or use " + strings.Join(have, ", ")
		} else {
			hint = "put documents in with ragdb index " + quote(c.DB.Path()) + " PATH"
		}
		return &failure{exit: exitNotFound, code: "not_indexed", err: rag.ErrNotIndexed, hint: hint,
			message: fmt.Sprintf("%s is not indexed by %s", c.DB.Path(), spec)}
	}
	if len(have) == 0 {
		return nil, refuse()
	}
	before, err := c.Namespace.Graphs(ctx)
	if err != nil {
		return nil, err
	}
	sys, err := a.methods.Open(ctx, c, spec)
	if errors.Is(err, engine.ErrNotFound) {
		return nil, refuse() // opened for reading, and without its graph
	}
	if err != nil {
		return nil, err
	}
	if sys.Graph() == nil {
		ok, err := hasChunks(ctx, c, sys)
		if err == nil && !ok {
			err = refuse()
		}
		return sys, err
	}
	if slices.Contains(have, sys.Instance()) {
		return sys, nil
	}
	if !slices.Contains(before, sys.Graph().Name()) {
		// Opening it made its graph.
		if err := c.Namespace.Drop(ctx, sys.Graph().Name()); err != nil {
			return nil, err
		}
	}
	return nil, refuse()
}

// instances are the methods that a corpus is indexed by.
func instances(ctx context.Context, c *rag.Corpus) ([]string, error) {
	var out []string
	err := c.DB.View(ctx, func(s *engine.Snapshot) error {
		for name, err := range c.Instances(s.Graph(c.Base)) {
			if err != nil {
				return err
			}
			out = append(out, name)
		}
		return nil
	})
	return out, err
}

// hasChunks reports whether the corpus is cut as a method wants it.
func hasChunks(ctx context.Context, c *rag.Corpus, sys rag.System) (ok bool, err error) {
	err = c.DB.View(ctx, func(s *engine.Snapshot) error {
		_, ok = s.Graph(c.Base).NodeType(rag.ChunkType(sys.ChunkSet()))
		return nil
	})
	return ok, err
}
