// Package cypher implements the query language: openCypher over the
// graphs of the engine, with procedures for graphs, vectors and texts.
// docs/query.md describes it and its differences from openCypher.
//
// # Statements
//
// A [Session] runs statements against the graphs of a namespace. [Session.Run]
// parses, checks and plans a text and returns a [Result]. A statement that only
// reads runs while [Result.Rows] is walked, at one snapshot. A statement that
// writes is executed and committed, wholly, before Run returns; its rows are
// kept. Parameters are values: their text is never parsed.
//
// # Conditions
//
// [ParseWhere] parses the expression of a WHERE about one node, such as a filter
// on the metadata of documents, into a predicate of the engine.
//
// # Values
//
// A [Value] is null, a boolean, a number, a string, a time, a list, a map, a
// node, an edge or a path. [ValueOf] converts a Go value and [Value.Go] converts
// it back. [Value.String] writes it for people, [Value.MarshalJSON] for programs.
// Nodes and edges read their properties from the statement's snapshot on demand,
// so these can be read only within the loop over the rows.
//
// # Filters
//
// If the environment of a session ([Options].Query) has an Allow, statements see
// what it allows: other nodes and edges are not there. Such a session does not
// write, and refuses procedures that are not [Procedure].Filtered.
//
// # Procedures
//
// CALL finds procedures in a [Registry]. A program adds its own with
// [Registry.Add]: a name, arguments, columns and a function that yields rows.
//
// # How it works
//
// The patterns of a MATCH become a graph of nodes, edges and conditions
// (patternGraph). The planner chooses how to find the first node (by key, index
// or label) and in which order to follow edges, using statistics that the session
// keeps for each version of a graph. The plan is a sequence of steps, and rows
// are pushed through them. All steps up to the next projection write into one
// row, so that a match which a later step drops allocates nothing. Steps that
// keep rows count their bytes.
//
// # Errors
//
// A [SyntaxError] names a place in the text, an [EvalError] an expression that
// has no value for a row, a [LimitError] the limit that ended the statement.
// Other errors are the engine's. A Session and a Result are not safe for
// concurrent use.
package cypher
