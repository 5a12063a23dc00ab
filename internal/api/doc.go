// Package api serves databases over HTTP: JSON for programs, streams of server-sent
// events, and a document in OpenAPI 3.1 that describes both.
//
// A [Server] is an [http.Handler] for some databases. What it answers are the types of
// package service, as the command prints them with --json. The operations are a table:
// each has a type of what it takes and one of what it gives, from which the request is
// read and checked, and the OpenAPI document made, so that neither says what the other
// does not do.
//
// Errors are problem details (RFC 9457) whose code is the one that the command has.
//
// # Who may do what
//
// If there are [Tokens] each request needs one, which has a [Role] and may be bound to
// some namespaces; others do not exist for it. Without tokens every request may do
// everything, which is meant for a socket or an address that only this machine reaches.
// A request from a page of another origin, or for another host's name, is refused
// before anything else.
//
// # Limits
//
// [Limits] bound bodies, rows, times and what is done at once. A client that reads or
// writes too slowly loses its connection, and holds up no other.
package api
