// Package local works without a model: it embeds texts by the words of their
// corpus, and does tasks by rules. Everything in it is deterministic, needs no
// network, and costs nothing. It invents no text: all of its texts are taken
// from the texts it is given, sentence by sentence.
//
// # Vectors: rri-512
//
// [Train] makes a [Table] of word vectors from the texts that will be
// embedded, by reflective random indexing. [Table.Embed] turns a text into a
// vector of [Dim] components: a pure function of the text and the table, the
// same on every platform. The table has a version, which stands in the name of
// the vector space ([Head.Model]), so that vectors of two tables never mix.
//
// What it does on real questions (TestCoverage and TestFirstHit, -long): 70 %
// of MuSiQue answers within 12,000 tokens of the nearest chunks of 150, where
// BM25 finds 70 and both together 73; and a mean reciprocal rank of 80 on FAQ
// entries, 87 together with BM25. It is not a neural model: words that never
// share a text are unrelated to it.
//
// Life-cycle of a corpus:
//
//  1. Train on its chunks by [TrainTo]. Store what it gives, which ends with the head,
//     and the live rows ([TrainOptions.Live]). Embed and store the chunks.
//  2. Added and removed chunks: [LoadWords] of them (for many, [LoadTable]), embed the
//     new ones with it, and
//     bring the live rows up to date by a [Change]. Rows are sums of integers:
//     what is removed leaves no trace. The vectors of old chunks stay.
//  3. Questions: [LoadHead] and [NewLive], which read a row for each word of
//     the question. The live rows know the words of new chunks, which the
//     table does not: see [Live] for what that is worth.
//  4. When [NeedsRetrain] says that the corpus has doubled, train the next
//     version beside and swap.
//
// With fewer than some 200 texts the statistics are thin, and BM25 should
// lead. Below 16 texts no common direction is removed.
//
// Similarities have no fixed scale: on one corpus a cosine of .2 says much, on
// another nothing. [Head] has the median and the 99th percentile of random
// pairs, from which thresholds are taken.
//
// # Tasks
//
// A [Provider] does every kind of task but judge and make-questions, which it
// refuses.
//
//   - extract: names, dates, in texts with few names also terms; relations are
//     the words between two neighbouring entities of a sentence, and keep that
//     sentence. With a tagger ([Options]) its names are added, with their types;
//     of others no type but "date" is given, whatever types are asked for. glean
//     finds nothing more.
//   - summarise, attribute, merge-descriptions: whole sentences of the texts,
//     chosen by TextRank, in their order.
//   - community-report, summary-entities: titles and names of what the members
//     have in common, and such summaries.
//   - query-elements, keywords: the names and terms of the question.
//     hypothetical-passage is the question as a statement, whole-question the question
//     with the names that its pronouns stand for.
//   - answer, filter-points: the sentences of the evidence that hold most of
//     the question, and what sort of thing it asks for, with their citations.
//     short-answer is the first of them, without.
//
// Names, sentences and terms are those of rag/text, whose rules are made for
// English. Control characters never reach a reply.
//
// # Concurrency
//
// Everything is safe for concurrent use but [Change]. Train uses goroutines
// and waits for them; nothing else does.
//
// # Stability
//
// The stored form of a table and of live rows is part of the format of a
// database; a table says which analyzer and which hash it was made with, and
// is refused by a build that has others. Replies of the provider may get
// better; then the version in [Provider.Name] moves.
package local
