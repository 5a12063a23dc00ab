package main

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/ragdb/ragdb/engine"
	"github.com/ragdb/ragdb/internal/service"
	"github.com/ragdb/ragdb/kv/stores"
)

// backupResult is what backup and restore print.
type backupResult struct {
	V     int    `json:"v"`
	DB    string `json:"db"`
	Dir   string `json:"dir"`
	Files int    `json:"files"`
	Bytes int64  `json:"bytes"`
	Epoch uint64 `json:"epoch"`
	UUID  string `json:"uuid"`
	Ms    int64  `json:"ms"`
}

func newBackupResult(path, dir string, m *engine.Manifest, start time.Time) backupResult {
	r := backupResult{V: 1, DB: path, Dir: dir, Files: len(m.Files), Epoch: m.Epoch, UUID: m.UUID, Ms: time.Since(start).Milliseconds()}
	for _, f := range m.Files {
		r.Bytes += f.Size
	}
	return r
}

func (a *app) backupCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "backup DB DIR",
		Short: "Copy a database to a folder, with hashes",
		Long: `Backup writes a copy of DB to DIR, which must not exist, or be empty. It replaces
what a killed backup left there, and never a whole backup. If DIR is a whole backup of
what DB holds now, it is compared with DB and stays as it is. The copy may share disk
blocks with DB: to be safe from a lost disk, copy DIR to another one.`,
		Example: `  ragdb backup acme.ragdb backups/acme-monday`,
		RunE: a.onDB(1, false, func(ctx context.Context, cmd *cobra.Command, path string, rest []string) error {
			start := time.Now()
			var m *engine.Manifest
			how := toWrite
			if stores.OnServer(path) {
				how = toRead // a snapshot is copied
			}
			err := a.with(ctx, path, how, func(db *engine.DB) (err error) {
				m, err = db.Backup(ctx, a.dir.path(rest[0]))
				return err
			})
			if errors.Is(err, engine.ErrExists) {
				return isInTheWay(rest[0], err)
			}
			if err != nil {
				return err
			}
			a.printBackup(newBackupResult(path, rest[0], m, start), "backed up "+path+" to "+rest[0], "restore it with: ragdb restore "+quote(rest[0])+" DB")
			return nil
		}),
	}
}

func (a *app) restoreCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "restore DIR DB",
		Short: "Make a database of a backup",
		Long: `Restore compares every file of the backup in DIR with its hash and copies them
to DB, which must not exist or be an empty folder. If DB is what the backup holds,
such as what a killed restore made, it stays as it is.`,
		Example: `  ragdb restore backups/acme-monday acme.ragdb`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 2 {
				return usedAs(cmd, "got %s", plural(len(args), "argument"))
			}
			if a.global.readOnly {
				return usage("run it without --readonly", "this command writes")
			}
			dir, path := args[0], a.named(args[1])
			ctx, cancel := a.context(cmd)
			defer cancel()
			start := time.Now()
			m, err := engine.ReadManifest(a.dir.path(dir))
			if errors.Is(err, engine.ErrNotFound) {
				return notFound("give the folder that ragdb backup wrote", "there is no backup in %s", dir)
			}
			if err != nil {
				return err
			}
			err = engine.Restore(ctx, a.dir.path(dir), a.address(path))
			if errors.Is(err, engine.ErrExists) {
				return isInTheWay(path, err)
			}
			if errors.Is(err, engine.ErrCorrupt) {
				return &failure{exit: exitCorrupt, code: "corrupt", message: service.Message(err), hint: "this backup is damaged: take another one", err: err}
			}
			if err != nil {
				return err
			}
			a.printBackup(newBackupResult(path, dir, m, start), "restored "+dir+" to "+path, "next: ragdb status "+quote(path))
			return nil
		},
	}
}

func isInTheWay(path string, err error) error {
	return &failure{exit: exitFailed, code: "exists", message: path + " exists already", hint: "give a path that does not exist, or an empty folder", err: err}
}

func (a *app) printBackup(r backupResult, did, next string) {
	if a.out.object(r) {
		return
	}
	a.out.print("%s · %s, %s · commit %s · %s\n", did, plural(r.Files, "file"), size(r.Bytes), number(r.Epoch), duration(time.Duration(r.Ms)*time.Millisecond))
	a.out.note("%s", next)
}
