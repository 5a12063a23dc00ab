// Package procedure holds the procedures of the query language that need no
// model: graph.* over the graph algorithms, vec.* over vector spaces, text.*
// over postings, db.* about the database itself. [Add] puts them into a
// registry; a program adds its own beside them by [cypher.Registry.Add].
//
// # Conventions
//
// The last argument of most is a map of options, which may be left out. An
// option that a procedure does not know is refused with the list of those that
// it has.
//
// A procedure over a graph takes the nodes of the option nodes and the edges
// between them, or a projection that graph.project named, or else the whole
// current graph. labels and types choose nodes and edges by label and type,
// direction says which way edges of directed types lead: out as they point,
// which is the default, in, or both. An algorithm whose meaning has no
// direction takes both ways by default and refuses the others.
//
// Where a procedure yields a node with figures, there are beside it
//
//	NAME.stats     figures of the whole, in one row
//	NAME.write     writes the first figure into a property of each node
//	NAME.estimate  what it would hold in memory and about how long it would take
//
// Rows come in order of score descending where there is a score, else of node,
// and are the same for any number of threads.
package procedure
