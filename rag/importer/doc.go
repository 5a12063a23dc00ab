// Package importer brings what other programs made of documents into a corpus:
// recorded extractions, and the graph of Microsoft GraphRAG.
//
// Both read and check their files first, in memory; what is wrong there is a
// [*load.FileError] that names file and line, and nothing is written. Writing
// then is resumable: an import that was interrupted goes on where it stopped
// when it is run again, and one that is run again changes nothing.
//
// # Recorded extractions
//
// [ReadOpenIE] reads passages with the entities and triples that a model read
// in them, see package replay for the forms. [OpenIE.Import] makes the passages
// documents, keeps the extractions beside the kept replies, each with its
// document, and indexes. [WithRecordings] is what makes indexing use them, then
// and later; they go with their documents.
//
// # GraphRAG
//
// [ReadGraphRAG] reads a folder of tables, Parquet as GraphRAG writes it
// (with and without create_final_ in the names), or JSON lines of the same
// columns. [GraphRAG.Import] makes documents of them and a graph named
// graphrag:
//
//	documents          documents; without the table each text unit is one. The
//	                   key is the title if all have one of their own, else
//	                   the id
//	text_units         the chunks of the corpus that they overlap, in the chunk
//	                   set of the methods that are indexed with them
//	entities           nodes of type entity; the key is text.Key of the title.
//	                   Property type
//	relationships      undirected edges of type relation between entities; the
//	                   weight is divided among the text units
//	communities        nodes of type community, the key is the community's
//	                   number. Properties level and title. Edges of type member
//	                   from entities, and of type part_of to the parent
//	community_reports  nodes of type report of the same key. Properties title,
//	                   summary, text, rating and level. Edges of type about to
//	                   the community
//	covariates, embeddings, layout, degrees, x and y
//	                   are left out
//
// Chunks are the sources of entities and relations: of an entity the chunks of
// its text units in which its title stands as whole words, of a relation in each
// text unit the first chunk that has both ends; if there is none, the first
// chunk of the text unit. Members are the sources of a community, and that is
// the source of its report. So a document that is removed takes with it what
// only it supported. A description is GraphRAG's own summary of all text units:
// it goes when the last of them does.
//
// Anything without a text unit has no source and is left out: see [GraphRAGResult].
// The graph answers queries; no method retrieves from it.
package importer
