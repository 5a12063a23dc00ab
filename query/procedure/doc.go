// Package procedure provides the procedures of the query language that need no
// model: graph.* for graph algorithms, vec.* for vector spaces, text.* for
// postings, db.* for the database itself. [Add] puts them into a registry; a
// program adds its own beside them with [cypher.Registry.Add].
//
// # Operators
//
// vec.search, vec.chsearch, text.search and graph.ppr run the operators of
// package query that retrieval is made of ([query.VectorSearch],
// [query.TextSearch] and [query.PPR]), in the environment of
// the session. The options labels, nodes and filter narrow its access check
// [query.Env].Allow. A graph.ppr on a chosen part of the graph, which a walk must
// not leave, runs the algorithm on a projection of it.
//
// The other procedures have no operator. graph.shortest_path yields a path with
// its edges and length, which may be weighted, while [query.PathChain] yields the
// set of nodes on a chain of them; text.phrase takes fields of any analyzer,
// [query.PhraseSearch] those of exact words; graph.subgraph yields all edges in
// their order, [query.Incident] ranks them. Algorithms over the whole graph call
// package graphops. If the session has an access check, the procedures that do not
// follow it are refused ([cypher.Procedure].Filtered).
//
// # Conventions
//
// The last argument of most is a map of options, which may be left out. An
// option that a procedure does not know is refused with the list of those that
// it has.
//
// A procedure over a graph takes the nodes of the option nodes and the edges
// between them, a projection that graph.project named, or by default the whole
// current graph. labels and types choose nodes and edges by label and type,
// direction is how edges of directed types are followed: out (as they point, the
// default), in, or both. An algorithm whose result does not depend on directions
// uses both and refuses the others.
//
// A procedure NAME that yields a node with figures has three variants:
//
//	NAME.stats     yields figures of the whole, in one row
//	NAME.write     writes the first figure into a property of each node
//	NAME.estimate  yields the memory that it would need, and about how long it takes
//
// Rows are in descending order of their score; without a score, in order of their
// node. They are the same for any number of threads.
package procedure
