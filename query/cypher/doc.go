// Package cypher is the query language: a subset of openCypher over a graph of
// the engine, with procedures for what graphs, vectors and texts can do.
// docs/query.md says what the subset is and where it differs.
//
// # Statements
//
// A [Session] runs statements against the graphs of a namespace. [Session.Run]
// parses a text ([Parse]), checks it ([Check]), plans it and returns a [Result].
// A statement that reads runs while [Result.Rows] is walked, at one snapshot. One
// that writes has run and is committed, wholly, when Run returns; its rows are
// kept. Parameters are values and never a part of the text.
//
// # Values
//
// A [Value] is null, a boolean, a number, a string, a time, a list, a map, a
// node, an edge or a path. [ValueOf] makes one of a Go value and [Value.Go] the
// reverse; [Value.String] is for people, [Value.MarshalJSON] for programs. Nodes
// and edges read their properties from the statement's snapshot when they are
// asked for them: within the loop over the rows.
//
// # Procedures
//
// CALL finds procedures in a [Registry]. [Registry.Add] adds a program's own:
// a name, arguments, columns and a function that yields rows.
//
// # How it works
//
// The patterns of a MATCH become a graph of nodes, edges and conditions
// (patternGraph). The planner chooses how to find a first node, by key, index or
// label, and in which order to follow edges, by the statistics that a session
// keeps of a graph's version. The plan is a row of steps. Rows are pushed through
// them: all steps up to the next projection write into one row, so that nothing
// is allocated for a match that a later step drops. Steps that have to keep rows
// count their bytes.
//
// # Errors
//
// A [SyntaxError] has a place in the text, an [EvalError] the expression that has
// no value for a row, a [LimitError] the limit that ended the statement. Others
// are the engine's. A Session and a Result are not safe for concurrent use.
package cypher
