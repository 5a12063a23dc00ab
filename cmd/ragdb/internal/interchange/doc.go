// Package interchange writes a graph in the forms that other programs read, and
// reads graphs from them: GraphML (Gephi, networkx, igraph, LightRAG), CSV with
// the header of neo4j-admin import, and, to write only, a Cypher script.
//
// Nodes are named TYPE:KEY, one without a label :KEY, so that the same names come out of equal graphs.
// What sources contribute is written as it sums up: a derived node's name and
// description, an edge's weight. Reading makes nodes and edges of the reader's
// own, which rest on no source.
//
// Dates, times and durations are written as ISO 8601 and points as {x, y, z,
// srid}, bytes in base64. The header of a CSV file tells their types, as
// neo4j-admin import does (date, long[]); GraphML has them as strings, with
// attr.kind and attr.list beside the type, which other programs pass over. Elements
// of a list stand between semicolons in CSV, in a JSON array in GraphML, and in CSV
// too if a text has a semicolon itself.
package interchange
