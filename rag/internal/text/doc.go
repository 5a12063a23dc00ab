// Package text reads natural language for the layers above the store: tokens,
// chunks, sentences, names and terms. All of it is by rule; nothing here calls
// a model.
//
// # Vocabulary
//
// A text is a document as it is indexed: its title, a line break, what it
// says. All offsets are bytes of that string.
//
//   - Token: a unit in which models count text ([Tokenizer], cl100k_base).
//     Sizes of chunks and budgets of contexts are in tokens.
//   - Chunk: the piece of text that is stored, embedded and cited ([Chunker]).
//     A [ChunkSet] says how text is cut and names the result.
//   - Paragraph, heading, title: see [Sentences]. A sentence never crosses a
//     paragraph, and a chunk does not cut one that fits.
//   - Name: a mention of a person, place, work, date ([Names]). Its key
//     ([Key]) is what equal names have in common.
//   - Term: a common noun phrase ([Terms]).
//
// # Life-cycle
//
// Make one [Tokenizer] for a process, and a [Chunker] for each chunk set. For
// names, first [CaseStats.Add] every text of the corpus, then call [Names];
// keep the statistics, in their binary form, with the corpus, Add new texts
// and Remove deleted ones. A question is read with [MatchNames] against the
// keys that are stored.
//
// # What holds
//
// Every function is deterministic, takes any bytes without failing and works
// in linear time (a run of letters without a break is encoded in O(n log n)),
// so that hostile text costs no more than its length. Spans never cut a
// character of valid UTF-8. Everything is safe for concurrent use but the
// changing of a CaseStats.
//
// # Stability
//
// The chunks of a [ChunkSet] with a given name, and so the rules for paragraphs
// and sentences, the tokens of cl100k and the bytes of CaseStats are part of
// the format of a database; before v0.1 they may still change, and a document
// that does not change keeps the chunks that it was cut into. The rules for names
// and terms are not; a change of them changes what is extracted from the same
// text.
package text
