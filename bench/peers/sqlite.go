package main

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"

	_ "modernc.org/sqlite" // the driver
)

// sqliteStore keeps a row for each edge; the way back is an index.
type sqliteStore struct {
	db        *sql.DB
	neighbour *sql.Stmt
}

func openSQLite(dir string) (store, error) {
	db, err := sql.Open("sqlite", filepath.Join(dir, "db.sqlite")+
		"?_pragma=journal_mode(WAL)&_pragma=synchronous(OFF)&_pragma=cache_size(-131072)")
	if err != nil {
		return nil, err
	}
	// One connection, as the store has one writer; its cache then serves the
	// reads too.
	db.SetMaxOpenConns(1)
	_, err = db.Exec(`CREATE TABLE edges (src INTEGER, type INTEGER, dst INTEGER, PRIMARY KEY (src, type, dst)) WITHOUT ROWID`)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return &sqliteStore{db: db}, nil
}

func (s *sqliteStore) load(ctx context.Context, edges []edge, both bool) error {
	if both {
		if _, err := s.db.ExecContext(ctx, `CREATE INDEX incoming ON edges (dst, type, src)`); err != nil {
			return err
		}
	}
	err := eachBatch(ctx, edges, func(edges []edge) (err error) {
		tx, err := s.db.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		defer func() {
			if err != nil {
				err = errors.Join(err, tx.Rollback())
			}
		}()
		insert, err := tx.PrepareContext(ctx, `INSERT OR IGNORE INTO edges VALUES (?, ?, ?)`)
		if err != nil {
			return err
		}
		for _, e := range edges {
			if _, err := insert.ExecContext(ctx, e.from, edgeType, e.to); err != nil {
				return err
			}
		}
		return tx.Commit()
	})
	if err != nil {
		return err
	}
	s.neighbour, err = s.db.PrepareContext(ctx, `SELECT dst FROM edges WHERE src = ? AND type = ?`)
	return err
}

func (s *sqliteStore) compact() error {
	for _, q := range []string{`VACUUM`, `PRAGMA wal_checkpoint(TRUNCATE)`} {
		if _, err := s.db.Exec(q); err != nil {
			return err
		}
	}
	return nil
}

func (s *sqliteStore) neighbors(ctx context.Context, node uint32) (n int, err error) {
	rows, err := s.neighbour.QueryContext(ctx, node, edgeType)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var dst uint32
		if err := rows.Scan(&dst); err != nil {
			return n, err
		}
		n++
	}
	return n, rows.Err()
}

func (s *sqliteStore) close() error {
	if s.neighbour == nil {
		return s.db.Close()
	}
	return errors.Join(s.neighbour.Close(), s.db.Close())
}
