// Package pgkv is a [kv.Table] in a PostgreSQL database, or in one that speaks its
// protocol and its SQL: CockroachDB and YugabyteDB. It is the only importer of pgx beside
// tests.
//
// # Address
//
// A table is named by a URL of PostgreSQL with its usual parameters, and one more:
//
//	postgres://user:password@host:5432/database?sslmode=verify-full&table=schema.name
//
// table is ragdb by default, and stands in the first schema of the search path if it
// names none. sslmode and the parameters beside it say how the connection is encrypted.
// pool_max_conns is the number of connections, 16 by default and at least 2;
// pool_max_conn_lifetime and pool_max_conn_idle_time say how long one is kept. Several
// hosts, separated by commas, with target_session_attrs=read-write are tried in turn, so
// that a table follows a failover. No error, and no form of printing a [Table], shows a
// password; [Redact] takes them out of an address.
//
// # The table
//
// [Open] makes a table of two columns, key bytea PRIMARY KEY and value bytea NOT NULL.
// Rows in the order of keys are all that is asked of it. bytea is compared byte by byte,
// whatever the database's collation. A table with other columns is [kv.ErrForeign].
// Nothing else of the database is touched. A reader needs the right SELECT, a writer
// INSERT, UPDATE and DELETE too, and who makes the table CREATE in its schema.
//
// An index of PostgreSQL takes keys of 2,690 bytes. Longer ones are [kv.ErrTooLarge].
//
// # Reading
//
// A view is a read-only transaction with the isolation level REPEATABLE READ, on a
// connection of its own until it is closed. Its opening and its first keys are one round
// trip, as each later read is; its end takes none, as nobody waits for the answer.
//
// Reads of one view that overlap take turns on its connection. After the first has waited,
// PostgreSQL exports the state and up to three further connections read the same one, if
// they are free. CockroachDB and YugabyteDB do not export states: there reads go on to
// take turns.
//
// Views use all connections but one. A View that finds none free waits 5 seconds, and is
// then [kv.ErrRefused] with an error that says so.
//
// A view ends after [kv.Bounds].ViewAge. It also ends, with [kv.ErrExpired], if a read of
// it fails or its connection does: what the transaction saw is gone with it. A server's
// idle_in_transaction_session_timeout ends views that are not read for so long.
//
// # Writing
//
// A write is one round trip: BEGIN, the guard, the changes and COMMIT are sent together.
// The guard is the first change. If it does not hold, it divides by zero. The server then
// ends the transaction and does none of the statements that follow, COMMIT among them: so
// COMMIT is sent before the guard is answered. The
// transaction is READ COMMITTED where the server has that level: the guard's row is locked
// by then, and no other row decides anything.
//
// Values travel as arrays in messages of 4 MiB. COPY is not used. It cannot replace rows
// that are there, so it would need an empty range or a second table: by way of a temporary
// table BenchmarkLoad takes 1.7 times as long as with arrays, and COPY alone 0.7 times.
//
// If the session has synchronous_commit = off, the transaction sets it to on: a commit
// that returned is on the server's disk. Other values (local, remote_write, remote_apply)
// are left as the operator chose them; which standbys a commit waits for is theirs to say.
// A server with fsync = off is durable at no setting.
//
// A host that is cut off in the middle of a transaction leaves the guard's row locked until
// the server notices. A session asks it to do so within 20 seconds (tcp_keepalives_idle,
// tcp_keepalives_interval, tcp_keepalives_count, tcp_user_timeout), unless the operator or
// the address have set less.
//
// # Errors
//
// [kv.ErrRefused] is a call that did nothing and may succeed later: a serialization
// failure, a deadlock, a server that starts or ends, a standby, too many connections, a
// connection that was not made. [kv.ErrUncertain] is a write whose answer did not arrive:
// a connection that broke after the transaction was sent, or a server that ended during
// the commit. Nothing is tried again but a view on a connection that proves to be dead.
// A call whose context ends waits up to a second for the server's answer, so that the
// connection, the view and the outcome are not lost with it. A server that does not answer
// for a minute is given up.
//
// # Bounds
//
// A value has 1 MiB at most and a transaction 16 MiB. CockroachDB advises values of at
// most that size, takes messages of 16 MiB (sql.conn.max_read_buffer_message_size) and
// replicates commands of 64 MiB (kv.raft.command.max_size); YugabyteDB keeps a row below
// 32 MB. A transaction removes 10,000 keys by ranges at most, so that a distributed server
// need not hold locks of more. A view can be read for 10 minutes: YugabyteDB keeps old
// states for 15 minutes (timestamp_history_retention_interval_sec), CockroachDB for hours,
// and PostgreSQL cannot clean up what an open view may still read. Options lower bounds.
//
// # Other servers
//
// Tests run on PostgreSQL. No other server was at hand: what follows rests on their
// manuals and on statements that use nothing beyond what they document.
//
// CockroachDB runs transactions as SERIALIZABLE unless it is told to offer other levels,
// so that a write may be refused with the code 40001 where PostgreSQL waits. It cannot
// export states. It takes synchronous_commit and ignores it: commits are durable.
//
// YugabyteDB spreads a table by a hash of its key; scans would read all of it. There Open
// makes the table with PRIMARY KEY (key ASC). It runs READ COMMITTED as REPEATABLE READ
// unless yb_enable_read_committed_isolation is set, with the same effect as above.
//
// The statements stand in statements.go. They use no procedural language, no extension,
// no advisory lock and no temporary table.
package pgkv
