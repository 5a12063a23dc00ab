// Package pgtest runs PostgreSQL servers for tests: real ones, of the binaries that the
// system has. A test that asks for one is skipped if there are none.
//
// Binaries are those of the directory that the environment variable RAGDB_PG_BIN names,
// else those beside initdb on the PATH, else those of the newest version in
// /usr/lib/postgresql. As PostgreSQL refuses to run as root, a process of root starts
// them as the user postgres, or as nobody if there is no such user.
//
// A server listens on a free port of 127.0.0.1 and asks for a password. It keeps its data
// in a directory of its own, which Stop removes. By default it does not sync: tests of
// crashes set [Options].Durable.
//
// A [Shared] is one server for all tests of a package. A [Proxy] between a client and a
// server delays and cuts connections.
package pgtest
