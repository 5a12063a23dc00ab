package main

import (
	"context"
	"errors"
	"io/fs"
	"net/url"
	"path"
	"path/filepath"
	"strings"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/kv/stores"
)

// named returns the name of a database as it is shown. That of one on a server has no
// password then; [app.address] still has it.
func (a *app) named(database string) string {
	if !stores.OnServer(database) {
		return database
	}
	shown := stores.Shown(database)
	if _, ok := a.addresses[shown]; !ok || shown != database {
		if a.addresses == nil {
			a.addresses = map[string]string{}
		}
		a.addresses[shown] = database
	}
	return shown
}

// address returns where the database of a name is opened.
func (a *app) address(name string) string {
	if full, ok := a.addresses[name]; ok {
		return full
	}
	if stores.OnServer(name) {
		return name
	}
	return a.dir.path(name)
}

// exists reports whether there is a database of a name.
func (a *app) exists(ctx context.Context, name string) (bool, error) {
	if !stores.OnServer(name) {
		_, err := a.dir.stat(name)
		return err == nil, nil
	}
	o := a.engineOptions()
	o.ReadOnly = true
	db, err := engine.Open(ctx, a.address(name), o)
	if errors.Is(err, engine.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, db.Close()
}

// databaseName returns what a server calls the database of a name: the last part of its
// path, and its table if that is not the usual one.
func databaseName(name string) string {
	if !stores.OnServer(name) {
		return strings.TrimSuffix(filepath.Base(name), ".ragdb")
	}
	u, err := url.Parse(name)
	if err != nil {
		return "database"
	}
	base := path.Base(u.Path)
	if base == "." || base == "/" {
		base = "postgres"
	}
	if table := u.Query().Get("table"); table != "" {
		base += "." + table
	}
	return base
}
