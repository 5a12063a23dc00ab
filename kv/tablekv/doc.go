// Package tablekv makes a kv.Store of a [kv.Table], a table of keys and values that a
// server keeps: it adds what a server lacks.
//
// # What it adds
//
// Merges: a batch reads the values that its operands are for, in one round trip, and
// writes what they fold to. The lease below makes sure that nobody changes them
// meanwhile.
//
// Large values: a value beyond [kv.Bounds].ValueBytes is written in pieces under keys of
// their own.
//
// Large transactions: changes beyond [kv.Bounds].ChangeBytes are written in as many
// transactions as they need. One more transaction, the commit, makes them count. Rows
// between two neighbouring keys of the table or behind its last one are written in their
// place: until the commit the state record says that rows in that range do not count, and
// every snapshot passes over it. Others wait for the commit in memory. If they become
// too many, they are staged under keys of their own; then the commit says in the state
// record that they count, every snapshot reads them in front of what they change, and the
// writer moves them to their place. If it ends before it is done, the next writer
// goes on. Rows of a transaction that was not committed are removed before the next
// commit.
//
// Iterators: they read windows of rows, which grow while a scan goes on.
//
// # The cache
//
// A store keeps in memory what it has read, up to [Options].CacheBytes: values of keys, and
// ranges. A read of what it keeps makes no round trip. Each commit leaves a row that says
// which keys it changed, or with what they begin if they are many. A view asks for the rows
// since the last one together with the state record, in one round trip, and forgets
// what they name. So a snapshot still shows one commit, the latest when it is opened. The
// rows of the last 256 commits stay. A reader that is further behind, or that finds rows
// of another writer where it knows its own, forgets everything.
//
// The writer needs no rows: it knows what it has written, and keeps that too.
//
// # One writer
//
// The state record under one key names the writer. Each transaction expects that record
// as the writer left it, and changes it: so a writer whose place another has taken
// commits nothing more, however late it wakes up. No clock is compared between machines.
// A writer that waits for its turn takes it when the record has not changed for
// [Options].Lease by its own clock; the goroutine of an open writer changes it three
// times in that time, until Close, which gives the lease up.
//
// A store whose lease was taken reads nothing more either, but from snapshots that it has:
// the layers above keep in memory what the last commit of theirs was.
//
// Stores opened for reading take no lease. A snapshot of theirs shows the last commit of
// the writer.
//
// # Failures
//
// A call that the server refuses for now is tried again for [Options].Patience. After a
// commit that may have been made or not the state record tells which. If that cannot be
// read either, the store accepts no further writes, as what a writer keeps in memory may
// no longer be true: [kv.ErrReadOnly].
package tablekv
