// Package knowledge reads what documents say of things, once for all methods:
// entities with their kinds and descriptions, the relations between them,
// self-contained units, and the chunks that mention them.
//
// # Reading
//
// [Reader] cuts each document into texts of some tokens, runs of chunks that
// follow each other, and asks a model once for all that any method needs. The
// request depends on the text, the document's title and language, and the two
// parameters of [Profile]. It does not depend on the method. A corpus keeps each
// reply under the digest of its request, so that a second method with the same
// chunk set and profile pays for no request again, and both have read the same.
//
// A method may want some of the chunks only, as KET-RAG does. The Reader then
// reads the texts that hold a wanted chunk, whole, and what stands only in the
// other chunks is left out. With Core set it reads the wanted chunks alone: that
// costs less and shares nothing.
//
// # Attribution
//
// [Finder] tells which chunks of a text say what was found in it: those in which
// its names stand as whole words, in any case. So each chunk is the source of
// what it says. When a document leaves, the entities and relations that only its
// chunks supported leave the graph too.
//
// # The graph
//
// [Layer] writes a reading into the graph of a method, under the same names in
// each:
//
//	entity    derived, the key is text.Key of the name
//	kind      a type of entities; derived
//	relation  what is said of two entities; derived, the key is from|to
//
//	relation  entity - entity, the weight the sum of the strengths
//	is        entity -> kind, the weight the votes
//	mentions  chunk - entity, the weight how often it is named
//	states    chunk - relation
//	end       relation - entity
//
// Each method has its own copy, with the parts that it uses. docs/design/0005-rag.md
// says why the graphs are not one.
//
// [Describer] tells what an entity or relation is called and how it is
// described, and has a model unite descriptions that are many.
package knowledge
