// Package interchange writes a graph in the forms that other programs read, and
// reads graphs from them: GraphML (Gephi, networkx, igraph, LightRAG), CSV with
// the header of neo4j-admin import, and, to write only, a Cypher script.
//
// A node has one type and one edge of a type joins two nodes, as in the engine.
// Nodes are named TYPE:KEY, so that the same names come out of equal graphs.
// What sources contribute is written as it sums up: a derived node's name and
// description, an edge's weight. Reading makes nodes and edges of the reader's
// own, which rest on no source.
//
// Times are written as RFC 3339, lists of strings separated by ";" if a
// format has no lists, and bytes in base64.
package interchange
