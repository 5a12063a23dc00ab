package pgkv

import (
	"fmt"
	"strings"
)

// statement is one of the prepared statements of a session.
type statement int

const (
	beginView statement = iota
	beginWrite
	commit
	rollback
	insist
	touch
	get
	scanFrom
	scanBetween
	scanFromDown
	scanBetweenDown
	guardChange
	guardCreate
	removeBetween
	remove
	set
	add
	statements // how many there are
)

// text has the statements; {table} stands for the table's name. Each runs on PostgreSQL,
// CockroachDB and YugabyteDB alike.
var text = [statements]string{
	beginView:  `BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY`,
	beginWrite: `BEGIN ISOLATION LEVEL READ COMMITTED`,
	commit:     `COMMIT`,
	rollback:   `ROLLBACK`,

	// A session that does not wait for the disk does so for this transaction. A server
	// that does not know the setting has no value of it.
	insist: `SELECT set_config('synchronous_commit', 'on', true)
WHERE current_setting('synchronous_commit', true) = 'off'`,

	// The first read of a transaction fixes the state that it sees.
	touch: `SELECT key FROM {table} LIMIT 1`,
	get:   `SELECT key, value FROM {table} WHERE key = ANY ($1::bytea[])`,

	scanFrom:        `SELECT key, value FROM {table} WHERE key >= $1::bytea ORDER BY key LIMIT $2::bigint`,
	scanBetween:     `SELECT key, value FROM {table} WHERE key >= $1::bytea AND key < $2::bytea ORDER BY key LIMIT $3::bigint`,
	scanFromDown:    `SELECT key, value FROM {table} WHERE key >= $1::bytea ORDER BY key DESC LIMIT $2::bigint`,
	scanBetweenDown: `SELECT key, value FROM {table} WHERE key >= $1::bytea AND key < $2::bytea ORDER BY key DESC LIMIT $3::bigint`,

	// A guard that does not hold divides by zero: the transaction ends before anything
	// else is done, in the round trip that would commit it.
	guardChange: `WITH hit AS (UPDATE {table} SET value = $3::bytea WHERE key = $1::bytea AND value = $2::bytea RETURNING key)
SELECT 1 / count(*) FROM hit`,
	guardCreate: `WITH hit AS (INSERT INTO {table} (key, value) VALUES ($1::bytea, $2::bytea) ON CONFLICT (key) DO NOTHING RETURNING key)
SELECT 1 / count(*) FROM hit`,

	removeBetween: `DELETE FROM {table} WHERE key >= $1::bytea AND key < $2::bytea`,
	remove:        `DELETE FROM {table} WHERE key = ANY ($1::bytea[])`,
	set: `INSERT INTO {table} (key, value) SELECT unnest($1::bytea[]), unnest($2::bytea[])
ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
	// A row that is known to be new takes the server about two thirds of the time.
	add: `INSERT INTO {table} (key, value) SELECT unnest($1::bytea[]), unnest($2::bytea[])`,
}

// watch has the server notice within 20 seconds that the host of a client is cut off, if
// neither the operator nor the address have it notice earlier. By default it takes hours,
// and until then a transaction of which a part has arrived keeps the guard's row from
// others. A server that does not know the settings has no values of them.
const watch = `SELECT set_config(name, most, false)
FROM (VALUES ('tcp_keepalives_idle', '5'), ('tcp_keepalives_interval', '5'), ('tcp_keepalives_count', '3'), ('tcp_user_timeout', '20000')) AS w (name, most)
WHERE current_setting(name, true)::bigint = 0 OR current_setting(name, true)::bigint > most::bigint`

// sql returns a statement for a table.
func (s statement) sql(table string) string {
	return strings.ReplaceAll(text[s], "{table}", table)
}

// name is the name that a session prepares a statement under.
func (s statement) name() string { return fmt.Sprintf("ragdb_%d", s) }

// createTable returns the statement that makes a table. YugabyteDB spreads a table by
// hashes of its key unless it is told to keep them in order.
func createTable(table string, order bool) string {
	if order {
		return "CREATE TABLE IF NOT EXISTS " + table + " (key bytea NOT NULL, value bytea NOT NULL, PRIMARY KEY (key ASC))"
	}
	return "CREATE TABLE IF NOT EXISTS " + table + " (key bytea PRIMARY KEY, value bytea NOT NULL)"
}

// allColumns returns the statement whose description has the columns of a table.
func allColumns(table string) string { return "SELECT * FROM " + table }
