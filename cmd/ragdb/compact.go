package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/ragdb/ragdb/engine"
)

// compactResult is what compact prints.
type compactResult struct {
	V           int    `json:"v"`
	DB          string `json:"db"`
	BytesBefore uint64 `json:"bytes_before"`
	BytesAfter  uint64 `json:"bytes_after"`
	Ms          int64  `json:"ms"`
}

func (a *app) compactCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "compact DB",
		Short: "Rewrite the files so that what was removed takes no room",
		Long: `Compact rewrites the tables of DB without what was removed or replaced since
they were written. It happens by itself as the database is written to; compact
is for a database that was shrunk and will not be written soon. It needs the room
of the database once more while it runs, and can be interrupted at any time.`,
		Example: `  ragdb compact acme.ragdb`,
		RunE: a.onDB(0, false, func(ctx context.Context, cmd *cobra.Command, path string, _ []string) error {
			if a.global.readOnly {
				return usage("run it without --readonly", "compact writes")
			}
			return a.with(ctx, path, toWrite, func(db *engine.DB) error { return a.compact(ctx, path, db) })
		}),
	}
}

func (a *app) compact(ctx context.Context, path string, db *engine.DB) (err error) {
	start := time.Now()
	r := compactResult{V: 1, DB: path}
	if r.BytesBefore, err = diskBytes(ctx, db); err != nil {
		return err
	}
	if err := db.Compact(ctx); err != nil {
		return err
	}
	if r.BytesAfter, err = diskBytes(ctx, db); err != nil {
		return err
	}
	r.Ms = time.Since(start).Milliseconds()
	if a.out.object(r) {
		return nil
	}
	a.out.print("compacted %s · %s, before %s · %s\n", path, size(r.BytesAfter), size(r.BytesBefore), duration(time.Since(start)))
	return nil
}

// diskBytes returns what the files of a database take.
func diskBytes(ctx context.Context, db *engine.DB) (n uint64, err error) {
	err = db.View(ctx, func(s *engine.Snapshot) error {
		st, err := s.Stats(ctx)
		n = st.Store.DiskBytes
		return err
	})
	return n, err
}
