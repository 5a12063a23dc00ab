package pgkv

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/ragdb/ragdb/kv"
)

// Options say how a table is opened. The zero value opens for writing and makes the table
// if it is missing.
type Options struct {
	// ReadOnly opens for reading only, as from a standby.
	ReadOnly bool
	// MustExist refuses to make the table.
	MustExist bool
	// Bounds lower the bounds of the table where they are not 0.
	Bounds kv.Bounds
}

// The bounds of a table; the package's manual gives the reasons.
var bounds = kv.Bounds{
	KeyBytes:    maxKeyBytes,
	ValueBytes:  1 << 20,
	ChangeBytes: 16 << 20,
	RemoveKeys:  10_000,
	ViewAge:     10 * time.Minute,
}

// maxKeyBytes is the longest key that an index of PostgreSQL takes, whatever its bytes.
const maxKeyBytes = 2_690

const (
	defaultConns       = 16
	defaultConnectTime = 10 * time.Second
	pgxConnectTime     = 2 * time.Minute // pgx's own default
)

// Table is a table of a PostgreSQL database. It is safe for concurrent use.
type Table struct {
	name     string // the address without passwords
	pool     *pool
	bounds   kv.Bounds
	readOnly bool
	exports  bool // connections can share a view
}

var _ kv.Table = (*Table)(nil)

// Open opens the table that an address names, and makes it unless o forbids that. The
// caller must Close it.
//
// The error is [kv.ErrRefused] if the server cannot be reached for now, fs.ErrNotExist if
// the table is missing and may not be made, and [kv.ErrForeign] if it has other columns.
// No error shows a password.
func Open(ctx context.Context, address string, o Options) (*Table, error) {
	t, err := open(ctx, address, o)
	if err != nil {
		return nil, phase.At("open "+Redact(address), err)
	}
	return t, nil
}

func open(ctx context.Context, address string, o Options) (*Table, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	cfg, table, err := parse(address)
	if err != nil {
		return nil, err
	}
	conn := &cfg.ConnConfig.Config
	if conn.ConnectTimeout == pgxConnectTime {
		conn.ConnectTimeout = defaultConnectTime
	}
	s, err := dial(ctx, conn)
	if err != nil {
		return nil, connecting(ctx, err)
	}
	if err := ensure(ctx, s, table, o); err != nil {
		s.close()
		return nil, err
	}
	if err := s.prepare(ctx, table); err != nil {
		s.close()
		return nil, connecting(ctx, err)
	}
	cockroach, yugabyte := s.dialect()
	t := &Table{
		name:     Redact(address),
		pool:     newPool(conn, table, conns(cfg, address), cfg.MaxConnLifetime, cfg.MaxConnIdleTime),
		bounds:   lowered(bounds, o.Bounds),
		readOnly: o.ReadOnly,
		exports:  !cockroach && !yugabyte,
	}
	t.pool.put(s)
	return t, nil
}

// ensure checks the columns of the table, and makes it if it is missing. Another process
// may make it at the same moment: some servers tell the loser by an error.
func ensure(ctx context.Context, s *session, table string, o Options) error {
	for try := 0; ; try++ {
		fields, err := s.columns(ctx, table)
		if err == nil {
			return check(fields)
		}
		if code(err) != undefinedTable {
			return connecting(ctx, err)
		}
		if o.ReadOnly || o.MustExist {
			return fmt.Errorf("there is no table %s: %w", table, fs.ErrNotExist)
		}
		_, yugabyte := s.dialect()
		_, _, err = s.exchange(ctx, step{sql: createTable(table, yugabyte)})
		if err == nil {
			continue
		}
		switch c := code(err); {
		case try < 10 && (c == uniqueViolation || c == duplicateTable || c == duplicateObject || c == internalError || passing(c) && !lost(c)):
		case c == readOnlyTransaction:
			return connecting(ctx, err)
		default:
			return fmt.Errorf("make table %s: %w", table, connecting(ctx, err))
		}
	}
}

// check refuses a table that is not one of ragdb.
func check(fields []pgconn.FieldDescription) error {
	if len(fields) == 2 && fields[0].Name == "key" && fields[1].Name == "value" &&
		fields[0].DataTypeOID == byteaOID && fields[1].DataTypeOID == byteaOID {
		return nil
	}
	var names []string
	for _, f := range fields {
		names = append(names, f.Name)
	}
	return phase.Mark(kv.ErrForeign, "the table is not one of ragdb: its columns are %q, not key and value of the type bytea", names)
}

// conns returns how many connections a table has: pool_max_conns of the address, or the
// package's default.
func conns(cfg *pgxpool.Config, address string) int {
	if hasParam(address, "pool_max_conns") {
		return int(cfg.MaxConns)
	}
	return defaultConns
}

func lowered(b, by kv.Bounds) kv.Bounds {
	lower := func(v *int, by int) {
		if by > 0 {
			*v = min(*v, by)
		}
	}
	lower(&b.KeyBytes, by.KeyBytes)
	lower(&b.ValueBytes, by.ValueBytes)
	lower(&b.ChangeBytes, by.ChangeBytes)
	lower(&b.RemoveKeys, by.RemoveKeys)
	if by.ViewAge > 0 {
		b.ViewAge = min(b.ViewAge, by.ViewAge)
	}
	return b
}

// Bounds returns what the table can take.
func (t *Table) Bounds() kv.Bounds { return t.bounds }

// String returns the address without passwords.
func (t *Table) String() string { return t.name }

// Format writes what String returns, for every verb: no form of printing shows the
// settings of the connections.
func (t *Table) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(t.name)) }

// Close ends all connections that no view uses; the others end with their views.
func (t *Table) Close() error {
	t.pool.close()
	return nil
}

// wrap names the operation and the table in an error.
func (t *Table) wrap(op string, err error) error {
	if err == nil || errors.Is(err, kv.ErrGuard) || errors.Is(err, kv.ErrClosed) {
		return err
	}
	return phase.At(op+" "+t.name, err)
}
