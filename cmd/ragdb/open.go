package main

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/kv"
	"github.com/ragdb/ragdb/kv/stores"
	"github.com/ragdb/ragdb/rag"
	"github.com/ragdb/ragdb/rag/methods"
)

// database takes the path of the database from a command's arguments, which
// are DB and then n others, or at least n. If a setting names the database
// DB may be left out; a command that takes any number of arguments then takes
// its first for DB only if it ends in .ragdb.
func (a *app) database(cmd *cobra.Command, args []string, n int, orMore bool) (path string, rest []string, err error) {
	set := a.named(a.setting("db"))
	first := len(args) > 0 && strings.HasSuffix(args[0], ".ragdb")
	switch {
	case orMore && set != "" && !first && len(args) >= n:
		return set, args, nil
	case len(args) == n+1, orMore && len(args) > n:
		return a.named(args[0]), args[1:], nil
	case set != "" && len(args) == n:
		return set, args, nil
	case len(args) == 0:
		return "", nil, usedAs(cmd, "needs the path of a database")
	}
	return "", nil, usedAs(cmd, "got %s", plural(len(args), "argument"))
}

// onDB returns what runs a command whose arguments are DB and then n others, or at
// least n: fn gets the path of the database and the others.
func (a *app) onDB(n int, orMore bool, fn func(ctx context.Context, cmd *cobra.Command, path string, rest []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		path, rest, err := a.database(cmd, args, n, orMore)
		if err != nil {
			return err
		}
		ctx, cancel := a.context(cmd)
		defer cancel()
		if done, err := a.attachEarly(ctx, path); done {
			return err
		}
		return fn(ctx, cmd, path, rest)
	}
}

// mode says how a database is opened.
type mode uint8

const (
	toRead   mode = iota // nothing is changed
	toWrite              // it must exist
	toCreate             // made if it does not exist
	toUse                // it must exist; it is written to if it may be
)

// open opens a database.
func (a *app) open(ctx context.Context, path string, m mode) (*engine.DB, error) {
	if path == "" {
		return nil, usage("give its path", "the path of the database is empty")
	}
	if (m == toWrite || m == toUse) && a.global.readOnly {
		m = toRead
	}
	if m == toCreate && a.global.readOnly {
		return nil, usage("run it without --readonly", "this command writes")
	}
	if a.shared != nil && path == a.sharedPath {
		return a.shared, nil
	}
	if path = a.named(path); stores.OnServer(path) && m == toUse {
		m = toRead // what answers leave behind is not worth keeping others from writing
	}
	if stores.OnServer(path) {
		// Opening it tells what there is.
	} else if info, err := a.dir.stat(path); m != toCreate && path != engine.Memory && err != nil {
		if errors.Is(err, os.ErrNotExist) {
			return nil, notFound("make it with ragdb index "+quote(path)+" PATH, or check the spelling", "there is no database %s", path)
		}
		return nil, err
	} else if err == nil && !info.IsDir() {
		return nil, &failure{exit: exitCorrupt, code: "foreign", hint: "give the path of a database, or one that does not exist yet",
			message: path + " is a file, and a database is a directory"}
	}
	a.opened = path
	if db := a.heldAt(path); db != nil {
		return db, nil
	}
	open := func() (*engine.DB, error) {
		o := a.engineOptions()
		o.ReadOnly, o.MustExist = m == toRead, m == toWrite || m == toUse
		db, err := engine.Open(ctx, a.address(path), o)
		if m == toUse && mayNotWrite(err) {
			o.ReadOnly = true
			db, err = engine.Open(ctx, a.address(path), o)
		}
		return db, err
	}
	db, err := open()
	if errors.Is(err, kv.ErrLocked) && a.mayAttach(path) && !a.stays {
		db, err = a.whenLocked(ctx, path, err, open)
	}
	if errors.Is(err, engine.ErrNotFound) || stores.OnServer(path) && errors.Is(err, os.ErrNotExist) {
		return nil, &failure{exit: exitNotFound, code: "not_found", err: err, message: "there is no database in " + path,
			hint: "make it with ragdb index " + quote(path) + " PATH, or check the spelling"}
	}
	if errors.Is(err, kv.ErrForeign) && !stores.OnServer(path) {
		return nil, &failure{exit: exitCorrupt, code: "foreign", err: err, message: path + " is a folder of other files, not a database",
			hint: "make a database of them with ragdb index DB " + quote(path) + ", or give the path of one; nothing was touched"}
	}
	if err == nil {
		a.boundHeap(db)
	}
	if err == nil && a.client != nil {
		a.client.stdin.forget()
		a.listen(path, db)
	}
	return db, err
}

// engineOptions returns how every command opens a database.
func (a *app) engineOptions() *engine.Options {
	return &engine.Options{Logger: a.logger(), Encodings: methods.Encodings(), MemoryBudget: int64(a.global.memory), MemoryWith: a.memoryWith}
}

// mayNotWrite reports whether a database could not be opened because the user may not
// write to it.
func mayNotWrite(err error) bool {
	return errors.Is(err, os.ErrPermission) || errors.Is(err, syscall.EROFS)
}

// close closes a database, unless it is the shell's or another process's. Commands of
// other processes that use it are waited for.
func (a *app) close(db *engine.DB) (err error) {
	if db == a.shared || a.held != nil && db == a.held.db {
		return nil
	}
	if i := slices.IndexFunc(a.holds, func(h *hold) bool { return h.db == db }); i >= 0 {
		h := a.holds[i]
		a.holds = slices.Delete(a.holds, i, i+1)
		err = h.end(a.ctx)
	}
	return errors.Join(err, db.Close())
}

// with opens a database, calls fn and closes it.
func (a *app) with(ctx context.Context, path string, m mode, fn func(db *engine.DB) error) (err error) {
	db, err := a.open(ctx, path, m)
	if err != nil {
		return err
	}
	defer func() {
		if cerr := a.close(db); err == nil {
			err = cerr
		}
	}()
	return fn(db)
}

// use opens a database and its namespace, settles the command's flags with what
// it keeps, calls fn and closes it.
func (a *app) use(ctx context.Context, cmd *cobra.Command, path string, m mode, fn func(c *rag.Corpus) error) error {
	return a.with(ctx, path, m, func(db *engine.DB) error {
		if m != toCreate {
			if err := a.checkNamespace(ctx, db, path); err != nil {
				return err
			}
		}
		c, err := rag.OpenCorpus(ctx, db, a.global.ns, &rag.Options{Path: path})
		if err != nil {
			return err
		}
		kept, err := c.Settings(ctx)
		if err != nil {
			return err
		}
		a.sources[fromDatabase] = source{path, kept}
		if err := a.settle(cmd, append(modelKeys(), "method", "budget", "top", "style")...); err != nil {
			return err
		}
		return fn(c)
	})
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
