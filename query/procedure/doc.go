// Package procedure provides the procedures of the query language that need no
// model: graph.* for graph algorithms, vec.* for vector spaces, text.* for
// postings, db.* for the database itself. [Add] puts them into a registry; a
// program adds its own beside them with [cypher.Registry.Add].
//
// # Operators
//
// vec.search, vec.chsearch, text.search and graph.ppr run the operators of
// package query that retrieval is made of ([query.VectorSearch],
// [query.LayerSearch], [query.TextSearch] and [query.PPR]), in the environment of
// the session: the access check [query.Env].Allow holds for them. The options
// labels, nodes and filter narrow that check. A graph.ppr on a chosen part of the
// graph, which a walk must not leave, runs the algorithm on a projection of it.
//
// The other procedures have no operator. graph.shortest_path yields a path with
// its edges and length, which may be weighted, while [query.PathChain] yields the
// set of nodes on a chain of them; text.phrase takes fields of any analyzer,
// [query.PhraseSearch] those of exact words; graph.subgraph yields all edges in
// their order, [query.Incident] ranks them. Algorithms over the whole graph call
// package graphops. No access check holds for these, as none does for MATCH.
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
