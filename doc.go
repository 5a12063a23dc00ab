// Package ragdb answers questions from documents, with proof, out of one
// directory.
//
// [Open] opens a database. [DB.Add] and [DB.AddFiles] put documents in, or new
// versions of them; [DB.Remove] removes them with everything that only they
// supported. [DB.Ask] answers from them and names its sources to the byte;
// [DB.Search] returns the passages alone. Most programs need nothing else.
//
// # Models
//
// Without options ragdb calls no model: it embeds words by what the documents
// themselves teach, and answers with a sentence or two of them. [Options.Chat] is
// the model that reads documents and answers, such as a Chat of package
// rag/llm/openai; [Options.Embedder] is the one that embeds. Both are interfaces
// of package rag/llm that a program can implement.
//
// One model must embed documents and questions. If the database holds vectors of
// another model than the options name, Open returns a [rag.ModelError] that names
// both.
//
// # Methods
//
// A method says what is built from the documents and how evidence is found for a
// question. The methods of [Options.Methods] index documents; [Method] chooses one
// of them for a question. By default ketrag indexes documents, and bridge, which
// needs no graph, answers questions. Package rag/methods has all methods.
//
// # Errors and life cycle
//
// If a document cannot be read or indexed, [DB.Add] sets it aside, does the
// others, and returns an error that wraps [rag.ErrPartial] and says which one and
// why. A call that was cancelled or met its spending limit keeps what it has done;
// the next Add goes on from there, and pays for no reply again. One process
// holds a database; others use it through that one with [Dial], if it has [Options.Share]
// or is a ragdb command. A DB is safe for concurrent use: calls that write wait
// for each other, and questions are answered meanwhile, each from one commit.
//
// # The layers below
//
// [DB.Indexer] does what Add does not: estimates of costs, progress, the removal
// of files that are gone. [DB.Corpus] is package rag's view of the same documents,
// with plans, traces and deletions, and [DB.Engine] the graph store under it, for
// packages query, query/cypher and graphops.
package ragdb
