// Package rag brings documents in and answers from them with proof.
//
// # Vocabulary
//
// A [Corpus] is a namespace of the engine with documents in it, and the models and
// kept replies that go with them. A document is cut into chunks by chunk sets; a
// chunk's key is its document's key, a # and its place. A [method.System] is a
// retrieval method on a corpus; package method says what it is made of, and a
// [method.Spec] names one as people write it: name[:key=value,...][@label].
//
// # Indexing
//
// An [Indexer] reads documents, replaces those whose content changed, and runs
// the methods' stages ([method.Stage]). A stage's work items are done in parallel outside transactions and
// applied one after the other, in the transaction that marks them done; so a run
// that is interrupted goes on where it stopped, the result is the same for any
// number of workers, and a reply that was paid for is never paid again. Items
// that fail are set aside with the reason and the model's raw answer
// ([Failures]). [Corpus.Remove] takes a document out with all that only it
// supported.
//
// # Answering
//
// [Corpus.Retrieve] runs a method's plan: operators of package query over one
// snapshot, with a trace. [Corpus.Ask] makes an answer of the evidence, with
// markers that name its sources to the byte.
//
// # Models
//
// [Models] are a provider of answers and two embedders. [Corpus.NewModels] makes them
// of yours, and [Corpus.OpenLocal] returns those that need no network: rules, and
// vectors of words learnt from the corpus.
package rag
