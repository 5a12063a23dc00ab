// Package ragdb answers questions from documents, with proof, out of one
// directory.
//
// [Open] opens a database. [DB.Add] and [DB.AddFiles] put documents in, or new
// versions of them; [DB.Remove] takes them out with everything that only they
// supported. [DB.Ask] answers from them and names its sources to the byte;
// [DB.Search] returns the passages alone. That is all that most programs need.
//
// # Models
//
// Without options no model is called: words are embedded by what the documents
// themselves teach, and an answer is a sentence or two of them. [Options.Chat] is
// the model that reads documents and answers, such as a Chat of package
// rag/llm/openai; [Options.Embedder] is the one that embeds. Both are interfaces
// of package rag/llm that a program can implement.
//
// Documents and questions must be embedded by one model. A database that holds
// vectors of another model than the options name is refused with a
// [rag.ModelError] that names both.
//
// # Methods
//
// A method says what is built from the documents and how evidence is found for a
// question. Documents are indexed by the methods of [Options.Methods]; [Method]
// chooses one of them for a question. Without either, documents are indexed by
// ketrag; questions are answered by bridge without a chat model, and by ketrag
// with one. Package rag/methods has them all.
//
// # Errors and life cycle
//
// A document that cannot be read or indexed is set aside: [DB.Add] does the others
// and returns an error that wraps [rag.ErrPartial] and says which one and why.
// A call that was cancelled or met its spending limit keeps what it has done; the
// next Add goes on from there, and pays for no reply again. A database belongs to
// one process at a time. A DB is safe for concurrent use: calls that write wait for
// each other, and questions are answered beside them, each from one commit.
//
// # The layers below
//
// [DB.Indexer] does what Add does not: estimates of costs, progress, the removal of
// files that are gone. [DB.Corpus] is package rag's view of the same documents, with
// plans, traces and deletions, and [DB.Engine] the graph store under it, for
// packages query, query/cypher and graphops.
package ragdb
