// Package link finds names of entities that may be names of one thing, such as
// "NYC" and "New York City".
//
// [Find] compares the names that the methods of a corpus have read. Names whose
// vectors are near are looked at closely:
//
//   - Numbers and words of contrast (first and second, north and south, June and
//     July) must be the same in both: "Stage 1" is not "Stage 2".
//
//   - Names that share a word and have another word each are two things:
//     "University of Texas" and "University of Kansas".
//
//   - A name that is the end of a longer one stands for it only where no other
//     longer name stands in the same documents.
//
//   - Names that stand in one sentence, each for itself, are two things, unless the
//     sentence says that they are one: "New York City (NYC)".
//
//   - Names without a common word must be nearer than others: a model finds things near
//     that belong together, such as a country and its capital. If the vectors are learnt
//     from the corpus, such names are not compared.
//
// What remains is scored by the names' vectors, by the vectors of the chunks that
// mention them, and by how the names are alike. The rules are for English where they
// list words; in other languages fewer pairs are kept out.
//
// Find changes nothing. A person judges, and rag.Corpus.Merge joins.
package link
