// Package replay answers tasks from what was recorded, without a model.
//
// # Recordings
//
// A [Passage] is a text with the entities and triples that a model once read in
// it, as open information extraction leaves them. [Recordings] hold many, and
// find those that a text is made of. [New] makes a provider of them that reads
// entities and relations from recorded texts; what is not recorded, and every
// other kind of task, goes to another provider.
//
// A recording becomes an extraction so:
//
//   - An entity is called as it is recorded and has no type. It is described by
//     the first three sentences of the text that name it. The ends of a triple
//     are entities too.
//   - A triple is a relation of strength 1, described as "subject predicate
//     object". Its sentence is the first that holds both ends; a triple of
//     which there is no such sentence has none.
//   - A text that holds several passages has what all of them have.
//   - A text that is a part of a passage has the entities that stand in the
//     part as whole words, and the triples both of whose ends do.
//
// Texts are compared word by word, a word being what white space parts; so line
// breaks and indentation do not matter, and everything else does. A passage is
// found by any run of [Shingle] of its words, wherever that begins, if the run
// is its beginning or its end or twice as long; a passage of fewer words only
// as a whole, and a text of fewer than 2 [Shingle] words only if all of it
// stands in a passage. A passage's title counts as a part of it if it stands
// before its beginning, and does not matter if it is left out. Of passages
// that share words the longest run counts. A text at least half of whose words
// belong to no passage is not recorded: what it has in common with one says
// little of it.
//
// # Replies
//
// A file of replies has them by the digest of their task
// ([llm.Task.Digest]), as [Write] writes and [Read] reads them. An import of one lets a
// run repeat byte for byte; a task that is not among them is [ErrNotRecorded].
//
// Everything here is a function of what was recorded and of the task, and safe
// for concurrent use.
package replay
